"""Tables for people: drawn by rich on a terminal, plain columns elsewhere."""

import sys
from collections.abc import Sequence

GAP = "  "


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table on stdout; columns of texts stand left, of figures right."""
    texts = [[_text(cell) for cell in row] for row in rows]
    is_text = [any(isinstance(row[n], str) for row in rows) for n in range(len(columns))]
    if sys.stdout.isatty():
        _draw(title, columns, texts, is_text)
        return
    widths = [max([len(name), *(len(row[n]) for row in texts)]) for n, name in enumerate(columns)]
    print(title)
    for row in [list(columns), *texts]:
        cells = [cell.ljust(widths[n]) if is_text[n] else cell.rjust(widths[n]) for n, cell in enumerate(row)]
        print(GAP.join(cells).rstrip())
    print()


def _draw(title: str, columns: Sequence[str], rows: list[list[str]], is_text: list[bool]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left", title_style="bold")
    for name, is_left in zip(columns, is_text, strict=True):
        table.add_column(name, justify="left" if is_left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)


def _text(cell: object) -> str:
    if cell is None:
        return "–"
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
