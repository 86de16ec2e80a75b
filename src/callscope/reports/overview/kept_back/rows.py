"""Rows and headlines without the figures that would tell of a call that waits for the reader."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from callscope.reports.overview.coverage import COUNTED_OVER
from callscope.reports.overview.kept_back.calls import NOTHING_KEPT, KeptBack
from callscope.reports.overview.schemas import AgentRow, FigureDifference, Headline, ProjectRow, ScorecardRow

Row = TypeVar("Row", bound=Any)  # a dataclass of figures
OF_A_CRITERION = (
    *("average_pct", "average_pct_interval", "delta_pct", "delta_pct_interval"),
    *("evaluated_pct", "evaluated_pct_interval", "evaluated_delta_pct", "evaluated_delta_pct_interval"),
    "points_lost",
)
BEFORE = (
    *("previous_pct", "delta_pct", "delta_pct_interval"),
    *("previous_evaluated_pct", "evaluated_delta_pct", "evaluated_delta_pct_interval"),
)
Standing = TypeVar("Standing", AgentRow, ProjectRow)


def blank(row: Row, names: Iterable[str]) -> Row:
    """Return a row without these figures, and without their intervals, as far as it has them."""
    known = {field.name for field in fields(row)}
    wanted = {name for each in names for name in (each, f"{each}_interval")}
    return replace(row, **dict.fromkeys(wanted & known))


def hide_figures(row: Row, kept: KeptBack) -> Row:
    """Return a row named as the headline is, without the figures over few calls.

    Of a group that is left out not even for how many of its calls a sentiment, say, is known.
    """
    if not kept:
        return row
    calls = row.calls if hasattr(row, "calls") else row.total_calls
    if is_hidden := kept.hides_group(calls):
        row = replace(
            row, **dict.fromkeys({*COUNTED_OVER.values()} & {each.name for each in fields(row)}, calls)
        )
    lost = [name for name, base in COUNTED_OVER.items() if is_hidden or kept.hides(getattr(row, base, 0))]
    return blank(row, lost) if lost else row


def hide_changes(
    changes: Sequence[FigureDifference], now: Headline, before: Headline | None
) -> list[FigureDifference]:
    """Return the differences of two headlines, none of a figure that one of them does not have."""
    sides = [each for each in (now, before) if each is not None]
    return [
        blank(each, ("difference", "within_noise"))
        if any(getattr(side, each.figure) is None for side in sides)
        else each
        for each in changes
    ]


def hide_standing(row: Standing, now: KeptBack, before: KeptBack) -> Standing:
    """Return the row of an agent or project, compared with the window before where both sides are shown."""
    shown = hide_figures(row, now)
    if before.hides(row.previous_scored_calls or 0):
        shown = blank(shown, ["previous_average_score"])
    if shown.average_score is None or shown.previous_average_score is None:
        shown = blank(shown, ["average_score_change"])
    return shown


def hide_criterion(
    row: ScorecardRow, now: KeptBack, before: KeptBack = NOTHING_KEPT, *, calls_in_all: int = 0
) -> ScorecardRow:
    """Return the row of a criterion; of few calls not even to how many of them it does not apply.

    Where all of a report is left out, `calls_in_all`, not even in how many calls it was judged.
    """
    if calls_in_all and now.hides_group(calls_in_all):
        row = replace(row, calls=calls_in_all)
    if row.calls and now.hides_group(row.calls):
        row = blank(
            replace(row, critical_errors=0, evaluated_calls=0, not_applicable_calls=0), OF_A_CRITERION
        )
    elif row.judged_calls and now.hides(row.judged_calls):
        row = blank(replace(row, critical_errors=0, not_applicable_calls=0), OF_A_CRITERION)
    if row.previous_calls and before.hides_group(row.previous_calls):
        row = blank(replace(row, previous_evaluated_calls=row.previous_calls), BEFORE)
    elif row.previous_evaluated_calls and before.hides(row.previous_evaluated_calls):
        row = blank(row, BEFORE)
    return row
