"""Split text into the word pieces of a BERT vocabulary, as its `tokenizer.json` says."""

import json
import unicodedata
from pathlib import Path
from typing import Any

MAX_WORD = 100  # characters; longer ones are unknown, as in the reference


class UnreadableTokenizer(Exception):
    """The file describes no word-piece tokenizer."""


class WordPieces:
    """Text → numbers of pieces, with the marks for beginning and end."""

    def __init__(self, path: Path) -> None:
        try:
            document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            model = document["model"]
            if model.get("type", "WordPiece") != "WordPiece":
                raise UnreadableTokenizer(
                    f'{path} holds a tokenizer of type "{model.get("type")}", not WordPiece.'
                )
            self.vocabulary: dict[str, int] = model["vocab"]
            self.prefix: str = model.get("continuing_subword_prefix", "##")
            self.unknown = self.vocabulary[model.get("unk_token", "[UNK]")]
            self.first, self.last = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]
            normalizer = document.get("normalizer") or {}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableTokenizer(f"{path} is no tokenizer.json of a BERT model.") from error
        self.lowers = bool(normalizer.get("lowercase", True))
        strips = normalizer.get("strip_accents")
        self.strips_accents = self.lowers if strips is None else bool(strips)

    def numbers(self, text: str, *, most: int) -> list[int]:
        """Return at most `most` piece numbers, both marks included."""
        found: list[int] = []
        for word in _words(self._normal(text)):
            found.extend(self._pieces(word))
            if len(found) >= most - 2:
                break
        return [self.first, *found[: most - 2], self.last]

    def _normal(self, text: str) -> str:
        cleaned = "".join(" " if c.isspace() else c for c in text if not _is_control(c))
        spaced = "".join(f" {c} " if _is_ideograph(c) else c for c in cleaned)
        lowered = spaced.lower() if self.lowers else spaced
        if not self.strips_accents:
            return lowered
        return "".join(c for c in unicodedata.normalize("NFD", lowered) if unicodedata.category(c) != "Mn")

    def _pieces(self, word: str) -> list[int]:
        if len(word) > MAX_WORD:
            return [self.unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = (self.prefix if start else "") + word[start:end]
                if piece in self.vocabulary:
                    found.append(self.vocabulary[piece])
                    break
                end -= 1
            if end == start:
                return [self.unknown]
            start = end
        return found


def _words(text: str) -> list[str]:
    found: list[str] = []
    for chunk in text.split():
        run = ""
        for character in chunk:
            if _is_punctuation(character):
                found += [run, character] if run else [character]
                run = ""
            else:
                run += character
        if run:
            found.append(run)
    return found


def _is_control(character: str) -> bool:
    if character in "\t\n\r":
        return False
    return character in "\x00\ufffd" or unicodedata.category(character).startswith("C")


def _is_punctuation(character: str) -> bool:
    is_ascii_sign = character.isascii() and not character.isalnum() and not character.isspace()
    return is_ascii_sign or unicodedata.category(character).startswith("P")


def _is_ideograph(character: str) -> bool:
    code = ord(character)
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2FA1F
        or 0xF900 <= code <= 0xFAFF
    )
