"""The scorecard: one row per criterion, of one project or of several.

Rules: docs/api.md, "Figures" and "Smaller points". Within a project a criterion
is its id; over projects, rows merge when id and name are equal. The rubrics come first, by
project and in their own order, then what only older results have, by id.

A reader is to judge a criterion by the calls to which it applies (`judge_row`): all but those that recorded
it as not applicable. The average of the interface counts these with full points, so that a criterion that
fails whenever it applies may stand at 92 %; the report shows it in gray next to the figure. Calls of which it
is not known whether the criterion applies count as judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from callscope.analysis.figures import percentage
from callscope.projects.owners import Owners, head_owner
from callscope.projects.rubric_changes import RubricChange, list_unused_changes
from callscope.reports.overview.intervals import Estimates, Interval, estimate, sample_means
from callscope.reports.overview.loader import ReportData
from callscope.reports.overview.schemas import CriterionChange, ScorecardRow
from callscope.reports.store.aggregates import MILLION, Aggregates, CriterionCounts
from callscope.reports.store.exact_figures import ExactMean, difference_percent, join_millionths, join_squares


class RowKey(NamedTuple):
    """What makes one row of the scorecard."""

    criterion_id: str
    name: str


class ProjectCriterion(NamedTuple):
    """What makes one criterion of a project."""

    project_id: int
    criterion_id: str


@dataclass(slots=True)
class RowOrder:
    """The rows in their order, and to which row each project's criterion belongs."""

    sections: dict[RowKey, str] = field(default_factory=dict)
    rows: dict[ProjectCriterion, RowKey] = field(default_factory=dict)
    in_rubric: dict[RowKey, bool] = field(default_factory=dict)  # and whether it is critical in one of them

    def add(self, criterion: ProjectCriterion, name: str, section: str) -> RowKey:
        key = RowKey(criterion.criterion_id, name)
        self.sections.setdefault(key, section)
        self.rows.setdefault(criterion, key)
        return key


@dataclass(slots=True)
class CriterionTotals:
    """What the calls of one row add up to."""

    average: ExactMean = field(default_factory=ExactMean)
    applied: ExactMean = field(default_factory=ExactMean)  # over the calls that are judged
    shares: float = 0.0  # of the criterion's points, added up
    squares: float = 0.0  # of these shares
    possible: int = 0  # millionths, over all calls
    lost: int = 0  # millionths that these calls did not earn
    calls: int = 0
    critical_errors: int = 0
    evaluated: int = 0
    not_applicable: int = 0

    def add(self, max_points: int, counts: CriterionCounts) -> None:
        """Add what calls earned of a criterion that is worth `max_points` millionths."""
        points = join_millionths(counts.points_hi, counts.points_lo)
        self.average.add(max_points, points, counts.calls)
        # Calls to which the criterion does not apply earned full points.
        not_applicable = counts.not_applicable
        self.applied.add(max_points, points - not_applicable * max_points, counts.calls - not_applicable)
        self.shares += points / max_points
        squares = join_squares(counts.squares_hi, counts.squares_mid, counts.squares_lo)
        self.squares += squares / max_points**2
        self.possible += max_points * counts.calls
        self.lost += max_points * counts.calls - points
        self.calls += counts.calls
        self.critical_errors += counts.critical_errors
        self.evaluated += counts.evaluated
        self.not_applicable += counts.not_applicable

    @property
    def judged(self) -> int:
        """How many calls the criterion is judged by: all but those to which it does not apply."""
        return self.calls - self.not_applicable

    @property
    def is_recorded(self) -> bool:
        """Whether each call says if the criterion applies to it: older ones do not."""
        return self.evaluated + self.not_applicable == self.calls

    def is_comparable(self, other: "CriterionTotals") -> bool:
        """Return whether both are judged by calls of the same kind.

        Of calls that did not record it, some may be calls to which the criterion does not apply, with full
        points: such calls are left out on the other side.
        """
        if self.is_recorded and other.is_recorded:
            return True
        return not (self.not_applicable or other.not_applicable)


