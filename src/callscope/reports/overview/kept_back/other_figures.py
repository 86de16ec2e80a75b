"""Maps, mistakes and the wide trend without what would tell of a call that waits for the reader."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from callscope.projects.models import Project
from callscope.reports.overview.coverage import COUNTED_OVER
from callscope.reports.overview.figure_trend.figures import CALLS, QUESTION
from callscope.reports.overview.figure_trend.weeks import FigureTrend, WeekFigure
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.overview.kept_back.calls import NOTHING_KEPT, KeptBack
from callscope.reports.overview.kept_back.rows import blank
from callscope.reports.overview.maps.agent_criteria import AgentMap, MapAgent, MapCell
from callscope.reports.overview.maps.week_hours import WeekHours
from callscope.reports.overview.schemas import TrendBucket
from callscope.reports.window import Window

OF_ANSWERS = "non_critical_accuracy_pct"  # whose n counts answers, not calls


def hide_in_map(found: AgentMap, kept: KeptBack) -> AgentMap:
    """Return the map of agents and criteria; `kept` are of its window."""
    by_agent = kept.group(lambda call: call.agent)
    return replace(
        found,
        agents=[
            hide_cells(each, mine, found.projects) if (mine := by_agent.get(each.agent_id)) else each
            for each in found.agents
        ],
    )


def hide_cells(found: MapAgent, kept: KeptBack, projects: Sequence[frozenset[int]]) -> MapAgent:
    """Return the cells of an agent; of few calls also those of criteria that apply to none of them.

    `projects` are those of each criterion: in other projects than those of their calls, agents have none.
    """
    is_few = kept.hides_group(found.calls)
    own = {call.project for call in kept.calls}.union(
        *(of for of, cell in zip(projects, found.cells, strict=True) if cell.calls)
    )
    cells = [
        MapCell(cell.calls or found.calls, None, 0)
        if (is_few and not own.isdisjoint(of)) or (cell.calls and kept.hides(cell.calls))
        else cell
        for of, cell in zip(projects, found.cells, strict=True)
    ]
    return replace(found, cells=cells)


def hide_in_hours(found: WeekHours, kept: KeptBack) -> WeekHours:
    """Return the map of weekdays and hours; `kept` are of its window."""
    places = kept.group(lambda call: (call.weekday, call.hour))
    return replace(
        found,
        hours=[
            blank(each, ["average_score"])
            if places.get((each.weekday, each.hour), NOTHING_KEPT).hides_group(each.scored_calls)
            else each
            for each in found.hours
        ],
    )


def hide_in_findings(found: Findings | None, window: Window, kept: KeptBack) -> Findings | None:
    """Return mistakes and missed prompts; `kept` are the calls that wait, of any day."""
    now, before = kept.within(window), kept.within(window.previous())
    if found is None or not (now or before):
        return found
    is_few = now.hides_group(found.checked_calls)

    def hide(row: FindingRow) -> FindingRow:
        if is_few or (row.decided_calls and now.hides(row.decided_calls)):
            row = blank(
                replace(row, calls=0, decided_calls=row.decided_calls or found.checked_calls),
                ("share_pct", "delta_pct", "within_noise"),
            )
        if row.previous_decided_calls and before.hides(row.previous_decided_calls):
            row = blank(row, ("previous_calls", "previous_share_pct", "delta_pct", "within_noise"))
        return row

    mistakes, prompts = ([hide(row) for row in rows] for rows in (found.mistakes, found.missed_prompts))
    return replace(found, mistakes=mistakes, missed_prompts=prompts)


def list_kept_weeks(trend: Sequence[TrendBucket], figure: str = "average_score") -> frozenset[dt.date]:
    """Return the weeks of a report whose figure is left out: they have calls for it, and yet no value."""
    base = COUNTED_OVER[figure]
    return frozenset(each.week for each in trend if getattr(each, figure) is None and getattr(each, base))


def hide_in_trend(
    found: FigureTrend, projects: Sequence[Project], window: Window, kept: KeptBack
) -> FigureTrend:
    """Return the wide trend of a window; `kept` are of any day. No review asks for the answer to a question.

    The window and the one before it may share a week: each has the calls of its own days.
    """
    figure = found.figure.figure
    if not kept or figure == CALLS or figure.startswith(QUESTION):
        return found
    answers = 1  # to a call, in what the figure counts
    if figure == OF_ANSWERS:
        rubrics = [project.configuration.rubric.criteria() for project in projects]
        answers = max((sum(not each.critical for _section, each in rubric) for rubric in rubrics), default=1)
    own, before = (kept.within(each).group(lambda call: call.week) for each in (window, window.previous()))

    def hide(week: WeekFigure, weeks: Mapping[dt.date, KeptBack]) -> WeekFigure:
        if not weeks.get(week.week, NOTHING_KEPT).hides_group(math.ceil(week.n / max(answers, 1))):
            return week
        return replace(blank(week, ["value"]), interval=None, n=max(week.n, 1))

    shown = [
        replace(each, now=hide(each.now, own), previous=each.previous and hide(each.previous, before))
        for each in found.weeks
    ]
    return replace(found, weeks=shown)
