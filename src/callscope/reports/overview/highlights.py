"""What changed in a report and what to look at: at most three points, each about something beyond chance.

What shares the figure that makes another worth a sentence is named with it. A change is named only where
both sides have enough calls and its interval leaves 0 out. Of many criteria or agents that are alike some
differ by chance, so their intervals are widened by how many are looked at; contact reasons are judged by
course.py. The sentences are computed, and the same on the page and the PDF.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import NormalDist
from typing import Literal, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.analysis.figures import round_to, take_percent
from callscope.projects.owners import Owners
from callscope.reports.overview.course import CHANCE, GROWING
from callscope.reports.overview.coverage import COUNTED_OVER, FEW_CALLS
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.places.criteria import list_costliest, list_measured, write_costs
from callscope.reports.overview.places.ties import MOST_TIED, take_leading
from callscope.reports.overview.schemas import (
    AgentRow,
    ContactReasonRow,
    FigureDifference,
    Report,
    ScorecardRow,
)
from callscope.reports.overview.scorecard import judge_row, quote_criterion
from callscope.reports.overview.targets import WriteNumber

NO_OWNERS = Owners([])
T = TypeVar("T")
FIGURES = ("average_score", "critical_error_pct", "goal_reached_pct", "negative_sentiment_pct")


@dataclass(frozen=True, slots=True)
class Highlight:
    """One sentence, or one for each of a few that tie, and what it is about."""

    text: str
    kind: Literal["figure", "criterion", "reason", "agent", "nothing"]
    subjects: tuple[str, ...] = ()  # the figure, the ids of the criteria or agents, or the reasons
    is_change: bool = True  # since the period before; False: where to look


def write_highlights(report: Report, write: WriteNumber, owners: Owners = NO_OWNERS) -> list[Highlight]:
    """Return the sentences in the active language: what changed, what explains it, where to look.

    `owners` say whose a criterion or contact reason is, in a report of several projects.
    """
    if not report.headline.total_calls:
        return []
    reason = write_reasons(report, write, owners)
    found = [write_figures(report, write), write_criteria(report, write, owners) or reason]
    known = [subject for each in found if each for subject in each.subjects]
    is_new = reason is not None and reason is not found[1]
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
    return Highlight(text % names, "figure", (change.figure,))


def quote_reason(row: ContactReasonRow, owners: Owners, said: str = "") -> str:
    """Return a contact reason as quote_criterion() does a criterion."""
    return owners.quote(row.topic, owners.list_by_id(row.projects), said)


def write_each(rows: Sequence[T], write_one: Callable[[T], str], others: Callable[[int], str]) -> str:
    """Return a sentence about each of the first rows, and one about how many more are like them."""
    more = len(rows) - MOST_TIED
    return " ".join([*map(write_one, rows[:MOST_TIED]), *([others(more)] if more > 0 else [])])


def write_criteria(report: Report, write: WriteNumber, owners: Owners) -> Highlight | None:
    """Say which criterion moved the score most, in its direction where the score changed; with ties."""
    score = find_score_change(report)

    def show(row: ScorecardRow) -> tuple[Decimal, bool]:
        effect = take_percent(row.weight_pct or 0.0, row.delta_pct or 0.0) or 0.0
        return abs(round_to(effect, 1)), goes_against(row, score)

    def count_others(count: int) -> str:
        text = ngettext(
            "%(count)s more criterion had the same effect.",
            "%(count)s more criteria had the same effect.",
            count,
        )
        return text % {"count": write(count, 0)}

    moved = take_leading(list_moved_criteria(report), show)
    if not moved:
        return None
    text = write_each(moved, lambda row: write_criterion(row, write, owners), count_others)
    return Highlight(text, "criterion", tuple(row.criterion_id for row in moved[:MOST_TIED]))


def list_moved_criteria(report: Report) -> list[ScorecardRow]:
    """Return the criteria that changed beyond chance, the one that moved the score most first."""
    judged = [(row, judge_row(row)) for row in report.scorecard if row.weight_pct]
    compared = [(row, j) for row, j in judged if min(j.calls, j.previous_calls) >= FEW_CALLS]
    moved = [
        row for row, j in compared if is_beyond_chance(j.delta_pct, j.delta_interval, looked_at=len(compared))
    ]
    score = find_score_change(report)
    return sorted(moved, key=lambda row: (-weigh_move(row, score), row.criterion_id))


def find_score_change(report: Report) -> float:
    score = next((each.difference for each in report.changes if each.figure == "average_score"), None)
    return score or 0.0


def goes_against(row: ScorecardRow, score: float) -> bool:
    return (row.weight_pct or 0.0) * (row.delta_pct or 0.0) * score < 0


def weigh_move(row: ScorecardRow, score: float) -> float:
    """Return by how many points of the score a criterion moved, less where it went against the score."""
    moved = abs((row.weight_pct or 0.0) * (row.delta_pct or 0.0))
    return moved / 100 if goes_against(row, score) else moved


def write_criterion(row: ScorecardRow, write: WriteNumber, owners: Owners) -> str:
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
    return text % names


def write_reasons(report: Report, write: WriteNumber, owners: Owners) -> Highlight | None:
    """Say which contact reason is new, or grew most; with those that grew as much."""
    grown = take_leading(
        list_grown_reasons(report), lambda row: (row.is_new, round_to(row.change_pct or 0.0, 1))
    )
    if not grown:
        return None
    base = sum(each.calls for each in report.contact_reasons)

    def count_others(count: int) -> str:
        if grown[0].is_new:
            text = ngettext(
                "%(count)s more contact reason is new and as frequent.",
                "%(count)s more contact reasons are new and as frequent.",
                count,
            )
        else:
            text = ngettext(
                "%(count)s more contact reason grew as much.",
                "%(count)s more contact reasons grew as much.",
                count,
            )
        return text % {"count": write(count, 0)}

    text = write_each(grown, lambda row: write_reason(row, base, write, owners), count_others)
    return Highlight(text, "reason", tuple(row.topic for row in grown[:MOST_TIED]))


def write_reason(row: ContactReasonRow, base: int, write: WriteNumber, owners: Owners) -> str:
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
    return text % names


def list_grown_reasons(report: Report) -> list[ContactReasonRow]:
    """Return the contact reasons that grew beyond chance, new ones first, then by how much they grew."""
    grown = [row for row in report.contact_reasons if row.topic and row.course == GROWING]
    return sorted(grown, key=lambda row: (not row.is_new, -(row.change_pct or 0.0), row.topic))


def write_place(report: Report, write: WriteNumber, known: list[str], owners: Owners) -> Highlight | None:
    """Say which criteria cost most points; if that was said, or all cost as much, whose calls differ most."""
    worst = list_costliest(report)
    if len(worst) == len(list_measured(report)) or all(row.criterion_id in known for row in worst):
        return write_agent(report.agents, write)
    subjects = tuple(row.criterion_id for row in worst[:MOST_TIED])
    return Highlight(write_costs(report, worst, write, owners), "criterion", subjects, is_change=False)


def write_agent(agents: list[AgentRow], write: WriteNumber, *, least: int = FEW_CALLS) -> Highlight | None:
    """Say whose calls are furthest below all others beyond chance, with ties.

    Of agents with at least so many calls.
    """
    compared = [row for row in agents if row.scored_calls >= least]
    apart = [
        row
        for row in compared
        if (row.average_score_difference or 0) < 0
        and is_beyond_chance(
            row.average_score_difference, row.average_score_difference_interval, looked_at=len(compared)
        )
    ]
    apart.sort(key=lambda row: (row.average_score_difference or 0.0, row.agent_id))
    lowest = take_leading(apart, lambda row: round_to(row.average_score_difference or 0.0, 1))
    if not lowest:
        return None

    def count_others(count: int) -> str:
        text = ngettext(
            "%(count)s more agent is as far below.", "%(count)s more agents are as far below.", count
        )
        return text % {"count": write(count, 0)}

    text = write_each(lowest, lambda row: write_distance(row, write), count_others)
    subjects = tuple(str(row.agent_id) for row in lowest[:MOST_TIED])
    return Highlight(text, "agent", subjects, is_change=False)


def write_distance(row: AgentRow, write: WriteNumber) -> str:
    text = _("The calls of %(agent)s average %(value)s %%, %(by)s points below all others (%(calls)s calls).")
    names = {
        "agent": row.label,
        "value": write(row.average_score or 0.0, 1),
        "by": write(abs(row.average_score_difference or 0.0), 1),
        "calls": write(row.scored_calls, 0),
    }
    return text % names
