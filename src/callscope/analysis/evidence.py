"""The evidence gate: a quote is kept only if it stands in the transcript.

Rules: docs/analysis.md, "Evidence". A quote passes when its words stand in one
segment, or run on over neighbouring segments, of the required speaker: exactly
(case, accents and punctuation aside), else nearly (FUZZY_BAR). What is shown is
always the transcript's own text and the segment's own time.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz

from callscope.analysis.conversation import Conversation, Segment
from callscope.analysis.findings import Quote
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import word_list

FUZZY_BAR = 92.0  # of 100, character likeness; a misheard letter passes, another word does not
FUZZY_LEAST_WORDS = 4  # shorter quotes have to stand as they are
MAX_QUOTE_CHARACTERS = 300
TIME_PREFIX = re.compile(r"^\s*\[(?:(\d+):)?(\d{1,3}):(\d{2})(?:[.,]\d+)?\]\s*")
SPEAKER_PREFIX = re.compile(r"^\s*(?:agent|customer|agente|cliente)\s*:\s*", re.IGNORECASE)
SAME_WORD_BAR = 75.0  # of 100, likeness of two spellings of one word
_AMOUNTS_AND_DAYS = word_list(__package__, "amounts_and_days")
_TURNING_PREFIXES = frozenset(("un", "in", "im", "ir", "il", "dis", "non", "mis", "des"))
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


@dataclass(frozen=True, slots=True)
class _Place:
    """A stretch of words, and the segments that hold it."""

    segments: list[Segment]
    heard: list[str]


def time_prefix(start_s: float) -> str:
    """Return "[MM:SS]", from an hour on "[H:MM:SS]", the second begun."""
    whole = max(0, int(start_s))
    hours, minutes, seconds = whole // 3600, whole % 3600 // 60, whole % 60
    return f"[{hours}:{minutes:02}:{seconds:02}]" if hours else f"[{minutes:02}:{seconds:02}]"


def shown(quote: Quote | None) -> str:
    """Return the quote as results carry it, "[MM:SS] text", or "" without one."""
    return f"{time_prefix(quote.start_s)} {quote.text}" if quote else ""


def quote_segment(segment: Segment, *, around: Iterable[str] = ()) -> Quote:
    """Return a quote from one segment: all of it, or when it is long the sentences around some words."""
    text = " ".join(segment.text.split())
    if len(text) <= MAX_QUOTE_CHARACTERS:
        return Quote(text, segment.start_s)
    wanted = set(around)
    sentences = _SENTENCE_END.split(text)
    best = max(sentences, key=lambda s: sum(w in wanted for w in words.words(s)))
    return Quote(_cut(best, wanted), segment.start_s)


def check(
    claimed: str, conversation: Conversation, *, speaker: str = "any", original: Conversation | None = None
) -> Quote | None:
    """Return the transcript's own words for a claimed quote; None when it does not stand there.

    A time prefix in the claim chooses between equal places, and is never
    believed. Quotes of another speaker than `speaker` do not pass. Where the
    analyser read a masked copy, `original` is what is shown.
    """
    claimed_s = _claimed_time(claimed)
    text = SPEAKER_PREFIX.sub("", TIME_PREFIX.sub("", claimed)).strip().strip("\"'“”«»").strip()
    wanted = words.words(text)
    if not wanted:
        return None
    places = _exact_places(wanted, conversation, speaker) or _near_places(wanted, conversation, speaker)
    if not places:
        return None
    best = places[0]
    if claimed_s is not None:
        best = min(places, key=lambda p: abs(p.segments[0].start_s - claimed_s))
    return _quote(best, {s.index: s for s in (original or conversation).segments})


def _quote(place: _Place, segments: dict[int, Segment]) -> Quote:
    shown_segments = [segments[s.index] for s in place.segments]
    if len(shown_segments) == 1:
        return quote_segment(shown_segments[0], around=place.heard)
    text = " ".join(" ".join(s.text.split()) for s in shown_segments)
    return Quote(_cut(text, set(place.heard)), shown_segments[0].start_s)


def _claimed_time(claimed: str) -> float | None:
    match = TIME_PREFIX.match(claimed)
    if not match:
        return None
    hours, minutes, seconds = (int(g or 0) for g in match.groups())
    return hours * 3600.0 + minutes * 60 + seconds


def _exact_places(wanted: list[str], conversation: Conversation, speaker: str) -> list[_Place]:
    places: list[_Place] = []
    for turn in conversation.turns(conversation.said_by(speaker)):
        spoken, size = turn.words, len(wanted)
        starts = (i for i in range(len(spoken) - size + 1) if spoken[i : i + size] == wanted)
        places.extend(_place(turn.segment_of_word[i : i + size], wanted) for i in starts)
    return places


def _near_places(wanted: list[str], conversation: Conversation, speaker: str) -> list[_Place]:
    if len(wanted) < FUZZY_LEAST_WORDS:
        return []
    claim = " ".join(wanted)
    found: list[tuple[float, _Place]] = []
    for turn in conversation.turns(conversation.said_by(speaker)):
        spoken = " ".join(turn.words)
        alignment = fuzz.partial_ratio_alignment(claim, spoken, score_cutoff=FUZZY_BAR)
        if alignment is None or len(spoken) < len(claim) * 0.9:
            continue
        first = spoken[: alignment.dest_start].count(" ")
        last = spoken[: max(alignment.dest_end - 1, 0)].count(" ")
        heard = turn.words[first : last + 1]
        if says_otherwise(wanted, heard) or swaps_a_word(wanted, heard):
            continue
        found.append((alignment.score, _place(turn.segment_of_word[first : last + 1], heard)))
    found.sort(key=lambda pair: -pair[0])
    return [place for _, place in found]


def says_otherwise(one: list[str], other: list[str]) -> bool:
    """Whether two nearly equal wordings differ in a negation or a number, and so in what they say."""
    return _telling(one) != _telling(other)


def swaps_a_word(wanted: list[str], heard: list[str]) -> bool:
    """Whether a whole word differs, not only its spelling: "fifty" for "fifteen", "unhappy" for "happy"."""
    if sorted(w for w in wanted if w in _AMOUNTS_AND_DAYS) != sorted(
        h for h in heard if h in _AMOUNTS_AND_DAYS
    ):
        return True
    strange = [w for w in wanted if len(w) > 1 and w not in heard]
    return any(
        max(fuzz.ratio(w, h) for h in heard) < SAME_WORD_BAR or any(_is_opposite(w, h) for h in heard)
        for w in strange
    )


def _is_opposite(one: str, other: str) -> bool:
    """Whether one word is the other with a prefix that turns it round."""
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return len(shorter) > 3 and longer.endswith(shorter) and longer[: -len(shorter)] in _TURNING_PREFIXES


def _telling(tokens: list[str]) -> list[str]:
    return sorted(t for t in tokens if t in words.NEGATIONS or any(c.isdigit() for c in t))


def _place(segments: list[Segment], heard: list[str]) -> _Place:
    distinct = {s.index: s for s in segments}
    return _Place(list(distinct.values()), heard)


def _cut(text: str, wanted: set[str]) -> str:
    """Return the stretch of at most MAX_QUOTE_CHARACTERS that holds most of the wanted words."""
    if len(text) <= MAX_QUOTE_CHARACTERS:
        return text
    spoken = text.split(" ")
    hits = [wanted & set(words.words(w)) for w in spoken]
    best = (0, 0, 0)  # distinct wanted words, first, one past last
    for first in range(len(spoken)):
        length, last, seen = 0, first, set[str]()
        while last < len(spoken) and length + len(spoken[last]) <= MAX_QUOTE_CHARACTERS:
            length += len(spoken[last]) + 1
            seen |= hits[last]
            last += 1
        if len(seen) > best[0] or last > best[2] == 0:
            best = (len(seen), first, last)
    return " ".join(spoken[best[1] : best[2]]) or text[:MAX_QUOTE_CHARACTERS]
