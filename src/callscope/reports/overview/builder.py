"""Build a report from its data. All arithmetic is on integers until a figure is rounded.

Rules: docs/api.md, "Figures".
"""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from callscope.analysis.figures import figure_of, percentage
from callscope.projects.configuration import Configuration
from callscope.reports.overview.by_project.project_rows import compare_projects
from callscope.reports.overview.comparisons import (
    SCORE_SUMS,
    compare_headlines,
    compare_with_last,
    compare_with_others,
    sum_scores,
)
from callscope.reports.overview.course import judge_course
from callscope.reports.overview.headline import HourTotals
from callscope.reports.overview.intervals import Estimates, estimate, sample_scores, sample_shares
from callscope.reports.overview.loader import AgentName, ReportData
from callscope.reports.overview.schemas import (
    AgentRow,
    ContactReasonRow,
    FigureDifference,
    ReasonGroupRow,
    Report,
    ReviewFigures,
    ShiftHours,
    ShiftRow,
    TrackerRow,
    TrackerWeek,
    TrendBucket,
)
from callscope.reports.overview.scorecard import build_scorecard
from callscope.reports.overview.talk_means import average_talk
from callscope.reports.store.aggregates import NO_HOUR, TABLES, Aggregates, CallCounts, group_by_key
from callscope.reports.store.exact_figures import ExactMean, difference_percent, means_by_key
from callscope.reports.window import ALL_TIME, Window, is_part_of_week, list_weekdays
from callscope.reviews.sampling.true_score import estimate_true_score

TOP_REASONS = 10
DAYS_PER_WEEK = 7


def assemble_report(
    data: ReportData, *, compares_projects: bool = False, most_reasons: int | None = TOP_REASONS
) -> Report:
    """Return the report over these data; a row for each project costs as much as the headline."""
    totals = HourTotals(data.aggregates)
    hours = {(c.shift_hours.day_start, c.shift_hours.day_end) for c in data.configurations.values()}
    trend = build_trend(data.aggregates, data.window, today=data.today)
    headline = totals.headline()
    before = None if data.previous is None else HourTotals(data.previous)
    previous_headline = None if before is None else before.headline()
    shifts, shift_differences = compare_shifts(data)
    changes = []
    if before is not None and previous_headline is not None:
        changes = compare_headlines(totals, headline, before, previous_headline)
    return Report(
        window=data.window,
        total_calls_all_time=data.total_calls_all_time,
        headline=headline,
        scorecard=build_scorecard(data, possible_points=totals.possible),
        trend=trend,
        contact_reasons=rank_contact_reasons(data, most_reasons),
        reason_groups=group_contact_reasons(data),
        trackers=count_trackers(data, [bucket.week for bucket in trend]),
        agents=rank_agents(data, totals.score),
        shifts=shifts,
        shift_hours=ShiftHours(*hours.pop()) if len(hours) == 1 else ShiftHours(None, None),
        copc_rates=totals.copc_rates(find_error_classes(data.configurations)),
        previous_headline=previous_headline,
        changes=changes,
        shift_differences=shift_differences,
        zeroed_calls=data.zeroed_calls,
        failed_calls=data.failed_calls,
        removed_results=data.removed_results,
        half_heard_calls=data.half_heard_calls,
        half_heard_by_people=data.half_heard_by_people,
        reviews=describe_reviews(data, totals.score),
        rubric_changes=data.rubric_changes,
        judged_changes=data.judged_changes,
        used_changes=data.used_changes,
        judged_calls=data.judged_calls,
        previous_judged_calls=data.previous_judged_calls,
        projects=compare_projects(data) if compares_projects else [],
    )


