"""Count one figure by week, in a window and in the window before it.

Figures of the sums of days cost two reads; the others read the sums of each day, of at most
MAX_WEEKS weeks. Weeks of the window before are put behind those of the window: first behind first.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from callscope.analysis.figures import percentage
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reports.models import CriterionSeen
from callscope.reports.overview.builder import DAYS_PER_WEEK, build_trend, find_error_classes
from callscope.reports.overview.figure_trend.answers import AnswerTrend, count_answers
from callscope.reports.overview.figure_trend.figures import (
    CALLS,
    CRITERION,
    DAY_FIGURES,
    HOUR_FIGURES,
    QUESTION,
    FigureName,
)
from callscope.reports.overview.headline import ERROR_CLASSES, ESTIMATED, HourTotals
from callscope.reports.overview.intervals import (
    Interval,
    estimate,
    sample_shares,
)
from callscope.reports.overview.loader import read_sums
from callscope.reports.overview.schemas import TrendBucket
from callscope.reports.overview.scorecard import CriterionTotals, estimate_judged
from callscope.reports.questions.summary import AnswerCount
from callscope.reports.store import reader, version
from callscope.reports.store.aggregates import Aggregates, CallCounts, CriterionCounts, group_by_key
from callscope.reports.window import Window, day_of, find_week

MAX_WEEKS = 104
SHARES = {  # → the calls that it counts, and those that it is a share of
    "critical_error_pct": ("critical", "scored"),
    "goal_reached_pct": ("reached", "known"),
    "negative_sentiment_pct": ("negative", "sentiments"),
}
ACCURACIES = {f"{error_class}_critical_accuracy_pct": error_class for error_class in ERROR_CLASSES}


@dataclass(frozen=True, slots=True)
class WeekFigure:
    """A figure in one week; `value` is in percent, or a number of calls."""

    week: dt.date  # its Monday
    value: float | None
    n: int  # calls that it is taken over; of non-critical accuracy, answers
    interval: Interval
    is_part: bool  # only a part of the week lies in the window or has passed


@dataclass(frozen=True, slots=True)
class FigureWeek:
    """A week of the window, and the one of the window before that stands behind it."""

    now: WeekFigure
    previous: WeekFigure | None


@dataclass(frozen=True, slots=True)
class FigureTrend:
    """One figure by week, empty weeks included."""

    figure: FigureName
    weeks: list[FigureWeek]
    is_compared: bool  # there is a window before
    is_cut: bool  # earlier weeks of the window are left out
    is_previous_cut: bool = False  # earlier weeks of the window before are left out
    answers: list[AnswerCount] = field(default_factory=list)  # of a question, the most frequent first
    answer: str = ""  # of a question: whose share the values are


Value = tuple[float | None, int, Interval]  # with its n and its interval
Values = Mapping[int, Value]  # by Monday, as ordinals


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is counted in."""

    projects: Sequence[Project]
    agent_id: int | None
    last_week: dt.date  # weeks after it are left out

    @property
    def ids(self) -> list[int]:
        return [project.pk for project in self.projects]


