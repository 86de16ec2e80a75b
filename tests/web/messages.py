"""Bring the catalogs of translations up to date with the texts in the code: `make messages` runs this.

With the code of a new language (`python tests/web/messages.py fr`) it starts that catalog.

Needs no gettext programs: Django turns templates into calls, Babel finds them.
"""

import io
import re
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from callscope.locale import list_codes

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
    "plural": (1, 2),
    "npgettext": ((1, "c"), 2, 3),
}
WIDTH = 110
LANGUAGES = list_codes()[1:]  # all but English, in which the texts are written


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
    """Update the catalog of the language; return how many texts it has and how many lack a translation."""
    path, header = catalog_path(language), _header(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    catalog = read(language) if path.exists() else _new(language)
    catalog.update(texts(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    with path.open("wb") as file:
        file.write(header.encode())
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
        f'"Plural-Forms: {_plural_forms(language)}\\n"\n\n'
    )


def _plural_forms(language: str) -> str:
    """Return what the catalog says, so that it may follow Django's own; Babel's rule for a new one."""
    known = (
        re.search(r'"Plural-Forms: (.*)\\n"', catalog_path(language).read_text("utf-8"))
        if (catalog_path(language).exists())
        else None
    )
    rule = get_plural(language)
    return known[1] if known else f"nplurals={rule.num_plurals}; plural={rule.plural_expr};"


if __name__ == "__main__":
    for name in [*LANGUAGES, *(code for code in sys.argv[1:] if code not in LANGUAGES)]:
        total, lacking = update(name)
        print(f"{name}: {total} texts, {lacking} without a translation")
        for text in missing(read(name)):
            print(f"  {text}")
    sys.exit(0)
