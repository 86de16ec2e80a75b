"""How answers move when other people say the same: each group's copies against the calls themselves.

A copy flips at a criterion when its answer is not the call's. One copy of each call is in a group, so the
calls of a group are independent: Wilson's interval holds for shares, Student's for the mean shift.
"""

import statistics
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from callscope.pipeline.rubric_changes.probes.steadiness import CriterionFlips, Flips, Stopped, count_flips
from callscope.pipeline.rubric_changes.replays.answers import Answers
from callscope.reviews.statistics.means import mean_interval

MOST_LISTED = 100
ORIGINAL = "original"


class ScoreShift(TypedDict):
    """By how many points of 100 copies score higher than their calls, with a 95 % interval."""

    calls: int
    mean: float | None
    low: float | None
    high: float | None


class GroupOutcome(TypedDict):
    """What the copies of one group come to."""

    group: str
    unchanged: int  # calls in which there was nothing to change
    score_shift: ScoreShift
    overall: Flips  # copies of which any answer moved
    criteria: list[CriterionFlips]


class MovedAnswer(TypedDict):
    """A call whose copy got another answer."""

    call_id: int
    group: str
    criterion_id: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None


class FairnessOutcome(TypedDict):
    """What is stored of a completed fairness probe; no word of a call."""

    calls: int
    groups: list[GroupOutcome]
    moved: list[MovedAnswer]
    stopped: NotRequired[Stopped]


Judgments = Mapping[str, Answers | None]  # of one call by variant


def compare_groups(
    by_call: Mapping[int, Judgments], *, groups: Sequence[str], unchanged: Mapping[str, int]
) -> FairnessOutcome:
    """Return what each group's copies come to, next to the calls; `unchanged` counts calls without a copy."""
    moved: list[MovedAnswer] = []
    outcomes = []
    for group in groups:
        pairs = [
            (call_id, before, after)
            for call_id, found in by_call.items()
            if (before := found.get(ORIGINAL)) is not None and (after := found.get(group)) is not None
        ]
        flips = [
            row for call_id, before, after in pairs for row in _find_moved(call_id, group, before, after)
        ]
        moved += flips
        names = dict.fromkeys(name for _, before, _ in pairs for name in before["criteria"])
        criteria: list[CriterionFlips] = [
            {
                "criterion_id": name,
                **count_flips(
                    sum(row["criterion_id"] == name for row in flips),
                    sum(
                        name in before["criteria"] and name in after["criteria"] for _, before, after in pairs
                    ),
                ),
            }
            for name in names
        ]
        outcomes.append(
            GroupOutcome(
                group=group,
                unchanged=unchanged.get(group, 0),
                score_shift=_measure_shift(pairs),
                overall=count_flips(len({row["call_id"] for row in flips}), len(pairs)),
                criteria=criteria,
            )
        )
    moved.sort(key=lambda row: (-_distance(row), row["call_id"], row["group"]))
    calls = sum(found.get(ORIGINAL) is not None for found in by_call.values())
    return {"calls": calls, "groups": outcomes, "moved": moved[:MOST_LISTED]}


def _find_moved(call_id: int, group: str, before: Answers, after: Answers) -> list[MovedAnswer]:
    return [
        {
            "call_id": call_id,
            "group": group,
            "criterion_id": name,
            "before": former,
            "after": after["criteria"][name],
            "score_before": before["score"],
            "score_after": after["score"],
        }
        for name, former in before["criteria"].items()
        if after["criteria"].get(name, former) != former
    ]


def _measure_shift(pairs: Sequence[tuple[int, Answers, Answers]]) -> ScoreShift:
    shifts = [
        after["score"] - before["score"]
        for _, before, after in pairs
        if before["score"] is not None and after["score"] is not None
    ]
    bounds = mean_interval(shifts)
    return {
        "calls": len(shifts),
        "mean": round(statistics.fmean(shifts), 2) if shifts else None,
        "low": None if bounds is None else round(bounds.low, 2),
        "high": None if bounds is None else round(bounds.high, 2),
    }


def _distance(row: MovedAnswer) -> float:
    return abs((row["score_after"] or 0.0) - (row["score_before"] or 0.0))
