"""Draw figures by week at the size of a word, and say in words what is drawn, gray and hollow."""

import datetime as dt
from collections.abc import Collection, Sequence

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.report_page.sparks import spark_svg
from callscope.interfaces.web.templatetags.formatting import day, number
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.schemas import TrackerWeek, TrendBucket

WEEKS_IN_WORDS = 26


def list_pale(calls: Sequence[int]) -> list[int]:
    """Return the places of weeks with so few calls that their figures say little."""
    return [i for i, count in enumerate(calls) if count < FEW_CALLS]


def explain_marks(*, has_few: bool, parts: Sequence[dt.date]) -> list[str]:
    """Return what gray and hollow dots mean; `parts` are the Mondays of the weeks that are hollow."""
    said = [_("Gray dots: weeks with fewer than 10 calls.")] if has_few else []
    if parts:
        said.append(explain_hollow([day(monday) for monday in parts]))
    return said


def explain_hollow(weeks: Sequence[str]) -> str:
    """Return what a hollow dot or bar means; a week is part of it, or has not passed."""
    return _("Hollow: incomplete weeks (%(weeks)s).") % {"weeks": " · ".join(weeks)}


def explain_counts(trend: Sequence[TrendBucket]) -> list[str]:
    """Return what gray and hollow dots mean in the courses of counts over these weeks of a report."""
    few = any(0 < bucket.calls < FEW_CALLS for bucket in trend)
    return explain_marks(has_few=few, parts=list_parts(trend)) if len(trend) > 1 else []


def list_parts(trend: Sequence[TrendBucket]) -> list[dt.date]:
    """Return the Mondays of weeks of which only a part is in the window or has passed."""
    return [bucket.week for bucket in trend if bucket.is_part]


def draw_counts(
    weeks: Sequence[TrackerWeek], trend: Sequence[TrendBucket], kept: Collection[dt.date] = ()
) -> SafeString:
    """Return the course of a count of calls; a week without any call, of `trend`, is a gap, as are `kept`."""
    calls, parts = {bucket.week: bucket.calls for bucket in trend}, list_parts(trend)
    of_all = [calls.get(each.week, 0) for each in weeks]
    values = [
        each.calls if count and each.week not in kept else None
        for each, count in zip(weeks, of_all, strict=True)
    ]
    hollow = [i for i, each in enumerate(weeks) if each.week in parts]
    drawn = spark_svg(values, low=0, pale=list_pale(of_all), hollow=hollow)
    return mark_safe(drawn)  # noqa: S308 - numbers alone go into it


def write_counts(
    weeks: Sequence[TrackerWeek], trend: Sequence[TrendBucket], kept: Collection[dt.date] = ()
) -> str:
    """Return the same in words, for its latest weeks; a dash for those `kept` from the reader."""
    latest, part, parts = weeks[-WEEKS_IN_WORDS:], _("part of the week"), list_parts(trend)
    said = ["–" if each.week in kept else number(each.calls) for each in latest]
    counts = ", ".join(
        f"{text} ({part})" if each.week in parts else text for each, text in zip(latest, said, strict=True)
    )
    if len(latest) < len(weeks):
        shown = {"weeks": number(WEEKS_IN_WORDS), "counts": counts}
        return _("Calls in each of the latest %(weeks)s weeks: %(counts)s") % shown
    return _("Calls by week: %(counts)s") % {"counts": counts}
