"""Score one call from its stored copc result, in whole millionths of points.

Rules: docs/api.md, "Figures". A critical error leaves the points as earned; with
`on_critical_error: zero_score` the call then counts with a score of 0.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from callscope.analysis.figures import round_half_even
from callscope.reports.store.aggregates import MILLION
from callscope.reports.store.packing import CRITICAL_ERROR, EVALUATED, NOT_APPLICABLE
from callscope.reports.store.talk import NOT_MEASURED

ERROR_CLASSES = {"customer": 1, "business": 2, "compliance": 4}
APPLICABILITY = {"evaluated": EVALUATED, "not_applicable": NOT_APPLICABLE}


class CriterionKey(NamedTuple):
    """What makes one row of models.CriterionSeen within a project."""

    criterion_id: str
    name: str
    section: str
    max_points: int  # millionths


class CriterionEntry(NamedTuple):
    """One criterion on one call."""

    criterion: CriterionKey
    points: int  # millionths
    flags: int  # see encode_flags()


class ScoreTotals(msgspec.Struct, array_like=True, gc=False):
    """The score of a call, added up; points are millionths. As it is here when nothing was scored."""

    points: int = 0  # as earned
    max_points: int | None = None
    counted_points: int = 0  # 0 instead of `points` where a critical error zeroes the score
    score_bp: int | None = None  # hundredths of a percent, rounded half-even
    critical: bool = False
    error_classes: int = 0  # bits of ERROR_CLASSES
    plain_judged: int = 0  # criteria that are not critical and apply
    plain_met: int = 0  # those of them with full points


class CallFigures(msgspec.Struct, array_like=True, gc=False):
    """What the results of a call add to its fact, besides the entries of its criteria."""

    duration_us: int | None
    sentiment: str | None
    goal_reached: bool | None
    topic: str  # as extracted from the conversation
    mistakes: int | None
    missing_prompts: int | None
    has_answers: bool
    score: ScoreTotals
    entries: int  # criteria
    half_heard: bool = False
    marks: tuple[tuple[int, str], ...] = ()  # see marks.py
    talk: tuple[int | None, ...] = NOT_MEASURED  # see talk.py


class CallScore:
    """The criteria of one call and their totals; call finish() after the last add()."""

    __slots__ = ("entries", "totals")

    def __init__(self) -> None:
        self.entries: list[CriterionEntry] = []
        self.totals = ScoreTotals()

    def add(self, entry: CriterionEntry, *, error_class: str | None, is_marked: bool) -> None:
        """Count one criterion; `is_marked` if a zero on it would be a critical error."""
        self.entries.append(entry)
        totals, flags = self.totals, entry.flags
        if flags & CRITICAL_ERROR:
            totals.critical = True
            totals.error_classes |= ERROR_CLASSES.get(error_class or "", 0)
        elif not (error_class or is_marked or flags & NOT_APPLICABLE):
            totals.plain_judged += 1
            totals.plain_met += entry.points == entry.criterion.max_points

    def finish(self, *, on_critical_error: str | None) -> None:
        """Add up the points."""
        if not self.entries:
            return
        totals = self.totals
        totals.max_points = sum([entry.criterion.max_points for entry in self.entries])
        totals.points = sum([entry.points for entry in self.entries])
        is_zeroed = totals.critical and on_critical_error == "zero_score"
        totals.counted_points = 0 if is_zeroed else totals.points
        totals.score_bp = round_half_even(totals.counted_points * 10_000, totals.max_points)


def score_call(copc: Mapping[str, Any] | None) -> CallScore:
    """Return the score in a stored copc result; None means that the analysis has not run.

    A criterion without points to earn is left out, and of one that is named twice the first counts.
    """
    score = CallScore()
    seen: set[str] = set()
    for row in (copc or {}).get("criterion_scores") or []:
        criterion = CriterionKey(
            criterion_id=str(row["criterion_id"])[:64],
            name=str(row.get("name") or row["criterion_id"])[:255],
            section=str(row.get("section") or "")[:255],
            max_points=to_millionths(row["max_points"]),
        )
        if criterion.max_points > 0 and criterion.criterion_id not in seen:
            seen.add(criterion.criterion_id)
            flags = encode_flags(
                row.get("applicability"), is_critical_error=bool(row.get("is_critical_error"))
            )
            entry = CriterionEntry(criterion, to_millionths(row["score"]), flags)
            score.add(entry, error_class=row.get("critical_class"), is_marked=bool(row.get("critical")))
    score.finish(on_critical_error=(copc or {}).get("on_critical_error"))
    return score


def encode_flags(applicability: str | None, *, is_critical_error: bool) -> int:
    """Return what is packed with the points of a criterion; 0 where applicability was not recorded."""
    flags = APPLICABILITY.get(applicability or "", 0)
    return flags | CRITICAL_ERROR if is_critical_error else flags


def to_millionths(points: int | float) -> int:
    """Return points as whole millionths; exact for up to six decimals."""
    return points * MILLION if isinstance(points, int) else round(points * MILLION)
