"""The two maps of the report as tables of the PDF: each cell a figure, its calls and a shade."""

from collections.abc import Sequence
from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.projects.owners import Owners
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.maps.agent_criteria import AgentMap, describe_criteria, split_map
from callscope.reports.overview.maps.shades import WEEKDAYS, find_shade, shade_share
from callscope.reports.overview.maps.week_hours import WeekHours
from callscope.reports.pdf.criterion_rows import name_owner
from callscope.reports.pdf.number_formats import DASH, ReportLocale
from callscope.reports.pdf.plain_text import make_breakable


class MapCell(TypedDict):
    text: str  # "" where nothing was measured, a dash where a criterion did not apply
    calls: str  # how many it is taken over; "" where the figure counts calls itself
    shade: int  # 0 to 5, the stronger the more is lost
    is_few: bool  # over so few calls that it is hatched


class MapRow(TypedDict):
    name: str
    cells: list[MapCell]


class FigureMap(TypedDict):
    """Rows are [] where nothing was measured."""

    project: str  # the head above it, where there are several; else ""
    corner: str  # what the rows are
    heads: list[str]
    rows: list[MapRow]
    note: str


class Maps(TypedDict):
    agent_maps: list[FigureMap]  # one for each project
    agent_map_note: str
    hour_calls: FigureMap
    hour_scores: FigureMap


NOTHING: FigureMap = {"project": "", "corner": "", "heads": [], "rows": [], "note": ""}
ACROSS = 8  # agents, whose names stand above columns; of more each has a row, and criteria have columns


def build_maps(
    agents: AgentMap | None, hours: WeekHours | None, locale: ReportLocale, owners: Owners
) -> Maps:
    """Return the maps in the active language."""
    split = split_map(agents, owners) if agents else []
    maps = [
        _map_agents(part, locale, project=name_owner(owner) if len(split) > 1 else "")
        for owner, part in split
    ]
    return {
        "agent_maps": maps,
        "agent_map_note": _describe_map(agents, maps, locale) if agents and maps else "",
        "hour_calls": _map_hours(hours, locale, shows_score=False) if hours else NOTHING,
        "hour_scores": _map_hours(hours, locale, shows_score=True) if hours else NOTHING,
    }


def _map_agents(found: AgentMap, locale: ReportLocale, *, project: str) -> FigureMap:
    agents = [make_breakable(each.label) for each in found.agents]
    names = [make_breakable(key.name) for key in found.criteria]
    cells = [
        [_share_cell(cell.met_pct, cell.calls, locale, missing=DASH) for cell in each.cells]
        for each in found.agents
    ]
    if len(agents) > ACROSS:
        rows: list[MapRow] = [
            {"name": agent, "cells": found} for agent, found in zip(agents, cells, strict=True)
        ]
        return {"project": project, "corner": _("Agent"), "heads": names, "rows": rows, "note": ""}
    rows = [{"name": name, "cells": [each[i] for each in cells]} for i, name in enumerate(names)]
    return {"project": project, "corner": _("Criterion"), "heads": agents, "rows": rows, "note": ""}


def _describe_map(found: AgentMap, maps: Sequence[FigureMap], locale: ReportLocale) -> str:
    """Return what the cells say, and what the maps leave out."""
    notes = [_("Percent of the points of each criterion, and in how many calls it applied.")]
    if found.agents_in_all > len(found.agents):
        counts = {"shown": locale.count(len(found.agents)), "all": locale.count(found.agents_in_all)}
        notes.append(_("The %(shown)s agents (of %(all)s) with the most calls.") % counts)
    if criteria := describe_criteria(found, locale.count):
        notes.append(criteria)
    if any(cell["text"] == DASH for each in maps for row in each["rows"] for cell in row["cells"]):
        is_hidden = any(cell.is_kept_back for each in found.agents for cell in each.cells)
        notes.append(
            _("A dash: it applied to none of the agent's calls, or half or more of the few wait for you.")
            if is_hidden
            else _("A dash: it applied to none of the agent's calls.")
        )
    notes.append(_few_note())
    return " ".join(notes)


def _map_hours(found: WeekHours, locale: ReportLocale, *, shows_score: bool) -> FigureMap:
    busy = [each for each in found.hours if (each.scored_calls if shows_score else each.calls)]
    has_enough = any(each.scored_calls >= FEW_CALLS for each in found.hours)
    if not busy or (shows_score and not has_enough):
        return NOTHING
    first, last = min(each.hour for each in busy), max(each.hour for each in busy)
    most = max(each.calls for each in busy)
    shown = [each for each in found.hours if first <= each.hour <= last]
    rows: list[MapRow] = []
    for day, name in enumerate(WEEKDAYS):
        cells: list[MapCell] = [
            _share_cell(each.average_score, each.scored_calls, locale)
            if shows_score
            else {
                "text": locale.count(each.calls) if each.calls else "",
                "calls": "",
                "shade": shade_share(each.calls, most),
                "is_few": False,
            }
            for each in shown
            if each.weekday == day
        ]
        rows.append({"name": str(name), "cells": cells})
    notes = []
    if found.untimed_calls:
        text = ngettext(
            "%(count)s call without a known time is in no cell.",
            "%(count)s calls without a known time are in no cell.",
            found.untimed_calls,
        )
        notes.append(text % {"count": locale.count(found.untimed_calls)})
    if not has_enough:
        text = _("No hour has %(few)s scored calls, so the average scores by hour are left out.")
        notes.append(text % {"few": FEW_CALLS})
    heads = [f"{hour:02d}" for hour in range(first, last + 1)]
    note = _few_note() if shows_score else " ".join(notes)
    return {"project": "", "corner": _("Weekday"), "heads": heads, "rows": rows, "note": note}


def _share_cell(percent: float | None, calls: int, locale: ReportLocale, *, missing: str = "") -> MapCell:
    if percent is None:
        return {"text": missing, "calls": "", "shade": 0, "is_few": False}
    return {
        "text": locale.figure(percent),
        "calls": _("n %(count)s") % {"count": locale.count(calls)},
        "shade": find_shade(percent),
        "is_few": calls < FEW_CALLS,
    }


def _few_note() -> str:
    text = _("The darker a cell, the further it is from 100 %%. Hatched: fewer than %(few)s calls.")
    return text % {"few": FEW_CALLS}