def describe_reviews(data: ReportData, everything_scored: ExactMean) -> ReviewFigures:
    """Return what people say about the machine's answers, and how they would score all calls."""
    rows = {agent: CallCounts._make(row) for agent, *row in data.aggregates.rows("agents")}
    calls: dict[int | None, int] = {agent: counts.scored for agent, counts in rows.items()}
    everything = sum(CallCounts._make(row).scored for _, *row in data.aggregates.rows("days"))
    calls[None] = everything - sum(calls.values())
    counted = everything_scored.fraction()
    average = 100 * counted[0] / counted[1] if counted[1] else None
    by_people = data.sampled.by_people
    found = estimate_true_score(
        data.sampled.drawn,
        {agent: n - by_people.get(agent, 0) for agent, n in calls.items()},
        counted=average,
        calls=everything,
    )
    bounds = (
        None if found.low is None or found.high is None else (figure_of(found.low), figure_of(found.high))
    )
    return ReviewFigures(
        reviewed_calls=data.reviews.calls,
        corrected_calls=data.reviews.corrected,
        agreement_pct=percentage(data.reviews.agreed, data.reviews.compared),
        appeals=data.reviews.appeals,
        appeals_accepted=data.reviews.appeals_accepted,
        true_score=None if found.score is None else figure_of(found.score),
        true_score_interval=bounds,
        sampled_calls=found.reviewed,
        sampled_score=None if found.by_people is None else figure_of(found.by_people),
        sampled_machine_score=None if found.by_machine is None else figure_of(found.by_machine),
        counted_score=everything_scored.percent() if found.reviewed else None,
        outdated_samples=data.sampled.outdated,
    )


def find_error_classes(configurations: Mapping[int, Configuration]) -> dict[str, set[int]]:
    """Return class of critical errors → the projects in whose rubric a criterion looks for it."""
    looking: dict[str, set[int]] = {}
    for project, configuration in configurations.items():
        for _, criterion in configuration.rubric.criteria():
            if criterion.critical and criterion.critical_class:
                looking.setdefault(criterion.critical_class, set()).add(project)
    return looking


def build_trend(
    aggregates: Aggregates, window: Window = ALL_TIME, *, today: int | None = None
) -> list[TrendBucket]:
    """Return every week from the first call to the last, empty ones included.

    `today` is an ordinal; the week that holds it is not over.
    """
    days = aggregates.table("days")[:, 0]
    by_week, scores_by_week = (aggregates.table(name).copy() for name in ("days", "day_scores"))
    for table in (by_week, scores_by_week):
        table[:, 0] -= (table[:, 0] - 1) % DAYS_PER_WEEK  # the Monday: day 1 of the calendar was one
    weeks = {monday: CallCounts._make(row) for monday, *row in group_by_key(by_week, 1).tolist()}
    scores = means_by_key(group_by_key(scores_by_week, 2))
    if not weeks:
        return []
    first_day, last_day = int(days.min()), int(days.max())
    first, last = window.days
    first = first_day if window.start is None else first
    last = min(last_day if window.end is None else last, last_day if today is None else today)
    weekdays = list_weekdays(days.tolist())
    mondays = range(min(weeks), max(weeks) + 1, DAYS_PER_WEEK)
    counted = [weeks.get(monday, CallCounts(0, 0, 0, 0, 0, 0, 0)) for monday in mondays]
    averages = estimate(sample_scores(*sum_scores(scores_by_week, list(mondays))))
    negative = estimate(sample_shares([c.negative for c in counted], [c.sentiments for c in counted]))
    changes = compare_with_last(averages).intervals()
    return [
        TrendBucket(
            week=dt.date.fromordinal(monday),
            calls=counts.calls,
            average_score=scores.get(monday, ExactMean()).percent(),
            negative_sentiment_pct=percentage(counts.negative, counts.sentiments),
            critical_error_pct=percentage(counts.critical, counts.scored),
            goal_reached_pct=percentage(counts.reached, counts.known),
            outcome_calls=counts.known,
            scored_calls=counts.scored,
            sentiment_calls=counts.sentiments,
            is_part=is_part_of_week(monday, first, last, weekdays, today=today),
            average_score_interval=score_interval,
            negative_sentiment_pct_interval=negative_interval,
            average_score_change=difference_percent(
                scores.get(monday, ExactMean()), scores.get(monday - DAYS_PER_WEEK, ExactMean())
            ),
            average_score_change_interval=change_interval,
        )
        for monday, counts, score_interval, negative_interval, change_interval in zip(
            mondays,
            counted,
            averages.intervals(),
            negative.intervals(),
            changes,
            strict=True,
        )
    ]


