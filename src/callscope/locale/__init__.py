"""Translations: .po files are kept, and compiled to .mo files without gettext's programs.

A language is a folder with a .po file: list_languages() finds it, and settings, pages, PDF and
the command line offer it. English, in which the texts are written, has no such file: its catalog
is compiled from the texts that the first of the others translates, and holds those that change.

The build hook (hatch_build.py) compiles when a wheel is built or installed;
a checkout whose .po file is newer is compiled when Callscope starts.
It imports only Babel, so that the hook can load this file alone.
"""

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog, Message

FOLDER = Path(__file__).parent
NO_BREAK = "\N{NO-BREAK SPACE}"
READ_ON_PAGES = ("interfaces/web/", "reports/")  # other sentences are stored, or read by programs
# "95 %", "{share} %" and, where a text is formatted, "%(share)s %%"; not the space before "%(name)s".
PERCENT = re.compile(r"(?<=[\d}]) (?=%%?(?![(\w]))|(?<=\)s) (?=%%)")


def compile_catalogs(folder: Path = FOLDER) -> list[Path]:
    """Write each .mo file that is missing or older than its .po file; return those written.

    A folder that is not writable is left as it is.
    """
    written = []
    catalogs = sorted(folder.glob("*/LC_MESSAGES/*.po"))
    wanted = [(po, po.with_suffix(".mo"), False) for po in catalogs]
    wanted += [(po, folder / "en" / "LC_MESSAGES" / f"{po.stem}.mo", True) for po in catalogs[:1]]
    for po, mo, is_english in wanted:
        if mo.exists() and mo.stat().st_mtime >= max(po.stat().st_mtime, Path(__file__).stat().st_mtime):
            continue
        if os.access(po.parent, os.W_OK):
            _compile(po, mo, is_english=is_english)
            written.append(mo)
    return written


def list_codes(folder: Path = FOLDER) -> list[str]:
    """Return the code of each language: "en", then those of the .po files."""
    found = sorted(path.parent.parent.name for path in folder.glob("*/LC_MESSAGES/django.po"))
    return ["en", *(code.replace("_", "-").lower() for code in found)]


def list_languages(folder: Path = FOLDER) -> list[tuple[str, str]]:
    """Return (code, own name) of each language, such as ("es", "Español")."""
    from babel import Locale

    names = [(code, Locale.parse(code, sep="-").get_display_name() or code) for code in list_codes(folder)]
    return [(code, name[:1].upper() + name[1:]) for code, name in names]


def keep_percents_whole(text: str) -> str:
    """Return a translation in which no line ends between a number and its percent sign."""
    return PERCENT.sub(NO_BREAK, text)


def _compile(po: Path, mo: Path, *, is_english: bool) -> None:
    """Write a draft and rename it, because several processes may start at the same time."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with po.open("rb") as source:
        catalog = read_po(source, locale=po.parent.parent.name)
    if is_english:
        catalog = _name_texts(catalog)
    for message in catalog:
        if not _is_read_on_pages(message):
            continue
        if isinstance(message.string, str):
            message.string = keep_percents_whole(message.string)
        else:
            message.string = tuple(keep_percents_whole(each) for each in message.string or ())
    mo.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=mo.parent, suffix=".mo.new")
    with os.fdopen(descriptor, "wb") as target:
        write_mo(target, catalog)
    Path(name).chmod(0o644)
    Path(name).replace(mo)


def _is_read_on_pages(message: "Message") -> bool:
    return all(place.startswith(READ_ON_PAGES) for place, _line in message.locations)


def _name_texts(catalog: "Catalog") -> "Catalog":
    """Return the English texts of this catalog as their own translations, where a sign of theirs changes."""
    from babel.messages.catalog import Catalog

    english = Catalog(locale="en", charset="utf-8")
    for message in catalog:
        texts = (message.id,) if isinstance(message.id, str) else message.id
        if _is_read_on_pages(message) and any(PERCENT.search(text) for text in texts):
            english.add(message.id, message.id, message.locations, context=message.context)
    return english
