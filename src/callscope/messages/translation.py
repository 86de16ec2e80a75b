"""Messages in the language of the page.

Some sentences come without their code: stored ones (a job's error, a file's
error_detail, the reasons of a poor transcript), and those that a page's script
got from the API. They are recognized by the catalog's own templates: literal
parts are searched from left to right, each once, so that the time grows with the
length of the text and never with its content.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language, gettext, ngettext

from callscope.messages.catalog import CATALOG, NESTED_PARAMS, NUMBER_PARAMS, Plural
from callscope.messages.former_texts import FORMER_TEXTS
from callscope.messages.message import Message, quoted

MAX_SENTENCE = 1000  # characters; the API cuts its own at the same length
MAX_SPLITS = 4  # places at which a name may end that holds the same sign as the sentence around it
_PARAMETER = re.compile(r"%\((\w+)\)s")
_NUMBER_SIGNS = frozenset("0123456789.,")


def translate(message: Message | str) -> str:
    """Return the message in the active language; a text is looked up among the stored sentences."""
    if isinstance(message, str):
        return translate_stored(message)
    template = CATALOG[message.code]
    params: dict[str, Any] = {
        name: translate(value) if isinstance(value, Message) else value
        for name, value in message.params.items()
    }
    if isinstance(template, Plural):
        return ngettext(template.one, template.other, params["count"]) % params
    return gettext(template) % params


def translate_stored(sentence: str) -> str:
    """Return an English sentence of the catalog in the active language; any other text as it is."""
    if not sentence or len(sentence) > MAX_SENTENCE or (get_language() or "en").startswith("en"):
        return sentence
    message = recognize(sentence)
    return translate(message) if message else sentence


def recognize(sentence: str, *, in_another: bool = False) -> Message | None:
    """Return the message whose English sentence this is; None for a text of no template.

    A sentence that stands in another one holds no third, which bounds the work.
    """
    for template in _templates():
        if in_another and NESTED_PARAMS.intersection(template.names):
            continue
        values = template.read(sentence)
        if values is not None:
            return Message(template.code, **values)
    return None


@dataclass(frozen=True, slots=True)
class _Template:
    """One English sentence, cut at its parameters: literal, name, literal, name, …, literal."""

    code: str
    literals: tuple[str, ...]
    names: tuple[str, ...]

    def read(self, sentence: str) -> Mapping[str, Any] | None:
        """Return the parameters with which the template makes this sentence; None if it cannot."""
        first, last = self.literals[0], self.literals[-1]
        if not self.names:
            return {} if sentence == first else None
        is_framed = sentence.startswith(first) and sentence.endswith(last)
        if not is_framed or len(sentence) < len(first) + len(last):
            return None
        texts = self._cut(sentence[len(first) : len(sentence) - len(last)])
        return None if texts is None else self._values(texts)

    def _cut(self, middle: str) -> list[str] | None:
        texts = []
        start = 0
        for literal in self.literals[1:-1]:
            end = middle.find(literal, start)
            if end < 0:
                return None
            texts.append(middle[start:end])
            start = end + len(literal)
        return [*texts, middle[start:]]

    def _values(self, texts: list[str]) -> Mapping[str, Any] | None:
        values: dict[str, Any] = {}
        for name, text in zip(self.names, texts, strict=True):
            is_number = _NUMBER_SIGNS.issuperset(text)
            if not text or (name in NUMBER_PARAMS and not is_number) or values.setdefault(name, text) != text:
                return None
        if isinstance(CATALOG[self.code], Plural):
            values["count"] = int(values["count"]) if values["count"].isdecimal() else 2
        if self.names[-1] in NESTED_PARAMS:
            values |= self._nested(texts)
        return values

    def _nested(self, texts: list[str]) -> Mapping[str, Any]:
        """Return the nested sentence, and the value before it where that holds the sign between them.

        In "row 4, a: b.wav: filename is blank" the name reaches up to a sentence that is known.
        """
        before, rest = (texts[-2] if len(texts) > 1 else ""), texts[-1]
        for _ in range(MAX_SPLITS if len(texts) > 1 else 1):
            if message := recognize(rest, in_another=True):
                return {**({self.names[-2]: before} if before else {}), self.names[-1]: message}
            name, found, rest = rest.partition(self.literals[-2])
            before = f"{before}{self.literals[-2]}{name}"
            if not found:
                break
        return {self.names[-1]: quoted(texts[-1])}


@lru_cache(maxsize=1)
def _templates() -> list[_Template]:
    """Return what a sentence can be: first those that begin with a literal, then those with more of it.

    "row 6, a.wav: agent_id has 70 characters, …" begins as a row, although its reason is the longer sentence.
    """
    templates = []
    for code, text in (*CATALOG.items(), *FORMER_TEXTS):
        for english in (text.one, text.other) if isinstance(text, Plural) else (text,):
            parts = _PARAMETER.split(english)
            literals = tuple(part.replace("%%", "%") for part in parts[::2])
            if any(literal.strip() for literal in literals):
                templates.append(_Template(code, literals, tuple(parts[1::2])))
    return sorted(templates, key=lambda t: (not t.literals[0], -sum(map(len, t.literals))))
