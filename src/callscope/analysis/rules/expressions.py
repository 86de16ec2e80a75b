"""Expressions of a list, found in the words of a sentence.

A line of a list is a regular expression over words as `tokenize` gives them, one
space apart. `<very>` stands for the words of the class "very" in
`expression_words.{language}.txt`, whose lines are "class: alternatives"; a class
may use those above it.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from callscope.language.sentences import split_sentences
from callscope.language.tokens import NEGATIONS, tokenize
from callscope.language.wordlists import read_phrase_list

NEGATION_REACH = 2  # words before an expression in which a negation turns it round
_CLASS = re.compile(r"<(\w+)>")


class Expressions:
    """The expressions of one list in one language."""

    def __init__(self, name: str, language: str, *, turned_round_by: frozenset[str] = NEGATIONS) -> None:
        self._name, self._language = name, language
        self._turned_round_by = turned_round_by

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Compiling all of them takes a quarter of a second, and the web asks for none.
        classes = _read_classes(self._language)
        phrases = read_phrase_list(__package__, f"{self._name}.{self._language}")
        lines = [_expand(line, classes) for line in phrases]
        return re.compile(rf"(?<!\S)(?:{'|'.join(lines)})(?!\S)")

    def count(self, words: Sequence[str]) -> int:
        """Return how many expressions the words hold that no word just before them turns round."""
        text = " ".join(words)
        return sum(
            self._turned_round_by.isdisjoint(text[: match.start()].split()[-NEGATION_REACH:])
            for match in self._pattern.finditer(text)
        )


def read_statements(text: str, *, with_questions: bool = False) -> list[list[str]]:
    """Return the words of each sentence, of questions only if they are asked for.

    What redaction put in place of digits says nothing.
    """
    sentences = split_sentences(re.sub(r"\[[^\]]*\]", " ", text))
    return [tokenize(s) for s in sentences if with_questions or not s.rstrip().endswith("?")]


@lru_cache(maxsize=2)
def _read_classes(language: str) -> dict[str, str]:
    classes: dict[str, str] = {}
    for line in read_phrase_list(__package__, f"expression_words.{language}"):
        name, _, alternatives = line.partition(":")
        expanded = _expand(alternatives.strip(), classes)
        classes[name] = f"{classes[name][:-1]}|{expanded})" if name in classes else f"(?:{expanded})"
    return classes


def _expand(expression: str, classes: dict[str, str]) -> str:
    """Return the expression with its classes written out."""
    return _CLASS.sub(lambda match: classes[match[1]], expression)
