"""The two maps of the report as tables of the PDF: each cell a figure, its calls and a shade."""

from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.projects.owners import Owners
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.maps.agent_criteria import AgentMap
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
    project: str  # the head above the first criterion of a project, where there are several; else ""
    cells: list[MapCell]


class FigureMap(TypedDict):
    """Rows are [] where nothing was measured."""

    corner: str  # what the rows are
    heads: list[str]
    rows: list[MapRow]
    note: str


class Maps(TypedDict):
    agent_map: FigureMap
    hour_calls: FigureMap
    hour_scores: FigureMap


NOTHING: FigureMap = {"corner": "", "heads": [], "rows": [], "note": ""}
ACROSS = 8  # agents, whose names stand above columns; of more each has a row, and criteria have columns


def build_maps(
    agents: AgentMap | None, hours: WeekHours | None, locale: ReportLocale, owners: Owners
) -> Maps:
    """Return the maps in the active language."""
    return {
        "agent_map": _map_agents(agents, locale, owners) if agents else NOTHING,
        "hour_calls": _map_hours(hours, locale, shows_score=False) if hours else NOTHING,
        "hour_scores": _map_hours(hours, locale, shows_score=True) if hours else NOTHING,
    }


def _map_agents(found: AgentMap, locale: ReportLocale, owners: Owners) -> FigureMap:
    if not (found.agents and found.criteria):
        return NOTHING
    agents = [make_breakable(each.agent) for each in found.agents]
    names = [make_breakable(key.name) for key in found.criteria]
    cells = [
        [_share_cell(cell.met_pct, cell.calls, locale, missing=DASH) for cell in each.cells]
        for each in found.agents
    ]
    note = _describe_map(found, locale)
    if len(agents) > ACROSS:
        rows: list[MapRow] = [
            {"name": agent, "project": "", "cells": found} for agent, found in zip(agents, cells, strict=True)
        ]
        return {"corner": _("Agent"), "heads": names, "rows": rows, "note": note}
    of = [owners.name_by_criterion(key.criterion_id, key.name) for key in found.criteria]
    ranks = {owner: rank for rank, owner in enumerate(dict.fromkeys(of))}
    order = sorted(range(len(names)), key=lambda i: ranks[of[i]])
    rows = [
        {
            "name": names[i],
            "project": name_owner(of[i]) if len(ranks) > 1 and (not at or of[order[at - 1]] != of[i]) else "",
            "cells": [each[i] for each in cells],
        }
        for at, i in enumerate(order)
    ]
    return {"corner": _("Criterion"), "heads": agents, "rows": rows, "note": note}


def _describe_map(found: AgentMap, locale: ReportLocale) -> str:
    """Return what the cells say, and what the map leaves out."""
    notes = [_("Percent of the points of each criterion, and in how many calls it applied.")]
    if found.agents_in_all > len(found.agents):
        counts = {"shown": locale.count(len(found.agents)), "all": locale.count(found.agents_in_all)}
        notes.append(_("The %(shown)s agents (of %(all)s) with the most calls.") % counts)
    if found.criteria_in_all > len(found.criteria):
        counts = {"shown": locale.count(len(found.criteria)), "all": locale.count(found.criteria_in_all)}
        notes.append(_("The %(shown)s criteria (of %(all)s) that cost the most points.") % counts)
    if any(cell.met_pct is None for each in found.agents for cell in each.cells):
        notes.append(_("A dash: it applied to none of the agent's calls."))
    notes.append(_few_note())
    return " ".join(notes)


def _map_hours(found: WeekHours, locale: ReportLocale, *, shows_score: bool) -> FigureMap:
    busy = [each for each in found.hours if (each.scored_calls if shows_score else each.calls)]
    if not busy:
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
        rows.append({"name": str(name), "project": "", "cells": cells})
    untimed = ""
    if found.untimed_calls:
        text = ngettext(
            "%(count)s call without a known time is in no cell.",
            "%(count)s calls without a known time are in no cell.",
            found.untimed_calls,
        )
        untimed = text % {"count": locale.count(found.untimed_calls)}
    heads = [f"{hour:02d}" for hour in range(first, last + 1)]
    note = _few_note() if shows_score else untimed
    return {"corner": _("Weekday"), "heads": heads, "rows": rows, "note": note}


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