def rank_contact_reasons(data: ReportData, most: int | None = TOP_REASONS) -> list[ContactReasonRow]:
    """Return the most frequent contact reasons, and a last row for all others together; None: all."""
    by_text, before = count_topics(data, data.aggregates), count_topics(data, data.previous)
    base, base_before = sum(by_text.values()), sum(before.values())
    looked_at, is_compared = len(by_text.keys() | before.keys()), data.previous is not None
    ranked = sorted(by_text.items(), key=lambda item: (-item[1], item[0]))
    projects_of = find_projects_of_reasons(data)
    rows = []
    for text, calls in ranked[:most]:
        course = judge_course(calls, base, before.get(text, 0), base_before, reasons=looked_at)
        projects = projects_of.get(text, ())
        rows.append(
            ContactReasonRow(
                text,
                calls,
                percentage(calls, base) or 0.0,
                # A raw topic, and a reason that several projects have, is no reason that can be edited.
                reason_id=data.reasons.get((projects[0], text)) if len(projects) == 1 else None,
                projects=projects,
                change_pct=course.change_pct,
                is_new=course.is_new,
                course=course.course,
                calls_with_reason=base,
                previous_calls=before.get(text, 0) if is_compared else None,
                previous_calls_with_reason=base_before if is_compared else None,
            )
        )
    if others := ranked[len(rows) :]:
        calls = sum(calls for _, calls in others)
        share = percentage(calls, base) or 0.0
        rows.append(ContactReasonRow("", calls, share, len(others), calls_with_reason=base))
    return rows


def group_contact_reasons(data: ReportData) -> list[ReasonGroupRow]:
    """Return the reasons by the one above them, the largest first; a last row for those under none.

    A reason that others are under counts with them. Empty where no reason with calls is under another.
    """
    above: dict[int | None, str] = {}
    calls: Counter[int | None] = Counter()
    reasons: Counter[int | None] = Counter()
    parents = {pk for pk, _ in data.headings.values()}
    for topic, count in data.aggregates.rows("topics"):
        text, project = data.topics[topic], data.topic_projects.get(topic)
        reason = None if project is None else data.reasons.get((project, text))
        own = (reason, text) if reason in parents else (None, "")
        heading, name = own if reason is None else data.headings.get(reason, own)
        above[heading] = name
        calls[heading] += count
        reasons[heading] += 1
    if not any(above):
        return []
    base = sum(calls.values())
    order = sorted(above, key=lambda each: (each is None, -calls[each], above[each], each or 0))
    return [
        ReasonGroupRow(each, above[each], calls[each], percentage(calls[each], base) or 0.0, reasons[each])
        for each in order
    ]


def count_topics(data: ReportData, aggregates: Aggregates | None) -> dict[str, int]:
    """Return text → calls. Several projects may have a reason of one text: those are counted together."""
    by_text: dict[str, int] = {}
    for topic, calls in aggregates.rows("topics") if aggregates else []:
        text = data.topics[topic]
        by_text[text] = by_text.get(text, 0) + calls
    return by_text


def find_projects_of_reasons(data: ReportData) -> dict[str, tuple[int, ...]]:
    """Return text → the projects whose calls have this reason, those with most of them first."""
    calls: dict[str, dict[int, int]] = {}
    for topic, count in data.aggregates.rows("topics"):
        if topic in data.topic_projects:
            calls.setdefault(data.topics[topic], {})[data.topic_projects[topic]] = count
    return {
        text: tuple(sorted(counts, key=lambda project: (-counts[project], project)))
        for text, counts in calls.items()
    }


def count_trackers(data: ReportData, weeks: Sequence[dt.date]) -> list[TrackerRow]:
    """Return the trackers of the projects, in their order, each once, with its calls in each week."""
    names: dict[str, str] = {}
    for configuration in data.configurations.values():
        for tracker in configuration.trackers:
            names.setdefault(tracker.id, tracker.name)
    counted: dict[tuple[str, int], int] = {}
    for tracker_id, day, calls in data.tracked:
        key = (tracker_id, day - (day - 1) % DAYS_PER_WEEK)
        counted[key] = counted.get(key, 0) + calls
    rows = []
    for tracker_id, name in names.items():
        by_week = [TrackerWeek(week, counted.get((tracker_id, week.toordinal()), 0)) for week in weeks]
        rows.append(TrackerRow(tracker_id, name, sum(each.calls for each in by_week), by_week))
    return rows


