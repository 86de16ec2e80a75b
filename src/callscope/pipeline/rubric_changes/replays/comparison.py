"""What a replay comes to: scores before and after, how answers moved, and where most changed."""

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from callscope.pipeline.rubric_changes.replays.answers import (
    NOT_EVALUATED,
    Answers,
    ReplayedAnswers,
    is_unreliable,
)
from callscope.pipeline.rubric_changes.replays.besides_comparison import BesidesOutcome

MOST_CHANGED = 20
BUCKET = 10  # points of 100 in a column of the distribution
Z_95 = 1.96


class Bucket(TypedDict):
    """How many calls scored from `low` to under `high`; 100 is in the last."""

    low: int
    high: int
    calls: int


class Scores(TypedDict):
    """The scores of one side; the interval is that of the mean over calls, None under two calls."""

    calls: int
    average_score: float | None
    low: float | None
    high: float | None
    critical_errors: int
    distribution: list[Bucket]


class ChangedCriterion(TypedDict):
    """How the answers to one criterion moved."""

    criterion_id: str
    changed: int
    kappa: float | None  # None where it is undefined, as where everybody answers alike
    table: dict[str, dict[str, int]]  # answer before → answer after → calls


class OneSided(TypedDict):
    """A criterion that the draft adds or removes, and how it was answered on the side that has it."""

    criterion_id: str
    is_added: bool
    answers: dict[str, int]  # answer → calls


LeftOpen = dict[str, dict[str, int]]  # criterion id → of answers.LEFT_OPEN_BY → calls whose answer it moved


class ChangedCall(TypedDict):
    """The score of a call before and after."""

    call_id: int
    before: float | None
    after: float | None


class ScoreChange(TypedDict):
    """The mean of score after minus score before over calls that have both; points of 100.

    Both scores are of the same call, so the interval is narrower than those of the two averages.
    """

    calls: int
    average: float | None
    low: float | None  # None under two calls
    high: float | None


class Comparison(TypedDict):
    """How the side before came about: all of it is by the version that the replay began with."""

    judged_again: int  # calls judged for the replay; the others have their stored results


class Stopped(TypedDict):
    """After how many calls a replay was stopped, and of how many."""

    calls: int
    drawn: int


class Outcome(TypedDict):
    """What is stored of a completed replay; no word of a call."""

    baseline: NotRequired[Comparison]  # not there where results of any version were compared, as once

    before: Scores
    after: Scores
    change: NotRequired[ScoreChange]  # not stored by earlier releases
    criteria: list[ChangedCriterion]
    critical_gained: int
    critical_lost: int
    most_changed: list[ChangedCall]
    left_open: NotRequired[LeftOpen]  # not stored by earlier releases
    one_sided: NotRequired[list[OneSided]]  # as this
    unreliable: NotRequired[int]  # as this: calls with two scores whose transcript is unreliable
    besides: NotRequired[BesidesOutcome]  # as this
    stopped: NotRequired[Stopped]  # then all is of the calls that were judged until then


def compare_answers(rows: Sequence[tuple[int, ReplayedAnswers]]) -> Outcome:
    """Return what both judgments of these calls come to; calls that one of them lacks are left out."""
    both = [
        (call_id, each["before"], each["after"]) for call_id, each in rows if each["before"] and each["after"]
    ]
    moved = Counter(
        (before["has_critical_error"] or False, after["has_critical_error"] or False)
        for _, before, after in both
    )
    outcome: Outcome = {
        "before": _sum_scores([before for _, before, _ in both]),
        "after": _sum_scores([after for _, _, after in both]),
        "change": _compare_scores([(before["score"], after["score"]) for _, before, after in both]),
        "criteria": _compare_criteria([(before, after) for _, before, after in both]),
        "left_open": _count_left_open([(before, after) for _, before, after in both]),
        "one_sided": _count_one_sided([(before, after) for _, before, after in both]),
        "unreliable": sum(
            before["score"] is not None
            and after["score"] is not None
            and (is_unreliable(before) or is_unreliable(after))
            for _, before, after in both
        ),
        "critical_gained": moved[False, True],
        "critical_lost": moved[True, False],
        "most_changed": _find_most_changed(both),
    }
    if all("is_judged_again" in each for _, each in rows):
        compared = [each for _, each in rows if _is_compared(each)]
        outcome["baseline"] = {"judged_again": sum(each["is_judged_again"] for each in compared)}
    return outcome


