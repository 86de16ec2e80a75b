"""The pages of the PDF are filled: what follows begins where there is room for it."""

import numpy as np
import pypdfium2
import pytest

from callscope.reports.overview.schemas import AgentRow
from tests.reports.test_pdf import example, printed

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
