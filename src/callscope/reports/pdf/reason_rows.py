"""The rows of the PDF's tables of contact reasons."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.reports.overview.report import ContactReasonRow, Report
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.plain_text import make_breakable


def list_reason_rows(report: Report, locale: ReportLocale) -> list[list[str]]:
    """Return name, calls and share of the most frequent reasons, and of all others together."""
    return [
        [
            make_breakable(row.topic) + mark_course(row)
            if row.other_topics is None
            else ngettext("%(count)s other reason", "%(count)s other reasons", row.other_topics)
            % {"count": locale.count(row.other_topics)},
            locale.count(row.calls),
            locale.figure(row.volume_pct),
        ]
        for row in report.contact_reasons
    ]


def list_reason_group_rows(report: Report, locale: ReportLocale) -> list[list[str]]:
    """Return name, number of reasons, calls and share of what stands above reasons."""
    return [
        [
            make_breakable(row.name) or _("under no other reason"),
            locale.count(row.reasons),
            locale.count(row.calls),
            locale.figure(row.volume_pct),
        ]
        for row in report.reason_groups
    ]


def mark_course(row: ContactReasonRow) -> str:
    """Return what follows the name of a contact reason that is new, grows or shrinks; else ""."""
    words = {"growing": _("growing"), "shrinking": _("shrinking")}
    word = pgettext("a contact reason", "new") if row.is_new else words.get(row.course or "")
    return f" ({word})" if word else ""
