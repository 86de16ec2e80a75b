"""Calls and their average score by weekday and hour of the server's day, from sums: no call is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reports.overview.comparisons import SCORE_SUMS
from callscope.reports.overview.intervals import Interval, estimate, sample_scores
from callscope.reports.overview.loader import read_sums
from callscope.reports.store import version
from callscope.reports.store.aggregates import MILLION, NO_HOUR, TABLES
from callscope.reports.store.exact_figures import ExactMean
from callscope.reports.window import Window

TABLE = TABLES["week_hours"]
DAYS, HOURS = 7, 24


@dataclass(frozen=True, slots=True)
class HourFigure:
    """The calls that took place on one weekday in one hour, over the whole window."""

    weekday: int  # 0 is Monday
    hour: int  # 0 to 23, of the server's day
    calls: int
    scored_calls: int
    average_score: float | None
    average_score_interval: Interval


@dataclass(frozen=True, slots=True)
class WeekHours:
    """A row for each weekday and hour, from Monday at 0 on, empty ones included."""

    untimed_calls: int  # whose real time is not known; they are in no row
    hours: list[HourFigure]


def count_week_hours(projects: Sequence[Project], window: Window, agent_id: int | None = None) -> WeekHours:
    """Return the calls of a window by weekday and hour.

    With `agent_id`, of the calls that this agent has in one project.
    """
    if not projects:
        return WeekHours(0, [_figure(n, [], ExactMean(), None) for n in range(DAYS * HOURS)])
    version.ensure_current()
    with snapshot():
        sums = read_sums([project.pk for project in projects], window, ("week_hours",), agent_id)
    untimed, rows = 0, [[0] * len(TABLE.counts) for _ in range(DAYS * HOURS)]
    means = [ExactMean() for _ in rows]
    for weekday, hour, maximum, *counts in sums.rows("week_hours"):
        named = dict(zip(TABLE.counts, counts, strict=True))
        if hour == NO_HOUR:
            untimed += named["calls"]
            continue
        place = weekday * HOURS + hour
        rows[place] = [a + b for a, b in zip(rows[place], counts, strict=True)]
        if named["scored"]:
            points = named["counted_hi"] * MILLION + named["counted_lo"]
            means[place].add(maximum, points, named["scored"])
    columns = list(zip(*rows, strict=True))
    intervals = estimate(sample_scores(*(columns[TABLE.counts.index(n)] for n in SCORE_SUMS))).intervals()
    found = zip(rows, means, intervals, strict=True)
    return WeekHours(untimed, [_figure(n, *each) for n, each in enumerate(found)])


def week_hours_json(found: WeekHours) -> dict[str, object]:
    """Return the map as the interface shows it, ready for json.dumps."""
    names = HourFigure.__slots__
    return {
        "untimed_calls": found.untimed_calls,
        "hours": [{name: getattr(each, name) for name in names} for each in found.hours],
    }


def _figure(place: int, counts: Sequence[int], mean: ExactMean, interval: Interval) -> HourFigure:
    named = dict(zip(TABLE.counts, counts, strict=False))
    return HourFigure(
        weekday=place // HOURS,
        hour=place % HOURS,
        calls=named.get("calls", 0),
        scored_calls=named.get("scored", 0),
        average_score=mean.percent(),
        average_score_interval=interval,
    )
