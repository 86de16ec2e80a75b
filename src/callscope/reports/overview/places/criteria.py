"""Criteria to look at: those that cost the most points, and those that were failed critically most often."""

from collections.abc import Sequence
from decimal import Decimal

from django.utils.translation import gettext as _

from callscope.analysis.figures import round_to
from callscope.projects.owners import Owners
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.places.ties import MOST_TIED, join_names, take_leading
from callscope.reports.overview.schemas import Report, ScorecardRow
from callscope.reports.overview.scorecard import judge_row, order_by_points_lost, quote_criterion
from callscope.reports.overview.targets import WriteNumber


def write_costs(report: Report, worst: Sequence[ScorecardRow], write: WriteNumber, owners: Owners) -> str:
    """Return a sentence about the criteria that cost the most points, and of which criteria."""
    compared, lost = list_measured(report), show_lost(worst[0])
    others = [row for row in report.scorecard if row not in compared and show_lost(row) >= lost]
    is_kept, is_of_all = any(row.is_retired for row in others), not others
    names = {"least": write(FEW_CALLS, 0)}
    if len(worst) > 1:
        names["lost"] = write(worst[0].points_lost or 0.0, 1)
        names["names"] = join_names([quote_share(row, write, owners) for row in worst], write)
        return choose_places(is_kept=is_kept, is_of_all=is_of_all) % names
    judged = judge_row(worst[0])
    names["name"] = quote_criterion(worst[0], owners)
    names["value"], names["calls"] = write(judged.pct or 0.0, 1), write(judged.calls, 0)
    return choose_place(is_kept=is_kept, is_of_all=is_of_all) % names


def choose_place(*, is_kept: bool, is_of_all: bool) -> str:
    """Return the sentence about one criterion: of all, of those in the rubric, or with enough calls."""
    if is_kept:
        return _(
            "%(name)s costs the most points of the criteria that are still in the rubric and have at least "
            "%(least)s calls: in %(calls)s calls, %(value)s %% of its points were earned."
        )
    if is_of_all:
        return _(
            "%(name)s costs the most points of all criteria: in %(calls)s calls, %(value)s %% of "
            "its points were earned."
        )
    return _(
        "%(name)s costs the most points of the criteria with at least %(least)s calls: in %(calls)s "
        "calls, %(value)s %% of its points were earned."
    )


def choose_places(*, is_kept: bool, is_of_all: bool) -> str:
    """Return the sentence about several criteria that cost as much, as choose_place() does that about one."""
    if is_kept:
        return _(
            "%(names)s cost the most points of the criteria that are still in the rubric and have at least "
            "%(least)s calls: %(lost)s each."
        )
    if is_of_all:
        return _("%(names)s cost the most points of all criteria: %(lost)s each.")
    return _("%(names)s cost the most points of the criteria with at least %(least)s calls: %(lost)s each.")


def quote_share(row: ScorecardRow, write: WriteNumber, owners: Owners) -> str:
    """Return a criterion in quotation marks, in parentheses its share of points and of how many calls."""
    judged = judge_row(row)
    share = _("%(pct)s %% over %(calls)s calls")
    said = share % {"pct": write(judged.pct or 0.0, 1), "calls": write(judged.calls, 0)}
    return quote_criterion(row, owners, said)


def show_lost(row: ScorecardRow) -> Decimal:
    """Return the points that a criterion costs as pages show them."""
    return round_to(row.points_lost or 0.0, 1)


def list_measured(report: Report) -> list[ScorecardRow]:
    """Return the criteria of a rubric that have enough calls to say what they cost."""
    return [row for row in report.scorecard if not row.is_retired and judge_row(row).calls >= FEW_CALLS]


def list_costliest(report: Report) -> list[ScorecardRow]:
    """Return the criteria of a rubric that cost the most points, of those with enough calls.

    Several where pages show as many points for them, in the order in which the page lists them.
    """
    costly = [row for row in order_by_points_lost(list_measured(report)) if show_lost(row)]
    return take_leading(costly, show_lost)


def list_most_critical(report: Report) -> list[ScorecardRow]:
    """Return the criteria that were failed critically in the most calls; several where these are as many.

    Calls are counted, shares are not compared: one of two calls is no worse than ten of a hundred.
    """
    most = max((row.critical_errors for row in report.scorecard), default=0)
    return [row for row in report.scorecard if most and row.critical_errors == most]


def list_named_critical(report: Report) -> list[ScorecardRow]:
    """Return those of list_most_critical() that a summary names."""
    return list_most_critical(report)[:MOST_TIED]
