"""Read what servers answer to `/audio/transcriptions`, whatever they leave out.

Formats and quirks: docs/engines.md.
"""

import math
from typing import Any

from callscope.engines.asr.protocol import Recognition, Utterance, Word
from callscope.engines.errors import EngineRejected, EngineUnavailable

NOISE = 0.6  # no-speech probability above which a doubtful segment is silence
LANGUAGE_NAMES = {
    "english": "en",
    "spanish": "es",
    "french": "fr",
    "german": "de",
    "portuguese": "pt",
    "italian": "it",
}

Answer = dict[str, Any]  # a JSON object, not yet checked


class FormatRefused(Exception):
    """The server does not give this format; the next one down may do.

    `outcome` is what it means if no format is left, where the server's words say that.
    """

    def __init__(self, said: str, outcome: EngineUnavailable | EngineRejected | None = None) -> None:
        super().__init__(said)
        self.outcome = outcome


def parse_recognition(answer: Answer) -> Recognition:
    """Return the utterances of a verbose or diarized answer.

    Raises FormatRefused when it has text but no segments: some servers accept
    every format and answer with json.
    """
    segments = answer.get("segments")
    if not isinstance(segments, list) or (not segments and clean_text(answer.get("text"))):
        raise FormatRefused("the answer holds no segments.")
    words = [word for item in answer.get("words") or [] if (word := _parse_word(item))]
    utterances = []
    for segment in segments:
        utterance = _parse_utterance(segment, words)
        if utterance:
            utterances.append(utterance)
    utterances.sort(key=lambda u: u.start_s)
    return Recognition(utterances, language=parse_language(answer.get("language")))


def _parse_utterance(segment: Any, words: list[Word]) -> Utterance | None:
    if not isinstance(segment, dict):
        raise FormatRefused("a segment is not an object.")
    start_s, end_s = _number(segment.get("start")), _number(segment.get("end"))
    text = clean_text(segment.get("text"))
    if start_s is None or end_s is None:
        raise FormatRefused("a segment has no times.")
    log_probability = _number(segment.get("avg_logprob"))
    silent = (_number(segment.get("no_speech_prob")) or 0.0) > NOISE
    if not text or (silent and log_probability is not None and log_probability < -1):
        return None
    confidence = min(1.0, math.exp(log_probability)) if log_probability is not None else None
    own = [word for item in segment.get("words") or [] if (word := _parse_word(item))]
    inside = tuple(own or [w for w in words if start_s - 0.01 <= (w.start_s + w.end_s) / 2 < end_s + 0.01])
    if inside:  # words know better than segments where speech begins and ends
        start_s, end_s = max(start_s, inside[0].start_s), max(inside[-1].end_s, start_s)
    return Utterance(max(0.0, start_s), max(0.0, start_s, end_s), text, confidence, inside)


def _parse_word(item: Any) -> Word | None:
    if not isinstance(item, dict):
        return None
    start_s, end_s, text = _number(item.get("start")), _number(item.get("end")), item.get("word")
    if start_s is None or end_s is None or not isinstance(text, str):
        return None
    return Word(start_s, end_s, text.strip())


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def clean_text(text: Any) -> str:
    if not isinstance(text, str):
        return ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def parse_language(value: Any) -> str:
    """Return the code for "en", "en-US" or "English"; "" for anything else."""
    if not isinstance(value, str):
        return ""
    text = value.strip().casefold()
    code = LANGUAGE_NAMES.get(text, text.split("-")[0].split("_")[0])
    return code if len(code) in (2, 3) and code.isascii() and code.isalpha() else ""