def build_figure_trend(
    projects: Sequence[Project],
    window: Window,
    figure: FigureName,
    *,
    answer: str = "",
    agent_id: int | None = None,
    is_drawn: bool = False,
) -> FigureTrend:
    """Return a figure by week; of a question the share of `answer`, by default of the most frequent one.

    With `agent_id`, over the calls that this agent has in one project. For `is_drawn`, see build_report().
    """
    today, previous = day_of(timezone.now()), window.previous()
    scope = _Scope(projects, agent_id, find_week(today) if is_drawn else dt.date.max)
    if not projects:
        return FigureTrend(figure, [], previous is not None, is_cut=False)
    version.ensure_current()
    found, before_found = None, None
    before: list[WeekFigure] = []
    is_previous_cut = False
    with snapshot():
        if figure.figure.startswith(QUESTION):
            found = count_answers(scope.ids, window, figure.name, answer, agent_id)
        now, is_cut = count_weeks(scope, window, figure.figure, found, today)
        if previous is not None:
            if found is not None:
                before_found = count_answers(scope.ids, previous, figure.name, found.answer, agent_id)
            before, is_previous_cut = count_weeks(scope, previous, figure.figure, before_found, today)
    earliest = None
    if is_cut:
        earliest = now[0].week if now else dt.date.max
    joined = join_windows(now, before, window, figure.figure, today, earliest=earliest)
    joined = [each for each in joined if each.now.week <= scope.last_week]
    return FigureTrend(
        figure,
        joined[-MAX_WEEKS:],
        previous is not None,
        is_cut or len(joined) > MAX_WEEKS,
        is_previous_cut,
        found.answers if found else [],
        found.answer if found else "",
    )


def count_weeks(
    scope: _Scope, window: Window, figure: str, found: AnswerTrend | None, today: int
) -> tuple[list[WeekFigure], bool]:
    """Return the weeks with calls and those between them, and whether earlier ones were left out."""
    sums = read_sums(scope.ids, window, ("days", "day_scores"), scope.agent_id)
    buckets = [each for each in build_trend(sums, window, today=today) if each.week <= scope.last_week]
    earliest = dt.date.min if found is None else found.first_week or dt.date.min
    shown = [each for each in buckets if each.week >= earliest][-MAX_WEEKS:]
    if not shown:
        return [], bool(buckets)
    if found is not None:
        values: Values = _estimate_shares(found.given, found.asked)
    elif figure in DAY_FIGURES:
        values = _count_day_figure(figure, shown, sums)
    else:
        first, last = shown[0].week, shown[-1].week + dt.timedelta(days=DAYS_PER_WEEK - 1)
        span = Window(max(first, window.start or first), min(last, window.end or last))
        tables = ("hours", "hour_scores") if figure in HOUR_FIGURES else ("criteria",)
        weeks = reader.read_weeks(scope.ids, span, tables, scope.agent_id)
        count = _count_rates if figure in HOUR_FIGURES else _count_criterion
        values = count(weeks, figure, scope)
    found_weeks = [
        WeekFigure(each.week, *values.get(each.week.toordinal(), _nothing(figure)), is_part=each.is_part)
        for each in shown
    ]
    return found_weeks, len(shown) < len(buckets)


def join_windows(
    now: Sequence[WeekFigure],
    before: Sequence[WeekFigure],
    window: Window,
    figure: str,
    today: int,
    *,
    earliest: dt.date | None,
) -> list[FigureWeek]:
    """Return the weeks of a window with those before behind them, moved by how far both are apart.

    Weeks before `earliest` were not counted: nothing is said of them, as they may have calls.
    """
    previous, apart = window.previous(), 0
    if previous is not None and previous.start is not None and window.start is not None:
        starts = [find_week(each.toordinal()).toordinal() for each in (window.start, previous.start)]
        apart = starts[0] - starts[1]
    by_week = {each.week.toordinal(): each for each in now}
    behind = {each.week.toordinal() + apart: each for each in before}
    counted_from = 0 if earliest is None else earliest.toordinal()
    mondays = [monday for monday in by_week.keys() | behind.keys() if monday >= counted_from]
    first, last = window.days
    joined = []
    for monday in range(min(mondays), max(mondays) + 1, DAYS_PER_WEEK) if mondays else ():
        is_whole = first <= monday and monday + DAYS_PER_WEEK - 1 <= min(last, today)
        empty = WeekFigure(dt.date.fromordinal(monday), *_nothing(figure), is_part=not is_whole)
        joined.append(FigureWeek(by_week.get(monday, empty), behind.get(monday)))
    return joined


def _nothing(figure: str) -> Value:
    return (0.0 if figure == CALLS else None, 0, None)


