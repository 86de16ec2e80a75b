"""Who speaks in a call, as far as the words name them."""

import re
from dataclasses import dataclass, replace

from callscope.analysis.conversation.agent_names import find_agent_name
from callscope.analysis.conversation.turns import Conversation

_PARTICLES = frozenset(("de", "del", "la", "las", "los", "da", "van", "von"))
_OTHER_SIDE = {"agent": "customer", "customer": "agent"}
_CAPITAL = r"[A-ZÁÉÍÓÚÑÜ][\w'’-]+"
#: A title, and the name behind it; whose first name follows a title says the last group.
_TITLED = {
    "en": re.compile(rf"\b(?i:mr|mrs|ms|miss|mister)\.?\s+(?P<last>{_CAPITAL})"),
    "es": re.compile(
        rf"\b(?:(?i:señor|señora|señorita|sr|sra|srta)\.?\s+(?P<last>{_CAPITAL})|(?i:don|doña)\s+(?P<first>{_CAPITAL}))"
    ),
}


@dataclass(frozen=True, slots=True)
class Person:
    """The names of one speaker, each part once; empty where the call does not name them."""

    first_names: tuple[str, ...] = ()
    last_names: tuple[str, ...] = ()

    @property
    def is_named(self) -> bool:
        return bool(self.first_names or self.last_names)


def find_agent(conversation: Conversation, known_name: str) -> Person:
    """Return the agent by the name that the metadata hold and the one given in the opening."""
    return _join(_read_name(known_name), _read_name(find_agent_name(conversation)))


def find_customer(conversation: Conversation) -> Person:
    """Return the customer by the name that they give, and by what the agent calls them."""
    swapped = [replace(s, speaker=_OTHER_SIDE.get(s.speaker, "")) for s in conversation.segments]
    given = _read_name(find_agent_name(replace(conversation, segments=swapped)))
    first, last = [], []
    for segment in conversation.said_by("agent"):
        for match in _TITLED[conversation.language].finditer(segment.spoken):
            names = match.groupdict()
            last += [names["last"]] if names["last"] else []
            first += [names["first"]] if names.get("first") else []
    return _join(given, Person(tuple(first), tuple(last)))


def _read_name(name: str) -> Person:
    parts = [part for part in re.split(r"[\s,]+", name) if part and part.lower() not in _PARTICLES]
    return Person(tuple(parts[:1]), tuple(parts[1:]))


def _join(one: Person, other: Person) -> Person:
    first = tuple(dict.fromkeys((*one.first_names, *other.first_names)))
    last = tuple(n for n in dict.fromkeys((*one.last_names, *other.last_names)) if n not in first)
    return Person(first, last)
