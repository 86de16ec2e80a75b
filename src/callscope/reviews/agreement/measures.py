"""Machine and people: how far they agree beyond chance, by criterion and over all.

Every criterion allows "met" and "not met", so both count as possible answers even where
nobody gave one of them; "partly" and "not applicable" count once someone gave them.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple, get_args

import numpy as np

from callscope.analysis.results.schema import Answer
from callscope.reviews.statistics.estimate import Floats
from callscope.reviews.statistics.two_raters import estimate_ac1, estimate_kappa

ANSWERS: tuple[Answer, ...] = get_args(Answer)
ALWAYS_POSSIBLE = ("met", "not_met")
DECIMALS = 4  # of coefficients
# A criterion is weak when its kappa is surely low: the upper end of the interval, over enough answers.
WEAK_BELOW = 0.6
WEAK_FROM = 20


class AnswerPair(NamedTuple):
    """What the machine and a person said to one criterion of one call."""

    call_id: int
    criterion_id: str
    name: str  # of the criterion
    machine: Answer
    person: Answer


@dataclass(frozen=True, slots=True)
class Agreement:
    """Raw agreement in percent, the coefficients with 95 % intervals, and who said what."""

    n: int
    raw_pct: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    ac1: float | None
    ac1_low: float | None
    ac1_high: float | None
    table: dict[Answer, dict[Answer, int]]  # machine's answer → person's answer → pairs


@dataclass(frozen=True, slots=True)
class CriterionAgreement:
    """The agreement on one criterion."""

    criterion_id: str
    name: str
    agreement: Agreement

    @property
    def is_weak(self) -> bool:
        """True where machine and people surely agree little beyond chance."""
        high = self.agreement.kappa_high
        return high is not None and high < WEAK_BELOW and self.agreement.n >= WEAK_FROM


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """The agreement over all pairs, and on each criterion: weak ones first, then the lowest kappa first."""

    calls: int
    overall: Agreement
    criteria: list[CriterionAgreement]


def measure_agreement(pairs: Sequence[AnswerPair]) -> MeasuredAgreement:
    """Measure the pairs. Criteria of several projects are one row where id and name are equal."""
    by_criterion: defaultdict[tuple[str, str], list[AnswerPair]] = defaultdict(list)
    for pair in pairs:
        by_criterion[pair.criterion_id, pair.name].append(pair)
    criteria = [
        CriterionAgreement(criterion_id, name, measure_pairs(found))
        for (criterion_id, name), found in by_criterion.items()
    ]
    criteria.sort(key=_place_worst_first)
    return MeasuredAgreement(len({pair.call_id for pair in pairs}), measure_pairs(pairs), criteria)


def measure_pairs(pairs: Sequence[AnswerPair]) -> Agreement:
    """Measure the agreement of these pairs, those of one call as one cluster."""
    possible = _possible_answers(pairs)
    places = {answer: place for place, answer in enumerate(possible)}
    cells = np.array(
        [(pair.call_id, places[pair.machine], places[pair.person]) for pair in pairs], np.int64
    ).reshape(-1, 3)
    calls, call_of_pair = np.unique(cells[:, 0], return_inverse=True)
    by_call: Floats = np.zeros((len(calls), len(possible), len(possible)))
    np.add.at(by_call, (call_of_pair, cells[:, 1], cells[:, 2]), 1)
    table = by_call.sum(axis=0)
    clusters = by_call if 0 < len(calls) < len(pairs) else None
    kappa, ac1 = estimate_kappa(table, clusters), estimate_ac1(table, clusters)
    agreed = int(np.trace(table))
    return Agreement(
        n=len(pairs),
        raw_pct=_percent(agreed, len(pairs)),
        kappa=_rounded(kappa.value),
        kappa_low=_rounded(kappa.low),
        kappa_high=_rounded(kappa.high),
        ac1=_rounded(ac1.value),
        ac1_low=_rounded(ac1.low),
        ac1_high=_rounded(ac1.high),
        table={
            machine: {person: int(table[row, column]) for column, person in enumerate(possible)}
            for row, machine in enumerate(possible)
        },
    )


def _possible_answers(pairs: Iterable[AnswerPair]) -> list[Answer]:
    given = {answer for pair in pairs for answer in (pair.machine, pair.person)}
    return [answer for answer in ANSWERS if answer in given or answer in ALWAYS_POSSIBLE]


def _place_worst_first(row: CriterionAgreement) -> tuple[bool, bool, float, str, str]:
    kappa = row.agreement.kappa
    return not row.is_weak, kappa is None, kappa or 0.0, row.criterion_id, row.name


def _percent(part: int, whole: int) -> float | None:
    if not whole:
        return None
    return float((Decimal(100 * part) / whole).quantize(Decimal("0.01"), ROUND_HALF_EVEN))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS) + 0.0  # no -0.0
