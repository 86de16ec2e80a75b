"""How steady answers are: the same calls judged again and again, by the same settings.

A call flips at a criterion when its judgments did not all give the same answer. Calls are independent of each
other, whatever their judgments are, so Wilson's interval of the share of calls holds.
"""

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import NotRequired, TypedDict

from callscope.pipeline.rubric_changes.replays.answers import Answers
from callscope.reports.overview.course import bound_share

MOST_LISTED = 50
Z_95 = 1.96


class Flips(TypedDict):
    """How many calls flip, in percent with a 95 % interval; None without a call."""

    calls: int
    flips: int
    flip_pct: float | None
    low: float | None
    high: float | None


class CriterionFlips(Flips):
    criterion_id: str


class FlippedCall(TypedDict):
    """The answers of a call to a criterion, with how often each was given."""

    call_id: int
    criterion_id: str
    answers: dict[str, int]


class Stopped(TypedDict):
    """After how many calls a probe was stopped, and of how many."""

    calls: int  # judged as every variant
    drawn: int


class SteadinessOutcome(TypedDict):
    """What is stored of a completed probe of steadiness; no word of a call."""

    calls: int  # with at least two judgments
    judgments: int
    score_spread: float | None  # mean over calls of the standard deviation of a call's scores
    overall: Flips  # calls that flip at any criterion
    criteria: list[CriterionFlips]
    flipped: list[FlippedCall]
    stopped: NotRequired[Stopped]


def compare_judgments(rows: Sequence[tuple[int, Answers | None]]) -> SteadinessOutcome:
    """Return what the judgments of each call come to; calls that were judged once alone are left out."""
    by_call: dict[int, list[Answers]] = {}
    for call_id, answers in rows:
        if answers is not None:
            by_call.setdefault(call_id, []).append(answers)
    judged = {call_id: found for call_id, found in by_call.items() if len(found) > 1}
    given: dict[str, dict[int, Counter[str]]] = {}
    for call_id, found in judged.items():
        for answers in found:
            for name, answer in answers["criteria"].items():
                given.setdefault(name, {}).setdefault(call_id, Counter())[answer] += 1
    flipped = [
        FlippedCall(call_id=call_id, criterion_id=name, answers=dict(counts))
        for name, calls in given.items()
        for call_id, counts in calls.items()
        if len(counts) > 1
    ]
    # Those on which the judgments were divided most come first.
    flipped.sort(
        key=lambda row: (max(row["answers"].values()) / sum(row["answers"].values()), row["call_id"])
    )
    spreads = [
        statistics.pstdev(scores)
        for found in judged.values()
        if len(scores := [each["score"] for each in found if each["score"] is not None]) > 1
    ]
    return {
        "calls": len(judged),
        "judgments": sum(map(len, judged.values())),
        "score_spread": round(statistics.fmean(spreads), 2) if spreads else None,
        "overall": count_flips(len({row["call_id"] for row in flipped}), len(judged)),
        "criteria": [
            {"criterion_id": name, **count_flips(sum(len(c) > 1 for c in calls.values()), len(calls))}
            for name, calls in given.items()
        ],
        "flipped": flipped[:MOST_LISTED],
    }


def count_flips(flips: int, calls: int) -> Flips:
    """Return a share of calls in percent with Wilson's interval."""
    if not calls:
        return {"calls": 0, "flips": 0, "flip_pct": None, "low": None, "high": None}
    low, high = bound_share(flips, calls, Z_95)
    return {
        "calls": calls,
        "flips": flips,
        "flip_pct": round(100 * flips / calls, 2),
        "low": round(100 * max(low, 0.0), 2),
        "high": round(100 * min(high, 1.0), 2),
    }
