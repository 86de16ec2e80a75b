"""Who talked how much, and when nobody did: measured in the sound, not guessed from the text."""

from itertools import pairwise

from callscope.engines.asr.voice_activity import Span
from callscope.transcription.schema import Monologue, TalkMeasures

LONG_SILENCE_S = 3.0
BACKCHANNEL_S = 1.0
OVERLAP_S = 0.5


def measure_talk(spans_by_speaker: dict[str | None, list[Span]], *, duration_s: float) -> TalkMeasures:
    """Return the talk measures of one call.

    `talk_share` maps each speaker to the share of all talk, 0 to 1; it is None
    where the speakers are not apart, and so is `overlap_seconds`. Silence is
    time in which nobody speaks.
    """
    anyone = merge_spans([span for spans in spans_by_speaker.values() for span in spans])
    edges = [0.0, *(edge for span in anyone for edge in span), duration_s]
    pauses = [end - start for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]
    talk = {str(speaker): _total_s(merge_spans(spans)) for speaker, spans in spans_by_speaker.items()}
    total = sum(talk.values())
    long_silences = list_long_silences(anyone)
    is_apart = None not in spans_by_speaker
    shares = {speaker: round(seconds / total, 4) for speaker, seconds in sorted(talk.items()) if total}
    return {
        "speech_seconds": round(_total_s(anyone), 2),
        "silence_seconds": round(sum(pauses), 2),
        "longest_silence_seconds": round(max(pauses, default=0.0), 2),
        "overlap_seconds": round(max(0.0, total - _total_s(anyone)), 2) if is_apart else None,
        "talk_share": shares if is_apart and total else None,
        "long_silence_seconds": round(sum(long_silences), 2),
        "long_silences": len(long_silences),
        "longest_monologue": find_longest_monologue(spans_by_speaker) if is_apart else None,
        "interruptions": count_interruptions(spans_by_speaker) if is_apart and total else None,
    }


def list_long_silences(anyone: list[Span]) -> list[float]:
    """Return the pauses between the first and the last speech that are longer than LONG_SILENCE_S."""
    pauses = [start - end for (_, end), (start, _) in pairwise(anyone)]
    return [pause for pause in pauses if pause > LONG_SILENCE_S]


def find_longest_monologue(spans_by_speaker: dict[str | None, list[Span]]) -> Monologue | None:
    """Return the longest time in which one speaker talks and the other takes no turn; None without speech.

    Pauses of up to LONG_SILENCE_S are part of it; speech shorter than BACKCHANNEL_S, such as "mm-hm",
    takes no turn.
    """
    longest: Monologue | None = None
    speaker, begin, last = "", 0.0, 0.0
    for start, end, who in _list_turns(spans_by_speaker):
        goes_on = who == speaker and start - last <= LONG_SILENCE_S
        if not goes_on and who != speaker and speaker and end - start < BACKCHANNEL_S:
            continue
        speaker, begin, last = who, begin if goes_on else start, max(last, end) if goes_on else end
        if longest is None or last - begin > longest["seconds"]:
            longest = {"speaker": speaker, "seconds": round(last - begin, 2)}
    return longest


def count_interruptions(spans_by_speaker: dict[str | None, list[Span]]) -> dict[str, int]:
    """Return how often each speaker begins while the other talks, and both go on for OVERLAP_S at least.

    Speech shorter than BACKCHANNEL_S interrupts nobody.
    """
    turns = _list_turns(spans_by_speaker)
    counts = {str(speaker): 0 for speaker in spans_by_speaker}
    for start, end, who in turns:
        counts[who] += end - start >= BACKCHANNEL_S and any(
            other != who and begin < start and min(end, stop) - start >= OVERLAP_S
            for begin, stop, other in turns
        )
    return counts


def _list_turns(spans_by_speaker: dict[str | None, list[Span]]) -> list[tuple[float, float, str]]:
    return sorted(
        (start, end, str(speaker))
        for speaker, spans in spans_by_speaker.items()
        for start, end in merge_spans(spans)
    )


def merge_spans(spans: list[Span]) -> list[Span]:
    """Return the spans in order, those that overlap or touch joined."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _total_s(spans: list[Span]) -> float:
    return sum((end - start for start, end in spans), 0.0)
