"""A report made ready for its page: figures with their change, links to the calls behind them, charts."""

import datetime as dt
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from callscope.interfaces.web.page import with_query
from callscope.interfaces.web.question import Question
from callscope.interfaces.web.templatetags.figures import Cell, cells, number, number_in
from callscope.reports import charts
from callscope.reports.report import AgentRow, ContactReasonRow, Report, ScorecardRow, ShiftRow, TrendBucket
from callscope.reports.window import Window

AGENTS_AT_FIRST = 25
FEW_CALLS = 10  # below this a mean says little about a person
BETTER_UP, BETTER_DOWN, NEITHER = 1, -1, 0
# The headline's figures in order of reading: field, decimals, which way is better, filters of its calls.
TILES: tuple[tuple[str, int, int, dict[str, str]], ...] = (
    ("total_calls", 0, NEITHER, {}),
    ("average_score", 1, BETTER_UP, {"ordering": "score_percentage", "scored": "true"}),
    ("critical_error_pct", 1, BETTER_DOWN, {"critical": "true"}),
    ("negative_sentiment_pct", 1, BETTER_DOWN, {"sentiment": "negative"}),
    ("goal_reached_pct", 1, BETTER_UP, {"goal": "true"}),
)
# Those of the second row, which need no spark line.
MORE_TILES: tuple[tuple[str, int, int, dict[str, str]], ...] = (
    ("weighted_compliance", 1, BETTER_UP, {"ordering": "score_percentage", "scored": "true"}),
    ("scored_calls", 0, NEITHER, {"scored": "true"}),
    ("calls_with_metadata", 0, NEITHER, {"timed": "true"}),
    ("analyzed_hours", 1, NEITHER, {}),
)
CSV_TABLES = (
    ("headline", gettext_lazy("Headline")),
    ("scorecard", gettext_lazy("Scorecard")),
    ("trend", gettext_lazy("Trend by week")),
    ("contact-reasons", gettext_lazy("Contact reasons")),
    ("agents", gettext_lazy("Agents")),
    ("shifts", gettext_lazy("Shifts")),
)
REASONS_FOR_NONE = {
    "average_score": "not_scored",
    "weighted_compliance": "not_scored",
    "critical_error_pct": "not_scored",
    "negative_sentiment_pct": "no_sentiment",
    "goal_reached_pct": "no_outcome",
}
# Why a cell is empty.
RETIRED = gettext_lazy("This criterion is no longer in the rubric.")
NO_CALL = gettext_lazy("No call in this window carries this criterion.")
NONE_EVALUATED = gettext_lazy("No call in this window recorded that the criterion applies.")
NOT_MEASURED = gettext_lazy("Nothing was measured in this agent's calls.")
UNSCORED = gettext_lazy("No call of this week was scored.")
NO_SENTIMENT = gettext_lazy("No call of this week has a known sentiment.")


@dataclass(frozen=True, slots=True)
class Change:
    """Against the window before: difference, and whether that is good."""

    by: float
    decimals: int
    css_class: str  # up or down, and good or bad where one way is better
    before: float

    @classmethod
    def between(
        cls, now: float | None, before: float | None, better: int, decimals: int = 1
    ) -> "Change | None":
        if now is None or before is None:
            return None
        return cls.of(now - before, before, better, decimals)

    @classmethod
    def of(cls, by: float, before: float, better: int, decimals: int = 1) -> "Change":
        moved = round(Decimal(str(by)), decimals)  # as the figure beside it is rounded
        direction = "up" if moved > 0 else "down" if moved < 0 else ""
        judged = "" if not moved or not better else "good" if moved * better > 0 else "bad"
        return cls(by, decimals, f"{direction} {judged}".strip(), before)


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: float | int | None
    decimals: int
    reason: str  # why there is no value
    change: Change | None
    url: str
    spark: SafeString


def of(report: Report, question: Question) -> dict[str, Any]:
    """Return the context of the report's template."""
    links = Links(question)
    return {
        "report": report,
        "tiles": _tiles(TILES, report, links),
        "more_tiles": _tiles(MORE_TILES, report, links),
        "rates": _rates(report),
        "has_previous": report.window.previous() is not None,
        "previous": report.window.previous(),
        "sections": _sections(report.scorecard, links),
        "trend": _trend(tuple(report.trend), links.all_time, report.window, get_language() or ""),
        "reasons": _reasons(report.contact_reasons, links),
        **_agents(report.agents, question, links),
        "shifts": [_shift(row, links) for row in report.shifts],
        "all_time_url": with_query(reverse("web:report"), question.scope_query),
        "calls_url": links.to(),
        "csv_query": urlencode(question.query),
        "csv_tables": CSV_TABLES,
    }


