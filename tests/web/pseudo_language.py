"""A language nobody speaks: every text of the catalog in ‹brackets› and with accents, placeholders kept.

What a page shows outside the brackets was never given to a translator.
"""

import re
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from callscope import locale
from tests.web import messages

CODE = "nl"  # one that Babel and Django know numbers and dates of
KEPT = re.compile(r"%\(\w+\)s|%[sd%]|</?\w+[^>]*>|&\w+;|\{\w*\}")
ACCENTS = str.maketrans("aeiouAEIOUnc", "áéíóúÁÉÍÓÚñç")
WORD = re.compile(r"[^\W\d_]{2,}")


def translate(text: str) -> str:
    """Return the text as this language says it."""
    pieces = KEPT.split(text)
    kept = KEPT.findall(text)
    said = [piece.translate(ACCENTS) for piece in pieces]
    return "‹" + "".join(a + b for a, b in zip(said, [*kept, ""], strict=True)) + "›"


def write(folder: Path) -> None:
    """Write and compile the catalog of this language into a folder of catalogs."""
    catalog = Catalog(locale=CODE, charset="utf-8")
    for message in messages.texts():
        if message.id:
            both = message.id if isinstance(message.id, tuple) else (message.id,)
            said = tuple(map(translate, both))
            string = said if isinstance(message.id, tuple) else said[0]
            catalog.add(message.id, string, context=message.context)
    path = folder / CODE / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_po(file, catalog)
    locale.compile_catalogs(folder)


def untranslated(text: str) -> list[str]:
    """Return the words of two letters or more that stand outside the brackets."""
    outside, depth = [], 0
    for character in text:
        depth += (character == "‹") - (character == "›")
        outside.append(character if depth == 0 and character != "›" else " ")
    return WORD.findall("".join(outside))
