"""Prepare the two maps of the report: tables of figures whose cells are shaded, those of few hatched."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.parts import PartLink, build_address
from callscope.interfaces.web.report_request import FREE_VIEWS, ReportRequest
from callscope.interfaces.web.templatetags.formatting import WAITS, number
from callscope.projects.owners import head_owner
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.maps.agent_criteria import (
    AgentMap,
    MapAgent,
    MapCell,
    RowName,
    describe_criteria,
    split_map,
)
from callscope.reports.overview.maps.shades import WEEKDAYS, find_shade, shade_share
from callscope.reports.overview.maps.week_hours import HourFigure, WeekHours
from callscope.reports.window import zone_name

HOURS_OF_A_PHONE = 6  # columns that it shows whole, next to the names of the days
BLANK = "blank"  # the class of a cell that stays empty: a hour without calls needs no dash


class MapSquare(NamedTuple):
    """One cell: the number in it, the calls behind it, its shade, and what it says in words."""

    text: str  # "" where nothing was measured
    calls: str  # "n 31"; "" where the number counts calls itself
    css_class: str
    said: str
    url: str = ""
    waits: bool = False  # for the visitor's review


class MapLine(NamedTuple):
    name: str
    squares: list[MapSquare]
    url: str = ""


class AgentMapPart(NamedTuple):
    project: str  # the head above it, where there are several; else ""
    criteria: list[str]
    lines: list[MapLine]


class AgentMapTable(NamedTuple):
    parts: list[AgentMapPart]
    scope: str  # which agents and criteria it shows, where that is not all


class WeekHoursTable(NamedTuple):
    hours: list[str]  # from the first with calls to the last
    first_busy: str  # of them: a map that is wider than a phone begins there
    lines: list[MapLine]
    choices: list[PartLink]  # calls or average score
    shows_score: bool
    zone: str
    untimed: str  # how many calls are in no cell; "" for none


def present_agent_map(found: AgentMap, links: Links) -> AgentMapTable | None:
    """Return the map of agents and criteria; None where nothing of it was measured."""
    if not (found.agents and found.criteria):
        return None
    split = split_map(found, links.owners)
    parts = [
        AgentMapPart(
            head_owner(owner) if len(split) > 1 else "",
            [key.name for key in part.criteria],
            [_agent_line(each, part.criteria, links) for each in part.agents],
        )
        for owner, part in split
    ]
    scope = []
    if found.agents_in_all > len(found.agents):
        counts = {"shown": number(len(found.agents)), "all": number(found.agents_in_all)}
        scope.append(_("The %(shown)s agents (of %(all)s) with the most calls.") % counts)
    if criteria := describe_criteria(found, number):
        scope.append(criteria)
    return AgentMapTable(parts, " ".join(scope))


def _agent_line(found: MapAgent, criteria: Sequence[RowName], links: Links) -> MapLine:
    squares = [
        _agent_square(found.label, found.agent_id, key, cell, links)
        for key, cell in zip(criteria, found.cells, strict=True)
    ]
    return MapLine(found.label, squares, links.to_agent(found.agent_id))


def _agent_square(agent: str, agent_id: int, key: RowName, cell: MapCell, links: Links) -> MapSquare:
    place = f"{agent} · {key.name}"
    if cell.is_kept_back:
        return MapSquare("", "", "", f"{place}: {WAITS}", waits=True)
    if cell.met_pct is None:
        return MapSquare("", "", "", _("%(place)s: it did not apply to any of the calls") % {"place": place})
    said = _("%(place)s: %(value)s %% of the points (n %(calls)s)") % {
        "place": place,
        "value": number(cell.met_pct, 1),
        "calls": number(cell.calls),
    }
    if cell.not_met:
        text = ngettext("%(calls)s call did not meet it", "%(calls)s calls did not meet it", cell.not_met)
        said += " · " + text % {"calls": number(cell.not_met)}
    found = {"result": "not_met"} if cell.not_met else {"found": "judged"}
    return MapSquare(
        number(cell.met_pct),
        _("n %(count)s") % {"count": number(cell.calls)},
        shade(cell.met_pct, cell.calls),
        said,
        links.to(agent=agent_id, criterion=key.criterion_id, **found),
    )


def present_week_hours(
    found: WeekHours, report_request: ReportRequest, links: Links
) -> WeekHoursTable | None:
    """Return the map of weekdays and hours; None where no call has a real time."""
    busy = [each.hour for each in found.hours if each.calls]
    if not busy:
        return None
    by_hour = Counter[int]()
    for each in found.hours:
        by_hour[each.hour] += each.calls
    most, shown = max(each.calls for each in found.hours), range(min(busy), max(busy) + 1)
    shows_score = report_request.view.get("hours") == "score"
    kept = {name: text for name, text in report_request.view.items() if name in FREE_VIEWS}
    query = report_request.query | kept  # the figure of the chart above stays
    untimed = ngettext(
        "%(count)s call without a known time is in no cell.",
        "%(count)s calls without a known time are in no cell.",
        found.untimed_calls,
    )
    return WeekHoursTable(
        hours=[f"{hour:02d}" for hour in shown],
        first_busy=f"{_find_busiest(by_hour):02d}",
        lines=[
            MapLine(
                str(name),
                [
                    _hour_square(each, most, links, shows_score=shows_score)
                    for each in found.hours
                    if each.weekday == day and each.hour in shown
                ],
            )
            for day, name in enumerate(WEEKDAYS)
        ],
        choices=[
            PartLink(_("Calls"), build_address("trend", query), not shows_score),
            PartLink(_("Average score"), build_address("trend", {**query, "hours": "score"}), shows_score),
        ],
        shows_score=shows_score,
        zone=zone_name(),
        untimed=untimed % {"count": number(found.untimed_calls)} if found.untimed_calls else "",
    )


def _find_busiest(by_hour: Counter[int]) -> int:
    """Return the hour with which the hours that fit a phone have the most calls, of several the latest."""
    return max(by_hour, key=lambda first: (sum(by_hour[first + i] for i in range(HOURS_OF_A_PHONE)), first))


def _hour_square(each: HourFigure, most: int, links: Links, *, shows_score: bool) -> MapSquare:
    place = f"{WEEKDAYS[each.weekday]} {each.hour:02d}:00"
    if not each.calls:
        return MapSquare("", "", BLANK, _("%(place)s: no calls") % {"place": place})
    calls = ngettext("%(count)s call", "%(count)s calls", each.calls) % {"count": number(each.calls)}
    said = f"{place}: {calls}"
    if each.average_score is not None:
        score = {"value": number(each.average_score, 1), "calls": number(each.scored_calls)}
        said += " · " + _("average score %(value)s %% (n %(calls)s)") % score
    when = {"weekday": each.weekday, "hour": each.hour}
    if not shows_score:
        shade_name = f"shade-{shade_share(each.calls, most)}"
        return MapSquare(number(each.calls), "", shade_name, said, links.to(**when))
    if each.average_score is None:
        reason = WAITS if each.scored_calls else _("none was scored")
        return MapSquare("", "", "", f"{said} · {reason}", waits=bool(each.scored_calls))
    return MapSquare(
        number(each.average_score),
        _("n %(count)s") % {"count": number(each.scored_calls)},
        shade(each.average_score, each.scored_calls),
        said,
        links.to(**when, scored="true", ordering="score_percentage"),
    )


def shade(percent: float, calls: int) -> str:
    """Return the classes of a cell: stronger the more is missing to 100, hatched where calls are few."""
    color = f"shade-{find_shade(percent)}"
    return f"{color} few" if calls < FEW_CALLS else color
