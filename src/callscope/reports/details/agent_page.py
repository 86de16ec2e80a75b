"""One agent in one project: the course of each criterion, quotes, open notes, appeals. No ranking.

The figures are those of the report over the calls of the agent, and for each of the last weeks; a criterion
is judged by the calls to which it applies, as there (`judge_row`).
Where calls are too few, a figure has no interval, and says so.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db.models import BooleanField, ExpressionWrapper, Max, Min
from django.utils import timezone

from callscope.analysis.models import results_removed
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import OwnCalls
from callscope.projects.models import Project
from callscope.reports.details.agent_figures import AgentFigures, read_agent_figures
from callscope.reports.details.agent_moments import AgentMoment, find_agent_moments
from callscope.reports.overview.comparisons import name_side
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.kept_back.calls import NOTHING_KEPT, KeptBack, find_kept_back
from callscope.reports.overview.kept_back.rows import hide_changes, hide_criterion, hide_figures
from callscope.reports.overview.schemas import FigureDifference, Headline, ScorecardRow
from callscope.reports.overview.scorecard import judge_row
from callscope.reports.window import Window, day_of, end_of_week, find_week, is_part_of_week
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.notes import NoteRow, describe_note, find_notes

WEEKS = 8  # of a page without a window
WEEK = dt.timedelta(days=7)
NOTES = 50
APPEALS = 8  # that are listed


class WeekFigure(NamedTuple):
    """A criterion in one week: as the interface counts it, then where it applies."""

    week: dt.date  # the Monday
    average_pct: float | None
    average_pct_interval: Interval
    calls: int
    evaluated_pct: float | None
    evaluated_pct_interval: Interval
    not_applicable_calls: int
    is_part: bool  # only a part of the week lies in the window or has passed

    @property
    def judged_calls(self) -> int:
        """The calls that `evaluated_pct` is taken over."""
        return self.calls - self.not_applicable_calls

    @property
    def is_kept_back(self) -> bool:
        """Whether its figures would tell of a call that waits for the reader's review: see kept_back."""
        return self.evaluated_pct is None and self.judged_calls > 0

    @property
    def is_few(self) -> bool:
        return self.judged_calls < FEW_CALLS


@dataclass(frozen=True, slots=True)
class CriterionCourse:
    """A criterion over all weeks, and in each; next to that of all calls of the project in these weeks."""

    row: ScorecardRow
    weeks: list[WeekFigure]
    everyone: ScorecardRow | None = None  # None for agents themselves, who see own calls alone


