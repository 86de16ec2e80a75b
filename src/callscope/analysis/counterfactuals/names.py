"""Other names, titles and pronouns for the people of a call: each name by one other throughout the call."""

import re
from collections.abc import Sequence

from callscope.analysis.conversation.turns import Segment
from callscope.analysis.counterfactuals.groups import NameSet
from callscope.analysis.counterfactuals.people import Person
from callscope.language.patterns import Span

LEAST_LETTERS = 2  # of a part of a name

#: (men's word, women's word); what stands for either is replaced by the one that is wanted.
ADDRESSES = {
    "en": [("mr", "ms"), ("mr", "mrs"), ("mister", "miss"), ("sir", "ma'am"), ("sir", "madam")],
    "es": [
        ("señor", "señora"), ("señor", "señorita"), ("sr", "sra"), ("sr", "srta"), ("don", "doña"),
        ("caballero", "señora"), ("bienvenido", "bienvenida"), ("estimado", "estimada"),
    ],
}  # fmt: skip
#: Replaced only next to a name: elsewhere they stand for other people.
PRONOUNS = {
    "en": [("he", "she"), ("him", "her"), ("his", "her"), ("himself", "herself"), ("he's", "she's")],
    "es": [("él", "ella")],
}
#: After "her" these begin no thing that is hers.
_NO_POSSESSION = frozenset(
    ("to", "for", "at", "on", "in", "with", "and", "or", "but", "that", "if", "when", "again", "now", "from")
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


class Renaming:
    """The names of the two people of a call, and what stands for each in one group's copy.

    `number` chooses among the names of the group, so that copies of one call are made alike.
    """

    def __init__(
        self,
        agent: Person,
        customer: Person,
        names: NameSet,
        *,
        language: str,
        number: int,
        has_capitals: bool,
    ) -> None:
        self.has_capitals = has_capitals
        self.is_woman = names.is_woman
        self.titles = _map_words(ADDRESSES[language], is_woman=names.is_woman)
        self.pronouns = _map_words(PRONOUNS[language], is_woman=names.is_woman)
        self.names: dict[str, str] = {}
        for offset, person in enumerate((agent, customer)):
            chosen = number + offset
            for parts, others in (
                (person.first_names, names.first_names),
                (person.last_names, names.last_names),
            ):
                for part in parts:
                    if len(part) >= LEAST_LETTERS:
                        self.names.setdefault(part.lower(), others[chosen % len(others)])

    def rename(self, name: str) -> str:
        """Return a name as this copy has it, for what is known of the agent outside the words."""
        return _WORD.sub(lambda m: self.names.get(m.group().lower(), m.group()), name)

    def edit(self, segment: Segment) -> list[tuple[Span, str]]:
        """Return what stands in a segment for what: names, titles, and pronouns where a name is near."""
        words = list(_WORD.finditer(segment.text))
        is_about_them = any(self._replacement_of_name(m.group()) for m in words)
        edits: list[tuple[Span, str]] = []
        for place, match in enumerate(words):
            word = match.group()
            new = self._replacement_of_name(word)
            if new is None:
                new = self.titles.get(word.lower())
            if new is None and is_about_them:
                following = words[place + 1].group().lower() if place + 1 < len(words) else ""
                new = self._pronoun(word.lower(), following)
            if new is not None and new.lower() != word.lower():
                edits.append((Span(*match.span()), write_like(word, new)))
        return edits

    def _replacement_of_name(self, word: str) -> str | None:
        """Return the other name; in a text with capitals only a word that is written as a name is one."""
        is_name = word[:1].isupper() or not self.has_capitals
        new = self.names.get(word.lower()) if is_name else None
        if new is None and is_name and word[-2:] in ("'s", "’s"):
            new = self.names.get(word[:-2].lower())
            return None if new is None else new + word[-2:]
        return new

    def _pronoun(self, word: str, following: str) -> str | None:
        if word == "her" and not self.is_woman:
            return "him" if not following or following in _NO_POSSESSION else "his"
        return self.pronouns.get(word)


def write_like(word: str, new: str) -> str:
    """Return the new word with the capitals of the former one."""
    if len(word) > 1 and word.isupper():
        return new.upper()
    if word[:1].isupper():
        return new[:1].upper() + new[1:]
    return new.lower()


def _map_words(pairs: Sequence[tuple[str, str]], *, is_woman: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    for man, woman in pairs:
        found.setdefault(man if is_woman else woman, woman if is_woman else man)
    return found
