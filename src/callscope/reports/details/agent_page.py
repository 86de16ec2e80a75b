"""One agent in one project: the course of each criterion, quotes, open notes, appeals. No ranking.

The figures are those of the report over the calls of the agent, over all weeks shown and for each of them.
Where calls are too few, a figure has no interval, and says so.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import OwnCalls
from callscope.projects.models import Project
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.report import build_report
from callscope.reports.overview.schemas import Headline, ScorecardRow
from callscope.reports.window import Window, day_of, find_week
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.notes import NoteRow, describe_note, find_notes

WEEKS = 8
WEEK = dt.timedelta(days=7)
CALLS_READ = 40  # the latest, for quotes
QUOTES = 5  # of each kind
NOTES = 50


class WeekFigure(NamedTuple):
    """A criterion in one week."""

    week: dt.date  # the Monday
    average_pct: float | None
    average_pct_interval: Interval
    calls: int


@dataclass(frozen=True, slots=True)
class CriterionCourse:
    """A criterion over all weeks, and in each; next to that of all calls of the project in these weeks."""

    row: ScorecardRow
    weeks: list[WeekFigure]
    everyone: ScorecardRow | None = None  # None for agents themselves, who see own calls alone


class AgentQuote(TypedDict):
    """A quote from a call, and what it shows."""

    call_id: int
    file_name: str
    name: str  # of the criterion or mistake
    quote: str  # "[MM:SS] text"
    quote_start: float | None


@dataclass(frozen=True, slots=True)
class AgentPage:
    """Everything that is shown about one agent."""

    agent: Agent
    project: Project
    window: Window
    headline: Headline
    criteria: list[CriterionCourse]
    best: list[AgentQuote]
    worst: list[AgentQuote]
    notes: list[NoteRow]  # open ones, the newest call first
    appeals: dict[str, int]  # by state
    everyone: Headline | None = None  # of all calls of the project in these weeks; None as above

    @property
    def is_few(self) -> bool:
        """True where so few calls are scored that the figures say little about a person."""
        return self.headline.scored_calls < FEW_CALLS

    @property
    def has_appeals(self) -> bool:
        return any(self.appeals.values())


def find_agents_project(projects: Collection[Project], agent_id: int) -> Project | None:
    """Return the project of the agent's latest call; None where the agent has none in these projects."""
    calls = Call.objects.filter(agent=agent_id, project__in=[project.pk for project in projects])
    latest = calls.order_by("-call_datetime", "-pk").values_list("project_id", flat=True).first()
    return next((project for project in projects if project.pk == latest), None)


def build_agent_page(
    project: Project,
    agent: Agent,
    *,
    shows_notes: bool,
    is_own: bool,
    blinded: Collection[int] = (),
) -> AgentPage:
    """Return the page over the last weeks in which the agent has calls.

    `shows_notes`: the reader may read notes; the agent, `is_own`, those that are shared alone. Calls
    that are `blinded` for the reader give no quote.
    """
    window = _find_window(project, agent)
    mondays = [window.start + n * WEEK for n in range(WEEKS)] if window.start else []
    whole = build_report([project], window, agent.pk)
    by_week = [
        build_report([project], Window(day, day + WEEK - dt.timedelta(days=1)), agent.pk) for day in mondays
    ]
    weekly = [
        (day, {(row.criterion_id, row.name): row for row in each.scorecard})
        for day, each in zip(mondays, by_week, strict=True)
    ]
    everyone = None if is_own or window.start is None else build_report([project], window)
    by_key = {(row.criterion_id, row.name): row for row in everyone.scorecard} if everyone else {}
    best, worst = _find_quotes(project, agent, window, blinded)
    filed = Appeal.objects.filter(project=project, call__agent=agent).exclude(call__in=blinded)
    if is_own:  # not those of who had the call before
        filed = filed.filter(appellant__in=OwnCalls(project, agent.pk).list_users())
    appeals = Counter(filed.values_list("state", flat=True))
    return AgentPage(
        agent=agent,
        project=project,
        window=window,
        headline=whole.headline,
        criteria=[
            CriterionCourse(row, list(_follow(row, weekly)), by_key.get((row.criterion_id, row.name)))
            for row in whole.scorecard
            if row.calls
        ],
        best=best,
        worst=worst,
        notes=_list_open_notes(project, agent, is_own=is_own) if shows_notes else [],
        appeals={state: appeals[state] for state in Appeal.State.values},
        everyone=everyone.headline if everyone else None,
    )


