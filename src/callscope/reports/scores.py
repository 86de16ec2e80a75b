"""Read the scores of one call out of its copc result, in whole millionths of points.

Rules: docs/api.md, "Figures". A critical error leaves the points as earned; with
`on_critical_error: zero_score` the call then counts with a score of 0.
"""

from dataclasses import dataclass, field
from typing import Any

from callscope.reports.packing import CRITICAL_ERROR, EVALUATED, NOT_APPLICABLE
from callscope.reports.rounding import half_even

MILLION = 1_000_000
ERROR_CLASSES = {"customer": 1, "business": 2, "compliance": 4}
APPLICABILITY = {"evaluated": EVALUATED, "not_applicable": NOT_APPLICABLE}


@dataclass(frozen=True, slots=True)
class Entry:
    """One criterion on one call."""

    criterion_id: str
    name: str
    section: str
    points: int
    max_points: int
    flags: int


@dataclass(slots=True)
class CallScore:
    """What the copc result of a call adds to the sums; all zero when nothing was scored."""

    entries: list[Entry] = field(default_factory=list)
    points: int = 0
    max_points: int | None = None
    counted_points: int = 0
    critical: bool = False
    error_classes: int = 0
    plain_judged: int = 0
    plain_met: int = 0

    @property
    def basis_points(self) -> int | None:
        """The score in hundredths of a percent, rounded half-even."""
        return None if self.max_points is None else half_even(self.counted_points * 10_000, self.max_points)


def score_call(copc: dict[str, Any] | None) -> CallScore:
    """Return the score in a stored copc result; None means that the analysis has not run."""
    score = CallScore()
    seen: set[str] = set()
    for raw in (copc or {}).get("criterion_scores") or []:
        entry = _entry(raw)
        if entry.max_points > 0 and entry.criterion_id not in seen:
            seen.add(entry.criterion_id)
            _add(score, entry, raw)
    if score.entries:
        score.max_points = sum(entry.max_points for entry in score.entries)
        score.points = sum(entry.points for entry in score.entries)
        zeroed = score.critical and (copc or {}).get("on_critical_error") == "zero_score"
        score.counted_points = 0 if zeroed else score.points
    return score


def _entry(raw: dict[str, Any]) -> Entry:
    flags = APPLICABILITY.get(raw.get("applicability") or "", 0)
    if raw.get("is_critical_error"):
        flags |= CRITICAL_ERROR
    return Entry(
        criterion_id=str(raw["criterion_id"])[:64],
        name=str(raw.get("name") or raw["criterion_id"])[:255],
        section=str(raw.get("section") or "")[:255],
        points=millionths(raw["score"]),
        max_points=millionths(raw["max_points"]),
        flags=flags,
    )


def _add(score: CallScore, entry: Entry, raw: dict[str, Any]) -> None:
    score.entries.append(entry)
    error_class = raw.get("critical_class")
    is_error = bool(entry.flags & CRITICAL_ERROR)
    if is_error:
        score.critical = True
        score.error_classes |= ERROR_CLASSES.get(error_class or "", 0)
    is_plain = not (is_error or error_class or raw.get("critical"))
    if is_plain and not entry.flags & NOT_APPLICABLE:
        score.plain_judged += 1
        score.plain_met += entry.points == entry.max_points


def millionths(points: int | float) -> int:
    """Return points as whole millionths; exact for up to six decimals."""
    return points * MILLION if isinstance(points, int) else round(points * MILLION)
