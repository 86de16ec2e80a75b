"""Tables on stdout: drawn by rich on a terminal, plain columns elsewhere."""

import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

COLUMN_GAP = "  "
MAX_CRITERIA = 5
MAX_WEEKS = 8
BAR_WIDTH = 20  # of 100 %
MAX_ROWS = 5  # contact reasons and agents
MAX_CELL = 80  # signs
STEERING = {"Cc", "Cf", "Zl", "Zp"}  # categories of control and format signs and line ends
ReportJson = dict[str, Any]  # the report object of the API
HEADLINE = (
    "total_calls",
    "analyzed_hours",
    "average_score",
    "weighted_compliance",
    "scored_calls",
    "critical_error_pct",
    "negative_sentiment_pct",
    "goal_reached_pct",
    "calls_with_metadata",
)


def print_report(report: ReportJson, *, title: str = "Headline", is_whole: bool = False) -> None:
    """Print headline, weakest criteria, top contact reasons and busiest agents of a report object.

    With `is_whole`, also the latest weeks and both shifts.
    """
    from callscope.reports.overview.coverage import COUNTED_OVER
    from callscope.reports.overview.glossary import DEFINITIONS

    headline = report["headline"]
    print_table(
        title,
        ["", "value", "of calls"],
        [
            [DEFINITIONS[name].english_heading, headline[name], _count(headline, COUNTED_OVER.get(name))]
            for name in HEADLINE
        ],
    )
    if failed := report.get("failed_calls"):
        print(f"{failed} {'call' if failed == 1 else 'calls'} could not be analyzed, or only in part.")
    if not headline["total_calls"] and report["total_calls_all_time"]:
        print(f"No calls in this period; {report['total_calls_all_time']} are outside it.")
        return
    if headline["total_calls"] and not report["scorecard"]:
        print("No call was scored: the project has no rubric.")
    print_weakest_criteria(report)
    reasons = [row for row in report["contact_reasons"] if row["topic"]][:MAX_ROWS]
    if reasons:
        base = sum(row["calls"] for row in report["contact_reasons"])
        print_table(
            f"Top contact reasons, of {base} {'call' if base == 1 else 'calls'} with a reason",
            ["reason", "calls", "volume %", ""],
            [[row["topic"], row["calls"], row["volume_pct"], draw_bar(row["volume_pct"])] for row in reasons],
        )
    if agents := report["agents"][:MAX_ROWS]:
        print_table(
            "Busiest agents",
            ["agent", "calls", "average score", "scored calls", "goal reached %", "outcome known"],
            [
                [
                    r["agent"],
                    r["calls"],
                    *_with_calls(r, "average_score"),
                    *_with_calls(r, "goal_reached_pct"),
                ]
                for r in agents
            ],
        )
    if is_whole:
        _print_weeks_and_shifts(report)


def print_weakest_criteria(report: ReportJson) -> None:
    """Print the criteria that earn least where they apply, and name those that apply to no call.

    Those that apply to few calls come last: chance puts them where they are.
    """
    from callscope.reports.overview.coverage import FEW_CALLS

    rows = report["scorecard"]
    measured = [row for row in rows if row["evaluated_pct"] is not None]
    measured.sort(key=lambda row: (row["evaluated_pct"], row["criterion_id"]))
    measured.sort(key=lambda row: row["calls"] - row["not_applicable_calls"] < FEW_CALLS)
    if weakest := measured[:MAX_CRITERIA]:
        print_table(
            "Weakest criteria, where they apply",
            ["criterion", "section", "points %", "", "calls", "change", "calls before", "critical errors"],
            [
                [
                    row["name"],
                    row["section"],
                    row["evaluated_pct"],
                    draw_bar(row["evaluated_pct"]),
                    row["calls"] - row["not_applicable_calls"],
                    row["evaluated_delta_pct"],
                    row["previous_evaluated_calls"] or None,
                    row["critical_errors"] or (0 if row.get("is_critical", True) else None),
                ]
                for row in weakest
            ],
        )
    nowhere = [row["name"] for row in rows if row["calls"] and row["evaluated_pct"] is None]
    if nowhere:
        print(f"Applied to no call: {', '.join(nowhere)}.\n")


def _print_weeks_and_shifts(report: ReportJson) -> None:
    if weeks := report["trend"][-MAX_WEEKS:]:
        print_table(
            "Latest weeks",
            ["week of", "calls", "average score", "scored calls", ""],
            [
                [w["week"], w["calls"], *_with_calls(w, "average_score"), draw_bar(w["average_score"])]
                for w in weeks
            ],
        )
    shifts = [row for row in report["shifts"] if row["total_calls"]]
    if shifts:
        print_table(
            "Shifts",
            [
                *("shift", "calls", "average score", "critical errors %", "scored calls"),
                *("goal reached %", "outcome known"),
            ],
            [
                [
                    *(row["shift"], row["total_calls"], row["average_score"]),
                    *_with_calls(row, "critical_error_pct"),
                    *_with_calls(row, "goal_reached_pct"),
                ]
                for row in shifts
            ],
        )


def _with_calls(row: ReportJson, name: str) -> list[object]:
    """Return a figure and how many calls it is taken over."""
    from callscope.reports.overview.coverage import COUNTED_OVER

    return [row[name], _count(row, COUNTED_OVER[name])]


def _count(row: ReportJson, name: str | None) -> object:
    """Return a number of calls; None for a figure that is one, and from a server that does not give it."""
    return row.get(name) if name else None


def draw_bar(percent: float | None) -> str:
    """Return a bar of BAR_WIDTH letters at most, plain ones where the terminal has no blocks."""
    if percent is None:
        return ""
    letter = "█" if (sys.stdout.encoding or "").lower().replace("-", "") == "utf8" else "#"
    return letter * round(min(max(percent, 0.0), 100.0) / 100 * BAR_WIDTH)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; columns of text are aligned to the left, columns of numbers to the right."""
    texts = _format_cells(rows)
    is_text = _find_texts(columns, rows)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table

        table = Table(title=escape(title), title_justify="left", title_style="bold")
        for name, is_left in zip(columns, is_text, strict=True):
            table.add_column(name, justify="left" if is_left else "right", overflow="fold")
        for row in texts:
            table.add_row(*(escape(cell) for cell in row))
        Console().print(table)
        return
    print(format_table(title, columns, rows))


def format_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table as lines of plain columns; the last line is empty."""
    texts, is_text = _format_cells(rows), _find_texts(columns, rows)
    widths = [max([len(name), *(len(row[n]) for row in texts)]) for n, name in enumerate(columns)]
    lines = [title]
    for row in [list(columns), *texts]:
        cells = [cell.ljust(widths[n]) if is_text[n] else cell.rjust(widths[n]) for n, cell in enumerate(row)]
        lines.append(COLUMN_GAP.join(cells).rstrip())
    return "\n".join([*lines, ""])


def _format_cells(rows: Sequence[Sequence[object]]) -> list[list[str]]:
    return [
        [
            "–" if cell is None else f"{cell:.2f}" if isinstance(cell, float) else make_safe(cell)
            for cell in row
        ]
        for row in rows
    ]


def make_safe(cell: object) -> str:
    """Return a cell without signs that steer a terminal or the order of letters, cut where it is long."""
    signs = (" " if unicodedata.category(sign) in STEERING else sign for sign in str(cell))
    text = " ".join("".join(signs).split())
    return text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"


def _find_texts(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[bool]:
    return [any(isinstance(row[n], str) for row in rows) for n in range(len(columns))]
