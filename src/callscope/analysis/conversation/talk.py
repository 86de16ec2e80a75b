"""How a call is talked: shares, monologues, silences, interruptions, speech rates and holds.

From the speech heard on each channel where a recording has one channel a speaker, else from the times of
the segments. What cannot be known is None, with a reason in `unknown`. Definitions: docs/analysis.md, "Talk
measures".
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypedDict

from callscope.language import tokens
from callscope.transcription.audio.speech import measure_talk, merge_spans
from callscope.transcription.redaction.placeholders import blank_placeholders
from callscope.transcription.schema import Segment

SIDES = ("agent", "customer")
LEAST_SPEECH_S = 5.0  # of which a rate says something
HOLD_S = 10.0  # a silence from which somebody waits
ANNOUNCED_WITHIN_S = 10.0  # "one moment ... let me look" may be followed by a few words
LANGUAGES = ("en", "es")
HOLD_PHRASES = re.compile(
    r"\b(?:hang (?:on|tight)|hold on|(?:on|the) hold|hold the line|please hold|hold,? please|bear with me"
    r"|stay on the line|(?:mind|keep(?: you)?) (?:holding|waiting)"
    r"|(?:can|could|would) you (?:please |just )?(?:hold|wait)"
    r"|(?:one|just a|a|a quick) (?:moment|second|minute|sec)|(?:be right|be straight|right) (?:back|with you)"
    r"|let me (?:just |quickly )?(?:ask|call|check|find|get|look|open|pull|put you|see|transfer|try|verify)"
    r"|while i(?:'m| am)? (?!was\b|had\b|did\b)\w+|(?:give|allow) me (?:one|two|a|just)"
    r"|un (?:moment(?:o|ito)|segund(?:o|ito)|minut(?:o|ito)|instante|ratito)"
    r"|no (?:cuelgue|se retire)|en espera|espere|aguarde|me permite|permítame"
    r"|(?:puede|podría|le importa(?:ría)?) (?:esperar|aguardar)|deme un"
    r"|déj[ea]me (?:un |\w+r\b)|manténgase en (?:la )?línea|(?:ahora|enseguida) (?:mismo )?vuelvo"
    r"|mientras (?:l[aeo]s? )?(?:busco|compruebo|consulto|hablo|llamo|miro|pregunto|pruebo|reviso|veo)"
    r"|voy a (?:buscar|comprobar|consultar|llamar|mirar|preguntar|probar|revisar|transferir|ver))\b"
)


class Talk(TypedDict):
    """The measures of one call; None where `unknown` says why."""

    basis: str  # "sound": speech heard on each channel; "cues": the times of segments
    talk_share_pct: float | None  # of the agent, of all speech
    longest_monologue_seconds: float | None
    longest_monologue_speaker: str | None
    silence_seconds: float | None  # pauses of more than 3 s, added up
    silences: int | None
    agent_interruptions: int | None
    customer_interruptions: int | None
    agent_words_per_minute: float | None
    customer_words_per_minute: float | None
    hold_seconds: float | None
    unknown: dict[str, str]  # measure → reason


def measure_call(
    segments: Sequence[Segment], speech: Mapping[str, Any], *, language: str, is_half_heard: bool = False
) -> Talk:
    """Return the measures of a transcript; `speech` is what was measured in its sound, {} without any."""
    timed = [s for s in segments if s["end"] > s["start"]]
    spans: dict[str | None, list[tuple[float, float]]] = {}
    for segment in timed:
        speaker = segment["speaker"] if segment["speaker"] in SIDES else None
        spans.setdefault(speaker, []).append((segment["start"], segment["end"]))
    unknown: dict[str, str] = {}
    has_sound = "long_silences" in speech
    measured: Mapping[str, Any] = speech if has_sound else _measure_cues(spans)
    is_apart = None not in spans and bool(spans)
    if has_sound:
        is_apart = measured["overlap_seconds"] is not None
    if not timed and not has_sound:
        unknown |= dict.fromkeys(("silence_seconds", "silences"), "no_speech")
    shares = measured.get("talk_share") or {}
    share = None
    if not is_apart:
        unknown["talk_share_pct"] = "speakers_unknown" if timed else "no_speech"
    elif not all(shares.get(side) for side in SIDES):
        unknown["talk_share_pct"] = "one_speaker" if shares else "no_speech"
    else:
        share = round(100 * shares["agent"], 2)
    longest = measured.get("longest_monologue")
    if longest is None:
        reason = "speakers_unknown" if timed else "no_speech"
        unknown |= dict.fromkeys(("longest_monologue_seconds", "longest_monologue_speaker"), reason)
    interruptions = _judge_interruptions(measured, unknown.get("talk_share_pct", ""), has_sound=has_sound)
    if isinstance(interruptions, str):
        unknown |= dict.fromkeys(("agent_interruptions", "customer_interruptions"), interruptions)
    by_side = interruptions if isinstance(interruptions, dict) else {}
    rates = {side: _measure_rate(timed, side, is_half_heard=is_half_heard) for side in SIDES}
    unknown |= {f"{side}_words_per_minute": why for side, why in rates.items() if isinstance(why, str)}
    hold = _measure_hold(timed, language, is_half_heard=is_half_heard)
    if isinstance(hold, str):
        unknown["hold_seconds"] = hold
    return {
        "basis": "sound" if has_sound else "cues",
        "talk_share_pct": share,
        "longest_monologue_seconds": longest["seconds"] if longest else None,
        "longest_monologue_speaker": longest["speaker"] if longest else None,
        "silence_seconds": None if "silences" in unknown else measured["long_silence_seconds"],
        "silences": None if "silences" in unknown else measured["long_silences"],
        "agent_interruptions": by_side.get("agent"),
        "customer_interruptions": by_side.get("customer"),
        "agent_words_per_minute": _as_number(rates["agent"]),
        "customer_words_per_minute": _as_number(rates["customer"]),
        "hold_seconds": _as_number(hold),
        "unknown": unknown,
    }


def _as_number(found: float | str) -> float | None:
    return None if isinstance(found, str) else found


def _measure_cues(spans: dict[str | None, list[tuple[float, float]]]) -> Mapping[str, Any]:
    """Return what measure_talk() does of the sound, of the times of segments."""
    end_s = max((end for each in spans.values() for _, end in each), default=0.0)
    return measure_talk(spans, duration_s=end_s)


def _judge_interruptions(
    measured: Mapping[str, Any], share_unknown: str, *, has_sound: bool
) -> dict[str, int] | str:
    """Return how often each side interrupts, or why that is unknown."""
    if share_unknown:
        return share_unknown
    if not has_sound and not measured["overlap_seconds"]:
        return "no_overlap_in_cues"  # cues one after the other say nothing: many programs write them so
    found: dict[str, int] = measured["interruptions"]
    return found


def _measure_rate(timed: Sequence[Segment], side: str, *, is_half_heard: bool) -> float | str:
    """Return the words a minute of one side while it speaks, or why they are unknown."""
    own = [s for s in timed if s["speaker"] == side]
    if not own:
        has_unnamed = any(s["speaker"] not in SIDES for s in timed)
        return "speakers_unknown" if has_unnamed else "no_speech"
    if is_half_heard:
        return "words_unknown"
    seconds = sum(end - start for start, end in merge_spans([(s["start"], s["end"]) for s in own]))
    if seconds < LEAST_SPEECH_S:
        return "too_little_speech"
    words = sum(len(tokens.tokenize(blank_placeholders(s["text"]))) for s in own)
    return round(words * 60 / seconds, 2)


def _measure_hold(timed: Sequence[Segment], language: str, *, is_half_heard: bool) -> float | str:
    """Return the seconds of long silences that the agent announced, or why they are unknown."""
    if not timed:
        return "no_speech"
    if is_half_heard:
        return "words_unknown"
    if language and language[:2].casefold() not in LANGUAGES:
        return "language_unknown"
    total = 0.0
    anyone = merge_spans([(s["start"], s["end"]) for s in timed])
    for (_, since), (until, _) in pairwise(anyone):
        if until - since >= HOLD_S:
            before = [s for s in timed if since - ANNOUNCED_WITHIN_S <= s["end"] <= since]
            said = [s["text"].casefold() for s in before if s["speaker"] != "customer"]
            total += until - since if any(HOLD_PHRASES.search(text) for text in said) else 0.0
    return round(total, 2)
