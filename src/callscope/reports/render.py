"""Make a report of sums. All arithmetic is on whole numbers until a figure is rounded.

Rules: docs/api.md, "Figures".
"""

import datetime as dt

from callscope.reports.exact import Mean, means_by_key
from callscope.reports.figures import AgentRow, ContactReasonRow, Report, ShiftHours, ShiftRow, TrendBucket
from callscope.reports.headline import Gathered
from callscope.reports.rounding import percentage
from callscope.reports.scorecard import scorecard
from callscope.reports.source import Material
from callscope.reports.sums import NO_HOUR, TABLES, Sums, grouped

TOP_REASONS = 10
NOTHING = [0] * len(TABLES["days"].counts)  # an empty week


def report(material: Material) -> Report:
    """Return the report over this material."""
    everything = _all_hours(material.sums)
    return Report(
        window=material.window,
        total_calls_all_time=material.total_calls_all_time,
        headline=everything.headline(),
        scorecard=scorecard(material, possible_points=everything.possible),
        trend=_trend(material.sums),
        contact_reasons=_contact_reasons(material),
        agents=_agents(material),
        shifts=_shifts(material),
        shift_hours=_shift_hours(material),
        copc_rates=everything.copc_rates(),
        previous_headline=None if material.previous is None else _all_hours(material.previous).headline(),
    )


def _all_hours(sums: Sums) -> Gathered:
    return Gathered(sums, lambda _project, _hour: True)


def _trend(sums: Sums) -> list[TrendBucket]:
    """Return every week from the first call to the last, empty ones included."""
    by_day = sums.table("days").copy()
    by_day[:, 0] -= (by_day[:, 0] - 1) % 7  # the Monday, as monday_of() finds it
    counts = {monday: row for monday, *row in grouped(by_day, 1).tolist()}
    scores_by_day = sums.table("day_scores").copy()
    scores_by_day[:, 0] -= (scores_by_day[:, 0] - 1) % 7
    scores = means_by_key(grouped(scores_by_day, 2))
    if not counts:
        return []
    buckets = []
    for monday in range(min(counts), max(counts) + 1, 7):
        calls, scored, critical, sentiments, negative, known, reached = counts.get(monday, NOTHING)
        buckets.append(
            TrendBucket(
                week=dt.date.fromordinal(monday),
                calls=calls,
                average_score=scores.get(monday, Mean()).percent(),
                negative_sentiment_pct=percentage(negative, sentiments),
                critical_error_pct=percentage(critical, scored),
                goal_reached_pct=percentage(reached, known),
            )
        )
    return buckets


def _contact_reasons(material: Material) -> list[ContactReasonRow]:
    by_text: dict[str, int] = {}
    for topic, calls in material.sums.rows("topics"):
        text = material.topics[topic]
        by_text[text] = by_text.get(text, 0) + calls
    base = sum(by_text.values())
    ranked = sorted(by_text.items(), key=lambda item: (-item[1], item[0]))
    rows = [_reason(text, calls, base) for text, calls in ranked[:TOP_REASONS]]
    others = ranked[TOP_REASONS:]
    if others:
        rows.append(_reason("", sum(calls for _, calls in others), base, other_topics=len(others)))
    return rows


def _reason(topic: str, calls: int, base: int, *, other_topics: int | None = None) -> ContactReasonRow:
    return ContactReasonRow(topic, calls, percentage(calls, base) or 0.0, other_topics)


def _agents(material: Material) -> list[AgentRow]:
    scores = means_by_key(material.sums.table("agent_scores"))
    rows = []
    for agent, calls, scored, critical, sentiments, negative, known, reached in material.sums.rows("agents"):
        name, name_key = material.agents.get(agent, ("", ""))
        row = AgentRow(
            agent=name,
            agent_id=agent,
            calls=calls,
            average_score=scores.get(agent, Mean()).percent(),
            critical_error_pct=percentage(critical, scored),
            negative_sentiment_pct=percentage(negative, sentiments),
            goal_reached_pct=percentage(reached, known),
        )
        rows.append(((-calls, name_key, agent), row))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def _shifts(material: Material) -> list[ShiftRow]:
    hours = {project: configuration.shift_hours for project, configuration in material.configurations.items()}

    def is_day(project: int, hour: int) -> bool:
        start, end = hours[project].day_start, hours[project].day_end
        return start <= hour < end if start < end else hour >= start or hour < end

    day = Gathered(material.sums, lambda project, hour: hour != NO_HOUR and is_day(project, hour))
    night = Gathered(material.sums, lambda project, hour: hour != NO_HOUR and not is_day(project, hour))
    return [ShiftRow("day", day.headline()), ShiftRow("night", night.headline())]


def _shift_hours(material: Material) -> ShiftHours:
    told = {(c.shift_hours.day_start, c.shift_hours.day_end) for c in material.configurations.values()}
    return ShiftHours(*told.pop()) if len(told) == 1 else ShiftHours(None, None)
