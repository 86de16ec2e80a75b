"""Find a phrase by its meaning where neither its words nor its spelling stand in the call.

Clause by clause. What a clause does decides first: a farewell is no question for
a day. Then how near it is to the phrase, in words and by the vectors of a
language model, and how much nearer than to the phrases of other criteria; one
clause may meet several criteria. Figures and where the weights come from:
docs/analysis.md, "How good it is".
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from callscope.analysis.acts.kinds import QUESTIONS, Act, compare_acts
from callscope.analysis.conversation.turns import Segment
from callscope.analysis.matching.contrasts import AnswerKind, exclude_each_other
from callscope.analysis.matching.differences import is_turned_twice
from callscope.analysis.matching.embedder_weights import choose_embedders
from callscope.analysis.matching.heard import Heard, HeardClause, SentenceVectors
from callscope.analysis.matching.likelihood import (
    CALIBRATION,
    MIN_FIT,
    TELLING_ACTS,
    WITH_MODEL,
    Likeness,
    Nearness,
    Weights,
    join_phrases,
    to_log_odds,
    weigh_likeness,
)
from callscope.analysis.matching.paraphrases import read_phrase
from callscope.analysis.matching.phrases import PhraseMatch
from callscope.analysis.matching.readings import Reading
from callscope.analysis.matching.thesaurus import QUESTION_WEIGHT, compare_terms
from callscope.engines.embeddings.protocol import Embedder
from callscope.processes.time_limit import check_time
from callscope.projects.configuration_rules import Pattern, list_texts

MIN_WORDS_OF_A_NAME = 0.4  # how near in words
MIN_LIKELIHOOD_BY_ACT, MAX_LIKELIHOOD_BY_ACT = 0.02, 0.95  # of a phrase that says nothing but what it does
_ABOUT_SOMEBODY: frozenset[AnswerKind] = frozenset(("person", "somebody", "birth", "contact"))
OTHER_PERSON = 0.25  # "what is your brother's name"
OTHER_QUESTION = 0.3  # "Has the boiler stopped again?" for "When did the boiler stop?"
OTHER_TENSE = 0.35  # "Did you get the receipt?" for "Would you like a receipt?"
OTHER_DOER = 0.3  # "You have to look into it" for "I'll look into it"
OTHER_VALUE = 0.3  # "Delivery costs three dollars" for "Delivery takes three days"
SPEAKER, LISTENER = 1, 2
# Differences of a clause that repeats a phrase, from which nobody can tell whether it says it, and how likely
# that is then at most: less than any bar. In the seen calls two of 830 clauses that met a phrase lie beyond.
SWAPPED_FROM, OPPOSED_FROM = 0.2, 0.1
MOST_LIKELY_APART = 0.49
_YES_OR_NO: frozenset[Act] = frozenset(("asks_whether", "offers"))
_DONE_BY_SPEAKER: frozenset[Act] = frozenset(("promises", "offers", "states_done"))
MOST_LOG_ODDS_APART = (to_log_odds(MOST_LIKELY_APART) - CALIBRATION.start) / CALIBRATION.slope
# Acts in which a negation turns round what is said; a failure has its negation in its act.
NEGATABLE: frozenset[Act] = frozenset(("states_fact", "promises", "offers", "requests"))


class Candidate(NamedTuple):
    """A phrase that a clause may say."""

    phrase: str
    reading: Reading
    likeness: Likeness
    weights: Weights = WITH_MODEL  # which hold for the embedder that compared them

    @property
    def is_recognized_by_act(self) -> bool:
        """True if the phrase says nothing but what it does."""
        return _is_recognized_by_act(self.reading)

    @property
    def is_apart(self) -> bool:
        """True if the clause repeats the phrase with another thing, or with an opposite."""
        differences = self.likeness.differences
        return differences.swapped >= SWAPPED_FROM or differences.opposed >= OPPOSED_FROM

    def weigh(self) -> float:
        """Return the logarithm of the odds that the clause says the phrase."""
        if self.is_recognized_by_act:
            # "Good evening" does not say "Good morning".
            likelihood = 0.0 if self.likeness.differences.opposed else self.likeness.fit
            return to_log_odds(max(MIN_LIKELIHOOD_BY_ACT, min(likelihood, MAX_LIKELIHOOD_BY_ACT)))
        log_odds = weigh_likeness(self.likeness, self.reading.act, self.weights)
        return min(log_odds, MOST_LOG_ODDS_APART) if self.is_apart else log_odds


class SemanticMatcher:
    """Compares phrases with what was said in one call."""

    def __init__(self, embedder: Embedder, language: str, *, phrases: Iterable[str] = ()) -> None:
        """`phrases` are all phrases of the rubric: they show what is rare, and they compete."""
        self.embedder = embedder
        self.language = language
        self.rivals = {p: self._read(p) for p in phrases}
        chosen = choose_embedders(embedder, language)
        self._weights = chosen.weights
        self.band = chosen.band
        self._vectors = SentenceVectors(chosen.embedders)
        self._heard: dict[tuple[tuple[int, str], ...], Heard] = {}

    def _read(self, phrase: str) -> Sequence[Reading]:
        check_time()
        return read_phrase(phrase, self.language)

    def find_nearest(
        self, wanted: Sequence[str | Pattern], segments: Sequence[Segment]
    ) -> PhraseMatch | None:
        """Return the segment that most likely says what a phrase says, however unlikely; None if none may.

        A pattern has no meaning to be near to.
        """
        phrases = list_texts(wanted)
        best: PhraseMatch | None = None
        for clause, candidates in self.compare(phrases, segments):
            log_odds: dict[str, float] = {}
            for candidate in candidates:
                value = candidate.weigh()
                log_odds[candidate.phrase] = max(value, log_odds.get(candidate.phrase, value))
            score = join_phrases(list(log_odds.values()), len(phrases))
            if score > (best.score if best else 0.0):
                nearest = max(log_odds, key=lambda phrase: log_odds[phrase])
                best = PhraseMatch(
                    nearest,
                    clause.segment,
                    clause.reading.words,
                    "meaning",
                    score,
                    clause.turn.locate(clause.start),
                    clause.turn.locate(clause.start + len(clause.reading.text)),
                    self.band,
                )
        return best

    def compare(
        self, phrases: Sequence[str], segments: Sequence[Segment]
    ) -> Iterator[tuple[HeardClause, list[Candidate]]]:
        """Yield the clauses that may say one of the phrases, each with those that it may say."""
        wanted = [(reading, p) for p in phrases for reading in self._read(p)]
        rivals = [reading for p, readings in self.rivals.items() if p not in phrases for reading in readings]
        self._vectors.add([*(reading for reading, _ in wanted), *rivals])
        heard = self._hear(segments)
        heard.add_words_of([reading for reading, _ in wanted])
        for clause in heard.clauses:
            check_time()
            fitting = [(reading, p) for reading, p in wanted if _may_say(clause.reading, reading)]
            if not fitting:
                continue
            rival = _find_nearest(rivals, clause, heard)
            candidates = [
                Candidate(p, reading, _measure(reading, clause, rival, heard), self._weights)
                for reading, p in fitting
            ]
            kept = [
                c
                for c in candidates
                if c.reading.act != "names" or c.likeness.own.words >= MIN_WORDS_OF_A_NAME
            ]
            if kept:
                yield clause, kept

    def _hear(self, segments: Sequence[Segment]) -> Heard:
        key = tuple((s.index, s.text) for s in segments)  # a rule may ask for a part of a segment
        if key not in self._heard:
            rubric = [reading for readings in self.rivals.values() for reading in readings]
            self._heard[key] = Heard(segments, rubric, self.language, self._vectors)
        return self._heard[key]


def _may_say(said: Reading, phrase: Reading) -> bool:
    """False if a clause cannot say a phrase, however alike they are."""
    if _fit(phrase, said) < MIN_FIT or (phrase.numbers - said.numbers and phrase.act != "confirms"):
        return False
    # "Thank you." is not "Thank you for waiting."
    return said.has_content or _is_recognized_by_act(phrase)


def _is_recognized_by_act(phrase: Reading) -> bool:
    return phrase.is_formula and phrase.act in TELLING_ACTS


def _measure(phrase: Reading, clause: HeardClause, rival: Nearness, heard: Heard) -> Likeness:
    said = clause.reading
    return Likeness(
        fit=_fit(phrase, said),
        own=heard.compare(phrase, clause),
        rival=rival,
        weight=said.weight,
        other_focus=_asks_for_something_else(phrase, said),
        other_value=phrase.act not in QUESTIONS and bool(phrase.own_values - said.own_values),
        words_wanted=len(phrase.words),
        words_said=len(said.words),
        differences=heard.tell_apart(phrase, clause),
    )


def _find_nearest(rivals: Sequence[Reading], clause: HeardClause, heard: Heard) -> Nearness:
    """Return how near a clause is to what other criteria want done that it may be doing."""
    acts = clause.reading.acts
    near = [heard.compare(rival, clause) for rival in rivals if compare_acts(rival.acts, acts) >= MIN_FIT]
    return Nearness(
        max((n.words for n in near), default=0.0), max((n.cosine or 0.0 for n in near), default=0.0)
    )


def _fit(phrase: Reading, said: Reading) -> float:
    """Return 0 to 1: how well what a clause does goes with what the phrase does."""
    if (
        phrase.act in NEGATABLE
        and phrase.has_negation != said.has_negation
        and not is_turned_twice(phrase, said)
    ):
        return 0.0
    asks_about_somebody = phrase.act in QUESTIONS and not _ABOUT_SOMEBODY.isdisjoint(phrase.answer_kinds)
    is_other_person = asks_about_somebody and bool(said.other_people - phrase.other_people)
    wanted = phrase.acts
    if phrase.act == "states_failed" and not said.has_negation:
        wanted = {"states_failed": 1.0}  # "I have found it" is no fact for "I can't find it"
    fit = compare_acts(wanted, said.acts) * (OTHER_PERSON if is_other_person else 1.0)
    if (
        _asks_whether_the_known_is_so(phrase, said)
        or _asks_for_other_kind(phrase, said)
        or _names_other_number(phrase, said)
    ):
        fit *= OTHER_QUESTION
    if _is_of_other_tense(phrase, said):
        fit *= OTHER_TENSE
    if _is_done_by_other(phrase, said):
        fit *= OTHER_DOER
    values = phrase.own_values, said.own_values
    if phrase.act not in QUESTIONS and all(values) and values[0].isdisjoint(values[1]):
        fit *= OTHER_VALUE
    return fit


def _asks_whether_the_known_is_so(phrase: Reading, said: Reading) -> bool:
    """True if a question for yes or no repeats a question for a detail, all but the detail."""
    if phrase.act != "asks_which" or "asks_which" in said.acts or said.act != "asks_whether":
        return False
    keys = {term.key for term in said.terms if term.word}
    own = {term.key for term in phrase.asked_for}
    return keys.isdisjoint(own) and any(term.key in keys for term in phrase.terms if term.word)


def _asks_for_other_kind(phrase: Reading, said: Reading) -> bool:
    """True if two questions have words in common and no kind of answer: "When do you leave?", "Why ...?"."""
    if phrase.act != "asks_which" or not exclude_each_other(phrase.answer_kinds, said.answer_kinds):
        return False
    keys = {term.key for term in said.terms if term.weight != QUESTION_WEIGHT}
    return any(term.key in keys for term in phrase.terms if term.word and term.weight != QUESTION_WEIGHT)


def _names_other_number(phrase: Reading, said: Reading) -> bool:
    """True if two questions differ in a number: "Are you over eighteen?", "Are you over sixty?"."""
    numbers = phrase.number_words, said.number_words
    return phrase.act in QUESTIONS and all(numbers) and numbers[0].isdisjoint(numbers[1])


def _is_of_other_tense(phrase: Reading, said: Reading) -> bool:
    """True if one is over and the other to come, or a clause only hopes for what a phrase states."""
    if phrase.act in _YES_OR_NO and said.act in _YES_OR_NO:
        for one, other in ((phrase.tenses, said.tenses), (said.tenses, phrase.tenses)):
            if "perfect" in one and "future" in other:
                return True
    only_said, only_wanted = said.tenses - phrase.tenses, phrase.tenses - said.tenses
    if ("past" in only_said and "future" in only_wanted) or ("future" in only_said and "past" in only_wanted):
        return True
    if phrase.act == "states_done":
        return "states_done" not in said.acts and not only_said.isdisjoint(("future", "uncertain"))
    return phrase.act == "states_fact" and "past" in only_said


def _is_done_by_other(phrase: Reading, said: Reading) -> bool:
    """True if one tells the listener what to do, and the other what the speaker does."""
    if phrase.subject == SPEAKER and phrase.act in _DONE_BY_SPEAKER:
        is_instruction = "requests" in said.acts and said.subject == LISTENER and said.form != "asks"
        return is_instruction and "requests" not in phrase.acts
    wants_instruction = "requests" in phrase.acts and phrase.subject == LISTENER
    return wants_instruction and said.subject == SPEAKER and said.act in _DONE_BY_SPEAKER


def _asks_for_something_else(phrase: Reading, said: Reading) -> bool:
    """True if both ask for a detail, and not for one that is alike."""
    if not phrase.asked_for or not said.asked_for:
        return False
    return not any(compare_terms(p, s) for p in phrase.asked_for for s in said.asked_for)
