"""From samples to segments: channels to speakers, long calls in pieces, one engine."""

import time
from dataclasses import dataclass, field

from callscope.engines.asr.protocol import RATE, Transcriber, Utterance, Word
from callscope.engines.asr.voice_activity import Span, detect_speech
from callscope.projects.configuration import Configuration
from callscope.transcription.audio import channels, speech, waveform
from callscope.transcription.audio.decoding import DecodedAudio
from callscope.transcription.schema import Segment, TalkMeasures, WaveformLane

PIECE_S = 600.0  # 19 MB of sound: under the 25 MB that servers take, and little memory
CUT_WITHIN_S = 120.0  # a piece ends in the longest pause of its last two minutes
TURN_PAUSE_S = 1.0  # a pause between words that long separates two utterances
ENGINE_S_PER_S = 10.0  # an engine slower than ten times the call's length is stuck
ENGINE_LEAST_S = 300.0


@dataclass(frozen=True, slots=True)
class RecognizedSpeech:
    segments: list[Segment]  # by start
    words: list[tuple[Word, ...]]  # of each segment, () where the engine gave no times
    language: str
    speech: TalkMeasures
    waveform: list[WaveformLane] = field(default_factory=list)


def recognize(recording: DecodedAudio, engine: Transcriber, config: Configuration) -> RecognizedSpeech:
    """Return what is said by whom. Raises what the engine raises."""
    deadline = time.monotonic() + max(ENGINE_LEAST_S, ENGINE_S_PER_S * recording.duration_s)
    separate = channels.split_speakers(recording.samples)
    language: str | None = None if config.language == "auto" else config.language
    heard: list[tuple[str | None, Utterance]] = []
    found_language = ""
    speakers: list[str | None] = [None]
    if len(separate) == 2:
        speakers = ["agent", "customer"] if config.channels.agent == 0 else ["customer", "agent"]
    spans_by_speaker = {
        speaker: detect_speech(samples) for speaker, samples in zip(speakers, separate, strict=True)
    }
    sides = list(zip(speakers, separate, strict=True))
    if language is None:  # who speaks most gives it away best, and the other side speaks it too
        sides.sort(key=lambda side: -sum(end - start for start, end in spans_by_speaker[side[0]]))
    for speaker, samples in sides:
        spans = spans_by_speaker[speaker]
        for begin_s, end_s in split_at_pauses(spans, len(samples) / RATE):
            part = samples[int(begin_s * RATE) : int(end_s * RATE)]
            result = engine.transcribe(part, language=language, hints=config.vocabulary, deadline=deadline)
            turns = [turn for utterance in result.utterances for turn in _split_turns(utterance)]
            heard += [(speaker, turn.shifted(begin_s)) for turn in turns]
            if result.utterances:  # else it is the language of silence
                found_language = found_language or result.language
                language = language or result.language or None
    heard.sort(key=lambda item: item[1].start_s)
    return RecognizedSpeech(
        segments=[_to_segment(speaker, utterance) for speaker, utterance in heard],
        words=[utterance.words for _, utterance in heard],
        language=found_language or (language or ""),
        speech=speech.measure_talk(spans_by_speaker, duration_s=recording.duration_s),
        waveform=waveform.compute_waveform(separate, list(spans_by_speaker)),
    )


def split_at_pauses(spans: list[Span], length_s: float) -> list[Span]:
    """Return stretches of at most PIECE_S that cover the call, cut in pauses where there are any."""
    pieces: list[Span] = []
    begin = 0.0
    while length_s - begin > PIECE_S:
        latest = begin + PIECE_S
        end = _find_longest_pause(spans, latest - CUT_WITHIN_S, latest) or latest
        pieces.append((begin, end))
        begin = end
    return [*pieces, (begin, length_s)]


def _find_longest_pause(spans: list[Span], after_s: float, before_s: float) -> float | None:
    """Return the middle of the longest time without speech inside the bounds."""
    inside = [span for span in spans if span[1] > after_s and span[0] < before_s]
    edges = [after_s, *(edge for span in inside for edge in span), before_s]
    gaps = [(end - start, (start + end) / 2) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    length, middle = max(gaps)
    return middle if length > 0 else None


def _split_turns(utterance: Utterance) -> list[Utterance]:
    """Split an utterance at long pauses, so that an answer on the other channel gets in between.

    Only where the words are the text: some engines give words that do not add up to it.
    """
    words = utterance.words
    if len(words) < 2 or " ".join(w.text for w in words).split() != utterance.text.split():
        return [utterance]
    groups: list[list[Word]] = [[words[0]]]
    for word in words[1:]:
        if word.start_s - groups[-1][-1].end_s >= TURN_PAUSE_S:
            groups.append([word])
        else:
            groups[-1].append(word)
    if len(groups) == 1:
        return [utterance]
    return [
        Utterance(g[0].start_s, g[-1].end_s, " ".join(w.text for w in g), utterance.confidence, tuple(g))
        for g in groups
    ]


def _to_segment(speaker: str | None, utterance: Utterance) -> Segment:
    confidence = utterance.confidence
    return {
        "start": round(utterance.start_s, 3),
        "end": round(max(utterance.start_s, utterance.end_s), 3),
        "speaker": speaker,
        "text": " ".join(utterance.text.replace("\x00", "").split()),
        "confidence": None if confidence is None else round(confidence, 4),
    }
