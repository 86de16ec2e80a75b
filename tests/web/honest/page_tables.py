"""What the rows of a page's tables say, cell by cell."""

import html
import re

ROW = re.compile(r"<tr[^>]*>(.*?)</tr>", re.DOTALL)
HEAD = re.compile(r'<th scope="row"[^>]*>(.*?)</th>', re.DOTALL)
CELL = re.compile(r'<td[^>]*data-label="([^"]*)"[^>]*>(.*?)</td>', re.DOTALL)


def read_rows(page: str) -> list[dict[str, str]]:
    """Return the texts of each row by the names of their columns; that of its head by "".

    Of two columns with one name the first counts: the second one is an interval.
    """
    rows = []
    for row in ROW.findall(page):
        if head := HEAD.search(row):
            cells = {"": read_text(head[1])}
            for name, cell in CELL.findall(row):
                cells.setdefault(html.unescape(name), read_text(cell))
            rows.append(cells)
    return rows


def read_text(piece: str) -> str:
    """Return what a reader sees of a piece of a page, with single spaces; a gap and its reason as "–"."""
    seen = re.sub(r'<span class="vh">.*?</span>', "", piece, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", seen)).split())
