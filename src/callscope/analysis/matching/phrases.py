"""Find the phrases of a rule in what was said: the same words, else nearly.

Rules: docs/analysis.md, "How a phrase matches". Words are compared whole,
case-folded, without accents and punctuation, over the segments of one turn.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rapidfuzz import fuzz

from callscope.analysis.acts.clauses import read_clauses
from callscope.analysis.acts.kinds import Act, Acts, choose_likeliest, compare_acts
from callscope.analysis.acts.reported import read_phrase_acts
from callscope.analysis.conversation.turns import Place, Segment, Turn
from callscope.analysis.evidence import differs_in_a_word, differs_in_meaning
from callscope.analysis.matching.contrasts import differ_in_contrast, find_tenses
from callscope.analysis.matching.likelihood import USUAL_BAND, Band
from callscope.language.patterns import PatternTooSlow, find_pattern
from callscope.language.tokens import STOP_WORDS, stem_words, tokenize
from callscope.processes.time_limit import check_time
from callscope.projects.configuration_rules import Pattern, list_texts

MatchMethod = Literal["exact", "pattern", "near", "meaning"]
Certainty = Literal["said", "unsure", "not_said"]

MIN_SPELLING_RATIO = 88.0  # of 100, character likeness of two stretches of equal length in words
MIN_SPELLING_CHARACTERS = 8  # shorter phrases have to be said as they are written
MAX_GAP_WORDS = 3  # words that may stand between those of a phrase: "call is *being* recorded"
MIN_CONTENT_WORDS = 2  # with a meaning of their own that such a phrase must have
SCORE_WITH_GAPS = 0.9
MIN_FIT = 0.5  # of what the clause does that holds such words with what the phrase does
# Small words that must not be missing either: "your name" is not "the name of the maker".
_OWNERS = frozenset(
    ("my", "your", "our", "their", "his", "her", "i", "you", "we", "mi", "tu", "su", "nuestro", "usted")
)

# Words that deny the verb right after them, and what can be denied.
DENYING_NEXT = {"en": frozenset(("not", "never")), "es": frozenset(("no", "nunca", "tampoco", "ni"))}
STATEMENTS: frozenset[Act] = frozenset(("states_fact", "states_done"))
DENIABLE: frozenset[Act] = frozenset(
    ("states_fact", "states_done", "promises", "offers", "asks_which", "asks_whether", "confirms")
)


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """Where a phrase was found: the segment that holds most of it."""

    phrase: str
    segment: Segment
    heard: tuple[str, ...]  # the words of the transcript that matched
    method: MatchMethod
    score: float  # 0 to 1; of a match by meaning how likely it says the phrase
    start: Place
    end: Place  # of what follows
    band: Band = USUAL_BAND  # of the embedder that compared meanings

    @property
    def certainty(self) -> Certainty:
        """Whether the phrase was said. A match by meaning may be too far, or so near that nobody can tell."""
        if self.method != "meaning" or self.score >= self.band.said_from:
            return "said"
        return "unsure" if self.score >= self.band.unsure_from else "not_said"

    @property
    def margin(self) -> float | None:
        """How far the likelihood of a match by meaning lies beyond its bar, 0 to 1.

        None for a match by words, and between the bars.
        """
        if self.method != "meaning" or self.certainty == "unsure":
            return None
        if self.certainty == "said":
            return self.score - self.band.said_from
        return self.band.unsure_from - self.score

    @property
    def likelihood_pct(self) -> int:
        """The score as whole percent, from 1 to 99: no likelihood is a certainty."""
        return max(1, min(99, round(self.score * 100)))


class _Phrase(NamedTuple):
    text: str
    words: list[str]


def find_phrase(phrases: Sequence[str | Pattern], turns: Sequence[Turn], language: str) -> PhraseMatch | None:
    """Return the first place with the very words of a phrase, else the nearest wording; None without one.

    Nearness never jumps over a negation or a number: "is recorded" is not
    "is not recorded", "24 hours" not "48 hours". Raises PatternTooSlow.
    """
    wanted = _read(phrases)
    literal = _find_first_literal(phrases, wanted, turns, language)
    return literal or _find_near(wanted, turns, language) or _find_with_gaps(wanted, turns, language)


def find_wording(phrases: Sequence[str | Pattern], turns: Sequence[Turn]) -> PhraseMatch | None:
    """Return where a phrase is said word for word, else with a slip of spelling: what blame needs."""
    wanted = _read(phrases)
    return _find_first_literal(phrases, wanted, turns) or _find_near(wanted, turns)


def find_exact(phrases: Sequence[str | Pattern], turns: Sequence[Turn]) -> PhraseMatch | None:
    """Return where a phrase is said word for word; a pattern is no word."""
    return _find_exact(_read(phrases), turns)


def _read(phrases: Sequence[str | Pattern]) -> list[_Phrase]:
    return [_Phrase(phrase, tokenize(phrase)) for phrase in list_texts(phrases)]


def _find_first_literal(
    phrases: Sequence[str | Pattern],
    wanted: Sequence[_Phrase],
    turns: Sequence[Turn],
    language: str | None = None,
) -> PhraseMatch | None:
    found = [_find_exact(wanted, turns, language)]
    for phrase in phrases:
        if isinstance(phrase, Pattern):
            check_time()
            found.append(next(_find_pattern(phrase, turns), None))
    return min((m for m in found if m), key=lambda match: match.start, default=None)


def find_in_each(phrases: Sequence[str | Pattern], turns: Sequence[Turn], language: str) -> list[PhraseMatch]:
    """Return what find_phrase finds in each turn alone; a pattern that takes too long finds nothing."""
    texts = list_texts(phrases)
    found = {n: m for n, turn in enumerate(turns) if (m := find_phrase(texts, [turn], language))}
    for phrase in phrases:
        if isinstance(phrase, Pattern):
            with suppress(PatternTooSlow):
                for match in _find_pattern(phrase, turns):
                    number = next(n for n, t in enumerate(turns) if match.segment in t.segments)
                    found.setdefault(number, match)
    return [found[number] for number in sorted(found)]


def _find_pattern(pattern: Pattern, turns: Sequence[Turn]) -> Iterator[PhraseMatch]:
    for number, span in find_pattern(pattern.pattern, [turn.text for turn in turns]):
        turn = turns[number]
        start, end = turn.locate(span.start), turn.locate(span.end)
        middle = turn.locate((span.start + span.end) // 2).segment
        holder = next(s for s in turn.segments if s.index == middle)
        heard = tuple(tokenize(turn.text[span.start : span.end]))
        yield PhraseMatch(str(pattern), holder, heard, "pattern", 1.0, start, end)


def _find_exact(
    wanted: Sequence[_Phrase], turns: Sequence[Turn], language: str | None = None
) -> PhraseMatch | None:
    """Find the very words; given a language, not where a negation right before them turns them round."""
    for turn in turns:
        for phrase, words in wanted:
            size = len(words)
            for i in range(len(turn.words) - size + 1 if words else 0):
                if turn.words[i] != words[0] or turn.words[i : i + size] != words:
                    continue
                if language is None or not _is_denied(phrase, turn, i, language):
                    return _match(phrase, turn, range(i, i + size), "exact", 1.0)
    return None


def _is_denied(phrase: str, turn: Turn, place: int, language: str) -> bool:
    """True for "no podemos enviarlo" where "podemos enviarlo" is wanted, not for "no gracias por llamar"."""
    if not place or turn.words[place - 1] not in DENYING_NEXT[language]:
        return False
    if not DENIABLE.isdisjoint(read_phrase_acts(phrase, language)):
        acts = _read_acts_at(turn, range(place, place + 1), language)
        return choose_likeliest(acts) in ("states_failed", "states_fact", "requests")
    return False


def _find_near(
    wanted: Sequence[_Phrase], turns: Sequence[Turn], language: str | None = None
) -> PhraseMatch | None:
    """Find a slip of spelling; given a language, one that means the same there."""
    near = [m for phrase in wanted for turn in turns if (m := _find_misspelled(phrase, turn, language))]
    return max(near, key=lambda m: m.score, default=None)


def _find_misspelled(phrase: _Phrase, turn: Turn, language: str | None) -> PhraseMatch | None:
    """Find the same number of words, give or take one, with nearly the same letters."""
    check_time()
    claim = " ".join(phrase.words)
    if len(claim) < MIN_SPELLING_CHARACTERS:
        return None
    best_score, best = MIN_SPELLING_RATIO, range(0)
    spoken, length = turn.words, len(phrase.words)
    for size in {max(1, length - 1), length, length + 1}:
        for i in range(len(spoken) - size + 1):
            heard = spoken[i : i + size]
            # The cutoff lets rapidfuzz stop early: most stretches are nothing like the phrase.
            score = fuzz.ratio(claim, " ".join(heard), score_cutoff=best_score)
            if score >= best_score and score > 0 and not differs_in_meaning(phrase.words, heard):
                best_score, best = score, range(i, i + size)
    if not best or differs_in_a_word(phrase.words, spoken[best.start : best.stop]):
        return None
    if language and not _says_there(phrase, turn, best, language, spelled_alike=True):
        return None
    return _match(phrase.text, turn, best, "near", best_score / 100)


def _find_with_gaps(wanted: Sequence[_Phrase], turns: Sequence[Turn], language: str) -> PhraseMatch | None:
    """Find the content words of a phrase in their order, inflected or with a few words between them."""
    stop_words = STOP_WORDS[language]
    stems_of_turns = [stem_words(turn.words, language) for turn in turns]
    for phrase in wanted:
        if sum(w not in stop_words for w in phrase.words) < MIN_CONTENT_WORDS:
            continue
        key = stem_words([w for w in phrase.words if w not in stop_words or w in _OWNERS], language)
        for turn, stems in zip(turns, stems_of_turns, strict=True):
            check_time()
            for found in _find_runs(key, stems, len(phrase.words) + MAX_GAP_WORDS):
                if _says_there(phrase, turn, found, language):
                    return _match(phrase.text, turn, found, "near", SCORE_WITH_GAPS)
    return None


def _says_there(
    phrase: _Phrase, turn: Turn, found: range, language: str, *, spelled_alike: bool = False
) -> bool:
    """Return True if words that are nearly those of a phrase mean the same where they stand."""
    # A negation just before the words belongs to them: "not recorded" within "will not be recorded". Small
    # words of the phrase may stand between: "tiene que traer" within "no tiene que traer".
    begin = found.start
    first = next((i for i, word in enumerate(phrase.words) if word == turn.words[begin]), 0)
    if turn.words[max(0, begin - first) : begin] == phrase.words[:first]:
        begin -= first
    heard = turn.words[max(0, begin - 2) : found.stop]
    if differs_in_meaning(phrase.words, heard) or differ_in_contrast(phrase.words, heard, language):
        return False
    # "Shall I open a claim" does not say "I have opened a claim"; a part of a clause does nothing by itself.
    acts = read_phrase_acts(phrase.text, language)
    if _speaks_of_other_times(phrase, acts, heard, language):
        return False
    if spelled_alike and choose_likeliest(acts) == "names":
        return True
    return compare_acts(acts, _read_acts_at(turn, found, language)) >= MIN_FIT


def _speaks_of_other_times(phrase: _Phrase, acts: Acts, heard: list[str], language: str) -> bool:
    """True for "should be back on" where "is back on" is wanted, and for what expired two years ago."""
    if choose_likeliest(acts) not in STATEMENTS:
        return False
    more = find_tenses(" ".join(heard), language) - find_tenses(phrase.text, language)
    return "past" in more or "uncertain" in more


def _read_acts_at(turn: Turn, found: range, language: str) -> Acts:
    """Return what the clause does that holds most of some words of a turn."""
    shares: list[tuple[int, Acts]] = []
    for clause in read_clauses(turn.text, language):
        first = len(tokenize(turn.text[: clause.start]))
        after = first + len(tokenize(clause.text))
        shares.append((min(after, found.stop) - max(first, found.start), clause.acts))
    return max(shares, key=lambda share: share[0])[1]


def _find_runs(key: list[str], stems: list[str], reach: int) -> list[range]:
    """Return the stretches of at most `reach` words that hold the key in its order, one per beginning."""
    runs = []
    for start, stem in enumerate(stems):
        if stem != key[0]:
            continue
        found = 0
        for position in range(start, min(start + reach, len(stems))):
            found += stems[position] == key[found]
            if found == len(key):
                runs.append(range(start, position + 1))
                break
    return runs


def _match(phrase: str, turn: Turn, found: range, method: MatchMethod, score: float) -> PhraseMatch:
    segments = turn.segment_of_word[found.start : found.stop]
    holder = max(dict.fromkeys(segments), key=segments.count)
    heard = tuple(turn.words[found.start : found.stop])
    start, last = _locate_word(turn, found.start), _locate_word(turn, found.stop - 1)
    return PhraseMatch(phrase, holder, heard, method, score, start, last._replace(word=last.word + 1))


def _locate_word(turn: Turn, number: int) -> Place:
    segment = turn.segment_of_word[number]
    before = sum(len(s.words) for s in turn.segments if s.index < segment.index)
    return Place(segment.index, number - before)
