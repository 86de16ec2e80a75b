"""Mistakes and missed prompts as tables of the PDF."""

from collections.abc import Sequence
from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.pdf.noise import NOISE_SIGN, write_interval
from callscope.reports.pdf.number_formats import FigureCell, ReportLocale
from callscope.reports.pdf.plain_text import make_breakable


class FindingTable(TypedDict):
    title: str
    head: str  # of the first column
    note: str  # what the shares are taken over
    is_few: bool  # so few calls in one of the windows that a change says little
    rows: list[list[str | FigureCell]]  # name, calls, share, interval, share before, change


def list_finding_tables(findings: Findings | None, locale: ReportLocale) -> list[FindingTable]:
    """Return a table for each kind of which something is looked for or was found."""
    if findings is None:
        return []
    checked = findings.checked_calls
    note = ngettext(
        "Shares of %(count)s call in which they were looked for.",
        "Shares of %(count)s calls in which they were looked for.",
        checked,
    ) % {"count": locale.count(checked)}
    kinds: list[tuple[str, str, Sequence[FindingRow]]] = [
        (_("Mistakes"), _("Mistake"), findings.mistakes),
        (_("Missed prompts"), pgettext("what an agent has to say", "Prompt"), findings.missed_prompts),
    ]
    return [
        {
            "title": title,
            "head": head,
            "note": note,
            "is_few": min(checked, findings.previous_checked_calls or checked) < FEW_CALLS,
            "rows": [_list_cells(row, findings, locale) for row in rows],
        }
        for title, head, rows in kinds
        if rows
    ]


def _list_cells(row: FindingRow, findings: Findings, locale: ReportLocale) -> list[str | FigureCell]:
    noise = f" {NOISE_SIGN}" if row.within_noise else ""
    return [
        make_breakable(row.name),
        locale.count(row.calls),
        locale.share(row.share_pct),
        write_interval(row.share_pct_interval, locale),
        locale.figure_over(findings.previous_share(row), findings.previous_checked_calls or 0),
        locale.change(row.delta_pct) + noise,
    ]
