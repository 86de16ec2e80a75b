"""The first page of the PDF: the figure that counts most, what explains its change, and calls to hear."""

from collections.abc import Sequence
from typing import TypedDict

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.accounts import mail
from callscope.analysis.figures import take_percent
from callscope.projects.owners import Owners
from callscope.reports.details.moments import Moment
from callscope.reports.overview.highlights import (
    NO_OWNERS,
    list_grown_reasons,
    list_moved_criteria,
    write_figures,
)
from callscope.reports.overview.report import Report, ScorecardRow
from callscope.reports.overview.scorecard import judge_row
from callscope.reports.pdf.number_formats import DASH, NamedCell, ReportLocale, name_cell
from callscope.reports.pdf.plain_text import make_breakable, make_name_breakable
from callscope.reports.window import server_zone

CAUSES = 5  # criteria that changed
REASONS = 2  # that grew


class Quote(TypedDict):
    """Words of a call to hear."""

    words: str
    shows: str  # what they show
    place: str  # which call, whose and when
    at: str  # the second of the recording; "" where it is not known
    url: str  # of the call at that second; "" where the server does not know its own address


class Story(TypedDict):
    causes: list[list[str | NamedCell]]  # name, now, before, change and its effect on the score
    other_causes: str  # how many more changed; "" for none
    causes_note: str  # why there are none; "" for some, and where the highlights say so
    quotes: list[Quote]


def build_story(
    report: Report, moments: Sequence[Moment], locale: ReportLocale, owners: Owners = NO_OWNERS
) -> Story:
    """Return what explains the change of a report in the active language, and what to hear.

    `owners` say whose a criterion, a contact reason or a call is, in a report of several projects.
    """
    criteria, reasons = list_moved_criteria(report), list_grown_reasons(report)
    causes = [_write_criterion(row, locale, owners) for row in criteria[:CAUSES]]
    base = sum(each.calls for each in report.contact_reasons)
    for reason in reasons[:REASONS]:
        change = pgettext("a contact reason", "new") if reason.is_new else locale.change(reason.change_pct)
        now = locale.figure_over(reason.volume_pct, base)
        name = _("Contact reason: %(name)s") % {"name": reason.topic}
        cell = name_cell(name, owners.name_by_id(reason.projects))
        causes.append([cell, now, DASH, change, DASH])
    note = ""
    if not causes and report.headline.total_calls:
        note = _explain_missing(report, locale)
    return {
        "causes": causes,
        "other_causes": _describe_others(len(criteria) - CAUSES, len(reasons) - REASONS, locale),
        "causes_note": note,
        "quotes": [_write_quote(moment, locale, owners) for moment in moments],
    }


def _describe_others(criteria: int, reasons: int, locale: ReportLocale) -> str:
    """Return how many criteria and contact reasons changed besides those that are listed."""
    of_criteria = ngettext(
        "%(count)s more criterion changed beyond chance.",
        "%(count)s more criteria changed beyond chance.",
        criteria,
    )
    of_reasons = ngettext(
        "%(count)s more contact reason grew or is new.",
        "%(count)s more contact reasons grew or are new.",
        reasons,
    )
    counted = (of_criteria, criteria), (of_reasons, reasons)
    return " ".join(text % {"count": locale.count(count)} for text, count in counted if count > 0)


def _explain_missing(report: Report, locale: ReportLocale) -> str:
    """Return why nothing is named that explains a change; "" where the highlights say it."""
    before = report.previous_headline
    if before is None:
        return _("There is no period before this one to compare with: choose a first and a last day.")
    if not before.total_calls:
        return _("There are no analyzed calls in the period before this one.")
    figures = write_figures(report, locale.rounded)
    if figures is None or figures.kind == "nothing":
        return ""
    return _("No criterion and no contact reason changed beyond chance.")


def _write_criterion(row: ScorecardRow, locale: ReportLocale, owners: Owners) -> list[str | NamedCell]:
    judged = judge_row(row)
    return [
        name_cell(row.name, owners.name_by_criterion(row.criterion_id, row.name)),
        locale.figure_over(judged.pct, judged.calls),
        locale.figure_over(judged.previous_pct, judged.previous_calls),
        locale.change(judged.delta_pct),
        locale.change(take_percent(row.weight_pct or 0.0, row.delta_pct or 0.0)),
    ]


def _write_quote(moment: Moment, locale: ReportLocale, owners: Owners) -> Quote:
    shows = {
        # Criteria name what an agent should do.
        "critical_error": _("Failed: “%(name)s” (critical)"),
        "criterion": _("Not met: “%(name)s”"),
        "partly": _("Partly met: “%(name)s”"),
        "mistake": _("Mistake: %(name)s"),
    }
    day = locale.short_date(moment.call_datetime.astimezone(server_zone()).date())
    project = owners.name_by_id([moment.project_id])
    about = [make_breakable(text) for text in (moment.agent, day) if text]
    place = " · ".join(
        [*filter(None, [make_breakable(project)]), make_name_breakable(moment.file_name), *about]
    )
    url = ""
    if settings.ENVIRONMENT.public_url:
        url = mail.build_link("web:call", str(moment.call_id))
        url += "" if moment.start_s is None else f"#t={moment.start_s:.2f}"
    at = ""
    if moment.start_s is not None:
        minutes, seconds = divmod(int(moment.start_s), 60)
        at = f"{minutes}:{seconds:02}"
    return {
        "words": _("“%(words)s”") % {"words": make_breakable(moment.text)},
        "shows": make_breakable(shows[moment.kind] % {"name": moment.name}),
        "place": place,
        "at": at,
        "url": url,
    }
