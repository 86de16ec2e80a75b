"""Prepare the agents of a report: in the order that the address asks for, under a row for all calls."""

from collections.abc import Sequence
from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.differences import list_talk_cells
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.headline import (
    BETTER_UP,
    TILES,
    Change,
    find_change,
)
from callscope.interfaces.web.presenters.report_page.parts import build_address
from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import WAITS, Cell, label_of, number
from callscope.reports.overview.by_project.agent_projects import name_agent_projects
from callscope.reports.overview.comparisons import is_within_noise, name_standing
from callscope.reports.overview.coverage import COUNTED_OVER, FEW_CALLS
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.loader import count_doubtful_by_agent
from callscope.reports.overview.report import AgentRow, Headline, ProjectRow, Report
from callscope.reports.overview.targets import find_average_band

AGENTS_AT_FIRST = 25
NOT_MEASURED = gettext_lazy("Nothing was measured in this agent's calls.")
NONE_BEFORE = gettext_lazy("No call of the agent was scored in the period before.")
AGENT = gettext_lazy("Agent")
FIGURES = {  # → the filter of the calls that it counts
    "average_score": "scored=true&ordering=score_percentage",
    "critical_error_pct": "critical=true",
    "negative_sentiment_pct": "sentiment=negative",
    "goal_reached_pct": "goal=true",
}
MOST_CALLS_FIRST = "-calls"
CHANGE = "average_score_change"
# What a first click on a head asks for: what needs a look comes first.
FIRST_ORDERS = {
    "agent": "agent",
    "calls": MOST_CALLS_FIRST,
    "average_score": "average_score",
    CHANGE: CHANGE,
    "critical_error_pct": "-critical_error_pct",
    "negative_sentiment_pct": "-negative_sentiment_pct",
    "goal_reached_pct": "goal_reached_pct",
}


class AgentHead(NamedTuple):
    """A head of the table, which sorts it."""

    label: str
    meaning: str
    url: str
    sort: str  # ascending or descending, when the table is in this order; else ""
    is_number: bool


class AgentOrder(NamedTuple):
    """An order for the list to choose from, which phones show in place of heads."""

    value: str  # of the parameter; "" for the usual one
    label: str
    is_current: bool


class AgentLine(NamedTuple):
    row: AgentRow
    projects: str  # whose calls they are, in a report of several
    is_few: bool  # so few calls that the figures say little about a person, and no standing
    talk: list[Cell]
    page_url: str  # of the agent
    standing: str  # the average score next to that of all other calls; "" where that cannot be compared
    standing_sign: str  # the same as an arrow, for rows of one line
    cells: list[Cell]
    change: Change | None  # of the average score
    no_change: str  # why there is none
    unreliable: str  # how many of the calls have unreliable transcripts; "" for none
    unreliable_calls: int


def build_agents(
    report: Report, report_request: ReportRequest, links: Links, target: float | None
) -> TemplateContext:
    """Return what the part about agents shows; `target` is that of the average score, if they share one."""
    is_compared = report.window.previous() is not None
    order = report_request.view.get("sort", MOST_CALLS_FIRST)
    if order.removeprefix("-") == CHANGE and not is_compared:
        order = MOST_CALLS_FIRST
    rows = sort_agents(report.agents, order)
    shown = rows if report_request.wants_all_agents else rows[:AGENTS_AT_FIRST]
    every = {**report_request.query, **report_request.view, "agents": "all"}
    projects = [project.pk for project in report_request.counted_projects]
    half_heard = count_doubtful_by_agent(projects, report.window) if report.half_heard_calls else {}
    named = name_agent_projects(report_request.counted_projects, report.window)
    lines = [
        _line(row, links, target, half_heard.get(row.agent_id, 0), named.get(row.agent_id, ""))
        for row in shown
    ]
    all_calls = list_cells(report.headline, report.headline.total_calls, links.to(), target)
    rows_of_cells = (
        [all_calls, *(line.cells for line in lines)] if len(rows) > 1 else [lines[0].cells] if lines else []
    )
    return {
        "agents": lines,
        "has_standing": any(line.standing for line in lines),
        "has_unreliable": any(line.unreliable for line in lines),
        "agent_heads": build_heads(order, report_request, is_compared=is_compared),
        "agent_orders": build_orders(order, is_compared=is_compared),
        "kept_query": {EVERYTHING: "", **report_request.query}
        | ({"agents": "all"} if report_request.wants_all_agents else {}),
        "agent_count": len(rows),
        "all_calls": all_calls,
        "bands": {cell.band for each in rows_of_cells for cell in each if cell.band is not None},
        "has_unmarked": any(line.row.calls < FEW_CALLS for line in lines),
        "all_calls_change": find_change(TILES[0], report.headline, report.previous_headline, report.changes),
        "has_talk": any(row.talk for row in rows),
        "all_agents_url": with_query(reverse("web:report-agents"), every) if len(shown) < len(rows) else "",
    }


