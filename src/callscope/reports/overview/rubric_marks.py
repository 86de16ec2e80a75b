"""Where a rubric changed, in the words of pages and PDF: marks on the trend, and notes of the scorecard."""

import datetime as dt
from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.projects.rubric_changes import RubricChange, list_unused_changes
from callscope.reports.overview.schemas import CriterionChange, Report, ScorecardRow, TrendBucket
from callscope.reports.window import day_of, find_week

MOST_NAMED = 5  # versions in one sentence

WriteDate = Callable[[dt.date], str]


def list_marks(changes: Sequence[RubricChange], buckets: Sequence[TrendBucket]) -> dict[int, str]:
    """Return the label of each week of the trend in which a rubric changed, by its place.

    "v4" after the last version of the week; "" in a scope of several projects, whose numbers are their own.
    """
    places = {bucket.week: place for place, bucket in enumerate(buckets)}
    is_one = len({change.project_id for change in changes}) == 1
    found = {}
    for change in changes:
        place = places.get(find_week(day_of(change.published_at)))
        if place is not None:
            label = pgettext("short for version 4", "v%(version)s") % {"version": change.version}
            found[place] = label if is_one else ""
    return found


def describe_versions(changes: Sequence[RubricChange], write_date: WriteDate, *, with_project: bool) -> str:
    """Return "The rubric changed: version 4 on Mar 3, 2026 · …", the latest versions alone; "" for none."""
    if not changes:
        return ""
    named = []
    for change in changes[-MOST_NAMED:]:
        values = {"version": change.version, "date": write_date(_day(change.published_at))}
        text = _("version %(version)s on %(date)s") % values
        named.append(f"{change.project_name}, {text}" if with_project else text)
    sentence = _("The rubric changed: %(versions)s") % {"versions": " · ".join(named)}
    earlier = len(changes) - len(named)
    if not earlier:
        return sentence
    more = ngettext("and %(count)s version before", "and %(count)s versions before", earlier)
    return f"{sentence} · {more % {'count': earlier}}"


def describe_rubric_changes(
    report: Report, write_date: WriteDate, write_count: Callable[[int], str], *, with_project: bool
) -> tuple[str, ...]:
    """Return which versions changed the rubric, and what that means for the figures; a sentence for each.

    Whether changes compare two rubrics, and which version judged no call yet.

    Of several projects, whose numbers are their own, only the names of the versions that judged calls.
    """
    judged = _describe_judged(report, write_date, write_count, with_project=with_project)
    if with_project:
        return (judged,) if judged else ()
    earlier = _describe_period_before(report, write_count)
    return tuple(filter(None, (judged, earlier, _describe_unused_change(report, write_date))))


def _describe_judged(
    report: Report, write_date: WriteDate, write_count: Callable[[int], str], *, with_project: bool
) -> str:
    """Return which versions changed the rubric, and how many calls the last one judged; "" for none.

    "The rubric changed: version 4 on Mar 3, 2026. Version 4 judged 12 of 16 scored calls, the others earlier
    ones."
    """
    said = describe_versions(report.used_changes, write_date, with_project=with_project)
    scored = report.headline.scored_calls
    if not said or with_project or not scored:
        return said
    version = report.judged_changes[-1].version
    if report.judged_calls >= scored:
        text = _("Version %(version)s judged all scored calls, those of earlier days too.")
        return f"{said}. {text % {'version': version}}"
    text = ngettext(
        "Version %(version)s judged %(count)s of %(scored)s scored calls, earlier versions the others.",
        "Version %(version)s judged %(count)s of %(scored)s scored calls, earlier versions the others.",
        report.judged_calls,
    )
    judged, of_all = write_count(report.judged_calls), write_count(scored)
    return f"{said}. {text % {'version': version, 'count': judged, 'scored': of_all}}"


def _describe_period_before(report: Report, write_count: Callable[[int], str]) -> str:
    """Return that the calls of the window before were judged by earlier versions; "" where none was."""
    scored = report.previous_headline.scored_calls if report.previous_headline else 0
    by_earlier = scored - report.previous_judged_calls
    if not report.judged_calls or by_earlier <= 0:
        return ""
    text = ngettext(
        "Earlier versions judged %(count)s of %(scored)s scored call of the period before: changes compare "
        "different rubrics.",
        "Earlier versions judged %(count)s of %(scored)s scored calls of the period before: changes compare "
        "different rubrics.",
        scored,
    )
    return text % {"count": write_count(by_earlier), "scored": write_count(scored)}


def _describe_unused_change(report: Report, write_date: WriteDate) -> str:
    """Return that no call was judged yet by the last version that changed the rubric; "" else."""
    unused = list_unused_changes(report.rubric_changes, report.judged_changes)
    if not unused or not report.headline.scored_calls:
        return ""
    text = _("Version %(version)s of %(date)s changed the rubric: no call here was judged by it yet.")
    return text % {"version": unused[-1].version, "date": write_date(_day(unused[-1].published_at))}


def describe_row(row: ScorecardRow, write_date: WriteDate) -> str:
    """Return what the row of a criterion says next to its name: it waits, changed, or is in no rubric.

    Also which later version changed it, by which no call was judged yet: its weight is that of this version.
    """
    retired = _("no longer in the rubric") if row.is_retired else ""
    waits = _("for a person: machine and people agree too little here") if row.for_person else ""
    changes = describe_change(row.changed_in, write_date), describe_unused(row.unused_change)
    return " · ".join(filter(None, (retired, waits, *changes)))


def describe_change(change: CriterionChange | None, write_date: WriteDate) -> str:
    """Return "changed in version 4 on Mar 3, 2026" for a criterion that changed in the window; else ""."""
    if change is None:
        return ""
    values = {"version": change.version, "date": write_date(_day(change.published_at))}
    if change.change == "added":
        return _("new in version %(version)s on %(date)s") % values
    return _("changed in version %(version)s on %(date)s") % values


def describe_unused(change: CriterionChange | None) -> str:
    """Return "changed in version 4: no call here was judged by it yet"; "" for no such change."""
    if change is None:
        return ""
    values = {"version": change.version}
    if change.change == "added":
        return _("new in version %(version)s: no call here was judged by it yet") % values
    return _("changed in version %(version)s: no call here was judged by it yet") % values


def _day(moment: dt.datetime) -> dt.date:
    return dt.date.fromordinal(day_of(moment))
