"""What the first page says about the report itself: projects, days, and which calls it is about."""

import datetime as dt
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.accounts import mail
from callscope.projects.models import Project
from callscope.reports.overview.coverage import (
    describe_failed,
    describe_half_heard,
    describe_removed_results,
    describe_zeroed,
)
from callscope.reports.overview.kept_back.sentences import describe_waiting
from callscope.reports.overview.origin.judges import Origin
from callscope.reports.overview.origin.sentences import (
    describe_agreement,
    describe_judges,
    describe_reviewed,
)
from callscope.reports.overview.report import Report
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.plain_text import make_breakable
from callscope.reports.window import Window, server_zone

PROJECTS_NAMED = 12


def list_cover(
    report: Report,
    agent: str,
    locale: ReportLocale,
    generated_at: dt.datetime,
    origin: Origin | None = None,
) -> list[list[str]]:
    """Return what a reader has to know besides projects and days, as label and text.

    `origin` says who judged the calls; None where the reader is not to know.
    """
    half_heard = describe_half_heard(report.half_heard_calls, report.half_heard_by_people, locale.count)
    zeroed = describe_zeroed(report.zeroed_calls, report.headline.scored_calls, locale.count)
    waiting = describe_waiting(report.waiting_calls, locale.count)
    failed = describe_failed(report.failed_calls, locale.count)
    removed = describe_removed_results(report.removed_results, report.headline.total_calls, locale.count)
    return [
        *(
            [[_("Agent"), _("Only the calls of %(agent)s") % {"agent": make_breakable(agent)}]]
            if agent
            else []
        ),
        [_("Generated"), locale.moment(generated_at.astimezone(server_zone()))],
        [_("Time zone of the days"), str(server_zone())],
        [_("Calls"), _count_calls(report, locale)],
        *list_origin(report, origin, locale),
        *([[_("Critical errors"), zeroed]] if zeroed else []),
        *([[_("Unreliable transcript"), half_heard]] if half_heard else []),
        *([[_("Your reviews"), waiting]] if waiting else []),
        *([[_("Failed"), failed]] if failed else []),
        *([[pgettext("calls", "Results removed"), removed]] if removed else []),
    ]


def list_origin(report: Report, origin: Origin | None, locale: ReportLocale) -> list[list[str]]:
    """Return who judged, how many calls people reviewed, and how far they agree."""
    if origin is None or not report.headline.total_calls:
        return []
    judges = make_breakable(describe_judges(origin, locale.rounded))
    return [
        *([[_("Judged by"), judges]] if judges else []),
        [_("Reviewed by people"), describe_reviewed(report, locale.rounded)],
        [_("Agreement of machine and people"), describe_agreement(origin, locale.rounded)],
    ]


def link_report(projects: Sequence[Project], window: Window, scope: Mapping[str, str]) -> str:
    """Return the address of the page of a report; "" where the server does not know its own.

    `scope` are the parameters that chose several projects, such as a team.
    """
    if not settings.ENVIRONMENT.public_url:
        return ""
    asked = {"project_id": str(projects[0].pk)} if len(projects) == 1 else {"project_id": "", **scope}
    days = {"start_date": window.start, "end_date": window.end}
    chosen = {name: day.isoformat() for name, day in days.items() if day is not None}
    return f"{mail.build_link('web:report')}?{urlencode(asked | chosen)}"


def _count_calls(report: Report, locale: ReportLocale) -> str:
    """Return how many calls the report is about, and of how many where that is not all."""
    shown, all_calls = report.headline.total_calls, report.total_calls_all_time
    if shown == all_calls:
        return locale.count(shown)
    counts = {"shown": locale.count(shown), "all": locale.count(all_calls)}
    return _("%(shown)s of %(all)s in all") % counts


def list_projects(projects: Sequence[str], locale: ReportLocale) -> str:
    """Return the names of the projects, of many the first and how many more."""
    named = ", ".join(projects[:PROJECTS_NAMED]) or _("no projects")
    others = len(projects) - PROJECTS_NAMED
    if others <= 0:
        return named
    more = ngettext("and %(count)s more", "and %(count)s more", others) % {"count": locale.count(others)}
    return f"{named} {more}"


def write_period(report: Report, locale: ReportLocale) -> str:
    """Return the days of the report in words."""
    start, end = report.window.start, report.window.end
    if start and start == end:
        return locale.date(start)
    if start and end:
        return _("%(start)s to %(end)s") % {"start": locale.date(start), "end": locale.date(end)}
    if start:
        return _("from %(start)s") % {"start": locale.date(start)}
    if end:
        return _("until %(end)s") % {"end": locale.date(end)}
    return _("All time")