def sort_agents(rows: Sequence[AgentRow], order: str) -> list[AgentRow]:
    """Return the rows by a figure, descending after a "-"; of few calls, and without a value, at the end.

    Rows that are alike stay as they are: most calls first.
    """
    name, is_descending = order.removeprefix("-"), order.startswith("-")
    if name == "agent":
        return sorted(rows, key=lambda row: row.agent.casefold(), reverse=is_descending)
    if name == "calls":
        return sorted(rows, key=lambda row: -row.calls if is_descending else row.calls)

    def place(row: AgentRow) -> tuple[bool, bool, float]:
        value = getattr(row, name)
        says_little = is_few(row) if name != CHANGE else min(count_compared(row)) < FEW_CALLS
        return value is None, says_little, (-value if is_descending else value) if value else 0.0

    return sorted(rows, key=place)


def is_few(row: AgentRow) -> bool:
    """Return whether an agent has so few calls that the figures say little: chance could explain them."""
    return row.calls < FEW_CALLS and not name_standing(row)


def count_compared(row: AgentRow | ProjectRow) -> tuple[int, int]:
    """Return the scored calls of an agent or project, now and in the window before."""
    return row.scored_calls, row.previous_scored_calls or 0


def compare_scores(row: AgentRow | ProjectRow) -> Change | None:
    """Return how the average score of an agent or project changed; None where one side has none."""
    if row.average_score_change is None or row.previous_average_score is None:
        return None
    return Change.of(
        row.average_score_change,
        row.previous_average_score,
        BETTER_UP,
        calls=count_compared(row),
        within_noise=is_within_noise(row.average_score_change_interval),
    )


def explain_no_change(row: AgentRow | ProjectRow, none_before: Promise, not_measured: Promise) -> Promise:
    """Return why an average score is not compared with that of the window before."""
    is_hidden = row.average_score is None and row.scored_calls
    if is_hidden or (row.average_score is not None and row.previous_scored_calls):
        return WAITS
    return none_before if row.scored_calls else not_measured


def build_heads(order: str, report_request: ReportRequest, *, is_compared: bool) -> list[AgentHead]:
    """Return the heads with their links; a second click turns the order round."""
    heads = []
    for name, first in FIRST_ORDERS.items():
        if name == CHANGE and not is_compared:
            continue
        sort = {name: "ascending", f"-{name}": "descending"}.get(order, "")
        on_click = first if not sort else name if sort == "descending" else f"-{name}"
        query = {**report_request.query, "sort": "" if on_click == MOST_CALLS_FIRST else on_click}
        if report_request.wants_all_agents:
            query["agents"] = "all"
        term = "total_calls" if name == "calls" else name
        label = str(AGENT) if name == "agent" else label_of(term)
        meaning = "" if name == "agent" else str(DEFINITIONS[term].meaning)
        url = build_address("agents", query)
        heads.append(AgentHead(label, meaning, url, sort, name != "agent"))
    return heads


def build_orders(order: str, *, is_compared: bool) -> list[AgentOrder]:
    """Return every order, of each figure first the one that a first click on its head asks for."""
    orders = []
    for name, first in FIRST_ORDERS.items():
        if name == CHANGE and not is_compared:
            continue
        for value in (first, name if first != name else f"-{name}"):
            is_descending = value.startswith("-")
            if name == "agent":
                label = _("Name, Z to A") if is_descending else _("Name, A to Z")
            else:
                figure = label_of("total_calls" if name == "calls" else name)
                label = (
                    _("%(figure)s, highest first") if is_descending else _("%(figure)s, lowest first")
                ) % {"figure": figure}
            orders.append(AgentOrder("" if value == MOST_CALLS_FIRST else value, label, value == order))
    return orders


def list_cells(row: AgentRow | Headline, total: int, calls: str, target: float | None = None) -> list[Cell]:
    """Return the figures of an agent, or of all calls, each with its interval and what it is taken over."""
    joint = "&" if "?" in calls else "?"
    return [
        Cell(total, 0, calls, NOT_MEASURED, "total_calls"),
        *(
            Cell(
                getattr(row, name),
                1,
                f"{calls}{joint}{found}",
                WAITS if getattr(row, COUNTED_OVER[name]) else NOT_MEASURED,
                name,
                # The calls of the row stand next to it; where a share is of fewer, it says so itself.
                out_of=base if (base := getattr(row, COUNTED_OVER[name])) != total else None,
                interval=getattr(row, f"{name}_interval"),
                has_short=True,
                band=find_average_band(row.average_score, row.average_score_interval, target)
                if name == "average_score"
                and total >= FEW_CALLS  # over fewer it would be a verdict on chance
                else None,
            )
            for name, found in FIGURES.items()
        ),
    ]


def _line(row: AgentRow, links: Links, target: float | None, half_heard: int, projects: str) -> AgentLine:
    unreliable = ngettext("%(count)s unreliable call", "%(count)s unreliable calls", half_heard)
    return AgentLine(
        row=row,
        projects=projects,
        is_few=is_few(row),
        talk=list_talk_cells(row),
        page_url=links.to_agent(row.agent_id),
        standing=(standing := name_standing(row)),
        standing_sign=("↑" if (row.average_score_difference or 0) > 0 else "↓") if standing else "",
        cells=list_cells(row, row.calls, links.to(agent=row.agent_id), target),
        change=compare_scores(row),
        no_change=str(explain_no_change(row, NONE_BEFORE, NOT_MEASURED)),
        unreliable=unreliable % {"count": number(half_heard)} if half_heard else "",
        unreliable_calls=half_heard,
    )
