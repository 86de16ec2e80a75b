"""The figures of a criterion that a reader is to judge by: the calls to which it applies, now and before.

The average of the interface counts calls to which a criterion does not apply with full points, so that one
that fails whenever it applies may stand at 92 %. Pages and the PDF show the average next to these figures.
Where calls did not record whether the criterion applies, there is nothing but the average.
"""

from typing import NamedTuple

from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.schemas import ScorecardRow


class JudgedFigures(NamedTuple):
    """Percentages of the criterion's points, each with the calls that it is taken over."""

    pct: float | None
    calls: int
    interval: Interval
    previous_pct: float | None
    previous_calls: int
    delta_pct: float | None
    delta_interval: Interval
    is_average: bool  # over all calls, as it is not known to which the criterion applies


def judge_row(row: ScorecardRow) -> JudgedFigures:
    """Return the figures of a row of the scorecard where its criterion applies."""
    average = JudgedFigures(
        row.average_pct,
        row.calls,
        row.average_pct_interval,
        row.previous_pct,
        row.previous_calls,
        row.delta_pct,
        row.delta_pct_interval,
        is_average=True,
    )
    if row.evaluated_calls + row.not_applicable_calls != row.calls:
        return average
    found = average._replace(is_average=False)
    if row.not_applicable_calls:
        found = found._replace(
            pct=row.evaluated_pct, calls=row.evaluated_calls, interval=row.evaluated_pct_interval
        )
    if row.previous_evaluated_calls is not None:
        return found._replace(
            previous_pct=row.previous_evaluated_pct,
            previous_calls=row.previous_evaluated_calls,
            delta_pct=row.evaluated_delta_pct,
            delta_interval=row.evaluated_delta_pct_interval,
        )
    if row.not_applicable_calls:  # before, only the average is known: not the same figure
        return found._replace(previous_pct=None, previous_calls=0, delta_pct=None, delta_interval=None)
    return found
