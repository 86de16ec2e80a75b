"""Prepare the tables of mistakes and missed prompts."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.courses import draw_counts, explain_counts, write_counts
from callscope.interfaces.web.presenters.report_page.headline import BETTER_DOWN, Change
from callscope.interfaces.web.templatetags.formatting import WAITS, Cell
from callscope.reports.overview.decided_findings import MAX_CALLS
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.overview.kept_back.other_figures import list_kept_weeks
from callscope.reports.overview.schemas import TrendBucket


class FindingLine(NamedTuple):
    row: FindingRow
    projects: str  # who looks for it, in a report of several; else ""
    figures: list[Cell]  # calls, and the share with its interval
    change: Change | None
    spark: SafeString
    said: str  # the same in words
    url: str  # of its calls; "" where there is none


class FindingTable(NamedTuple):
    id: str
    title: str
    head: str
    checked: int
    newest: int | None  # the newest calls, which the shares are of; None where they are of all
    rows: list[FindingLine]
    notes: list[str]  # what is gray and hollow in the courses


def build_tables(
    findings: Findings | None, links: Links, trend: Sequence[TrendBucket] = ()
) -> list[FindingTable]:
    """Return a table for each kind of which something is looked for or was found.

    `trend` are the weeks of the report, with all their calls.
    """
    if findings is None:
        return []
    kinds = [
        ("mistakes", _("Mistakes"), _("Mistake"), "mistake", findings.mistakes),
        (
            "missed-prompts",
            _("Missed prompts"),
            pgettext("what an agent has to say", "Prompt"),
            "prompt",
            findings.missed_prompts,
        ),
    ]
    return [
        FindingTable(
            id,
            title,
            head,
            findings.checked_calls,
            MAX_CALLS if name == "prompt" and findings.checked_calls > MAX_CALLS else None,
            [_line(row, name, links, trend) for row in rows],
            explain_counts(trend) if any(row.weeks[1:] for row in rows) else [],
        )
        for id, title, head, name, rows in kinds
        if rows
    ]


def _line(row: FindingRow, name: str, links: Links, trend: Sequence[TrendBucket]) -> FindingLine:
    change = None
    if row.delta_pct is not None and row.previous_share_pct is not None and row.previous_decided_calls:
        counts = (row.decided_calls, row.previous_decided_calls)
        before = row.previous_share_pct
        change = Change.of(row.delta_pct, before, BETTER_DOWN, calls=counts, within_noise=row.within_noise)
    url, is_hidden = links.to(**{name: row.id}) if row.calls else "", row.is_kept_back
    weeks = [] if is_hidden else row.weeks
    return FindingLine(
        row=row,
        projects=links.owners.name_by_finding(name, row.id, row.name),
        figures=[
            Cell(None if is_hidden else row.calls, 0, url, WAITS),
            Cell(
                row.share_pct,
                1,
                interval=row.share_pct_interval,
                out_of=row.decided_calls,
                reason=WAITS if is_hidden else _("Nobody can tell in any of the calls."),
            ),
        ],
        change=change,
        spark=draw_counts(weeks, trend, list_kept_weeks(trend)),
        said=write_counts(weeks, trend, list_kept_weeks(trend)) if weeks else "",
        url=url,
    )
