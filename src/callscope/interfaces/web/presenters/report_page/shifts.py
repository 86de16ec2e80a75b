"""Prepare the shifts of a report: each figure by day and by night, and how far apart the two are."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.templatetags.formatting import WAITS, Cell, signed
from callscope.reports.overview.comparisons import name_noise
from callscope.reports.overview.coverage import COUNTED_OVER, FEW_CALLS
from callscope.reports.overview.report import FigureDifference, Headline, Report

FILTERS = {  # figure → of the calls that it counts
    "total_calls": {},
    "average_score": {"scored": "true", "ordering": "score_percentage"},
    "weighted_compliance": {"scored": "true", "ordering": "score_percentage"},
    "critical_error_pct": {"critical": "true"},
    "negative_sentiment_pct": {"sentiment": "negative"},
    "goal_reached_pct": {"goal": "true"},
    "analyzed_hours": {},
}
UNCOMPARED = gettext_lazy("Nothing can be compared.")
NOT_MEASURED = gettext_lazy("Nothing was measured in this shift.")


class ShiftFigure(NamedTuple):
    name: str  # its field of the headline
    cells: list[Cell]  # day, night
    difference: str  # day less night, with its sign; "" where it cannot be compared
    remark: str  # why the difference says little; "" where it does not
    short: str  # the same as a sign, which a phone explains below the table; "" for others
    gap: Promise  # why there is no difference, where there is none


def build_shifts(report: Report, links: Links) -> list[ShiftFigure]:
    """Return the figures of both shifts, each with its calls where they are few or not all of the shift."""
    differences = {each.figure: each for each in report.shift_differences}
    found = []
    for name, filters in FILTERS.items():
        cells = [
            _cell(name, shift.headline, links.to(shift=shift.shift, **filters)) for shift in report.shifts
        ]
        counts = [getattr(shift.headline, COUNTED_OVER.get(name, "total_calls")) for shift in report.shifts]
        is_few = min(counts, default=0) < FEW_CALLS
        difference, remark = _compare(differences.get(name), is_few=is_few)
        waits = any(
            getattr(shift.headline, name) is None and n
            for shift, n in zip(report.shifts, counts, strict=True)
        )
        short = "~" if remark and not is_few else ""
        found.append(ShiftFigure(name, cells, difference, remark, short, WAITS if waits else UNCOMPARED))
    return found


def _cell(name: str, row: Headline, url: str) -> Cell:
    base = getattr(row, COUNTED_OVER[name]) if name in COUNTED_OVER else None
    is_few = base is not None and base < FEW_CALLS
    return Cell(
        getattr(row, name),
        1 if name != "total_calls" else 0,
        url,
        WAITS if base else NOT_MEASURED,
        css_class="n few" if is_few else "n",
        out_of=base if is_few or base != row.total_calls else None,
        interval=getattr(row, f"{name}_interval", None),
    )


def _compare(found: FigureDifference | None, *, is_few: bool) -> tuple[str, str]:
    if found is None or found.difference is None:
        return "", ""
    return signed(found.difference), _("few calls") if is_few else name_noise(found.within_noise)