def agent_page_json(page: AgentPage) -> dict[str, object]:
    """Return the page as the API answers it."""
    return {
        "agent_id": page.agent.pk,
        "agent": page.agent.name,
        "project_id": page.project.pk,
        "start_date": page.window.start,
        "end_date": page.window.end,
        "calls": page.headline.total_calls,
        "scored_calls": page.headline.scored_calls,
        "average_score": page.headline.average_score,
        "average_score_interval": page.headline.average_score_interval,
        "is_few": page.is_few,
        "everyone_average_score": page.everyone and page.everyone.average_score,
        "everyone_scored_calls": page.everyone and page.everyone.scored_calls,
        "criteria": [
            {
                "criterion_id": each.row.criterion_id,
                "name": each.row.name,
                "section": each.row.section,
                "average_pct": each.row.average_pct,
                "average_pct_interval": each.row.average_pct_interval,
                "calls": each.row.calls,
                "everyone_average_pct": each.everyone and each.everyone.average_pct,
                "everyone_calls": each.everyone and each.everyone.calls,
                "weeks": [week._asdict() for week in each.weeks],
            }
            for each in page.criteria
        ],
        "best_quotes": page.best,
        "worst_quotes": page.worst,
        "notes": page.notes,
        "appeals": page.appeals,
    }


def _find_window(project: Project, agent: Agent) -> Window:
    calls = Call.objects.filter(project=project, agent=agent)
    latest = calls.order_by("-call_datetime").values_list("call_datetime", flat=True).first()
    if latest is None:
        return Window()
    monday = find_week(day_of(latest))
    return Window(monday - (WEEKS - 1) * WEEK, monday + WEEK - dt.timedelta(days=1))


def _follow(
    row: ScorecardRow, weekly: list[tuple[dt.date, dict[tuple[str, str], ScorecardRow]]]
) -> Iterator[WeekFigure]:
    for day, rows in weekly:
        found = rows.get((row.criterion_id, row.name))
        if found is None:
            yield WeekFigure(day, None, None, 0)
        else:
            yield WeekFigure(day, found.average_pct, found.average_pct_interval, found.calls)


def _find_quotes(
    project: Project, agent: Agent, window: Window, blinded: Collection[int]
) -> tuple[list[AgentQuote], list[AgentQuote]]:
    """Return quotes of what went well and what did not, of each criterion or mistake the latest."""
    first, after = window.moments
    live = CallAnalysis.objects.filter(project=project, is_live=True, call__agent=agent)
    live = live.filter(call__call_datetime__gte=first, call__call_datetime__lt=after).exclude(
        call__in=blinded
    )
    best: dict[str, AgentQuote] = {}
    worst: dict[str, AgentQuote] = {}
    for analysis in live.select_related("call").order_by("-call__call_datetime", "-pk")[:CALLS_READ]:
        for mistake in (analysis.no_protocol or {}).get("mistakes") or []:
            if mistake.get("quote"):
                name = str(mistake.get("description") or mistake.get("id") or "")
                worst.setdefault(f"mistake {mistake.get('id')}", _quote(analysis.call, name, mistake))
        for entry in (analysis.copc or {}).get("criterion_scores") or []:
            if not entry.get("quote") or entry.get("applicability") == "not_applicable":
                continue
            kind = best if entry.get("score", 0) >= entry.get("max_points", 0) else worst
            name = str(entry.get("name") or entry["criterion_id"])
            kind.setdefault(f"criterion {entry['criterion_id']}", _quote(analysis.call, name, entry))
    return list(best.values())[:QUOTES], list(worst.values())[:QUOTES]


def _quote(call: Call, name: str, entry: Mapping[str, Any]) -> AgentQuote:
    return {
        "call_id": call.pk,
        "file_name": call.file_name,
        "name": name,
        "quote": str(entry["quote"]),
        "quote_start": entry.get("quote_start"),
    }


def _list_open_notes(project: Project, agent: Agent, *, is_own: bool) -> list[NoteRow]:
    notes = find_notes(shared_only=is_own).filter(project=project, call__agent=agent, closed_at=None)
    return [describe_note(each, is_own=is_own) for each in notes.order_by("-call_id", "at_s", "pk")[:NOTES]]