def rank_agents(data: ReportData, everyone: ExactMean) -> list[AgentRow]:
    """Return a row for each agent with calls in the window, most calls first, then by name.

    `everyone` is the average score of all calls.
    """
    table = data.aggregates.table("agent_scores")
    scores, talk = means_by_key(table), average_talk(data.aggregates)
    counted = {agent: CallCounts._make(row) for agent, *row in data.aggregates.rows("agents")}
    keys, columns = list(counted), list(zip(*counted.values(), strict=True)) or [()] * len(CallCounts._fields)
    counts_of = CallCounts._make(columns)
    own = sum_scores(table, keys)
    days = data.aggregates.table("day_scores")
    everything = days[:, [TABLES["day_scores"].column(name) for name in SCORE_SUMS]].T
    differences = compare_with_others(own, everything)
    now = estimate(sample_scores(*own))
    before, changes = compare_agents(data, keys, now)
    intervals = (
        now,
        estimate(sample_shares(counts_of.critical, counts_of.scored)),
        estimate(sample_shares(counts_of.negative, counts_of.sentiments)),
        estimate(sample_shares(counts_of.reached, counts_of.known)),
        differences,
        changes,
    )
    bounds = zip(*(each.intervals() for each in intervals), strict=True)
    ranked = []
    for (agent, counts), (score, critical, negative, goal, apart, moved) in zip(
        counted.items(), bounds, strict=True
    ):
        # An agent may have been deleted between two statements where the snapshot is the caller's.
        named = data.agents.get(agent, AgentName("", ""))
        mean, then = scores.get(agent, ExactMean()), before.get(agent, ExactMean())
        shown = AgentRow(
            agent=named.name,
            agent_id=agent,
            calls=counts.calls,
            average_score=mean.percent(),
            critical_error_pct=percentage(counts.critical, counts.scored),
            negative_sentiment_pct=percentage(counts.negative, counts.sentiments),
            goal_reached_pct=percentage(counts.reached, counts.known),
            scored_calls=counts.scored,
            sentiment_calls=counts.sentiments,
            outcome_calls=counts.known,
            average_score_interval=score,
            critical_error_pct_interval=critical,
            negative_sentiment_pct_interval=negative,
            goal_reached_pct_interval=goal,
            average_score_difference=difference_percent(mean, everyone.without(mean)),
            average_score_difference_interval=apart,
            talk=talk.get(agent),
            previous_average_score=then.percent(),
            previous_scored_calls=None if data.previous is None else then.calls,
            average_score_change=difference_percent(mean, then),
            average_score_change_interval=moved,
            external_id=named.external_id,
            place=named.place,
        )
        ranked.append(((-counts.calls, named.name_key, agent), shown))
    return [row for _, row in sorted(ranked, key=lambda pair: pair[0])]


def compare_agents(
    data: ReportData, agents: list[int], now: Estimates
) -> tuple[dict[int, ExactMean], Estimates]:
    """Return the average scores of the window before, and how far those of these agents are from them.

    `now` are the scores of `agents`, in their order.
    """
    table = (data.previous or Aggregates()).table("agent_scores")
    table = table[np.isin(table[:, 0], agents)]
    return means_by_key(table), now.minus(estimate(sample_scores(*sum_scores(table, agents))))


def compare_shifts(data: ReportData) -> tuple[list[ShiftRow], list[FigureDifference]]:
    """Return the headlines of day and night, each call by the hours of its project, and day less night.

    Calls without a real call time are in neither.
    """
    hours = {project: configuration.shift_hours for project, configuration in data.configurations.items()}
    day = HourTotals(data.aggregates, lambda project, hour: hour != NO_HOUR and hours[project].contains(hour))
    night = HourTotals(
        data.aggregates, lambda project, hour: hour != NO_HOUR and not hours[project].contains(hour)
    )
    rows = [ShiftRow("day", day.headline()), ShiftRow("night", night.headline())]
    return rows, compare_headlines(day, rows[0].headline, night, rows[1].headline)
