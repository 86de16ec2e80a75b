"""Other wordings in which a phrase, or what was said, is compared by its meaning.

Rubrics often describe what an agent does ("Agent asks for the passenger's name")
where the agent says it ("your name, please"); agents ask for several things at
once ("your name and account number?"), each of which answers a phrase.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from callscope.analysis.acts.clauses import Clause, read_clauses
from callscope.analysis.acts.grammar import classify_clause
from callscope.analysis.acts.kinds import QUESTIONS
from callscope.analysis.acts.reported import find_reported_act, read_phrase_acts, say_reported
from callscope.analysis.matching.question_focus import strip_request_frame
from callscope.analysis.matching.readings import Reading, read_sentence_as
from callscope.language.tokens import tokenize
from callscope.language.wordlists import read_phrase_list, read_word_list

# What of a customer a bare name may mean: "guest name", not "customer service".
_OWN = {
    "en": r"(?:(?:full|first|last) )?names?|(?:phone )?numbers?|phone|e-?mail|address|details|id|identity",
    "es": r"nombres?|apellidos?|teléfono|correo|dirección|datos|identidad",
}
_YOURS = {"en": "your", "es": "su"}
_THEIR = {"en": r"\btheir\b|\bhis or her\b|\bhis/her\b", "es": r"(?!)"}
MAX_WORDS_OF_AN_ITEM = 5
MAX_WORDS_OF_A_SENTENCE = 25  # a longer one is speech without full stops, read in windows ...
WINDOW_WORDS = 16  # ... of this many words that overlap by half


class Spoken(NamedTuple):
    """A stretch of a turn, and where it begins in it."""

    reading: Reading
    start: int


@lru_cache(maxsize=10_000)
def read_phrase(phrase: str, language: str) -> tuple[Reading, ...]:
    """Return a phrase as the agent says it; also as it is written where it names the customer."""
    reported = find_reported_act(phrase, language)
    if reported:
        reported = reported._replace(about=_address_customer(reported.about, language))
        said = say_reported(reported, language)
        return (read_sentence_as(reported.about, language, tuple(reported.acts.items()), said),)
    acts = tuple(read_phrase_acts(phrase, language).items())
    as_written = read_sentence_as(phrase, language, acts)
    spoken = _address_customer(phrase, language)
    return (as_written,) if spoken == phrase else (as_written, read_sentence_as(spoken, language, acts))


@lru_cache(maxsize=10_000)
def read_turn(text: str, language: str) -> tuple[Spoken, ...]:
    """Return the clauses of a turn, and each thing that a question of it asks for."""
    spoken: list[Spoken] = []
    before: Clause | None = None
    for clause in read_clauses(text, language):
        acts = tuple(clause.acts.items())
        if clause.act in QUESTIONS:
            items = split_compound_question(clause.text, language)
            spoken += [Spoken(read_sentence_as(item, language, acts), clause.start) for item in items]
        reading = read_sentence_as(clause.text, language, acts)
        if clause.act in QUESTIONS and not reading.has_content and before:
            # "You will need a permit, have you got one?": what is asked stands in the clause before.
            reading = read_sentence_as(f"{before.text} {clause.text}", language, acts)
        if len(reading.words) <= MAX_WORDS_OF_A_SENTENCE:
            spoken.append(Spoken(reading, clause.start))
        else:
            spoken += _read_windows(clause, language)
        before = clause
    return tuple(spoken)


def _read_windows(clause: Clause, language: str) -> Iterator[Spoken]:
    words = list(re.finditer(r"\S+", clause.text))
    step = WINDOW_WORDS // 2
    for first in range(0, len(words) - step, step):
        last = words[min(first + WINDOW_WORDS, len(words)) - 1]
        window = clause.text[words[first].start() : last.end()]
        acts = {**clause.acts, **classify_clause(window, language)}
        start = clause.start + words[first].start()
        yield Spoken(read_sentence_as(window, language, tuple(acts.items())), start)


@lru_cache(maxsize=10_000)
def split_compound_question(question: str, language: str) -> tuple[str, ...]:
    """Return the things that one question asks for, each as a question; () where it asks for one thing."""
    patterns = _ListPatterns(language)
    rest = patterns.what_is.sub("", strip_request_frame(question, language))
    rest = patterns.politeness.sub("", rest.strip(" ?.!,"))
    parts = [p.strip(" ?.!,") for p in patterns.separator.split(rest)]
    items = [(p, words) for p in parts if (words := tokenize(p)) and not patterns.filler.fullmatch(p)]
    if len(items) < 2:
        return ()
    last = patterns.after.split(items[-1][0])[0]
    items[-1] = (last, tokenize(last))
    if not all(
        0 < len(words) <= MAX_WORDS_OF_AN_ITEM and patterns.finite_verbs.isdisjoint(words)
        for _, words in items
    ):
        return ()
    your = _YOURS[language]
    return tuple(f"{p}?" if words[0] in patterns.determiners else f"{your} {p}?" for p, words in items)


def _address_customer(text: str, language: str) -> str:
    """Speak to the customer instead of about them: "the passenger's name" is "your name"."""
    patterns, yours = _ReportingPatterns(language), _YOURS[language]
    text = patterns.own_of.sub(rf"{yours} \1", text)
    text = patterns.owners.sub(yours, text)
    text = patterns.their.sub(yours, text)
    return patterns.subjects.sub(lambda match: f"you {match[1]}", text).strip()


@lru_cache(maxsize=2)  # one for each language
class _ReportingPatterns:
    """How phrases of one language describe what an agent does, and name the customer."""

    def __init__(self, language: str) -> None:
        def alternatives(name: str) -> str:
            return "|".join(read_phrase_list(__package__, f"{name}.{language}"))

        def pattern(text: str) -> re.Pattern[str]:
            return re.compile(text, re.IGNORECASE)

        role, own = alternatives("roles"), _OWN[language]
        self.their = pattern(_THEIR[language])
        if language == "es":
            self.own_of = pattern(rf"\b(?:el |la |los )?({own}) (?:completo )?(?:del|de la) (?:{role})\b")
            self.owners = self.subjects = pattern(r"(?!)")
        else:
            self.own_of = pattern(rf"\b(?:the )?({own}) of (?:the |a )?(?:{role})\b")
            self.owners = pattern(
                rf"\b(?:(?:(?:the|a) (?:\w+ )?)?(?:{role})(?:'s|s')|(?:{role})(?= (?:{own})\b))"
            )
            self.subjects = pattern(
                rf"\bthe (?:{role}) (is|wants|needs|has|prefers|can|would|will|wishes|likes)\b"
            )


@lru_cache(maxsize=2)  # one for each language
class _ListPatterns:
    """The signs by which a question of one language asks for several things."""

    def __init__(self, language: str) -> None:
        is_english = language == "en"
        joins, what = (r"and|or", r"what|which") if is_english else (r"y|e|o", r"cuál|cuáles|qué")
        copulas = r"(?:'s| is| are| was| would be)" if is_english else r"(?: es| son| era| sería)"
        self.separator = re.compile(rf"\s*,\s*(?:(?:{joins})\s+)?|\s+(?:{joins})\s+|\s*/\s*", re.IGNORECASE)
        self.what_is = re.compile(rf"^\W*(?:{what}){copulas}\s+", re.IGNORECASE)
        self.politeness = re.compile(r"[\s,]+(?:please|por favor)$", re.IGNORECASE)
        fillers = "|".join(read_phrase_list(__package__, f"question_fillers.{language}"))
        self.filler = re.compile(fillers, re.IGNORECASE)
        self.after = re.compile(r"\s+(?:for|so|as|para|porque)\s+", re.IGNORECASE)
        own = {"your", "su", "sus", "tu", "tus"}
        self.finite_verbs = read_word_list(__package__, f"finite.{language}") - own
        self.determiners = read_word_list(__package__, f"determiners.{language}")
