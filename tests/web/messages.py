"""Bring the catalogs of translations up to date with the texts in the code: `make messages` runs this.

Needs no gettext programs: Django turns templates into calls, Babel finds them.
"""

import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

SOURCE = Path(__file__).parent.parent.parent / "src" / "callscope"
LOCALE = SOURCE / "locale"
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
WIDTH = 110
# As in Django's own Spanish catalog, with which this one is merged.
PLURAL_FORMS = {"es": "nplurals=3; plural=n == 1 ? 0 : n != 0 && n % 1000000 == 0 ? 1 : 2;"}


def texts(source: Path = SOURCE) -> Catalog:
    """Return every text in the code and the templates that is meant to be translated."""
    found = Catalog(charset="utf-8")
    for path in sorted(source.rglob("*")):
        if path.suffix == ".py":
            code = path.read_text(encoding="utf-8")
        elif path.suffix in (".html", ".txt") and "templates" in path.parts:
            calls = templatize(path.read_text(encoding="utf-8"), origin=str(path))
            code = "\n".join(line.strip() for line in calls.splitlines())  # Python minds indentation
        else:
            continue
        name = path.relative_to(source).as_posix()
        for _line, message, comments, context in extract(
            "python", io.BytesIO(code.encode()), keywords=KEYWORDS, comment_tags=["Translators:"]
        ):
            found.add(message, locations=[(name, 0)], auto_comments=comments, context=context)
    return found


def catalog_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def read(language: str) -> Catalog:
    with catalog_path(language).open("rb") as file:
        return read_po(file, locale=language)


def update(language: str) -> tuple[int, int]:
    """Write the language's catalog anew; return how many texts it has and how many lack a translation."""
    path = catalog_path(language)
    catalog = read(language) if path.exists() else _new(language)
    catalog.update(texts(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    with path.open("wb") as file:
        file.write(_header(language).encode())
        write_po(file, catalog, width=WIDTH, sort_output=True, include_lineno=False, omit_header=True)
    return len(catalog), len(missing(catalog))


def missing(catalog: Catalog) -> list[str]:
    """Return the texts without a whole translation."""
    found = []
    for message in catalog:
        if not message.id:
            continue
        translated = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.fuzzy or not all(translated):
            found.append(str(message.id))
    return found


def _new(language: str) -> Catalog:
    return read_po(io.BytesIO(_header(language).encode()), locale=language)


def _header(language: str) -> str:
    """Without dates and names: a catalog changes only where a text does."""
    return (
        f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Plural-Forms: {PLURAL_FORMS[language]}\\n"\n\n'
    )


if __name__ == "__main__":
    for name in PLURAL_FORMS:
        total, lacking = update(name)
        print(f"{name}: {total} texts, {lacking} without a translation")
        for text in missing(read(name)):
            print(f"  {text}")
    sys.exit(0)
