"""Print page data as a tagged PDF (PDF/UA-1)."""

import json
import logging
from pathlib import Path
from typing import Any

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
    try:
        return bytes(
            typst.compile(
                TEMPLATE,
                root=TEMPLATE.parent,
                ignore_system_fonts=ignore_system_fonts,
                font_paths=[FONTS],
                format="pdf",
                sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
                pdf_standards="ua-1",
            )
        )
    except typst.TypstError as error:
        raise Unprintable(str(error)) from error
    except BaseException as error:
        # A panic in its shaper (some Arabic runs) arrives as a BaseException of pyo3's own.
        if type(error).__name__ != "PanicException":
            raise
        raise Unprintable("Typst failed on a run of text.") from error


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
