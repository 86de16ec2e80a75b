"""The scorecard: one row a criterion, of one project or of several.

Rules: docs/api.md, "Figures" and "Smaller points". Within a project a criterion
is its id; over projects, rows merge when id and name are equal. A project's rubric
comes in its own order, then what only its older results carry, by id.
"""

from dataclasses import dataclass, field
from decimal import Decimal

from callscope.reports.exact import Mean, difference_percent, whole
from callscope.reports.figures import ScorecardRow
from callscope.reports.rounding import half_even, percentage
from callscope.reports.source import Material
from callscope.reports.sums import MILLION, Sums

Key = tuple[str, str]  # criterion id and name: what a row is told by
Place = tuple[int, str]  # project and criterion id: what a criterion is told by


@dataclass(slots=True)
class _Counted:
    average: Mean = field(default_factory=Mean)
    possible: int = 0  # millionths, over all calls
    calls: int = 0
    critical_errors: int = 0
    evaluated: int = 0
    not_applicable: int = 0


@dataclass(slots=True)
class _Rows:
    """The rows in their order: key → section, and to which row each project's criterion belongs."""

    sections: dict[Key, str] = field(default_factory=dict)
    places: dict[Place, Key] = field(default_factory=dict)
    in_rubric: set[Key] = field(default_factory=set)

    def add(self, place: Place, name: str, section: str) -> Key:
        key = (place[1], name)
        self.sections.setdefault(key, section)
        self.places.setdefault(place, key)
        return key


def scorecard(material: Material, *, possible_points: int) -> list[ScorecardRow]:
    """Return the rows; `possible_points` are those of all scored calls in the window, in millionths."""
    rows = _rows(material)
    counted = _count(material, material.sums, rows)
    before = None if material.previous is None else _count(material, material.previous, rows)
    result = []
    for key, section in rows.sections.items():
        now = counted.get(key, _Counted())
        then = (before or {}).get(key, _Counted())
        result.append(
            ScorecardRow(
                criterion_id=key[0],
                name=key[1],
                section=section,
                weight_pct=_weight(material, rows, key, now, possible_points),
                average_pct=now.average.percent(),
                previous_pct=then.average.percent(),
                delta_pct=difference_percent(now.average, then.average),
                critical_errors=now.critical_errors,
                calls=now.calls,
                evaluated_calls=now.evaluated,
                not_applicable_calls=now.not_applicable,
                evaluated_pct=_evaluated_percent(now),
            )
        )
    return result


def _rows(material: Material) -> _Rows:
    rows = _Rows()
    retired = _retired(material)
    for project in material.projects:
        rubric = material.configurations[project.pk].rubric
        for section, criterion in rubric.criteria():
            key = rows.add((project.pk, criterion.id), criterion.name, section.name)
            rows.in_rubric.add(key)
        for place, (name, section_name) in sorted(retired.get(project.pk, {}).items()):
            rows.add(place, name, section_name)
    return rows


def _retired(material: Material) -> dict[int, dict[Place, tuple[str, str]]]:
    """Return project → place → (name, section) of criteria that only results of the window carry.

    Where results carry several names, the one that was seen last counts.
    """
    in_rubric = {
        (project, criterion.id)
        for project, configuration in material.configurations.items()
        for _, criterion in configuration.rubric.criteria()
    }
    found: dict[int, dict[Place, tuple[str, str]]] = {}
    for row in material.sums.rows("criteria"):  # in the order of criterion ids, so the last one wins
        seen = material.criteria[row[0]]
        place = (seen.project, seen.criterion_id)
        if place not in in_rubric:
            found.setdefault(seen.project, {})[place] = (seen.name, seen.section)
    return found


def _count(material: Material, sums: Sums, rows: _Rows) -> dict[Key, _Counted]:
    counted: dict[Key, _Counted] = {}
    for criterion, calls, critical_errors, evaluated, not_applicable, high, low in sums.rows("criteria"):
        seen = material.criteria[criterion]
        key = rows.places.get((seen.project, seen.criterion_id), (seen.criterion_id, seen.name))
        row = counted.setdefault(key, _Counted())
        row.average.add(seen.max_points, whole(high, low), calls)
        row.possible += seen.max_points * calls
        row.calls += calls
        row.critical_errors += critical_errors
        row.evaluated += evaluated
        row.not_applicable += not_applicable
    return counted


def _evaluated_percent(counted: _Counted) -> float | None:
    """Return the mean without calls to which the criterion does not apply: those earned full points.

    None where no call was evaluated, or some did not record whether the criterion applies.
    """
    if not counted.evaluated or counted.evaluated + counted.not_applicable != counted.calls:
        return None
    numerator, denominator = counted.average.fraction()
    common = denominator // counted.calls
    earned = numerator - counted.not_applicable * common
    return half_even(earned * 10_000, common * counted.evaluated) / 100


def _weight(
    material: Material, rows: _Rows, key: Key, counted: _Counted, possible_points: int
) -> float | None:
    if key not in rows.in_rubric:
        return None
    if len(material.projects) > 1:
        return percentage(counted.possible, possible_points) if counted.possible else 0.0
    rubric = material.configurations[material.projects[0].pk].rubric
    criterion = next(c for _, c in rubric.criteria() if (c.id, c.name) == key)
    return percentage(_millionths(criterion.max_points), _millionths(rubric.total_points))


def _millionths(points: Decimal) -> int:
    return int(points * MILLION)
