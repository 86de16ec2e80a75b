"""Other wordings in which a phrase, or what was said, is compared by its meaning.

Rubrics often tell what an agent does ("Agent asks for the passenger's name")
where the agent says it ("your name, please"); agents ask for several things at
once ("your name and account number?"), each of which answers a phrase.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from callscope.analysis import asked
from callscope.analysis.kinds import Kind, kind
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list, word_list

# What of a customer a bare name may mean: "guest name", not "customer service".
_OWN = {
    "en": r"(?:(?:full|first|last) )?names?|(?:phone )?numbers?|phone|e-?mail|address|details|id|identity",
    "es": r"nombres?|apellidos?|teléfono|correo|dirección|datos|identidad",
}
_YOURS = {"en": "your", "es": "su"}
_THEIR = {"en": r"\btheir\b|\bhis or her\b|\bhis/her\b", "es": r"(?!)"}
MOST_WORDS_OF_AN_ITEM = 5


@dataclass(frozen=True, slots=True)
class Wording:
    text: str
    kind: Kind


@lru_cache(maxsize=10_000)
def of_phrase(phrase: str, language: str) -> tuple[Wording, ...]:
    """Return a phrase as it stands, and as the agent would say it where it tells what the agent does."""
    frames = _frames(language)
    as_it_stands = Wording(phrase, kind(phrase, language))
    reported: list[tuple[re.Pattern[str], Kind]] = [(frames.asking, "asks"), (frames.telling, "states")]
    for frame, does in reported:
        found = frame.match(phrase)
        if found and words.words(phrase[found.end() :]):
            return as_it_stands, Wording(_to_you(phrase[found.end() :], language), does)
    spoken = _to_you(phrase, language)
    return (as_it_stands,) if spoken == phrase else (as_it_stands, Wording(spoken, kind(spoken, language)))


@lru_cache(maxsize=10_000)
def items(question: str, language: str) -> tuple[str, ...]:
    """Return the things that one question asks for, each as a question; none where it asks for one thing."""
    patterns = _lists(language)
    rest = patterns.what_is.sub("", asked.without_frame(question, language))
    rest = patterns.politeness.sub("", rest.strip(" ?.!,"))
    parts = [p.strip(" ?.!,") for p in patterns.separator.split(rest)]
    parts = [p for p in parts if words.words(p) and not patterns.filler.fullmatch(p)]
    if len(parts) < 2 or not all(_is_a_name(p, patterns) for p in parts[:-1]):
        return ()
    parts[-1] = patterns.after.split(parts[-1])[0]
    if not _is_a_name(parts[-1], patterns):
        return ()
    return tuple(f"{_owned(p, language, patterns)}?" for p in parts)


def _is_a_name(part: str, patterns: "_Lists") -> bool:
    told = words.words(part)
    return 0 < len(told) <= MOST_WORDS_OF_AN_ITEM and patterns.finite.isdisjoint(told)


def _owned(part: str, language: str, patterns: "_Lists") -> str:
    has_owner = words.words(part)[0] in patterns.determiners
    return part if has_owner else f"{_YOURS[language]} {part}"


def _to_you(text: str, language: str) -> str:
    """Speak to the customer instead of about them: "the passenger's name" is "your name"."""
    frames, yours = _frames(language), _YOURS[language]
    text = frames.own_of.sub(rf"{yours} \1", text)
    text = frames.owners.sub(yours, text)
    text = frames.their.sub(yours, text)
    return frames.subjects.sub(lambda found: f"you {found[1]}", text).strip()


class _Frames:
    def __init__(self, language: str) -> None:
        def listed(name: str) -> str:
            return "|".join(phrase_list(__package__, f"{name}.{language}"))

        def pattern(text: str) -> re.Pattern[str]:
            return re.compile(text, re.IGNORECASE)

        role, own = listed("roles"), _OWN[language]
        self.asking = pattern(rf"^\s*(?:{listed('reported')})(?=\W|$)\s*")
        self.telling = pattern(rf"^\s*(?:{listed('reported_telling')})(?=\W|$)\s*")
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


class _Lists:
    """By which signs a question is a list."""

    def __init__(self, language: str) -> None:
        is_english = language == "en"
        joins, what = (r"and|or", r"what|which") if is_english else (r"y|e|o", r"cuál|cuáles|qué")
        copulas = r"(?:'s| is| are| was| would be)" if is_english else r"(?: es| son| era| sería)"
        self.separator = re.compile(rf"\s*,\s*(?:(?:{joins})\s+)?|\s+(?:{joins})\s+|\s*/\s*", re.IGNORECASE)
        self.what_is = re.compile(rf"^\W*(?:{what}){copulas}\s+", re.IGNORECASE)
        self.politeness = re.compile(r"[\s,]+(?:please|por favor)$", re.IGNORECASE)
        fillers = "|".join(phrase_list(__package__, f"question_fillers.{language}"))
        self.filler = re.compile(fillers, re.IGNORECASE)
        self.after = re.compile(r"\s+(?:for|so|as|para|porque)\s+", re.IGNORECASE)
        own = {"your", "su", "sus", "tu", "tus"}
        self.finite = word_list(__package__, f"finite.{language}") - own
        self.determiners = word_list(__package__, f"determiners.{language}")


@lru_cache(maxsize=2)
def _frames(language: str) -> _Frames:
    return _Frames(language)


@lru_cache(maxsize=2)
def _lists(language: str) -> _Lists:
    return _Lists(language)