class Links:
    """Addresses of the calls behind a figure, in the scope and window of the report."""

    def __init__(self, question: Question) -> None:
        self.url = reverse("web:calls")
        self.all_time = f"{with_query(self.url, question.scope_query)}{'&' if question.scope_query else '?'}"
        self.start = with_query(self.url, question.query)
        self.joint = "&" if question.query else "?"

    def to(self, **filters: Any) -> str:
        if not filters:
            return self.start
        return self.start + self.joint + "&".join([f"{k}={quote_plus(str(v))}" for k, v in filters.items()])


def reason_for_none(name: str) -> str:
    """Return why a figure is not there, as a sentence."""
    return {
        "not_scored": _("No call in this window was scored."),
        "no_sentiment": _("No call in this window has a known sentiment."),
        "no_outcome": _("No call in this window has a known outcome."),
    }.get(REASONS_FOR_NONE.get(name, ""), _("Nothing was measured in this window."))


def _tiles(
    chosen: Sequence[tuple[str, int, int, dict[str, str]]], report: Report, links: Links
) -> list[Tile]:
    before = report.previous_headline
    sparks = {"total_calls": charts.spark_svg([bucket.calls for bucket in report.trend], low=0)}
    for name in ("average_score", "critical_error_pct", "negative_sentiment_pct", "goal_reached_pct"):
        sparks[name] = charts.spark_svg([getattr(bucket, name) for bucket in report.trend])
    return [
        Tile(
            name=name,
            value=(value := getattr(report.headline, name)),
            decimals=decimals,
            reason=reason_for_none(name),
            change=Change.between(value, getattr(before, name) if before else None, better, decimals),
            url=links.to(**filters),
            spark=mark_safe(sparks.get(name, "")),  # noqa: S308 - numbers alone go into it
        )
        for name, decimals, better, filters in chosen
    ]


def _rates(report: Report) -> list[dict[str, Any]]:
    rates = report.copc_rates
    return [
        {"name": "customer_critical", "value": rates.customer_critical_accuracy_pct},
        {"name": "business_critical", "value": rates.business_critical_accuracy_pct},
        {"name": "compliance_critical", "value": rates.compliance_critical_accuracy_pct},
        {"name": "non_critical", "value": rates.non_critical_accuracy_pct},
    ]


def _sections(rows: list[ScorecardRow], links: Links) -> list[dict[str, Any]]:
    """Return the scorecard by section, in the order of the rubric."""
    return [
        {"name": section, "rows": [_criterion(row, links) for row in group]}
        for section, group in itertools.groupby(rows, key=lambda row: row.section)
    ]


def _criterion(row: ScorecardRow, links: Links) -> dict[str, Any]:
    change = None
    if row.delta_pct is not None and row.previous_pct is not None:
        change = Change.of(row.delta_pct, row.previous_pct, BETTER_UP)
    calls = links.to(criterion=row.criterion_id)
    evaluated = f"{calls}&found=evaluated"
    return {
        "row": row,
        "weight": [Cell(row.weight_pct, 1, "", RETIRED, "weight_pct", "n late")],
        "average": [Cell(row.average_pct, 1, calls, NO_CALL, "average_pct", "n strong")],
        "bar": mark_safe(charts.share_svg(row.average_pct, before_pct=row.previous_pct)),  # noqa: S308 - numbers
        "change": change,
        "critical_url": f"{calls}&found=critical",
        "where_it_applies": [Cell(row.evaluated_pct, 1, evaluated, NONE_EVALUATED, column="evaluated_pct")],
        "counts": [
            Cell(row.evaluated_calls, 0, evaluated, column="evaluated_calls"),
            Cell(row.not_applicable_calls, 0, f"{calls}&found=not_applicable", column="not_applicable_calls"),
            Cell(row.calls, 0, calls, column="criterion_calls"),
        ],
    }


