"""Prepare the weekly trend of a report: three charts over the same weeks, and the table next to them."""

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.report_links import link_week
from callscope.interfaces.web.presenters.report_page.courses import explain_hollow, list_pale
from callscope.interfaces.web.templatetags.formatting import WAITS, Cell, cells, day, number, number_in
from callscope.projects.rubric_changes import RubricChange
from callscope.reports import charts
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.kept_back.other_figures import list_kept_weeks
from callscope.reports.overview.report import TrendBucket
from callscope.reports.overview.rubric_marks import list_marks
from callscope.reports.window import Window

COUNTED_OVER = {"average_score": "scored_calls", "negative_sentiment_pct": "sentiment_calls"}
FILTERS = {  # → of the calls behind a figure
    "average_score": {"scored": "true", "ordering": "score_percentage"},
    "negative_sentiment_pct": {"sentiment": "negative"},
    "calls": {},
}
UNSCORED = gettext_lazy("No call of this week was scored.")
NO_SENTIMENT = gettext_lazy("No call of this week has a known sentiment.")


class TrendWeek(NamedTuple):
    """A week in the table next to the charts."""

    bucket: TrendBucket
    urls: dict[str, str]  # of the calls behind each figure
    day: str
    change: str  # that the rubric changed in this week; "" for others
    cells: SafeString


class Drawing(NamedTuple):
    """A chart before it is drawn."""

    label: str
    panel: charts.Panel
    figure: str  # of a week
    decimals: int


class TrendPanel(NamedTuple):
    """One chart of the trend."""

    figure: str
    label: str
    ticks: SafeString
    svg: SafeString
    has_clock: bool  # a week waits for the visitor's review


class Trend(NamedTuple):
    """Three charts over the same weeks, and the rows of the table next to them."""

    rows: list[TrendWeek]
    panels: list[TrendPanel]
    dates: SafeString  # of the first, the middle and the last week, each below its dot or bar
    changes: tuple[str, ...]  # which versions changed the rubric, and when, in sentences
    has_pale: bool  # a week with few calls
    hollow: str  # in words, which weeks are incomplete; "" for none


@lru_cache(maxsize=64)  # the same weeks are asked for again and again, and are half of the page's work
def build_trend(
    buckets: tuple[TrendBucket, ...],
    all_time: str,
    window: Window,
    _language: str,  # of the texts: the cache keeps each apart
    marked: tuple[RubricChange, ...] = (),
    changes: tuple[str, ...] = (),
) -> Trend | None:
    """Return the charts and the table of these weeks; None when there is none.

    `marked` are the changes of a rubric that part the weeks, `changes` says which there were.
    """
    if not buckets:
        return None
    marks = list_marks(marked, buckets)
    weeks = [
        _week(bucket, all_time, window, _("the rubric changed") if i in marks else "")
        for i, bucket in enumerate(buckets)
    ]
    hollow = [i for i, bucket in enumerate(buckets) if bucket.is_part]
    return Trend(
        rows=weeks,
        panels=[
            TrendPanel(
                figure=name,
                label=label,
                ticks=mark_safe(charts.ticks_svg(panel)),  # noqa: S308
                svg=mark_safe(charts.panel_svg(panel, _points(weeks, name, decimals))),  # noqa: S308
                has_clock=bool(panel.waiting),
            )
            for label, panel, name, decimals in list_panels(buckets, hollow, marks)
        ],
        dates=draw_dates([bucket.week for bucket in buckets]),
        changes=changes,
        has_pale=any(b.calls and min(b.scored_calls, b.sentiment_calls) < FEW_CALLS for b in buckets),
        hollow=explain_hollow([weeks[i].day for i in hollow]) if hollow else "",
    )


def draw_dates(weeks: Sequence[dt.date]) -> SafeString:
    """Return the first, the middle and the last date, each below what is drawn of its week."""
    return draw_axis([date_format(week, _("M j")) for week in weeks])