def _is_compared(judged: ReplayedAnswers) -> bool:
    """Return whether both sides have something; without a rubric a call has no score, but a goal."""
    besides = judged.get("besides")
    has_besides = besides is not None and bool(besides["before"] and besides["after"])
    return bool(judged["before"] and judged["after"]) or has_besides


def estimate_kappa(table: Mapping[str, Mapping[str, int]]) -> float | None:
    """Return Cohen's kappa of a table, rounded to 4 decimals; None where it is undefined."""
    import numpy as np

    from callscope.reviews.statistics.two_raters import estimate_kappa as estimate

    answers = sorted({*table, *(after for row in table.values() for after in row)})
    counts = np.array([[table.get(a, {}).get(b, 0) for b in answers] for a in answers], dtype=float)
    value = estimate(counts).value if counts.size else None
    return None if value is None else round(value, 4)


def _sum_scores(answers: Sequence[Answers]) -> Scores:
    scores = [each["score"] for each in answers if each["score"] is not None]
    counts = Counter(min(int(score // BUCKET) * BUCKET, 100 - BUCKET) for score in scores)
    mean = statistics.fmean(scores) if scores else None
    half = Z_95 * statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else None
    return {
        "calls": len(scores),
        "average_score": None if mean is None else round(mean, 2),
        "low": None if mean is None or half is None else round(max(0.0, mean - half), 2),
        "high": None if mean is None or half is None else round(min(100.0, mean + half), 2),
        "critical_errors": sum(bool(each["has_critical_error"]) for each in answers),
        "distribution": [
            {"low": low, "high": low + BUCKET, "calls": counts[low]} for low in range(0, 100, BUCKET)
        ],
    }


def _compare_scores(pairs: Sequence[tuple[float | None, float | None]]) -> ScoreChange:
    from callscope.reviews.statistics.means import mean_interval

    moves = [after - before for before, after in pairs if before is not None and after is not None]
    interval = mean_interval(moves)
    return {
        "calls": len(moves),
        "average": round(statistics.fmean(moves), 2) if moves else None,
        "low": None if interval is None else round(max(-100.0, interval.low), 2),
        "high": None if interval is None else round(min(100.0, interval.high), 2),
    }


def _compare_criteria(pairs: Sequence[tuple[Answers, Answers]]) -> list[ChangedCriterion]:
    """Compare the criteria that both sides know, in the order in which the draft has them."""
    tables: dict[str, dict[str, dict[str, int]]] = {}
    for before, after in pairs:
        for name, new in after["criteria"].items():
            if (old := before["criteria"].get(name)) is not None:
                row = tables.setdefault(name, {}).setdefault(old, {})
                row[new] = row.get(new, 0) + 1
    return [
        {
            "criterion_id": name,
            "changed": sum(n for old, row in table.items() for new, n in row.items() if new != old),
            "kappa": estimate_kappa(table),
            "table": table,
        }
        for name, table in tables.items()
    ]


def _count_one_sided(pairs: Sequence[tuple[Answers, Answers]]) -> list[OneSided]:
    """Count the answers to the criteria that one side alone has: those added, then those removed."""
    added, removed = dict[str, Counter[str]](), dict[str, Counter[str]]()
    for before, after in pairs:
        old, new = before["criteria"], after["criteria"]
        for found, own, other in ((added, new, old), (removed, old, new)):
            for name, answer in own.items():
                if name not in other:
                    found.setdefault(name, Counter())[answer] += 1
    return [
        {"criterion_id": name, "is_added": found is added, "answers": dict(answers)}
        for found in (added, removed)
        for name, answers in found.items()
    ]


def _count_left_open(pairs: Sequence[tuple[Answers, Answers]]) -> LeftOpen:
    """Count why the draft leaves open what was answered."""
    found: dict[str, Counter[str]] = {}
    for before, after in pairs:
        for name, reason in after.get("left_open", {}).items():
            if before["criteria"].get(name, NOT_EVALUATED) != NOT_EVALUATED:
                found.setdefault(name, Counter())[reason] += 1
    return {name: dict(counts) for name, counts in found.items()}


def _find_most_changed(rows: Sequence[tuple[int, Answers, Answers]]) -> list[ChangedCall]:
    """Return the calls whose score moved most; where one has none, it moved by all of it."""
    moved = [
        (abs((after["score"] or 0) - (before["score"] or 0)), call_id, before["score"], after["score"])
        for call_id, before, after in rows
        if before["score"] != after["score"]
    ]
    moved.sort(key=lambda row: (-row[0], row[1]))
    return [
        {"call_id": call_id, "before": before, "after": after}
        for _, call_id, before, after in moved[:MOST_CHANGED]
    ]
