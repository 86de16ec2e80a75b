"""Find the phrases of a rule in what was said: the same words, else nearly, else the same meaning.

Rules: docs/analysis.md, "How a phrase matches". Words are compared whole,
case-folded, without accents and punctuation, over the segments of one turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from callscope.analysis.conversation import Segment, Turn
from callscope.analysis.evidence import says_otherwise, swaps_a_word
from callscope.analysis.kinds import asks, sentences
from callscope.engines.embeddings import words

How = Literal["exact", "near", "meaning"]

NEAR_BAR = 88.0  # of 100, character likeness of two stretches of equal length in words
NEAR_LEAST_CHARACTERS = 8  # shorter phrases have to stand as they are
GAP_WORDS = 3  # words that may stand between those of a phrase: "call is *being* recorded"
GAP_LEAST_CONTENT = 2  # words with a meaning of their own that such a phrase must have
# Small words that must not be missing either: "your name" is not "the name of the maker".
_WHOSE = frozenset(
    ("my", "your", "our", "their", "his", "her", "i", "you", "we", "mi", "tu", "su", "nuestro", "usted")
)


@dataclass(frozen=True, slots=True)
class Match:
    """Where a phrase was found: the segment that holds most of it."""

    phrase: str
    segment: Segment
    heard: tuple[str, ...]  # the words of the transcript that matched
    how: How
    score: float  # 0 to 1


def find(phrases: Sequence[str], turns: Sequence[Turn], language: str) -> Match | None:
    """Return the first place with the very words of a phrase, else the nearest wording; None without one.

    Nearness never jumps over a negation or a number: "is recorded" is not
    "is not recorded", "24 hours" not "48 hours".
    """
    found = find_strictly(phrases, turns)
    if found:
        return found
    for phrase in phrases:
        for turn in turns:
            match = _with_gaps(phrase, words.words(phrase), turn, language)
            if match:
                return match
    return None


def find_strictly(phrases: Sequence[str], turns: Sequence[Turn]) -> Match | None:
    """Return where a phrase stands word for word, else with a slip of spelling: what blame needs."""
    found = find_exact(phrases, turns)
    if found:
        return found
    near = [m for p in phrases for t in turns if (m := _near(p, words.words(p), t))]
    return max(near, key=lambda m: m.score, default=None)


def find_exact(phrases: Sequence[str], turns: Sequence[Turn]) -> Match | None:
    """Return the first place where a phrase stands word for word."""
    for turn in turns:
        for phrase in phrases:
            wanted = words.words(phrase)
            match = _exact(phrase, wanted, turn) if wanted else None
            if match:
                return match
    return None


def _exact(phrase: str, wanted: list[str], turn: Turn) -> Match | None:
    spoken, size = turn.words, len(wanted)
    for i in range(len(spoken) - size + 1):
        if spoken[i] == wanted[0] and spoken[i : i + size] == wanted:
            return _match(phrase, turn, i, i + size, "exact", 1.0)
    return None


def _near(phrase: str, wanted: list[str], turn: Turn) -> Match | None:
    """Spelling and recognition slips: the same number of words, give or take one, nearly the same letters."""
    claim = " ".join(wanted)
    if len(claim) < NEAR_LEAST_CHARACTERS:
        return None
    best_score, best_span = NEAR_BAR, (0, 0)
    spoken = turn.words
    for size in {max(1, len(wanted) - 1), len(wanted), len(wanted) + 1}:
        for i in range(len(spoken) - size + 1):
            score = fuzz.ratio(claim, " ".join(spoken[i : i + size]), score_cutoff=best_score)
            if score >= best_score and score > 0 and not says_otherwise(wanted, spoken[i : i + size]):
                best_score, best_span = score, (i, i + size)
    if best_span == (0, 0):
        return None
    if swaps_a_word(wanted, spoken[best_span[0] : best_span[1]]):
        return None
    return _match(phrase, turn, *best_span, "near", best_score / 100)


def _with_gaps(phrase: str, wanted: list[str], turn: Turn, language: str) -> Match | None:
    """The meaning words of the phrase in their order, inflected or with a few words between them."""
    stop = words.STOP_WORDS[language]
    if sum(w not in stop for w in wanted) < GAP_LEAST_CONTENT:
        return None
    key = words.stems([w for w in wanted if w not in stop or w in _WHOSE], language)
    spoken = words.stems(turn.words, language)
    reach = len(wanted) + GAP_WORDS
    for i, stem in enumerate(spoken):
        if stem != key[0]:
            continue
        end = _end_of_run(key, spoken, i, i + reach)
        if end is None:
            continue
        # A negation just before the run belongs to it: "not recorded" within "will not be recorded".
        context = turn.words[max(0, i - 2) : end]
        if says_otherwise(wanted, context):
            continue
        match = _match(phrase, turn, i, end, "near", 0.9)
        if not asks(phrase, language) and _is_asked(match, language):
            continue
        return match
    return None


def _is_asked(match: Match, language: str) -> bool:
    """Whether what matched stands in a question: "shall I open a claim" is no "I have opened a claim"."""
    heard = set(match.heard)
    return asks(max(sentences(match.segment.text), key=lambda s: len(heard & set(words.words(s)))), language)


def _end_of_run(key: list[str], spoken: list[str], start: int, limit: int) -> int | None:
    found = 0
    for place in range(start, min(limit, len(spoken))):
        if spoken[place] == key[found]:
            found += 1
            if found == len(key):
                return place + 1
    return None


def _match(phrase: str, turn: Turn, first: int, end: int, how: How, score: float) -> Match:
    segments = turn.segment_of_word[first:end]
    holder = max(dict.fromkeys(segments), key=segments.count)
    return Match(phrase, holder, tuple(turn.words[first:end]), how, score)
