"""A report without the figures that would tell of a call that waits for the reader's blind review."""

from collections.abc import Sequence
from dataclasses import replace

from callscope.projects.models import Project
from callscope.reports.overview.headline import ERROR_CLASSES
from callscope.reports.overview.kept_back.calls import NOTHING_KEPT, KeptBack
from callscope.reports.overview.kept_back.rows import (
    blank,
    hide_changes,
    hide_criterion,
    hide_figures,
    hide_standing,
)
from callscope.reports.overview.schemas import (
    AgentRow,
    CopcRates,
    Report,
    ScorecardRow,
    ShiftRow,
    TrendBucket,
)

DIFFERENCE = "average_score_difference"


def hide_in_report(report: Report, kept: KeptBack, projects: Sequence[Project]) -> Report:
    """Return the report as the reader may see it; `kept` are the calls that wait, of any day."""
    now, before = kept.within(report.window), kept.within(report.window.previous())
    if not (now or before):
        return report
    headline = hide_figures(report.headline, now)
    previous = report.previous_headline and hide_figures(report.previous_headline, before)
    own, own_before = (each.group(lambda call: call.project) for each in (now, before))
    shifts = hide_shifts(report.shifts, now, projects)
    shown = replace(
        report,
        headline=headline,
        zeroed_calls=0 if headline.average_score is None else report.zeroed_calls,
        previous_headline=previous,
        changes=hide_changes(report.changes, headline, previous),
        scorecard=hide_scorecard(report.scorecard, now, before, projects, report.headline.total_calls),
        trend=hide_weeks(report.trend, now),
        agents=hide_agents(report, now, before),
        shifts=shifts,
        shift_differences=hide_changes(report.shift_differences, *(row.headline for row in shifts)),
        copc_rates=hide_rates(report.copc_rates, now),
        projects=[
            hide_standing(
                row, own.get(row.project_id, NOTHING_KEPT), own_before.get(row.project_id, NOTHING_KEPT)
            )
            for row in report.projects
        ],
    )
    return report if shown == report else replace(shown, waiting_calls=len((now or before).calls))


def hide_scorecard(
    rows: Sequence[ScorecardRow], now: KeptBack, before: KeptBack, projects: Sequence[Project], calls: int
) -> list[ScorecardRow]:
    """Return the criteria, each next to the calls of the projects that have it; all, where no rubric does.

    `calls` is how many the report counts.
    """
    homes: dict[tuple[str, str], set[int]] = {}
    if len(projects) > 1:
        for project in projects:
            for _section, each in project.configuration.rubric.criteria():
                homes.setdefault((each.id, each.name), set()).add(project.pk)
    found = []
    for row in rows:
        home = homes.get((row.criterion_id, row.name))
        own = [
            kept if home is None else kept.where(lambda call, home=home: call.project in home)  # type: ignore[misc]
            for kept in (now, before)
        ]
        found.append(hide_criterion(row, *own, calls_in_all=0 if homes else calls))
    return found


def hide_weeks(trend: Sequence[TrendBucket], kept: KeptBack) -> list[TrendBucket]:
    """Return the weeks; a change needs the score of the week before, too."""
    by_week, weeks = kept.group(lambda call: call.week), list[TrendBucket]()
    for bucket in trend:
        shown = hide_figures(bucket, by_week.get(bucket.week, NOTHING_KEPT))
        if shown.average_score is None or (weeks and weeks[-1].average_score is None):
            shown = blank(shown, ["average_score_change"])
        weeks.append(shown)
    return weeks


def hide_agents(report: Report, now: KeptBack, before: KeptBack) -> list[AgentRow]:
    """Return the agents; none is compared with all others where these are few, and one of them waits."""
    own, own_before = (each.group(lambda call: call.agent) for each in (now, before))
    rows = []
    for row in report.agents:
        mine, mine_before = (each.get(row.agent_id, NOTHING_KEPT) for each in (own, own_before))
        shown = hide_standing(row, mine, mine_before)
        others = now.where(lambda call, agent=row.agent_id: call.agent != agent)  # type: ignore[misc]
        if shown.average_score is None or others.hides(report.headline.scored_calls - row.scored_calls):
            shown = blank(shown, [DIFFERENCE])
        rows.append(shown)
    return rows


def hide_shifts(shifts: Sequence[ShiftRow], kept: KeptBack, projects: Sequence[Project]) -> list[ShiftRow]:
    """Return day and night, each call by the hours of its project; one without a known time is in neither."""
    hours = {project.pk: project.configuration.shift_hours for project in projects} if kept else {}
    by_shift = kept.where(lambda call: call.hour is not None).group(
        lambda call: "day" if hours[call.project].contains(call.hour or 0) else "night"
    )
    return [
        replace(row, headline=hide_figures(row.headline, by_shift.get(row.shift, NOTHING_KEPT)))
        for row in shifts
    ]


def hide_rates(rates: CopcRates, kept: KeptBack) -> CopcRates:
    """Return the accuracies over enough calls."""
    lost = [
        f"{name}_critical_accuracy_pct"
        for name in ERROR_CLASSES
        if kept.hides(getattr(rates, f"{name}_critical_calls") or 0)
    ]
    if kept.hides(rates.scored_calls):
        lost.append("non_critical_accuracy_pct")
    return blank(rates, lost)