@dataclass(frozen=True, slots=True)
class AgentPage:
    """Everything that is shown about one agent."""

    agent: Agent
    project: Project
    window: Window
    headline: Headline
    criteria: list[CriterionCourse]
    best: list[AgentMoment]
    worst: list[AgentMoment]
    notes: list[NoteRow]  # open ones, the newest call first
    appeals: dict[str, int]  # by state; open ones that can no longer be decided apart
    everyone: Headline | None = None  # of all calls of the project in these weeks; None as above
    previous: Headline | None = None  # of the agent in the window before; None where a side is open
    changes: Sequence[FigureDifference] = ()  # since then
    to_others: FigureDifference | None = None  # of the average score to all other calls; None as above
    half_heard_calls: int = 0  # in the window, with an unreliable transcript
    half_heard_by_people: int = 0  # of them, those whose score comes from answers of people alone
    zeroed_calls: int = 0  # in the window, scored 0 with a critical error
    calls_read: int = 0  # the latest, for what to talk about
    hidden_calls: int = 0  # in the window, whose results are kept from the reader
    hidden_half_heard: int = 0  # of them, those with an unreliable transcript
    hidden_appeals: int = 0  # of all time, about calls whose results are kept from the reader
    latest_appeals: Sequence[Appeal] = ()  # those that wait first; none for who may not read them
    undecidable: frozenset[int] = frozenset()  # open appeals whose calls lost their results to retention
    kept: KeptBack = NOTHING_KEPT  # the calls of the agent that wait for the reader, of any day
    is_kept_back: bool = False  # figures are not shown, as they would tell of one of these calls

    @property
    def is_few(self) -> bool:
        """True where few calls are scored, which say little about a person unless they have a standing."""
        return self.headline.scored_calls < FEW_CALLS

    @property
    def other_half_heard_calls(self) -> int:
        """The calls with an unreliable transcript that are not hidden: no call is in both counts."""
        return self.half_heard_calls - self.hidden_half_heard

    def find_least(self, value: float, calls: int) -> float:
        """Return what a share or mean of so many calls, 0 to 100, is at least without unreliable transcripts.

        What such calls lack is not judged, so they can raise a figure and not lower it. Answers of people
        need no transcript.
        """
        raised = min(self.half_heard_calls - self.half_heard_by_people, calls)
        return 0.0 if raised == calls else max(0.0, (value * calls - 100.0 * raised) / (calls - raised))

    @property
    def standing(self) -> str:
        """How the average score differs from that of all other calls.

        "" where that may be chance, or comes from unreliable transcripts alone.
        """
        found, own = self.to_others, self.headline
        if found is None or found.difference is None or own.average_score is None:
            return ""
        interval = found.difference_interval
        if found.difference > 0 and interval is not None:
            raised = own.average_score - self.find_least(own.average_score, own.scored_calls)
            interval = interval[0] - raised, interval[1]
        return name_side(found.difference, interval)

    @property
    def shown_appeals(self) -> int:
        """How many appeals the counts hold."""
        return sum(self.appeals.values())


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
    window: Window | None = None,
    blinded: Collection[int] = (),
) -> AgentPage:
    """Return the page over a window; without one over the last WEEKS weeks in which the agent has calls.

    The course holds all weeks of it, from the first with a call to the last. `shows_notes`: the reader may
    read notes and appeals; the agent, `is_own`, those notes that are shared alone. Calls that are `blinded`
    for the reader give no quote, no note and no appeal, and no figure over few calls.
    """
    weeks = _find_weeks(project, agent, window or Window(), most=WEEKS if window is None else None)
    window = window or weeks
    mondays = _list_mondays(weeks)
    own_weeks = [_cut(day, weeks) for day in mondays]
    figures = read_agent_figures(project, agent.pk, window, own_weeks, with_everyone=not is_own)
    weekly = list_weeks(figures, mondays, weeks)
    of_all = figures.everyone
    by_key = {(row.criterion_id, row.name): row for row in (of_all.scorecard if of_all else ())}
    ahead = {
        row.criterion_id: pct - (judge_row(other).pct or 0)
        for row in figures.own.scorecard
        if (pct := judge_row(row).pct) is not None and (other := by_key.get((row.criterion_id, row.name)))
    }
    moments = find_agent_moments(project, agent, window, ahead=ahead, blinded=blinded)
    page = AgentPage(
        agent=agent,
        project=project,
        window=window,
        headline=figures.own.headline,
        criteria=[
            CriterionCourse(row, list(_follow(row, weekly)), by_key.get((row.criterion_id, row.name)))
            for row in figures.own.scorecard
            if row.calls
        ],
        best=moments.best,
        worst=moments.worst,
        calls_read=moments.calls,
        hidden_calls=moments.hidden_calls,
        hidden_half_heard=moments.hidden_half_heard,
        notes=_list_open_notes(project, agent, blinded, is_own=is_own) if shows_notes else [],
        **_find_appeals(project, agent, blinded, is_own=is_own, most=APPEALS if shows_notes else 0)._asdict(),
        everyone=of_all.headline if of_all else None,
        previous=figures.previous,
        changes=figures.changes,
        to_others=figures.to_others,
        half_heard_calls=figures.half_heard_calls,
        half_heard_by_people=figures.half_heard_by_people,
        zeroed_calls=figures.zeroed_calls,
    )
    return hide_on_page(page, find_kept_back([project], blinded))


def hide_on_page(page: AgentPage, kept: KeptBack) -> AgentPage:
    """Return the page as the reader may see it; `kept` are the calls of the project that wait, of any day."""
    if not kept:
        return page
    mine = kept.where(lambda call: call.agent == page.agent.pk)
    now, of_all = (each.within(page.window) for each in (mine, kept))
    by_week, earlier = now.group(lambda call: call.week), mine.within(page.window.previous())
    everyone = page.everyone and hide_figures(page.everyone, of_all)
    shown = replace(
        page,
        kept=mine,
        headline=(headline := hide_figures(page.headline, now)),
        zeroed_calls=0 if headline.average_score is None else page.zeroed_calls,
        previous=(previous := page.previous and hide_figures(page.previous, earlier)),
        changes=hide_changes(page.changes, headline, previous),
        everyone=everyone,
        to_others=page.to_others and hide_changes([page.to_others], headline, everyone)[0],
        criteria=[
            replace(
                each,
                row=hide_criterion(each.row, now),
                weeks=[_hide_week(week, by_week.get(week.week, NOTHING_KEPT)) for week in each.weeks],
                everyone=each.everyone and hide_criterion(each.everyone, of_all),
            )
            for each in page.criteria
        ],
    )
    return replace(shown, is_kept_back=shown != replace(page, kept=mine))


def _hide_week(week: WeekFigure, kept: KeptBack) -> WeekFigure:
    """Return a week of a criterion; of few calls not even whether it applies to them."""
    is_few = week.calls and kept.hides_group(week.calls)
    if not is_few and not (week.judged_calls and kept.hides(week.judged_calls)):
        return week
    not_applicable = 0 if is_few else week.not_applicable_calls
    return WeekFigure(week.week, None, None, week.calls, None, None, not_applicable, week.is_part)


class AgentAppeals(NamedTuple):
    """The appeals of an agent by state, and how many more are about calls that are kept from the reader.

    Open are those that can still be decided; `undecidable` ones are counted under this name.
    """

    appeals: dict[str, int]
    hidden_appeals: int
    latest_appeals: list[Appeal]
    undecidable: frozenset[int]