def _count_day_figure(figure: str, buckets: Sequence[TrendBucket], sums: Aggregates) -> Values:
    if figure in SHARES:
        table = sums.table("days").copy()
        table[:, 0] -= (table[:, 0] - 1) % DAYS_PER_WEEK
        part, base = SHARES[figure]
        rows = [(monday, CallCounts._make(row)) for monday, *row in group_by_key(table, 1).tolist()]
        return _estimate_shares(
            {monday: getattr(counts, part) for monday, counts in rows},
            {monday: getattr(counts, base) for monday, counts in rows},
        )
    if figure == CALLS:
        return {each.week.toordinal(): (float(each.calls), each.calls, None) for each in buckets}
    return {
        each.week.toordinal(): (each.average_score, each.scored_calls, each.average_score_interval)
        for each in buckets
    }


def _estimate_shares(parts: Mapping[int, int], bases: Mapping[int, int]) -> Values:
    intervals = estimate(sample_shares([parts.get(each, 0) for each in bases], list(bases.values())))
    return {
        monday: (percentage(parts.get(monday, 0), base), base, interval)
        for (monday, base), interval in zip(bases.items(), intervals.intervals(), strict=True)
    }


def _count_rates(weeks: Mapping[int, Aggregates], figure: str, scope: _Scope) -> Values:
    """Return weighted compliance or an accuracy; of errors that nothing looks for only if there are."""
    totals = {monday: HourTotals(sums) for monday, sums in weeks.items()}
    if figure == "weighted_compliance":
        place = ESTIMATED.index(figure)
        return {
            monday: (
                percentage(each.earned, each.possible),
                each.counts.scored,
                each.estimates().intervals()[place],
            )
            for monday, each in totals.items()
        }
    if figure in ACCURACIES:
        error_class = ACCURACIES[figure]
        looking = find_error_classes({each.pk: each.configuration for each in scope.projects})
        counted = {
            monday: each.count_spared(error_class, looking.get(error_class, ()))
            for monday, each in totals.items()
        }
        return _estimate_shares(
            {monday: pair[0] for monday, pair in counted.items() if pair},
            {monday: pair[1] for monday, pair in counted.items() if pair},
        )
    return _estimate_shares(
        {monday: each.counts.plain_met for monday, each in totals.items()},
        {monday: each.counts.plain_judged for monday, each in totals.items()},
    )


def _count_criterion(weeks: Mapping[int, Aggregates], figure: str, scope: _Scope) -> Values:
    """Return the share of a criterion's points, in the calls that it is judged by: where it applies."""
    seen = CriterionSeen.objects.filter(
        project__in=scope.ids, criterion_id=figure.removeprefix(CRITERION)
    ).values_list("pk", "max_points")
    most = dict(seen)
    totals = {}
    for monday, sums in weeks.items():
        total = totals[monday] = CriterionTotals()
        for pk, *row in sums.rows("criteria"):
            if pk in most:
                total.add(most[pk], CriterionCounts._make(row))
    intervals = estimate_judged(list(totals.values())).intervals()
    return {
        monday: (total.applied.percent(), total.judged, interval)
        for (monday, total), interval in zip(totals.items(), intervals, strict=True)
    }


def figure_trend_json(trend: FigureTrend) -> dict[str, object]:
    """Return the trend as the interface shows it, ready for json.dumps."""
    return {
        "figure": trend.figure.figure,
        "name": trend.figure.name,
        "is_cut": trend.is_cut,
        "is_previous_cut": trend.is_previous_cut,
        "answer": trend.answer,
        "answers": [each._asdict() for each in trend.answers],
        "weeks": [
            _week_json(each.now) | {"previous": each.previous and _week_json(each.previous)}
            for each in trend.weeks
        ],
    }


def _week_json(week: WeekFigure) -> dict[str, object]:
    return {name: getattr(week, name) for name in WeekFigure.__slots__} | {"week": week.week.isoformat()}