def draw_axis(names: Sequence[str]) -> SafeString:
    """Return the first name, one in the middle and the last, each below what is drawn of its period."""
    count, parts = len(names), []
    for i in sorted({0, count // 2, count - 1} if count > 4 else {0, count - 1}):
        x = charts.find_middle(i, count)
        anchor = "start" if x < 1 else "end" if x > 99 else "middle"
        at_edge = " at-edge" if x > 94 else ""
        name = escape(names[i])
        parts.append(f'<text class="tick{at_edge}" x="{x:.3f}%" y="12" text-anchor="{anchor}">{name}</text>')
    drawn = f'<svg class="axis" height="16" aria-hidden="true">{"".join(parts)}</svg>'
    return mark_safe(drawn)  # noqa: S308 - numbers and escaped names


def list_panels(buckets: Sequence[TrendBucket], hollow: list[int], marks: Mapping[int, str]) -> list[Drawing]:
    """Return what is drawn in each chart."""
    unlabeled = dict.fromkeys(marks, "")  # the labels of one chart are enough
    negative = charts.round_ticks([b.negative_sentiment_pct for b in buckets], at_least=10.0, most=100.0)
    calls = charts.round_ticks([b.calls for b in buckets], at_least=3)
    return [
        Drawing(
            _("Average score"),
            charts.Panel(
                [b.average_score for b in buckets],
                _ticks([0.0, 50.0, 100.0], " %"),
                hollow=hollow,
                pale=list_pale([b.scored_calls for b in buckets]),
                waiting=list_waiting(buckets, "average_score"),
                marks=marks,
            ),
            "average_score",
            1,
        ),
        Drawing(
            _("Negative sentiment"),
            charts.Panel(
                [b.negative_sentiment_pct for b in buckets],
                _ticks(negative, " %"),
                hollow=hollow,
                pale=list_pale([b.sentiment_calls for b in buckets]),
                waiting=list_waiting(buckets, "negative_sentiment_pct"),
                marks=unlabeled,
            ),
            "negative_sentiment_pct",
            1,
        ),
        Drawing(
            _("Calls"),
            charts.Panel(
                [b.calls for b in buckets],
                _ticks(calls, ""),
                kind="bars",
                hollow=hollow,
                marks=unlabeled,
            ),
            "calls",
            0,
        ),
    ]


def _week(bucket: TrendBucket, all_time: str, window: Window, change: str) -> TrendWeek:
    """Return the row of a week; each figure links to its calls on the days that lie in the window."""
    urls = {name: link_week(all_time, bucket.week, window, **filters) for name, filters in FILTERS.items()}
    figures = [
        Cell(bucket.calls, 0, urls["calls"]),
        Cell(
            bucket.average_score,
            1,
            urls["average_score"],
            WAITS if bucket.scored_calls else UNSCORED,
            css_class="n few" if bucket.scored_calls < FEW_CALLS else "n",
            out_of=_base(bucket.scored_calls, bucket),
            interval=bucket.average_score_interval,
        ),
        Cell(
            bucket.negative_sentiment_pct,
            1,
            urls["negative_sentiment_pct"],
            WAITS if bucket.sentiment_calls else NO_SENTIMENT,
            css_class="n few" if bucket.sentiment_calls < FEW_CALLS else "n",
            out_of=_base(bucket.sentiment_calls, bucket),
            interval=bucket.negative_sentiment_pct_interval,
        ),
    ]
    return TrendWeek(bucket, urls, day(bucket.week), change, cells(figures))


def _base(calls: int, bucket: TrendBucket) -> int | None:
    """Return how many calls a figure is taken over, where that is not all calls of the week."""
    return calls if calls != bucket.calls else None


def list_waiting(buckets: Sequence[TrendBucket], name: str) -> list[int]:
    """Return the places of the weeks whose figure waits for the visitor's review."""
    kept = list_kept_weeks(buckets, name)
    return [i for i, bucket in enumerate(buckets) if bucket.week in kept]


def _ticks(values: list[float], unit: str) -> list[tuple[float, str]]:
    texts = [number(value, 0 if value == int(value) else 1) for value in values]
    return [
        (value, text + (unit if value == values[-1] else ""))
        for value, text in zip(values, texts, strict=True)
    ]


def _points(weeks: list[TrendWeek], name: str, decimals: int) -> list[charts.Point]:
    language, sentence, unknown = get_language() or "", _("Week of %(week)s: %(value)s"), _("not measured")
    base, part = COUNTED_OVER.get(name, ""), _("part of the week")
    points = []
    for week in weeks:
        value = getattr(week.bucket, name)
        if value is None:
            text = str(WAITS) if base and getattr(week.bucket, base) else unknown
        else:
            text = number_in(language, value, decimals)
        if base and value is not None:
            text += f" (n {number_in(language, getattr(week.bucket, base), 0)})"
        if week.bucket.is_part:
            text += f" · {part}"
        if week.change:
            text += f" · {week.change}"
        points.append(charts.Point(sentence % {"week": week.day, "value": text}, week.urls[name]))
    return points