def _find_appeals(
    project: Project, agent: Agent, blinded: Collection[int], *, is_own: bool, most: int
) -> AgentAppeals:
    """Return the appeals of all time; at most so many of them with their calls."""
    filed = Appeal.objects.filter(project=project, call__agent=agent)
    if is_own:  # not those of who had the call before
        filed = filed.filter(appellant__in=OwnCalls(project, agent.pk).list_users())
    filed = filed.annotate(removed=ExpressionWrapper(results_removed(), BooleanField()))
    found = list(filed.order_by("-pk").values_list("pk", "state", "call", "removed"))
    shown = [(pk, state, removed) for pk, state, call, removed in found if call not in blinded]
    appeals = Counter(state for _pk, state, _removed in shown)
    undecided = {pk: removed for pk, state, removed in shown if state == Appeal.State.OPEN}
    undecidable = frozenset(pk for pk, removed in undecided.items() if removed)
    order = sorted((pk for pk, *_state in shown), key=lambda pk: undecided.get(pk, True))[:most]
    listed = Appeal.objects.select_related("call").in_bulk(order)
    counts = {state: appeals[state] for state in Appeal.State.values}
    counts |= {Appeal.State.OPEN.value: len(undecided) - len(undecidable), "undecidable": len(undecidable)}
    latest = [listed[pk] for pk in order if pk in listed]
    return AgentAppeals(counts, len(found) - len(shown), latest, undecidable)


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
                "evaluated_pct": each.row.evaluated_pct,
                "evaluated_pct_interval": each.row.evaluated_pct_interval,
                "not_applicable_calls": each.row.not_applicable_calls,
                "everyone_average_pct": each.everyone and each.everyone.average_pct,
                "everyone_calls": each.everyone and each.everyone.calls,
                "everyone_evaluated_pct": each.everyone and each.everyone.evaluated_pct,
                "everyone_not_applicable_calls": each.everyone and each.everyone.not_applicable_calls,
                "weeks": [week._asdict() for week in each.weeks],
            }
            for each in page.criteria
        ],
        "best_quotes": [each.quote for each in page.best],
        "worst_quotes": [each.quote for each in page.worst if each.quote["quote"]],
        "notes": page.notes,
        "appeals": page.appeals,
    }


def _find_weeks(project: Project, agent: Agent, window: Window, *, most: int | None) -> Window:
    """Return the weeks of a window from the agent's first call in it to the latest, no day of them to come.

    At most so many, the latest ones.
    """
    first, after = window.moments
    calls = Call.objects.filter(project=project, agent=agent)
    within = calls.filter(call_datetime__gte=first, call_datetime__lt=after)
    earliest, latest = within.aggregate(Min("call_datetime"), Max("call_datetime")).values()
    if latest is None:
        return Window()
    monday = find_week(day_of(latest))
    known = max(dt.date.fromordinal(day_of(latest)), timezone.localdate())
    start = find_week(day_of(earliest)) if most is None else monday - (most - 1) * WEEK
    end = min(end_of_week(monday), known)
    return Window(max(start, window.start or start), min(end, window.end or end))


def _list_mondays(weeks: Window) -> list[dt.date]:
    """Return the Mondays of the weeks that a window touches; none of one with an open side."""
    if weeks.start is None or weeks.end is None:
        return []
    first = find_week(weeks.start.toordinal())
    return [first + n * WEEK for n in range((weeks.end - first).days // 7 + 1)]


def _cut(monday: dt.date, weeks: Window) -> Window:
    """Return the days of a week that lie in the window."""
    end = end_of_week(monday)
    return Window(max(monday, weeks.start or monday), min(end, weeks.end or end))


def list_weeks(figures: AgentFigures, mondays: Sequence[dt.date], window: Window) -> "list[_Week]":
    """Return the scorecards of the weeks that begin on these days."""
    today = day_of(timezone.now())
    return [
        _Week(
            day,
            {(row.criterion_id, row.name): row for row in each},
            is_part_of_week(day.toordinal(), *window.days, figures.weekdays, today=today),
        )
        for day, each in zip(mondays, figures.weeks, strict=True)
    ]


class _Week(NamedTuple):
    """The scorecard of one week, by id and name of the criterion."""

    monday: dt.date
    rows: dict[tuple[str, str], ScorecardRow]
    is_part: bool


def _follow(row: ScorecardRow, weekly: list[_Week]) -> Iterator[WeekFigure]:
    for monday, rows, is_part in weekly:
        found = rows.get((row.criterion_id, row.name))
        if found is None:
            yield WeekFigure(monday, None, None, 0, None, None, 0, is_part)
        else:
            yield WeekFigure(
                monday,
                found.average_pct,
                found.average_pct_interval,
                found.calls,
                found.evaluated_pct,
                found.evaluated_pct_interval,
                found.not_applicable_calls,
                is_part,
            )


def _list_open_notes(
    project: Project, agent: Agent, blinded: Collection[int], *, is_own: bool
) -> list[NoteRow]:
    notes = find_notes(shared_only=is_own).filter(project=project, call__agent=agent, closed_at=None)
    notes = notes.exclude(call__in=blinded)
    return [describe_note(each, is_own=is_own) for each in notes.order_by("-call_id", "at_s", "pk")[:NOTES]]
