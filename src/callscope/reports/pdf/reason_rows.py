"""The rows of the PDF's tables of contact reasons."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.projects.owners import Owners
from callscope.reports.overview.course import STEADY
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.report import ContactReasonRow, Report
from callscope.reports.pdf.noise import NOISE_SIGN
from callscope.reports.pdf.number_formats import FigureCell, NamedCell, ReportLocale, name_cell
from callscope.reports.pdf.plain_text import make_breakable


def list_reason_rows(
    report: Report, locale: ReportLocale, owners: Owners
) -> list[list[str | NamedCell | FigureCell]]:
    """Return name, calls, share and its change of the most frequent reasons, and of all others together."""
    base = sum(row.calls for row in report.contact_reasons)
    before = count_before(report)
    is_few = min(base, base if before is None else before) < FEW_CALLS
    return [
        [
            name_cell(row.topic + mark_course(row), owners.name_by_id(row.projects))
            if row.other_topics is None
            else ngettext("%(count)s other reason", "%(count)s other reasons", row.other_topics)
            % {"count": locale.count(row.other_topics)},
            locale.count(row.calls),
            locale.share(row.volume_pct, base),
            {
                "text": locale.change(row.change_pct) + (f" {NOISE_SIGN}" if row.course == STEADY else ""),
                "is_few": is_few,
            },
        ]
        for row in report.contact_reasons
    ]


def list_tracker_rows(report: Report, locale: ReportLocale) -> list[list[str | FigureCell]]:
    """Return name, calls and share of all calls of each tracker."""
    total = report.headline.total_calls
    return [
        [
            make_breakable(row.name),
            locale.count(row.calls),
            locale.share(100 * row.calls / total if total else None, total),
        ]
        for row in report.trackers
    ]


def describe_reasons(report: Report, locale: ReportLocale) -> str:
    """Return what the shares of contact reasons, now and before, are taken over; "" without a reason."""
    calls = sum(row.calls for row in report.contact_reasons)
    if not calls:
        return ""
    text = ngettext(
        "Shares of %(count)s call that has a contact reason.",
        "Shares of %(count)s calls that have a contact reason.",
        calls,
    )
    sentences = [text % {"count": locale.count(calls)}]
    if (before := count_before(report)) is not None:
        text = ngettext(
            "Changes compare them with shares of %(count)s such call in the period before.",
            "Changes compare them with shares of %(count)s such calls in the period before.",
            before,
        )
        sentences.append(text % {"count": locale.count(before)})
    return " ".join(sentences)


def count_before(report: Report) -> int | None:
    """Return over how many calls the shares in the window before are; None where no share changed."""
    compared = [row for row in report.contact_reasons if row.change_pct is not None]
    return compared[0].previous_calls_with_reason if compared else None


def describe_trackers(report: Report, locale: ReportLocale) -> str:
    """Return what the shares of trackers are taken over; "" without a tracker."""
    calls = report.headline.total_calls
    if not report.trackers:
        return ""
    text = ngettext("Shares of %(count)s call.", "Shares of %(count)s calls.", calls)
    return text % {"count": locale.count(calls)}


def list_reason_group_rows(report: Report, locale: ReportLocale) -> list[list[str | FigureCell]]:
    """Return name, number of reasons, calls and share of what stands above reasons."""
    return [
        [
            make_breakable(row.name) or _("no parent reason"),
            locale.count(row.reasons),
            locale.count(row.calls),
            locale.share(row.volume_pct, sum(each.calls for each in report.reason_groups)),
        ]
        for row in report.reason_groups
    ]


def mark_course(row: ContactReasonRow) -> str:
    """Return what follows the name of a contact reason that is new, grows or shrinks; else ""."""
    words = {"growing": _("growing"), "shrinking": _("shrinking")}
    word = pgettext("a contact reason", "new") if row.is_new else words.get(row.course or "")
    return f" ({word})" if word else ""
