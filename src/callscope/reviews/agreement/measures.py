"""Machine and people: how far they agree beyond chance, by criterion and finding, and over all of a kind.

Every criterion allows "met" and "not met", so both count as possible answers even where
nobody gave one of them; "partly" and "not applicable" count once someone gave them. Of the
answers to a mistake, a prompt, the goal or the sentiment, "unknown" alone has to be given once.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, get_args

import numpy as np

from callscope.analysis.figures import percentage
from callscope.analysis.results.schema import Answer
from callscope.reviews.findings import ANSWERS as FINDING_ANSWERS
from callscope.reviews.findings import UNKNOWN, Kind
from callscope.reviews.statistics.estimate import Floats
from callscope.reviews.statistics.two_raters import estimate_ac1, estimate_kappa

ANSWERS: tuple[Answer, ...] = get_args(Answer)
ONCE_GIVEN = ("partly", "not_applicable", UNKNOWN)  # possible where somebody answered so
# What has a closed set of answers, in the order in which reviews ask it.
KINDS = (Kind.MISTAKE.value, Kind.PROMPT.value, Kind.GOAL.value, Kind.SENTIMENT.value)
PARTS = ("section", "month", "version", "engine")  # of Circumstances
DECIMALS = 4  # of coefficients
# A criterion is weak when its kappa is surely low: the upper end of the interval, over enough answers.
WEAK_BELOW = 0.6
WEAK_FROM = 20


class Circumstances(NamedTuple):
    """In what a pair of answers was given; agreement is measured for each of these apart."""

    section: str  # of the rubric
    month: str  # of the call in the server's time zone, "2026-01"
    project_id: int
    version: int | None  # of the project's settings that the machine judged by; None: imported results
    engine: str  # with its model; "" of reviews that do not know it


class AnswerPair(NamedTuple):
    """What the machine and a person said to one criterion of one call."""

    call_id: int
    criterion_id: str
    name: str  # of the criterion
    machine: Answer
    person: Answer
    circumstances: Circumstances | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """Return what answers are measured together by."""
        return self.criterion_id, self.name


class FindingPair(NamedTuple):
    """What the machine and a person said to one mistake or prompt, the goal or the sentiment of one call."""

    call_id: int
    kind: str  # of ReviewFinding.Kind
    item_id: str  # of a mistake or prompt, else ""
    name: str  # of a mistake or prompt, else ""
    machine: str  # of findings.ANSWERS, as the next one
    person: str

    @property
    def key(self) -> tuple[str, ...]:
        """Return what answers are measured together by."""
        return self.kind, self.item_id, self.name


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
    table: dict[str, dict[str, int]]  # machine's answer → person's answer → pairs

    @property
    def is_weak(self) -> bool:
        """True where machine and people surely agree little beyond chance."""
        return self.kappa_high is not None and self.kappa_high < WEAK_BELOW and not self.is_few

    @property
    def is_few(self) -> bool:
        """True where so few answers say nothing certain."""
        return self.n < WEAK_FROM

    @property
    def missing(self) -> int:
        """How many answers more it takes until something is said of it."""
        return max(WEAK_FROM - self.n, 0)

    @property
    def is_reliable(self) -> bool:
        """True where machine and people surely agree beyond chance.

        Never where everybody gave one answer: that the machine says "met" where people do does not show
        that it would notice a call in which they do not.
        """
        return self.kappa_low is not None and self.kappa_low >= WEAK_BELOW and not self.is_few

    @property
    def has_one_answer(self) -> bool:
        """True where machine and people gave one and the same answer to every call."""
        return bool(self.n) and self.rare_answers == 0 and self.raw_pct == 100

    @property
    def rare_answers(self) -> int:
        """How many of people's answers are another one than the most frequent."""
        given: Counter[str] = Counter()
        for said in self.table.values():
            given.update(said)
        return self.n - max(given.values(), default=0)


@dataclass(frozen=True, slots=True)
class CriterionAgreement:
    """The agreement on one criterion."""

    criterion_id: str
    name: str
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class ItemAgreement:
    """The agreement on one mistake or prompt."""

    id: str
    name: str
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """The agreement on all mistakes, all prompts, the goal or the sentiment."""

    kind: str  # of ReviewFinding.Kind
    agreement: Agreement
    items: list[ItemAgreement]  # mistakes or prompts, weak ones first


@dataclass(frozen=True, slots=True)
class PartAgreement:
    """The agreement on the criteria of a section, or of a month, version or engine."""

    name: str  # of the section, month or engine, or the number of the version; "" where it is not known
    project_id: int | None  # of a version
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """The agreement over all pairs, and on each criterion: weak ones first, then the lowest kappa first."""

    calls: int
    overall: Agreement  # of the criteria
    criteria: list[CriterionAgreement]
    findings: list[KindAgreement] = field(default_factory=list)  # the kinds that somebody answered
    parts: dict[str, list[PartAgreement]] = field(default_factory=dict)  # those of PARTS that were asked for


