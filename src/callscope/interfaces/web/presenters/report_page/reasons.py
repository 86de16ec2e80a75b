"""Prepare the contact reasons of a report: each with its change, and its course over twelve weeks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.courses import explain_marks, list_pale
from callscope.interfaces.web.presenters.report_page.headline import NEITHER, Change
from callscope.interfaces.web.presenters.report_page.sparks import spark_svg
from callscope.interfaces.web.templatetags.formatting import number
from callscope.reports import charts
from callscope.reports.overview.course import STEADY
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.reason_weeks import ReasonWeeks
from callscope.reports.overview.schemas import ContactReasonRow


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """One contact reason, or all others together."""

    row: ContactReasonRow
    bar: SafeString | str
    url: str
    change: Change | None
    projects: str = ""  # whose it is, in a report of several
    spark: SafeString | str = ""  # shares by week, one scale for all reasons
    said: str = ""  # the same in words


def build_reasons(rows: Sequence[ContactReasonRow], links: Links) -> list[ReasonLine]:
    """Return the reasons; a full bar stands for find_full_bar() percent of the calls that have one."""
    full = find_full_bar(rows)
    return [
        ReasonLine(
            row=row,
            bar=mark_safe(charts.share_svg(100 * row.volume_pct / full, "bar plain"))  # noqa: S308 - numbers
            if row.topic
            else "",
            url=links.to(topic=row.topic) if row.topic else "",
            change=find_change(row),
            projects=links.owners.name_by_id(row.projects),
        )
        for row in rows
    ]


def find_full_bar(rows: Sequence[ContactReasonRow]) -> float:
    """Return the share, in percent, that fills a bar: a round one, so that small shares differ to the eye."""
    shares = [row.volume_pct for row in rows if row.topic]
    return charts.round_ticks(shares, at_least=10.0, most=100.0)[-1]


def find_change(row: ContactReasonRow) -> Change | None:
    """Return how the share changed since the window before; None where it cannot be compared."""
    base, before = row.previous_calls_with_reason, row.previous_pct
    if row.change_pct is None or base is None or before is None:
        return None
    return Change.of(
        row.change_pct,
        before,
        NEITHER,
        calls=(row.calls_with_reason, base),
        within_noise=row.course == STEADY,
    )


def add_courses(lines: Sequence[ReasonLine], weeks: ReasonWeeks) -> list[ReasonLine]:
    """Return the lines with their course; a week without any call that has a reason is a gap."""
    shares = [weeks.list_shares(line.row.topic) for line in lines]
    reasons = [each for each, line in zip(shares, lines, strict=True) if line.row.topic]
    pale = list_pale(weeks.with_reason)
    high = max((share for each in reasons for share in each if share is not None), default=0.0) or 1.0
    return [
        replace(
            line,
            spark=mark_safe(  # noqa: S308 - numbers
                spark_svg(share, low=0.0, high=high, pale=pale, hollow=weeks.parts)
            ),
            said=write_course(line.row.topic, weeks),
        )
        if line.row.topic
        else line
        for line, share in zip(lines, shares, strict=True)
    ]


def write_course(text: str, weeks: ReasonWeeks) -> str:
    """Return the calls of a reason by week, in words."""
    counts = ", ".join(write_weeks(weeks.list_calls(text), weeks))
    return _("Calls by week, of those with a reason: %(counts)s") % {"counts": counts}


def write_weeks(calls: Sequence[int], weeks: ReasonWeeks) -> list[str]:
    part = _("part of the week")
    said = [f"{number(a)}/{number(b)}" if b else "–" for a, b in zip(calls, weeks.with_reason, strict=True)]
    return [f"{text} ({part})" if i in weeks.parts else text for i, text in enumerate(said)]


def explain_courses(weeks: ReasonWeeks) -> list[str]:
    """Return what gray and hollow dots of the courses mean, where there are any."""
    return explain_marks(
        has_few=any(0 < calls < FEW_CALLS for calls in weeks.with_reason),
        parts=[weeks.mondays[place] for place in weeks.parts if weeks.with_reason[place]],
    )
