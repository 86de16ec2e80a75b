"""The figures of one agent in one project: over a window, before it, in some of its weeks, and of all calls.

They are those of reports over the same calls (`build_report`). A report counts much that the page of an
agent does not show, so that ten of them asked some 150 queries; here the facts of the agent are read once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reports.models import CriterionSeen
from callscope.reports.overview.comparisons import compare_headlines, compare_score
from callscope.reports.overview.headline import HourTotals
from callscope.reports.overview.loader import (
    ReportData,
    ScoredCriterion,
    count_half_heard,
    count_scored_by_people,
    count_zeroed,
)
from callscope.reports.overview.schemas import FigureDifference, Headline, ScorecardRow
from callscope.reports.overview.scorecard import build_scorecard
from callscope.reports.store import reader, version
from callscope.reports.store.aggregates import Aggregates
from callscope.reports.window import Window, list_weekdays

TABLES = ("criteria", "days", "hours", "hour_scores")


@dataclass(frozen=True, slots=True)
class ScopeFigures:
    """Headline and scorecard over some calls; the rows know nothing of versions of the rubric."""

    headline: Headline
    scorecard: list[ScorecardRow]


@dataclass(frozen=True, slots=True)
class AgentFigures:
    """What is counted of one agent."""

    own: ScopeFigures
    weeks: list[list[ScorecardRow]]  # the scorecard of each week that was asked for
    everyone: ScopeFigures | None  # all calls of the project; None where not asked for, or without own calls
    previous: Headline | None  # of the agent in the window before; None where a side of the window is open
    changes: list[FigureDifference]  # since then, one for each figure with an interval
    half_heard_calls: int  # of the agent in the window
    half_heard_by_people: int  # of them, those whose score comes from answers of people alone
    zeroed_calls: int  # of the agent in the window, scored 0 with a critical error
    to_others: FigureDifference | None  # of the average score to all other calls; None as `everyone`
    weekdays: set[int]  # on which the agent has calls in the window; Monday is 0


def read_agent_figures(
    project: Project, agent_id: int, window: Window, weeks: Sequence[Window], *, with_everyone: bool
) -> AgentFigures:
    """Return the figures of an agent over a window, and the scorecards of some weeks, of one moment."""
    before = window.previous()
    windows = [window, *weeks] if before is None else [window, *weeks, before]
    version.ensure_current()
    with snapshot():
        sums = reader.read_agent_windows(project.pk, agent_id, windows, TABLES)
        everything = None
        if with_everyone and not sums[0].is_empty:
            everything = reader.read_aggregates([project.pk], window, TABLES)
        half_heard = count_half_heard([project.pk], window, agent_id)
        by_people = count_scored_by_people([project.pk], window, agent_id) if half_heard else 0
        zeroed = count_zeroed([project.pk], window, agent_id, sums[0])
        seen = CriterionSeen.objects.filter(project=project).values_list("pk", *ScoredCriterion._fields)
        data = ReportData(
            projects=[project],
            configurations={project.pk: project.configuration},
            window=window,
            aggregates=sums[0],
            previous=None if before is None else sums[-1],
            total_calls_all_time=0,  # not shown
            criteria={pk: ScoredCriterion._make(fields) for pk, *fields in seen},
            topics={},
            agents={},
        )
    totals = HourTotals(data.aggregates)
    own = ScopeFigures(totals.headline(), build_scorecard(data, possible_points=totals.possible))
    previous, changes = None, []
    if data.previous is not None:
        totals_before = HourTotals(data.previous)
        previous = totals_before.headline()
        changes = compare_headlines(totals, own.headline, totals_before, previous)
    return AgentFigures(
        own,
        describe_weeks(data, sums[1 : 1 + len(weeks)]),
        None if everything is None else _describe(data, everything),
        previous,
        changes,
        half_heard,
        by_people,
        zeroed,
        None if everything is None else compare_score(totals, HourTotals(everything)),
        list_weekdays(data.aggregates.table("days")[:, 0].tolist()),
    )


def describe_weeks(data: ReportData, weeks: Sequence[Aggregates]) -> list[list[ScorecardRow]]:
    """Return the scorecard of each week; those without a call, of years there may be a hundred, share one."""
    nothing = next((_describe(data, each).scorecard for each in weeks if each.is_empty), [])
    return [nothing if each.is_empty else _describe(data, each).scorecard for each in weeks]


def _describe(data: ReportData, sums: Aggregates) -> ScopeFigures:
    """Return the figures over other calls of the same project, compared with none."""
    totals = HourTotals(sums)
    here = replace(data, aggregates=sums, previous=None)
    return ScopeFigures(totals.headline(), build_scorecard(here, possible_points=totals.possible))
