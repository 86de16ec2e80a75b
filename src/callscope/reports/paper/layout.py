"""A Report as the texts that the page shows: every number and date in its final form.

The Typst template receives this as JSON data, never as markup, so whatever a
caller or a file name says stays text.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from callscope.reports import charts
from callscope.reports.paper.words import DASH, Words
from callscope.reports.report import Headline, Report, ScorecardRow
from callscope.reports.window import server_zone

MAY_BREAK = "\u200b"
_LONG_WORD = re.compile(r"\S{21,}")
_PIECE = re.compile(r"\S{10}(?![\u0300-\u036f])(?=\S)")  # a letter keeps its accents
CHART_WIDTH, CHART_HEIGHT = 480.0, 110  # points on paper
HEADLINE_FIGURES = (  # in the order of the tiles; True: more is better, False: less is better, None: neither
    ("total_calls", None),
    ("average_score", True),
    ("weighted_compliance", True),
    ("critical_error_pct", False),
    ("negative_sentiment_pct", False),
    ("goal_reached_pct", True),
    ("scored_calls", None),
    ("analyzed_hours", None),
    ("calls_with_metadata", None),
)
COUNTS = {"total_calls", "scored_calls", "calls_with_metadata"}
RATES = (
    "customer_critical_accuracy_pct",
    "business_critical_accuracy_pct",
    "compliance_critical_accuracy_pct",
    "non_critical_accuracy_pct",
)


@dataclass(frozen=True, slots=True)
class Summary:
    """The executive summary; `note` says who wrote it or why it is missing."""

    paragraphs: Sequence[str]
    note: str = ""


def page_data(
    report: Report, *, projects: Sequence[str], summary: Summary, words: Words, generated_at: dt.datetime
) -> dict[str, Any]:
    """Return what the template prints, JSON-ready."""
    scope = ", ".join(projects) or words("no_projects")
    return {
        "language": words.language,
        "title": f"{words('title')}: {clean(scope)}"[:500],
        "heading": words("title"),
        "labels": {key: words(key) for key in LABELS},
        "cover": [
            [words("scope"), printed(scope)],
            [words("window"), _window(report, words)],
            [words("generated"), words.moment(generated_at.astimezone(server_zone()))],
            [words("all_time"), words.count(report.total_calls_all_time)],
        ],
        "zone": words("zone", zone=str(server_zone())),
        "summary": {"paragraphs": [printed(p) for p in summary.paragraphs], "note": summary.note},
        "tiles": _tiles(report, words),
        "trend": _trend(report, words),
        "sections": _sections(report.scorecard, words),
        "rates": [[words(name), words.figure(getattr(report.copc_rates, name))] for name in RATES],
        "reasons": _reasons(report, words),
        "agents": [
            [
                printed(row.agent),
                words.count(row.calls),
                words.figure(row.average_score),
                words.figure(row.critical_error_pct),
                words.figure(row.negative_sentiment_pct),
                words.figure(row.goal_reached_pct),
            ]
            for row in report.agents
        ],
        "shifts": [
            [words(name), *(_headline_figure(row.headline, name, words) for row in report.shifts)]
            for name, _ in HEADLINE_FIGURES
        ],
        "shift_hours": _shift_hours(report, words),
        "definitions": words.definitions(),
    }


LABELS = [
    "summary",
    "headline",
    "trend",
    "trend_chart",
    "week",
    "scorecard",
    "criterion",
    "weight_pct",
    "average_pct",
    "previous_pct",
    "delta_pct",
    "critical_errors",
    "evaluated_calls",
    "not_applicable_calls",
    "calls",
    "copc_rates",
    "rate",
    "contact_reasons",
    "reason",
    "volume_pct",
    "agents",
    "agent",
    "score_short",
    "critical_short",
    "negative_short",
    "goal_short",
    "shifts",
    "figure",
    "day",
    "night",
    "reading",
    "no_rows",
    "page",
    "of",
    "average_score",
    "negative_sentiment_pct",
]


def clean(text: str) -> str:
    """Return the text without what disturbs a line: controls, and marks that turn the reading direction."""
    return "".join(
        " " if c in "\r\n\t" else c
        for c in text
        if c in "\r\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    ).strip()


def printed(text: str) -> str:
    """Return the clean text with places where the words that no column holds may break."""
    return _LONG_WORD.sub(lambda word: _PIECE.sub(rf"\g<0>{MAY_BREAK}", word[0]), clean(text))


def _window(report: Report, words: Words) -> str:
    start, end = report.window.start, report.window.end
    if start and end:
        return words("between", start=words.date(start), end=words.date(end))
    if start:
        return words("from", start=words.date(start))
    if end:
        return words("until", end=words.date(end))
    return words("whole_history")


def _headline_figure(headline: Headline, name: str, words: Words) -> str:
    value = getattr(headline, name)
    return words.count(value) if name in COUNTS else words.figure(value)


def _tiles(report: Report, words: Words) -> list[dict[str, str]]:
    days = 0
    if report.window.start and report.window.end:
        days = (report.window.end - report.window.start).days + 1
    tiles = []
    for name, more_is_better in HEADLINE_FIGURES:
        change, tone = "", ""
        before = getattr(report.previous_headline, name) if report.previous_headline else None
        now = getattr(report.headline, name)
        if before is not None and now is not None:
            delta = round(now - before, 2)
            shown = words.change(delta) if name not in COUNTS else f"{delta:+d}".replace("-", "−")
            key = "change_one_day" if days == 1 else "change"
            change = words(key, delta=shown, days=words.count(days))
            if delta and more_is_better is not None:
                tone = words("better") if (delta > 0) == more_is_better else words("worse")
        value = _headline_figure(report.headline, name, words)
        tiles.append({"label": words(name), "value": value, "change": change, "tone": tone})
    return tiles


def _trend(report: Report, words: Words) -> dict[str, Any]:
    values = [bucket.average_score for bucket in report.trend]
    chart = ""
    if sum(v is not None for v in values) > 1:
        ticks = [(0.0, "0"), (50.0, "50"), (100.0, "100 %")]
        panel = charts.Panel(values=values, ticks=ticks, height=CHART_HEIGHT)
        points = [charts.Point("") for _ in values]
        chart = charts.panel_svg(panel, points, width=CHART_WIDTH, palette=charts.Palette())
    rows = [
        [
            words.short_date(bucket.week),
            words.count(bucket.calls),
            words.figure(bucket.average_score),
            words.figure(bucket.negative_sentiment_pct),
        ]
        for bucket in report.trend
    ]
    return {"chart": chart, "rows": rows}


def _sections(rows: Sequence[ScorecardRow], words: Words) -> list[dict[str, Any]]:
    """Return the rows by section, in the order in which sections first come."""
    sections: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        tone = "" if not row.delta_pct else "good" if row.delta_pct > 0 else "bad"
        sections.setdefault(row.section, []).append(
            {
                "name": printed(row.name),
                "bar": 0 if row.average_pct is None else row.average_pct,
                "tone": tone,
                "cells": [
                    words.figure(row.weight_pct),
                    words.figure(row.average_pct),
                    words.figure(row.previous_pct),
                    words.change(row.delta_pct),
                    words.count(row.critical_errors),
                    words.count(row.calls),
                    words.count(row.evaluated_calls),
                    words.count(row.not_applicable_calls),
                ],
            }
        )
    # A heading without text is refused by PDF/UA.
    return [{"name": printed(name) or DASH, "rows": found} for name, found in sections.items()]


def _reasons(report: Report, words: Words) -> list[list[str]]:
    return [
        [
            words("other_reasons", count=words.count(row.other_topics))
            if row.other_topics is not None
            else printed(row.topic),
            words.count(row.calls),
            words.figure(row.volume_pct),
        ]
        for row in report.contact_reasons
    ]


def _shift_hours(report: Report, words: Words) -> str:
    hours = report.shift_hours
    if hours.day_start is None:
        return words("shift_hours_differ")
    return words("shift_hours", start=hours.day_start, end=hours.day_end)
