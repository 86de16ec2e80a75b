"""Read the scores of one call out of its copc result, in whole millionths of points.

Rules: docs/api.md, "Figures". A critical error leaves the points as earned; with
`on_critical_error: zero_score` the call then counts with a score of 0.
"""

from typing import Any, NamedTuple

from callscope.reports.packing import CRITICAL_ERROR, EVALUATED, NOT_APPLICABLE
from callscope.reports.rounding import half_even

MILLION = 1_000_000
ERROR_CLASSES = {"customer": 1, "business": 2, "compliance": 4}
APPLICABILITY = {"evaluated": EVALUATED, "not_applicable": NOT_APPLICABLE}

Criterion = tuple[str, str, str, int]  # id, name, section, maximum in millionths: see models.CriterionSeen


class Entry(NamedTuple):
    """One criterion on one call."""

    criterion: Criterion
    points: int
    flags: int


class CallScore:
    """What the copc result of a call adds to the sums; all zero when nothing was scored."""

    __slots__ = (
        "counted_points",
        "critical",
        "entries",
        "error_classes",
        "max_points",
        "plain_judged",
        "plain_met",
        "points",
    )

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.points = 0
        self.max_points: int | None = None
        self.counted_points = 0
        self.critical = False
        self.error_classes = 0
        self.plain_judged = 0
        self.plain_met = 0

    @property
    def basis_points(self) -> int | None:
        """The score in hundredths of a percent, rounded half-even."""
        return None if self.max_points is None else half_even(self.counted_points * 10_000, self.max_points)

    def add(self, entry: Entry, *, error_class: str | None, is_marked: bool) -> None:
        """Count one criterion; `is_marked` if a zero on it would be a critical error."""
        self.entries.append(entry)
        flags = entry.flags
        if flags & CRITICAL_ERROR:
            self.critical = True
            self.error_classes |= ERROR_CLASSES.get(error_class or "", 0)
        elif not (error_class or is_marked or flags & NOT_APPLICABLE):
            self.plain_judged += 1
            self.plain_met += entry.points == entry.criterion[3]

    def finish(self, *, on_critical_error: str | None) -> None:
        """Add up, after the last criterion."""
        if self.entries:
            self.max_points = sum([entry.criterion[3] for entry in self.entries])
            self.points = sum([entry.points for entry in self.entries])
            zeroed = self.critical and on_critical_error == "zero_score"
            self.counted_points = 0 if zeroed else self.points


def score_call(copc: dict[str, Any] | None) -> CallScore:
    """Return the score in a stored copc result; None means that the analysis has not run."""
    score = CallScore()
    seen: set[str] = set()
    for raw in (copc or {}).get("criterion_scores") or []:
        entry = _entry(raw)
        criterion_id, *_, max_points = entry.criterion
        if max_points > 0 and criterion_id not in seen:
            seen.add(criterion_id)
            score.add(entry, error_class=raw.get("critical_class"), is_marked=bool(raw.get("critical")))
    score.finish(on_critical_error=(copc or {}).get("on_critical_error"))
    return score


def flags_of(applicability: str | None, *, is_critical_error: bool) -> int:
    """Return what is packed beside the points of a criterion."""
    flags = APPLICABILITY.get(applicability or "", 0)
    return flags | CRITICAL_ERROR if is_critical_error else flags


def _entry(raw: dict[str, Any]) -> Entry:
    criterion = (
        str(raw["criterion_id"])[:64],
        str(raw.get("name") or raw["criterion_id"])[:255],
        str(raw.get("section") or "")[:255],
        millionths(raw["max_points"]),
    )
    flags = flags_of(raw.get("applicability"), is_critical_error=bool(raw.get("is_critical_error")))
    return Entry(criterion, millionths(raw["score"]), flags)


def millionths(points: int | float) -> int:
    """Return points as whole millionths; exact for up to six decimals."""
    return points * MILLION if isinstance(points, int) else round(points * MILLION)