def build_scorecard(data: ReportData, *, possible_points: int) -> list[ScorecardRow]:
    """Return the rows; `possible_points` are those of all scored calls in the window, in millionths."""
    order = order_rows(data)
    totals = _sum_by_row(data, data.aggregates, order)
    previous = {} if data.previous is None else _sum_by_row(data, data.previous, order)
    keys = list(order.sections)
    averages = estimate_averages([totals.get(key, CriterionTotals()) for key in keys])
    judged = estimate_judged([totals.get(key, CriterionTotals()) for key in keys])
    before = [previous.get(key, CriterionTotals()) for key in keys]
    changes = averages.minus(estimate_averages(before))
    judged_changes = judged.minus(estimate_judged(before))
    changed_in = find_last_changes(data.judged_changes, order)
    unused = list_unused_changes(data.rubric_changes, data.judged_changes)
    unused_changes = find_last_changes(unused, order)
    waiting = {order.rows[each] for each in order.rows if each in data.held}
    rows = []
    estimated = zip(*(each.intervals() for each in (averages, changes, judged, judged_changes)), strict=True)
    for (key, section), (average_interval, delta_interval, judged_interval, judged_delta) in zip(
        order.sections.items(), estimated, strict=True
    ):
        now, then = totals.get(key, CriterionTotals()), previous.get(key, CriterionTotals())
        is_compared = now.is_comparable(then)
        rows.append(
            ScorecardRow(
                criterion_id=key.criterion_id,
                name=key.name,
                section=section,
                weight_pct=_weight_percent(data, order, key, now, possible_points),
                average_pct=now.average.percent(),
                previous_pct=then.average.percent(),
                delta_pct=difference_percent(now.average, then.average),
                critical_errors=now.critical_errors,
                calls=now.calls,
                evaluated_calls=now.evaluated,
                not_applicable_calls=now.not_applicable,
                evaluated_pct=now.applied.percent(),
                previous_calls=then.calls,
                average_pct_interval=average_interval,
                delta_pct_interval=delta_interval,
                changed_in=changed_in.get(key),
                unused_change=unused_changes.get(key),
                for_person=key in waiting,
                evaluated_pct_interval=judged_interval,
                previous_evaluated_pct=then.applied.percent() if is_compared else None,
                previous_evaluated_calls=then.judged if is_compared else None,
                evaluated_delta_pct=difference_percent(now.applied, then.applied) if is_compared else None,
                evaluated_delta_pct_interval=judged_delta if is_compared else None,
                points_lost=percentage(now.lost, possible_points) if now.calls else None,
                is_critical=order.in_rubric.get(key),
            )
        )
    return rows


def order_rows(data: ReportData) -> RowOrder:
    """Return the rows of these projects: all rubrics, then criteria that only results of the window have.

    Where results have several names for one of those, the one that was seen last counts.
    """
    in_rubric = {
        ProjectCriterion(project, criterion.id)
        for project, configuration in data.configurations.items()
        for _, criterion in configuration.rubric.criteria()
    }
    retired: dict[ProjectCriterion, tuple[str, str]] = {}
    # Keys are ids of CriterionSeen and in ascending order, so the last one wins.
    for key, *_ in data.aggregates.rows("criteria"):
        seen = data.criteria[key]
        criterion = ProjectCriterion(seen.project_id, seen.criterion_id)
        if criterion not in in_rubric:
            retired[criterion] = (seen.name, seen.section)
    order = RowOrder()
    for project in sorted(data.projects, key=lambda project: project.pk):
        for section, rubric_criterion in data.configurations[project.pk].rubric.criteria():
            criterion = ProjectCriterion(project.pk, rubric_criterion.id)
            row = order.add(criterion, rubric_criterion.name, section.name)
            order.in_rubric[row] = order.in_rubric.get(row, False) or rubric_criterion.critical
    for criterion in sorted(retired, key=lambda one: (one.criterion_id, one.project_id)):
        order.add(criterion, *retired[criterion])
    return order


def find_last_changes(changes: Sequence[RubricChange], order: RowOrder) -> dict[RowKey, CriterionChange]:
    """Return for each row whose criterion these versions changed the last one that did it."""
    found = {}
    for each in changes:
        for criterion_id, change in each.criteria.items():
            key = order.rows.get(ProjectCriterion(each.project_id, criterion_id))
            if key is not None and change != "removed":
                found[key] = CriterionChange(each.version, each.published_at, change)
    return found


