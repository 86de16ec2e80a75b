"""The pages of the PDF are filled: what follows begins where there is room for it."""

import struct
import zlib

import numpy as np
import pypdfium2
import pytest
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE as IMAGE

from callscope.reports.overview.schemas import AgentRow
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.printing import print_pdf
from tests.reports.test_pdf import NOW, example, printed

pytestmark = pytest.mark.one_database

PAGE_MM, TOP_MM, BOTTOM_MM = 297, 18, 20
MOST_EMPTY = 1 / 3
WHITE = 245  # of 255


def empty_shares(pdf: bytes) -> list[float]:
    """Return which part of each page is empty below its last line, of what margins leave."""
    shares = []
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            shade = np.array(page.render(scale=0.5).to_pil().convert("L"))
            mm = shade.shape[0] / PAGE_MM
            lines = (shade[int(TOP_MM * mm) : int((PAGE_MM - BOTTOM_MM) * mm)] < WHITE).any(axis=1)
            shares.append(1 - (np.flatnonzero(lines)[-1] + 1) / len(lines))
    return shares


# The more rows, the further down a page the last part of the report begins.
@pytest.mark.parametrize("count", (1, 16, 19, 22, 25))
@pytest.mark.parametrize("language", ["en", "es"])
def test_no_page_but_the_last_is_more_than_a_third_empty(count, language):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(count)]

    *filled, _last = empty_shares(printed(example(agents=agents), language))

    assert max(filled) <= MOST_EMPTY


def png(width: int, height: int) -> bytes:
    """Return a picture in one color."""
    rows = b"".join(b"\0" + b"\x10\x80\x40" * width for _ in range(height))

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(("size", "first_mm"), [((200, 100), (28, 14)), ((2000, 50), (80, 2))])
def test_the_logo_is_on_every_page_and_stays_within_the_text(size, first_mm):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(5)]
    locale = ReportLocale("en")
    data = build_page_data(
        example(agents=agents), projects=["Service line"], summary=Summary([]), locale=locale,
        generated_at=NOW, logo=png(*size),
    )  # fmt: skip

    with pypdfium2.PdfDocument(print_pdf(data)) as document:
        found = [
            [
                tuple(round(side * 25.4 / 72) for side in (right - left, top - bottom))
                for left, bottom, right, top in (
                    each.get_bounds() for each in page.get_objects(filter=[IMAGE])
                )
            ]
            for page in document
        ]

    first, *others = found
    assert first == [first_mm]
    assert others and all(len(each) == 1 and each[0][0] <= 30 and each[0][1] <= 5 for each in others)
