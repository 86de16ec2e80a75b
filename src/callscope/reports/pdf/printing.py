"""Print page data as a tagged PDF (PDF/UA-1)."""

import json
import logging
import re
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import typst

from callscope.reports.pdf.layout import PageData

TEMPLATE = Path(__file__).parent / "report.typ"
FONTS = Path(__file__).parent / "fonts"  # the face of the pages, Latin alone; Typst's own shows the rest
# Characters that the carried font shows, found by printing each: Latin, Greek, Cyrillic, punctuation, signs.
SHOWN_RANGES = (
    (0x20, 0x36F),
    (0x370, 0x3FF),
    (0x400, 0x4FF),
    (0x1E00, 0x1EFF),
    (0x2010, 0x2027),
    (0x2030, 0x203A),
)
SHOWN_SIGNS = set("€₤₩₪₫→←↑↓−≤≥≠≈▲▼\n\u200b\u202f")
REPLACEMENT = "?"
PAGE = re.compile(rb"/Type ?/Page\b")

logger = logging.getLogger(__name__)


def print_pdf(data: PageData) -> bytes:
    """Return the PDF of what layout.build_page_data() gives.

    Fonts are those of the pages and those that Typst carries, so that every machine prints the same.
    Text in a script they lack is printed with the machine's own fonts; where
    these lack it too, such characters become question marks: PDF/UA-1 refuses
    a page with missing glyphs, and a report with "???" beats none.
    """
    try:
        return _compile(data, ignore_system_fonts=True)
    except Unprintable as error:
        logger.info("The carried fonts do not suffice: %s", error)
    try:
        return _compile(data, ignore_system_fonts=False)
    except Unprintable as error:
        logger.warning("Printed with question marks: %s", error)
    return _compile(_replace_unprintable(data), ignore_system_fonts=True)


class Unprintable(Exception):
    """Typst cannot set this text."""


def _compile(data: PageData, *, ignore_system_fonts: bool) -> bytes:
    """Return the PDF; its rows come closer where that saves the meanings at its foot a page of their own.

    Raises Unprintable.
    """
    inputs = {"data": json.dumps(data, ensure_ascii=False)}
    usual = _typeset(inputs, ignore_system_fonts=ignore_system_fonts)
    if not usual.has_page_of_meanings:
        return usual.content
    closer = _typeset({**inputs, "closer": "yes"}, ignore_system_fonts=ignore_system_fonts)
    is_settled = closer.pages == closer.numbered_pages
    return closer.content if is_settled and closer.pages < usual.pages else usual.content


class Typeset(NamedTuple):
    content: bytes
    pages: int
    numbered_pages: int  # as each page says: others where Typst gave up before the layout settled
    has_page_of_meanings: bool


def _typeset(inputs: dict[str, str], *, ignore_system_fonts: bool) -> Typeset:
    ask = partial(
        typst.query,
        TEMPLATE,
        root=TEMPLATE.parent,
        ignore_system_fonts=ignore_system_fonts,
        font_paths=[FONTS],
        sys_inputs=inputs,
    )
    try:
        pdf = bytes(
            typst.compile(
                TEMPLATE,
                root=TEMPLATE.parent,
                ignore_system_fonts=ignore_system_fonts,
                font_paths=[FONTS],
                format="pdf",
                sys_inputs=inputs,
                pdf_standards="ua-1",
            )
        )
        # Typst has it laid out by now, so that these take a few hundredths of the time.
        numbered = json.loads(ask("<pages>", field="value", one=True))
        apart = json.loads(ask("<meanings-apart>"))
    except typst.TypstError as error:
        raise Unprintable(str(error)) from error
    except BaseException as error:
        # A panic in its shaper (some Arabic runs) arrives as a BaseException of pyo3's own.
        if type(error).__name__ != "PanicException":
            raise
        raise Unprintable("Typst failed on a run of text.") from error
    return Typeset(pdf, len(PAGE.findall(pdf)), numbered, bool(apart))


def _replace_unprintable(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _replace_unprintable(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_replace_unprintable(item, key) for item in value]
    if isinstance(value, str) and key != "chart":
        return "".join(
            c if c in SHOWN_SIGNS or any(low <= ord(c) <= high for low, high in SHOWN_RANGES) else REPLACEMENT
            for c in value
        )
    return value
