"""Mistakes and missed prompts as tables of the PDF."""

from collections.abc import Sequence
from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.projects.owners import Owners
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.decided_findings import MAX_CALLS
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.pdf.noise import NOISE_SIGN, write_interval
from callscope.reports.pdf.number_formats import FigureCell, NamedCell, ReportLocale, name_cell


class FindingTable(TypedDict):
    title: str
    head: str  # of the first column
    note: str  # what the shares are taken over
    is_few: bool  # so few calls in one of the windows that a change says little
    rows: list[list[str | NamedCell | FigureCell]]  # name, calls, share, interval, share before, change


def list_finding_tables(
    findings: Findings | None, locale: ReportLocale, owners: Owners
) -> list[FindingTable]:
    """Return a table for each kind of which something is looked for or was found."""
    if findings is None:
        return []
    checked = findings.checked_calls
    prompt = pgettext("what an agent has to say", "Prompt")
    kinds: list[tuple[str, str, str, Sequence[FindingRow]]] = [
        ("mistake", _("Mistakes"), _("Mistake"), findings.mistakes),
        ("prompt", _("Missed prompts"), prompt, findings.missed_prompts),
    ]
    return [
        {
            "title": title,
            "head": head,
            "note": _write_note(checked, locale, reads_newest=kind == "prompt"),
            "is_few": min(checked, findings.previous_checked_calls or checked) < FEW_CALLS,
            "rows": [
                _list_cells(row, owners.name_by_finding(kind, row.id, row.name), locale) for row in rows
            ],
        }
        for kind, title, head, rows in kinds
        if rows
    ]


def _write_note(checked: int, locale: ReportLocale, *, reads_newest: bool) -> str:
    looked_for = ngettext("Looked for in %(count)s call.", "Looked for in %(count)s calls.", checked)
    sentences = [
        looked_for % {"count": locale.count(checked)},
        _("Each share is of the calls in which it could be decided, which are in parentheses."),
    ]
    if reads_newest and checked > MAX_CALLS:
        newest = _("Shares are read from the newest %(count)s of them.")
        sentences.append(newest % {"count": locale.count(MAX_CALLS)})
    return " ".join(sentences)


def _list_cells(row: FindingRow, projects: str, locale: ReportLocale) -> list[str | NamedCell | FigureCell]:
    is_unsure = row.delta_pct is not None and row.within_noise is not False
    noise = f" {NOISE_SIGN}" if is_unsure else ""
    share = locale.share(row.share_pct, row.decided_calls)
    share["text"] = locale.figure_over(row.share_pct, row.decided_calls)
    return [
        name_cell(row.name, projects),
        locale.count(None if row.is_kept_back else row.calls),
        share,
        write_interval(row.share_pct_interval, locale),
        locale.figure_over(row.previous_share_pct, row.previous_decided_calls or 0),
        locale.change(row.delta_pct) + noise,
    ]