def measure_agreement(
    pairs: Sequence[AnswerPair], findings: Sequence[FindingPair] = (), *, parts: Sequence[str] = ()
) -> MeasuredAgreement:
    """Measure the pairs, and the `parts` of them, some of PARTS.

    Criteria of several projects are one row where id and name are equal.
    """
    by_criterion: defaultdict[tuple[str, str], list[AnswerPair]] = defaultdict(list)
    for pair in pairs:
        by_criterion[pair.criterion_id, pair.name].append(pair)
    criteria = [
        CriterionAgreement(criterion_id, name, measure_pairs(found, ANSWERS))
        for (criterion_id, name), found in by_criterion.items()
    ]
    criteria.sort(key=lambda row: _place_worst_first(row.agreement, row.criterion_id, row.name))
    calls = {pair.call_id for pair in pairs} | {pair.call_id for pair in findings}
    return MeasuredAgreement(
        len(calls),
        measure_pairs(pairs, ANSWERS),
        criteria,
        measure_findings(findings),
        {name: measure_parts(pairs, name) for name in parts},
    )


def measure_parts(pairs: Sequence[AnswerPair], name: str) -> list[PartAgreement]:
    """Measure the pairs of each section, month, version or engine apart.

    Sections stand in the order in which reviews ask them, the others in that of their names.
    """
    found: defaultdict[tuple[int | None, Any], list[AnswerPair]] = defaultdict(list)
    for pair in pairs:
        if pair.circumstances is not None:
            project_id = pair.circumstances.project_id if name == "version" else None
            found[project_id, getattr(pair.circumstances, name)].append(pair)
    ordered = list(found)
    if name != "section":
        ordered.sort(key=lambda key: (key[0] or 0, key[1] is not None, key[1] or ""))
    return [
        PartAgreement(
            "" if part is None else str(part), project, measure_pairs(found[project, part], ANSWERS)
        )
        for project, part in ordered
    ]


def measure_findings(pairs: Sequence[FindingPair]) -> list[KindAgreement]:
    """Measure the pairs of each kind that has some, in the order in which reviews ask them."""
    by_kind: defaultdict[str, defaultdict[tuple[str, str], list[FindingPair]]]
    by_kind = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        by_kind[pair.kind][pair.item_id, pair.name].append(pair)
    measured = []
    for kind in KINDS:
        answers, by_item = FINDING_ANSWERS[kind], by_kind[kind]
        items = [
            ItemAgreement(item_id, name, measure_pairs(found, answers))
            for (item_id, name), found in by_item.items()
            if item_id
        ]
        items.sort(key=lambda row: _place_worst_first(row.agreement, row.id, row.name))
        together = [pair for found in by_item.values() for pair in found]
        measured.append(KindAgreement(kind, measure_pairs(together, answers), items))
    return [row for row in measured if row.agreement.n]


def describe_agreement(measured: MeasuredAgreement) -> dict[str, object]:
    """Return the figures as the API and the commands give them."""
    return {
        "calls": measured.calls,
        "overall": asdict(measured.overall),
        "criteria": [
            {"criterion_id": row.criterion_id, "name": row.name, **_describe(row.agreement)}
            for row in measured.criteria
        ],
        "findings": [
            {
                "kind": row.kind,
                **_describe(row.agreement),
                "items": [{"id": i.id, "name": i.name, **_describe(i.agreement)} for i in row.items],
            }
            for row in measured.findings
        ],
        **{
            f"{name}s": [
                {name: row.name, **({"project_id": row.project_id} if row.project_id else {})}
                | _describe(row.agreement)
                for row in rows
            ]
            for name, rows in measured.parts.items()
        },
    }


def _describe(agreement: Agreement) -> dict[str, object]:
    return {**asdict(agreement), "is_weak": agreement.is_weak}


def measure_pairs(pairs: Sequence[AnswerPair] | Sequence[FindingPair], answers: Sequence[str]) -> Agreement:
    """Measure the agreement of these pairs, those of one call as one cluster; `answers` may be given."""
    given = {answer for pair in pairs for answer in (pair.machine, pair.person)}
    possible = [answer for answer in answers if answer in given or answer not in ONCE_GIVEN]
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
        raw_pct=percentage(agreed, len(pairs)),
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


def _place_worst_first(agreement: Agreement, key: str, name: str) -> tuple[bool, bool, float, str, str]:
    kappa = agreement.kappa
    return not agreement.is_weak, kappa is None, kappa or 0.0, key, name


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS) + 0.0  # no -0.0
