"""The evidence gate: a quote is kept only if the transcript holds it.

Rules: docs/analysis.md, "Evidence". A quote passes when its words are in one
segment, or run on over neighboring segments, of the required speaker: exactly
(case, accents and punctuation aside), else nearly (FUZZY_BAR). What is shown is
always the transcript's own text and the segment's own time.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz

from callscope.analysis.conversation.turns import Conversation, Segment
from callscope.analysis.results.findings import Quote
from callscope.language.sentences import split_sentences
from callscope.language.tokens import NEGATIONS, tokenize
from callscope.language.wordlists import read_word_list
from callscope.transcription.redaction.placeholders import PLACEHOLDER, blank_placeholders

FUZZY_BAR = 92.0  # of 100, character likeness; a misheard letter passes, another word does not
FUZZY_LEAST_WORDS = 4  # shorter quotes have to match exactly
MAX_QUOTE_CHARACTERS = 300
TIME_PREFIX = re.compile(r"^\s*\[(?:(\d+):)?(\d{1,3}):(\d{2})(?:[.,]\d+)?\]\s*")
SPEAKER_PREFIX = re.compile(r"^\s*(?:agent|customer|agente|cliente)\s*:\s*", re.IGNORECASE)
SAME_WORD_BAR = 75.0  # of 100, likeness of two spellings of one word
_AMOUNTS_AND_DAYS = read_word_list(__package__, "amounts_and_days")
NEGATING_PREFIXES = frozenset(("un", "in", "im", "ir", "il", "dis", "non", "mis", "des"))


@dataclass(frozen=True, slots=True)
class _Passage:
    """A run of words in the transcript, and the segments that hold it."""

    segments: list[Segment]
    words: list[str]

    @classmethod
    def of(cls, segment_of_word: list[Segment], words: list[str]) -> "_Passage":
        return cls(list({s.index: s for s in segment_of_word}.values()), words)


def format_time(start_s: float) -> str:
    """Return "[MM:SS]", from an hour on "[H:MM:SS]", the second begun."""
    whole = max(0, int(start_s))
    hours, minutes, seconds = whole // 3600, whole % 3600 // 60, whole % 60
    return f"[{hours}:{minutes:02}:{seconds:02}]" if hours else f"[{minutes:02}:{seconds:02}]"


def read_time(quote: str) -> float | None:
    """Return the seconds that a quote begins with, as format_time() writes them; None without any."""
    match = TIME_PREFIX.match(quote)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return float(hours * 3600 + minutes * 60 + seconds)


def format_quote(quote: Quote | None) -> str:
    """Return the quote as results carry it, "[MM:SS] text", or "" without one."""
    return f"{format_time(quote.start_s)} {quote.text}" if quote else ""


def quote_segment(segment: Segment, *, around: Iterable[str] = ()) -> Quote:
    """Return a quote from one segment: all of it, or when it is long the sentences around some words."""
    text = " ".join(segment.text.split())
    if len(text) <= MAX_QUOTE_CHARACTERS:
        return Quote(text, segment.start_s)
    words = set(around)
    best = max(split_sentences(text), key=lambda s: sum(w in words for w in tokenize(s)))
    return Quote(_shorten(best, words), segment.start_s)


def verify_quote(
    claimed: str, conversation: Conversation, *, speaker: str = "any", original: Conversation | None = None
) -> Quote | None:
    """Return the transcript's own words for a claimed quote; None if the transcript does not hold it.

    A time prefix in the claim chooses between equal passages, and is never
    believed. Quotes of another speaker than `speaker` do not pass. Where the
    analyzer read a masked copy, `original` is what is shown.
    """
    time = TIME_PREFIX.match(claimed)
    text = SPEAKER_PREFIX.sub("", TIME_PREFIX.sub("", claimed)).strip().strip("\"'“”«»").strip()
    words = tokenize(blank_placeholders(text))
    if not words:
        # What was redacted is no word, but it stands in the transcript: "[card number]."
        said = (s for s in conversation.said_by(speaker) if PLACEHOLDER.search(text) and text in s.text)
        return next((quote_segment(segment) for segment in said), None)
    passages = _find_exactly(words, conversation, speaker) or _find_nearly(words, conversation, speaker)
    if not passages:
        return None
    best = passages[0]
    if time:
        hours, minutes, seconds = (int(group or 0) for group in time.groups())
        claimed_s = hours * 3600.0 + minutes * 60 + seconds
        best = min(passages, key=lambda p: abs(p.segments[0].start_s - claimed_s))
    by_index = {s.index: s for s in (original or conversation).segments}
    segments = [by_index[s.index] for s in best.segments]
    if len(segments) == 1:
        return quote_segment(segments[0], around=best.words)
    spoken = " ".join(" ".join(s.text.split()) for s in segments)
    return Quote(_shorten(spoken, set(best.words)), segments[0].start_s)


def _find_exactly(words: list[str], conversation: Conversation, speaker: str) -> list[_Passage]:
    passages: list[_Passage] = []
    for turn in conversation.turns(conversation.said_by(speaker)):
        spoken, size = turn.words, len(words)
        starts = (i for i in range(len(spoken) - size + 1) if spoken[i : i + size] == words)
        passages.extend(_Passage.of(turn.segment_of_word[i : i + size], words) for i in starts)
    return passages


def _find_nearly(words: list[str], conversation: Conversation, speaker: str) -> list[_Passage]:
    """Return the passages that differ from the claim by a misheard letter, the most alike first."""
    if len(words) < FUZZY_LEAST_WORDS:
        return []
    claim = " ".join(words)
    ranked: list[tuple[float, _Passage]] = []
    for turn in conversation.turns(conversation.said_by(speaker)):
        spoken = " ".join(turn.words)
        alignment = fuzz.partial_ratio_alignment(claim, spoken, score_cutoff=FUZZY_BAR)
        if alignment is None or len(spoken) < len(claim) * 0.9:
            continue
        first = spoken[: alignment.dest_start].count(" ")
        last = spoken[: max(alignment.dest_end - 1, 0)].count(" ")
        heard = turn.words[first : last + 1]
        if not differs_in_meaning(words, heard) and not differs_in_a_word(words, heard):
            passage = _Passage.of(turn.segment_of_word[first : last + 1], heard)
            ranked.append((alignment.score, passage))
    ranked.sort(key=lambda pair: -pair[0])
    return [passage for _, passage in ranked]


def differs_in_meaning(one: list[str], other: list[str]) -> bool:
    """True if two nearly equal wordings differ in a negation or a number, and so in what they say."""
    return _decisive_words(one) != _decisive_words(other)


def _decisive_words(words: list[str]) -> list[str]:
    return sorted(w for w in words if w in NEGATIONS or any(c.isdigit() for c in w))


def differs_in_a_word(claimed: list[str], heard: list[str]) -> bool:
    """True if a whole word differs, not only its spelling: "fifty" for "fifteen", "unhappy" for "happy"."""
    if sorted(w for w in claimed if w in _AMOUNTS_AND_DAYS) != sorted(
        h for h in heard if h in _AMOUNTS_AND_DAYS
    ):
        return True
    for word in (w for w in claimed if len(w) > 1 and w not in heard):
        if max(fuzz.ratio(word, h) for h in heard) < SAME_WORD_BAR:
            return True
        for other in heard:
            shorter, longer = sorted((word, other), key=len)
            prefix = longer.removesuffix(shorter)
            if len(shorter) > 3 and prefix != longer and prefix in NEGATING_PREFIXES:
                return True
    return False


def _shorten(text: str, words: set[str]) -> str:
    """Return the stretch of at most MAX_QUOTE_CHARACTERS that holds most of these words."""
    if len(text) <= MAX_QUOTE_CHARACTERS:
        return text
    spoken = text.split(" ")
    hits = [words & set(tokenize(w)) for w in spoken]
    best = (0, 0, 0)  # distinct words, first, one past last
    for first in range(len(spoken)):
        length, last, seen = 0, first, set[str]()
        while last < len(spoken) and length + len(spoken[last]) <= MAX_QUOTE_CHARACTERS:
            length += len(spoken[last]) + 1
            seen |= hits[last]
            last += 1
        if len(seen) > best[0] or last > best[2] == 0:
            best = (len(seen), first, last)
    return " ".join(spoken[best[1] : best[2]]) or text[:MAX_QUOTE_CHARACTERS]