def _sum_by_row(data: ReportData, aggregates: Aggregates, order: RowOrder) -> dict[RowKey, CriterionTotals]:
    totals: dict[RowKey, CriterionTotals] = {}
    for pk, *row in aggregates.rows("criteria"):
        seen, counts = data.criteria[pk], CriterionCounts._make(row)
        key = order.rows.get(
            ProjectCriterion(seen.project_id, seen.criterion_id), RowKey(seen.criterion_id, seen.name)
        )
        totals.setdefault(key, CriterionTotals()).add(seen.max_points, counts)
    return totals


def estimate_averages(found: Sequence[CriterionTotals]) -> Estimates:
    """Return the averages over all calls."""
    return estimate(
        sample_means([t.calls for t in found], [t.shares for t in found], [t.squares for t in found])
    )


def estimate_judged(found: Sequence[CriterionTotals]) -> Estimates:
    """Return the averages over the calls that a criterion is judged by."""
    return estimate(
        sample_means(
            [t.judged for t in found],
            # The others earned full points: a share of 1, whose square is 1.
            [t.shares - t.not_applicable for t in found],
            [t.squares - t.not_applicable for t in found],
        )
    )


def _weight_percent(
    data: ReportData, order: RowOrder, key: RowKey, totals: CriterionTotals, possible_points: int
) -> float | None:
    """Return the share of the rubric's points; over several projects, of the points of scored calls.

    None for a criterion that is in no rubric any more.
    """
    if key not in order.in_rubric:
        return None
    if len(data.projects) > 1:
        return percentage(totals.possible, possible_points) if totals.possible else 0.0
    rubric = data.configurations[data.projects[0].pk].rubric
    criterion = next(c for _, c in rubric.criteria() if (c.id, c.name) == key)
    return percentage(_to_millionths(criterion.max_points), _to_millionths(rubric.total_points))


def _to_millionths(points: Decimal) -> int:
    return int(points * MILLION)


def order_by_points_lost(rows: Sequence[ScorecardRow]) -> list[ScorecardRow]:
    """Return all rows, those that cost most points first and unknown costs last; ties keep their order."""
    return sorted(rows, key=lambda row: 1.0 if row.points_lost is None else -row.points_lost)


def find_costly(rows: Sequence[ScorecardRow], most: int) -> list[ScorecardRow]:
    """Return the few rows that cost most points, most first; none that cost nothing."""
    return [row for row in order_by_points_lost(rows)[:most] if (row.points_lost or 0) > 0]


class RowGroup(NamedTuple):
    """The rows of one section, as page and PDF show them."""

    section: str
    project: str  # the head above the first section of a project, where there are several; else ""
    rows: list[ScorecardRow]


def group_rows(rows: Sequence[ScorecardRow], owners: Owners) -> list[RowGroup]:
    """Return the rows by project and section, in the order in which these first come."""
    projects: dict[str, dict[str, list[ScorecardRow]]] = {}
    for row in rows:
        sections = projects.setdefault(owners.name_by_criterion(row.criterion_id, row.name), {})
        sections.setdefault(row.section, []).append(row)
    return [
        RowGroup(name, head_owner(owner) if len(projects) > 1 and place == 0 else "", found)
        for owner, sections in projects.items()
        for place, (name, found) in enumerate(sections.items())
    ]


class JudgedFigures(NamedTuple):
    """Percentages of the criterion's points, each with the calls that it is taken over."""

    pct: float | None
    calls: int
    interval: Interval
    previous_pct: float | None  # None, too, where the calls before are of another kind
    previous_calls: int
    delta_pct: float | None
    delta_interval: Interval
    is_average: bool  # over all calls, as it is not known to which the criterion applies


def judge_row(row: ScorecardRow) -> JudgedFigures:
    """Return the figures of a row of the scorecard where its criterion applies."""
    judged = row.judged_calls
    return JudgedFigures(
        pct=row.evaluated_pct,
        calls=judged,
        interval=row.evaluated_pct_interval,
        previous_pct=row.previous_evaluated_pct,
        previous_calls=row.previous_evaluated_calls or 0,
        delta_pct=row.evaluated_delta_pct,
        delta_interval=row.evaluated_delta_pct_interval,
        is_average=judged == row.calls != row.evaluated_calls,
    )


def quote_criterion(row: ScorecardRow, owners: Owners, said: str = "") -> str:
    """Return a criterion in quotation marks; in parentheses whose it is, of several projects, and `said`."""
    return owners.quote(row.name, owners.list_by_criterion(row.criterion_id, row.name), said)
