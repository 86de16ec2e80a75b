"""How far apart the raters of a calibration are: pure functions over their answers, without a database."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from callscope.analysis.figures import percentage
from callscope.reviews.calibration.ratings import MACHINE, Given, RatedCall, RatedCriterion, Rater
from callscope.reviews.statistics.estimate import Estimate
from callscope.reviews.statistics.many_raters import estimate_alpha

DECIMALS = 4  # of coefficients


class Proposal(NamedTuple):
    """The answer of the expert, or that of most people."""

    answer: str
    source: str  # expert, majority


class Alpha(NamedTuple):
    """Krippendorff's alpha with its 95 % interval; None where it is undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the answers of one rater are from the expert's, else from those of most other people."""

    answers: int  # that could be compared
    different_pct: float | None
    points: float | None  # mean difference


@dataclass(frozen=True, slots=True)
class ComparedCriterion:
    """One criterion over all calls."""

    criterion_id: str
    name: str
    section: str
    units: int  # calls with two answers or more
    alpha: Alpha
    pairs: int  # of answers to one call
    disagreement_pct: float | None  # of the pairs
    spread_points: float | None  # largest less smallest points, mean over the calls
    rows: list[tuple[RatedCall, RatedCriterion]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything about a calibration."""

    alpha: Alpha  # of all raters and the machine
    people_alpha: Alpha
    criteria: list[ComparedCriterion]  # the one with most disagreement first, then as in the rubric
    distances: dict[int, Distance]  # by place


def compare_raters(
    raters: Sequence[Rater], calls: Sequence[RatedCall], in_rubric: Iterable[str] = ()
) -> Comparison:
    """Compare the answers of all raters; criteria that differ as much are in the order of the rubric."""
    by_criterion: defaultdict[str, list[tuple[RatedCall, RatedCriterion]]] = defaultdict(list)
    for call in calls:
        for row in call.criteria:
            by_criterion[row.criterion["criterion_id"]].append((call, row))
    criteria = [compare_criterion(rows) for rows in by_criterion.values()]
    place = {criterion_id: number for number, criterion_id in enumerate(in_rubric)}
    criteria.sort(key=lambda each: (-(each.disagreement_pct or 0), place.get(each.criterion_id, len(place))))
    rows = [(call.call_id, row) for call in calls for row in call.criteria]
    expert = next((rater.place for rater in raters if rater.is_expert), None)
    return Comparison(
        alpha=_measure_alpha(rows, with_machine=True),
        people_alpha=_measure_alpha(rows, with_machine=False),
        criteria=criteria,
        distances={
            rater.place: measure_distance(rater.place, expert, [row for _, row in rows]) for rater in raters
        },
    )


def propose_answer(answers: Mapping[int, Given], expert: int | None) -> Proposal | None:
    """Return the expert's answer, else the one that most people gave; None where there is no such answer."""
    if expert in answers and expert is not None:
        return Proposal(answers[expert].answer, "expert")
    majority = find_majority(given.answer for place, given in answers.items() if place != MACHINE)
    return None if majority is None else Proposal(majority, "majority")


def find_majority(answers: Iterable[str]) -> str | None:
    """Return the answer that was given more often than any other; None without one, or in a tie."""
    counts = Counter(answers).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def spread_of(answers: Mapping[int, Given]) -> float | None:
    """Return the largest less the smallest points; None for fewer than two answers."""
    points = [given.points for given in answers.values()]
    return round(max(points) - min(points), 2) if len(points) > 1 else None


def compare_criterion(rows: list[tuple[RatedCall, RatedCriterion]]) -> ComparedCriterion:
    newest = rows[-1][1].criterion
    pairs = [
        first.answer != second.answer
        for _, row in rows
        for first, second in combinations(row.answers.values(), 2)
    ]
    spreads = [spread for _, row in rows if (spread := spread_of(row.answers)) is not None]
    return ComparedCriterion(
        criterion_id=newest["criterion_id"],
        name=newest["name"],
        section=newest["section"],
        units=len(spreads),
        alpha=_measure_alpha([(call.call_id, row) for call, row in rows], with_machine=True),
        pairs=len(pairs),
        disagreement_pct=percentage(sum(pairs), len(pairs)),
        spread_points=round(sum(spreads) / len(spreads), 2) if spreads else None,
        rows=rows,
    )


def _measure_alpha(rows: Sequence[tuple[int, RatedCriterion]], *, with_machine: bool) -> Alpha:
    """Return alpha; the criteria of one call are one cluster."""
    units = [
        [given.answer for place, given in sorted(row.answers.items()) if with_machine or place != MACHINE]
        for _, row in rows
    ]
    found: Estimate = estimate_alpha(units, clusters=[call_id for call_id, _ in rows])
    return Alpha(*(_rounded(value) for value in (found.value, found.low, found.high)))


def measure_distance(place: int, expert: int | None, rows: Iterable[RatedCriterion]) -> Distance:
    differs, points = [], []
    for row in rows:
        own = row.answers.get(place)
        others = {other: given for other, given in row.answers.items() if other not in (place, MACHINE)}
        # The expert is compared with the others, as everybody is where there is no expert.
        wanted = propose_answer(others, None if place == expert else expert)
        if own is None or wanted is None:
            continue
        reference = next(given for given in others.values() if given.answer == wanted.answer)
        differs.append(own.answer != wanted.answer)
        points.append(abs(own.points - reference.points))
    mean = round(sum(points) / len(points), 2) if points else None
    return Distance(len(differs), percentage(sum(differs), len(differs)), mean)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS) + 0.0  # no -0.0
