"""What changed in a report and what to look at: at most three sentences, each about something beyond chance.

A change is named only where both sides have enough calls and its interval leaves 0 out. Of many criteria
or agents that are alike some differ by chance, so their intervals are widened by how many are looked
at; contact reasons are judged by course.py. The sentences are computed, and the same on the page and the PDF.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from django.utils.translation import gettext as _

from callscope.projects.owners import Owners
from callscope.reports.overview.course import CHANCE, GROWING
from callscope.reports.overview.coverage import COUNTED_OVER, FEW_CALLS
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.schemas import (
    AgentRow,
    ContactReasonRow,
    FigureDifference,
    Report,
    ScorecardRow,
)
from callscope.reports.overview.scorecard import judge_row, order_by_points_lost
from callscope.reports.overview.targets import WriteNumber

NO_OWNERS = Owners([])
MOST_TIED = 3  # criteria that a summary names where they were failed critically in as many calls
FIGURES = ("average_score", "critical_error_pct", "goal_reached_pct", "negative_sentiment_pct")


@dataclass(frozen=True, slots=True)
class Highlight:
    """One sentence, and what it is about."""

    text: str
    kind: Literal["figure", "criterion", "reason", "agent", "nothing"]
    subject: str = ""  # the figure, the id of the criterion or agent, or the reason
    is_change: bool = True  # since the period before; False: where to look


def write_highlights(report: Report, write: WriteNumber, owners: Owners = NO_OWNERS) -> list[Highlight]:
    """Return the sentences in the active language: what changed, what explains it, where to look.

    `owners` say whose a criterion or contact reason is, in a report of several projects.
    """
    if not report.headline.total_calls:
        return []
    reason = write_reasons(report, write, owners)
    found = [write_figures(report, write), write_criteria(report, write, owners) or reason]
    known = [each.subject for each in found if each]
    is_new = reason is not None and reason.subject not in known
    found.append(reason if is_new else write_place(report, write, known, owners))
    return [each for each in found if each is not None]


def is_beyond_chance(difference: float | None, interval: Interval, *, looked_at: int = 1) -> bool:
    """Return whether a difference leaves 0 out, also where it is the largest of so many."""
    if difference is None or interval is None:
        return False
    reach = difference - interval[0] if difference > 0 else interval[1] - difference
    normal = NormalDist()
    widening = normal.inv_cdf(1 - CHANCE / 2 / max(1, looked_at)) / normal.inv_cdf(1 - CHANCE / 2)
    return abs(difference) > reach * widening


def write_figures(report: Report, write: WriteNumber) -> Highlight | None:
    """Say how the most important figure that changed did, or that none changed beyond chance."""
    now, before = report.headline, report.previous_headline
    if before is None or not before.total_calls:
        return None
    changes = {each.figure: each for each in report.changes}
    for position, figure in enumerate(FIGURES):
        change, base = changes.get(figure), COUNTED_OVER[figure]
        counts = getattr(now, base), getattr(before, base)
        others = 1 if position == 0 else len(FIGURES) - 1
        if change is None or min(counts) < FEW_CALLS:
            continue
        if is_beyond_chance(change.difference, change.difference_interval, looked_at=others):
            return write_change(change, getattr(now, figure), counts, write)
    names = {"now": write(now.scored_calls, 0), "before": write(before.scored_calls, 0)}
    if min(now.scored_calls, before.scored_calls) < FEW_CALLS:
        text = _("Too few calls to say what changed: %(now)s scored now, %(before)s in the period before.")
    elif list_moved_criteria(report) or list_grown_reasons(report):
        text = _(
            "No figure changed beyond chance since the period before (%(now)s scored calls now, "
            "%(before)s before)."
        )
    else:
        text = _(
            "No figure, criterion or contact reason changed beyond chance since the period before "
            "(%(now)s scored calls now, %(before)s before)."
        )
    return Highlight(text % names, "nothing")


def write_change(
    change: FigureDifference, now: float, counts: tuple[int, int], write: WriteNumber
) -> Highlight:
    assert change.difference is not None and change.difference_interval is not None
    if change.difference > 0:
        text = _(
            "%(figure)s rose by %(by)s points to %(value)s %% since the period before (%(now)s calls now, "
            "%(before)s before; 95 %% interval of the change %(low)s to %(high)s)."
        )
    else:
        text = _(
            "%(figure)s fell by %(by)s points to %(value)s %% since the period before (%(now)s calls now, "
            "%(before)s before; 95 %% interval of the change %(low)s to %(high)s)."
        )
    bounds = sorted(abs(bound) for bound in change.difference_interval)
    names = {
        "figure": DEFINITIONS[change.figure].label,
        "by": write(abs(change.difference), 1),
        "value": write(now, 1),
        "now": write(counts[0], 0),
        "before": write(counts[1], 0),
        "low": write(bounds[0], 1),
        "high": write(bounds[1], 1),
    }
    return Highlight(text % names, "figure", change.figure)


def quote_criterion(row: ScorecardRow, owners: Owners, said: str = "") -> str:
    """Return a criterion in quotation marks; in parentheses whose it is, of several projects, and `said`."""
    return owners.quote(row.name, owners.list_by_criterion(row.criterion_id, row.name), said)


def quote_reason(row: ContactReasonRow, owners: Owners, said: str = "") -> str:
    """Return a contact reason as quote_criterion() does a criterion."""
    return owners.quote(row.topic, owners.list_by_id(row.projects), said)


def write_criteria(report: Report, write: WriteNumber, owners: Owners) -> Highlight | None:
    """Say which criterion moved the score most, in its direction where the score changed."""
    moved = list_moved_criteria(report)
    return write_criterion(moved[0], write, owners) if moved else None


def list_moved_criteria(report: Report) -> list[ScorecardRow]:
    """Return the criteria that changed beyond chance, the one that moved the score most first."""
    judged = [(row, judge_row(row)) for row in report.scorecard if row.weight_pct]
    compared = [(row, j) for row, j in judged if min(j.calls, j.previous_calls) >= FEW_CALLS]
    moved = [
        row for row, j in compared if is_beyond_chance(j.delta_pct, j.delta_interval, looked_at=len(compared))
    ]
    score = next((each.difference for each in report.changes if each.figure == "average_score"), None)
    return sorted(moved, key=lambda row: (-weigh_move(row, score or 0.0), row.criterion_id))


def weigh_move(row: ScorecardRow, score: float) -> float:
    """Return by how many points of the score a criterion moved, less where it went against the score."""
    moved = (row.weight_pct or 0.0) * (row.delta_pct or 0.0)
    return abs(moved) if moved * score >= 0 else abs(moved) / 100


def write_criterion(row: ScorecardRow, write: WriteNumber, owners: Owners) -> Highlight:
    judged = judge_row(row)
    assert judged.delta_pct is not None and judged.pct is not None
    if judged.delta_pct > 0:
        text = _("%(name)s rose by %(by)s points to %(value)s %% (%(now)s calls now, %(before)s before).")
    else:
        text = _("%(name)s fell by %(by)s points to %(value)s %% (%(now)s calls now, %(before)s before).")
    names = {
        "name": quote_criterion(row, owners),
        "by": write(abs(judged.delta_pct), 1),
        "value": write(judged.pct, 1),
        "now": write(judged.calls, 0),
        "before": write(judged.previous_calls, 0),
    }
    return Highlight(text % names, "criterion", row.criterion_id)


def write_reasons(report: Report, write: WriteNumber, owners: Owners) -> Highlight | None:
    """Say which contact reason is new, or grew most."""
    grown = list_grown_reasons(report)
    if not grown:
        return None
    row = grown[0]
    base = sum(each.calls for each in report.contact_reasons)
    names = {
        "name": quote_reason(row, owners),
        "calls": write(row.calls, 0),
        "base": write(base, 0),
        "value": write(row.volume_pct, 1),
        "by": write(row.change_pct or 0.0, 1),
        "before": write(row.previous_calls or 0, 0),
        "base_before": write(row.previous_calls_with_reason or 0, 0),
    }
    if row.is_new:
        text = _(
            "%(name)s is a new contact reason: %(calls)s of %(base)s calls with a reason (%(value)s "
            "%%), and none of %(base_before)s in the period before."
        )
    else:
        text = _(
            "The contact reason %(name)s grew by %(by)s points to %(value)s %% (%(calls)s of %(base)s "
            "calls with a reason now, %(before)s of %(base_before)s before)."
        )
    return Highlight(text % names, "reason", row.topic)


def list_grown_reasons(report: Report) -> list[ContactReasonRow]:
    """Return the contact reasons that grew beyond chance, new ones first, then by how much they grew."""
    grown = [row for row in report.contact_reasons if row.topic and row.course == GROWING]
    return sorted(grown, key=lambda row: (not row.is_new, -(row.change_pct or 0.0), row.topic))


def write_place(report: Report, write: WriteNumber, known: list[str], owners: Owners) -> Highlight | None:
    """Say which criterion costs most points; if that was said already, whose calls differ most."""
    worst = find_costliest(report)
    if worst is None:
        return None
    if worst.criterion_id in known:
        return write_agent(report.agents, write)
    costlier = [row for row in report.scorecard if (row.points_lost or 0) > (worst.points_lost or 0)]
    if any(row.is_retired for row in costlier):
        text = _(
            "%(name)s costs the most points of the criteria that are still in the rubric and have at least "
            "%(least)s calls: in %(calls)s calls, %(value)s %% of its points were earned."
        )
    elif costlier:  # of few calls
        text = _(
            "%(name)s costs the most points of the criteria with at least %(least)s calls: in %(calls)s "
            "calls, %(value)s %% of its points were earned."
        )
    else:
        text = _(
            "%(name)s costs the most points of all criteria: in %(calls)s calls, %(value)s %% of "
            "its points were earned."
        )
    judged = judge_row(worst)
    names = {
        "name": quote_criterion(worst, owners),
        "value": write(judged.pct or 0.0, 1),
        "calls": write(judged.calls, 0),
        "least": write(FEW_CALLS, 0),
    }
    return Highlight(text % names, "criterion", worst.criterion_id, is_change=False)


def find_costliest(report: Report) -> ScorecardRow | None:
    """Return the criterion of a rubric that costs the most points, of those with enough calls.

    Where several cost as much, it is the one that the page lists first.
    """
    in_rubric = [row for row in report.scorecard if row.points_lost and not row.is_retired]
    measured = [row for row in in_rubric if judge_row(row).calls >= FEW_CALLS]
    return next(iter(order_by_points_lost(measured)), None)


def list_most_critical(report: Report) -> list[ScorecardRow]:
    """Return the criteria that were failed critically in the most calls; several where these are as many.

    Calls are counted, shares are not compared: one of two calls is no worse than ten of a hundred.
    """
    most = max((row.critical_errors for row in report.scorecard), default=0)
    return [row for row in report.scorecard if most and row.critical_errors == most]


def list_named_critical(report: Report) -> list[ScorecardRow]:
    """Return those of list_most_critical() that a summary names."""
    return list_most_critical(report)[:MOST_TIED]


def write_agent(agents: list[AgentRow], write: WriteNumber, *, least: int = FEW_CALLS) -> Highlight | None:
    """Say whose calls are furthest below all others beyond chance, of agents with at least so many calls."""
    compared = [row for row in agents if row.scored_calls >= least]
    apart = [
        row
        for row in compared
        if (row.average_score_difference or 0) < 0
        and is_beyond_chance(
            row.average_score_difference, row.average_score_difference_interval, looked_at=len(compared)
        )
    ]
    if not apart:
        return None
    row = min(apart, key=lambda each: (each.average_score_difference or 0.0, each.agent_id))
    text = _("The calls of %(agent)s average %(value)s %%, %(by)s points below all others (%(calls)s calls).")
    names = {
        "agent": row.agent,
        "value": write(row.average_score or 0.0, 1),
        "by": write(abs(row.average_score_difference or 0.0), 1),
        "calls": write(row.scored_calls, 0),
    }
    return Highlight(text % names, "agent", str(row.agent_id), is_change=False)