@lru_cache(maxsize=64)  # the same weeks are asked for again and again, and are half of the page's work
def _trend(
    buckets: tuple[TrendBucket, ...], all_time: str, window: Window, language: str
) -> dict[str, Any] | None:
    """Return three charts over the same weeks, and the rows of the table beside them."""
    if not buckets:
        return None
    rows = [_week(bucket, _week_url(bucket.week, all_time, window), language) for bucket in buckets]
    scores = _score_ticks([b.average_score for b in buckets])
    negative = charts.round_ticks([b.negative_sentiment_pct for b in buckets], at_least=10.0, most=100.0)
    calls = charts.round_ticks([b.calls for b in buckets], at_least=3)
    panels = [
        (
            _("Average score"),
            charts.Panel([b.average_score for b in buckets], _ticks(scores, " %")),
            "average_score",
            1,
        ),
        (
            _("Negative sentiment"),
            charts.Panel([b.negative_sentiment_pct for b in buckets], _ticks(negative, " %")),
            "negative_sentiment_pct",
            1,
        ),
        (_("Calls"), charts.Panel([b.calls for b in buckets], _ticks(calls, ""), kind="bars"), "calls", 0),
    ]
    return {
        "rows": rows,
        "panels": [
            {
                "label": label,
                "ticks": mark_safe(charts.ticks_svg(panel)),  # noqa: S308
                "svg": mark_safe(charts.panel_svg(panel, _points(rows, name, decimals))),  # noqa: S308
            }
            for label, panel, name, decimals in panels
        ],
        "first": buckets[0].week,
        "middle": buckets[len(buckets) // 2].week if len(buckets) > 4 else None,
        "last": buckets[-1].week if len(buckets) > 1 else None,
    }


def _week_url(monday: dt.date, all_time: str, window: Window) -> str:
    """Return the calls of the seven days from a Monday that lie in the report's window."""
    first, last = monday, monday + dt.timedelta(days=6)
    first = max(first, window.start or first)
    last = min(last, window.end or last)
    return f"{all_time}start_date={first}&end_date={last}"


def _week(bucket: TrendBucket, url: str, language: str) -> dict[str, Any]:
    figures = [
        Cell(bucket.calls, 0, url),
        Cell(bucket.average_score, 1, url, UNSCORED),
        Cell(bucket.negative_sentiment_pct, 1, url, NO_SENTIMENT),
    ]
    return {"bucket": bucket, "url": url, "day": _day(bucket.week, language), "cells": cells(figures)}


def _score_ticks(values: charts.Values) -> list[float]:
    """Scores lie high: begin a little below the lowest, so that their course can be seen."""
    lowest = min([value for value in values if value is not None], default=0.0)
    low = max(0.0, (lowest - 5) // 10 * 10)
    return [low, (low + 100) / 2, 100.0]


@lru_cache(maxsize=4096)
def _day(day: dt.date, _language: str) -> str:
    return date_format(day)


def _ticks(values: list[float], unit: str) -> list[tuple[float, str]]:
    texts = [number(value, 0 if value == int(value) else 1) for value in values]
    return [
        (value, text + (unit if value == values[-1] else ""))
        for value, text in zip(values, texts, strict=True)
    ]


def _points(rows: list[dict[str, Any]], name: str, decimals: int) -> list[charts.Point]:
    language, told, unknown = get_language() or "", _("Week of %(week)s: %(value)s"), _("not measured")
    found = []
    for row in rows:
        value = getattr(row["bucket"], name)
        shown = unknown if value is None else number_in(language, value, decimals)
        found.append(charts.Point(told % {"week": row["day"], "value": shown}, row["url"]))
    return found


def _reasons(rows: list[ContactReasonRow], links: Links) -> list[dict[str, Any]]:
    """Return the reasons; the longest bar is that of the most frequent one, the rest have none."""
    most = max([row.volume_pct or 0.0 for row in rows if row.topic], default=0.0) or 1.0
    return [
        {
            "row": row,
            "bar": mark_safe(charts.share_svg(100 * (row.volume_pct or 0.0) / most, "bar plain"))  # noqa: S308
            if row.topic
            else "",
            "url": links.to(topic=row.topic) if row.topic else "",
        }
        for row in rows
    ]


def _agents(rows: list[AgentRow], question: Question, links: Links) -> dict[str, Any]:
    """Return the busiest agents, or all where the address says so."""
    shown = rows if question.wants_all_agents else rows[:AGENTS_AT_FIRST]
    all_query = {**question.query, "agents": "all"}
    return {
        "agents": [_agent(row, links) for row in shown],
        "agent_count": len(rows),
        "all_agents_url": with_query(reverse("web:report"), all_query) if len(shown) < len(rows) else "",
    }


def _agent(row: AgentRow, links: Links) -> dict[str, Any]:
    calls = links.to(agent=row.agent_id)
    return {
        "row": row,
        "is_few": row.calls < FEW_CALLS,
        "url": calls,
        "cells": [
            Cell(value, decimals, url, NOT_MEASURED, column)
            for value, decimals, column, url in (
                (row.calls, 0, "total_calls", calls),
                (row.average_score, 1, "average_score", f"{calls}&ordering=score_percentage"),
                (row.critical_error_pct, 1, "critical_error_pct", f"{calls}&critical=true"),
                (row.negative_sentiment_pct, 1, "negative_sentiment_pct", f"{calls}&sentiment=negative"),
                (row.goal_reached_pct, 1, "goal_reached_pct", f"{calls}&goal=true"),
            )
        ],
    }


def _shift(row: ShiftRow, links: Links) -> dict[str, Any]:
    return {
        "name": row.shift,
        "row": row.headline,
        "url": links.to(shift=row.shift),
        "score_url": links.to(shift=row.shift, ordering="score_percentage"),
        "critical_url": links.to(shift=row.shift, critical="true"),
        "negative_url": links.to(shift=row.shift, sentiment="negative"),
        "goal_url": links.to(shift=row.shift, goal="true"),
    }
