"""What one contact reason came to: its calls by week, its share and course, outcomes, agents, passages.

Everything is counted over the calls that have the reason, also where it is set aside. Rules: docs/api.md,
"Contact reasons".
"""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone

from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.figures import figure_of, percentage
from callscope.analysis.models import CallAnalysis
from callscope.analysis.rules.reason_codes import quote_topic
from callscope.calls.models import Agent
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reports.models import CallFact, Sentiment
from callscope.reports.overview.course import CHANCE, Course, bound_difference, bound_share, judge_course
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.intervals import WHOLE, estimate, sample_means
from callscope.reports.store.exact_figures import ExactMean
from callscope.reports.window import day_of
from callscope.transcription.models import Transcript
from callscope.transcription.schema import Quality

WEEKS = 12
COMPARED_DAYS = 28  # the latest ones, with those before
AGENTS, QUOTES, NEIGHBORS = 10, 5, 3
Z = 1.959964  # of intervals that miss by 5 %

Facts = QuerySet[CallFact]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of some calls in percent, with the interval that misses it by 5 %; None of no calls."""

    n: int
    count: int
    pct: float | None
    low_pct: float | None
    high_pct: float | None


@dataclass(frozen=True, slots=True)
class Week:
    """One week from Monday on; `share` is that of the reason among the calls with any."""

    first_day: dt.date
    calls: int
    share: Rate


@dataclass(frozen=True, slots=True)
class Mean:
    """The average score of the scored calls, with its interval; None where too few are scored."""

    n: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class AgentLine:
    """An agent who took calls of the reason."""

    id: int
    name: str
    calls: int
    average_score: float | None
    scored_calls: int  # that it is taken over


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a call in which the customer says the topic, "[MM:SS] words"."""

    call: int
    file_name: str
    quote: str


@dataclass(frozen=True, slots=True)
class Neighbor:
    """Another reason whose topics are alike; 1 is the same."""

    id: int
    name: str
    likeness: float


@dataclass(frozen=True, slots=True)
class ReasonDetail:
    """The figures of one reason."""

    weeks: list[Week]
    share: Rate  # of the latest COMPARED_DAYS
    share_before: Rate  # of as many days before those
    course: Course  # of those days against those before
    change_low_pct: float | None  # of the interval that the course was judged by
    change_high_pct: float | None
    change_confidence_pct: float | None  # of that interval: higher where more reasons are compared
    compared_reasons: int  # that are judged together
    untimed_calls: int  # of those in `weeks`: without a call time, on the day of their upload
    untimed_project_calls: int  # the same of all calls that the shares of `weeks` are taken of
    score: Mean
    negative: Rate
    goal: Rate
    agents: list[AgentLine]
    quotes: list[Passage]
    neighbors: list[Neighbor]

    @property
    def is_few(self) -> bool:
        """Whether a change is over so few calls that it says little."""
        return min(self.share.n, self.share_before.n) < FEW_CALLS


def load_reason_detail(reason: ContactReason, *, hidden: Collection[int] = ()) -> ReasonDetail:
    """Return the figures of a reason, all of the same moment.

    Calls that are `hidden` from the reader are not in those of what a review asks: score, sentiment, goal.
    """
    today = day_of(timezone.now())
    with snapshot():
        places = _list_places(reason)
        facts = CallFact.objects.filter(project=reason.project_id)
        own, every = facts.filter(call__reason__in=places), facts.filter(_counts_for_any())
        if reason.is_set_aside or reason.is_heading:  # whose calls may count for none
            every = facts.filter(_counts_for_any() | Q(call__reason__in=places))
        shown = own.exclude(call__in=hidden) if hidden else own
        figures = shown.aggregate(
            scored=Count("score_bp"),
            total=Sum("score_bp"),
            squares=Sum(F("score_bp") * F("score_bp")),
            felt=Count("sentiment"),
            negative=Count("pk", filter=Q(sentiment=Sentiment.NEGATIVE)),
            judged=Count("goal_reached"),
            reached=Count("pk", filter=Q(goal_reached=True)),
        )
        recent, counted = _compare_days(today)
        mine, all_calls = own.filter(recent).aggregate(**counted), every.filter(recent).aggregate(**counted)
        reasons = _count_live(reason.project_id)
        score, scores = _average_scores(shown)
        low, high = _bound_change(mine, all_calls, reasons)
        return ReasonDetail(
            weeks=_count_weeks(own, every, today),
            share=rate(mine["now"], all_calls["now"]),
            share_before=rate(mine["before"], all_calls["before"]),
            course=judge_course(
                mine["now"], all_calls["now"], mine["before"], all_calls["before"], reasons=reasons
            ),
            change_low_pct=low,
            change_high_pct=high,
            change_confidence_pct=None if low is None else 100 * (1 - CHANCE / reasons),
            compared_reasons=reasons,
            untimed_calls=_count_untimed(own, today),
            untimed_project_calls=_count_untimed(every, today),
            score=_bound_mean(score.percent(), figures["scored"], figures["total"], figures["squares"]),
            negative=rate(figures["negative"], figures["felt"]),
            goal=rate(figures["reached"], figures["judged"]),
            agents=_list_agents(own, scores),
            quotes=_list_quotes(reason),
            neighbors=_find_neighbors(reason),
        )


def count_hidden(reason: ContactReason, hidden: Collection[int]) -> dict[int | None, int]:
    """Return how many calls of a reason are among the hidden ones, by agent; only agents with some."""
    if not hidden:
        return {}
    facts = CallFact.objects.filter(project=reason.project_id, call__in=hidden)
    own = facts.filter(call__reason__in=_list_places(reason)).order_by()
    return dict(own.values_list("agent_id").annotate(number=Count("pk")))


def load_courses(project_id: int) -> dict[int, Course]:
    """Return the course of each reason with calls in the days compared, by id, as its own page gives it."""
    recent, counted = _compare_days(day_of(timezone.now()))
    with snapshot():
        every = CallFact.objects.filter(recent, _counts_for_any(), project=project_id)
        all_calls, reasons = every.aggregate(**counted), _count_live(project_id)
        placed = every.filter(call__reason__isnull=False).order_by().values("call__reason__reason")
        by_reason = placed.annotate(now=counted["now"], before=counted["before"])
        rows = list(by_reason.values_list("call__reason__reason", "now", "before"))
    return {
        pk: judge_course(now, all_calls["now"], before, all_calls["before"], reasons=reasons)
        for pk, now, before in rows
    }


def _counts_for_any() -> Q:
    """Return which calls the shares of reasons are taken of, as in the report: those with a topic."""
    return Q(topic__isnull=False)


def _compare_days(today: int) -> tuple[Q, dict[str, Count]]:
    """Return which calls are compared, and how those of now and of before are counted."""
    now, before = Q(day__gt=today - COMPARED_DAYS), Q(day__lte=today - COMPARED_DAYS)
    recent = Q(day__gt=today - 2 * COMPARED_DAYS, day__lte=today)
    return recent, {"now": Count("pk", filter=now), "before": Count("pk", filter=before)}


def _count_live(project_id: int) -> int:
    live = ContactReason.objects.filter(project=project_id, retired_at=None, is_set_aside=False)
    return max(1, live.count())


def _list_places(reason: ContactReason) -> QuerySet[CallReason]:
    """Return the calls of a reason, of a heading those of the reasons under it."""
    return CallReason.objects.filter(Q(reason__parent=reason) if reason.is_heading else Q(reason=reason))


def rate(count: int, n: int) -> Rate:
    """Return a share with its interval."""
    if not n:
        return Rate(0, count, None, None, None)
    low, high = bound_share(count, n, Z)
    return Rate(n, count, percentage(count, n), figure_of(100 * max(low, 0)), figure_of(100 * min(high, 1)))


def _bound_change(
    mine: dict[str, int], all_calls: dict[str, int], reasons: int
) -> tuple[float | None, float | None]:
    if not all_calls["now"] or not all_calls["before"]:
        return None, None
    low, high = bound_difference(
        mine["now"], all_calls["now"], mine["before"], all_calls["before"], chance=CHANCE / reasons
    )
    return figure_of(100 * low), figure_of(100 * high)


def _bound_mean(value: float | None, n: int, total: int | None, squares: int | None) -> Mean:
    """Return a mean of scores with the interval of the report, from scores as hundredths of a percent."""
    if not n or total is None or squares is None:
        return Mean(0, None, None, None)
    (interval,) = estimate(sample_means([n], [total / WHOLE], [squares / WHOLE**2])).intervals()
    low, high = interval or (None, None)
    return Mean(n, value, low, high)


def _find_first_day(today: int) -> int:
    """Return the first day of the weeks, a Monday: the first day of the calendar is one."""
    return ((today - 1) // 7 - WEEKS + 1) * 7 + 1


def _count_untimed(facts: Facts, today: int) -> int:
    """Return how many calls of the weeks have no call time, so that they count on the day of their upload."""
    return facts.filter(day__gte=_find_first_day(today), day__lte=today, hour=None).count()


def _count_weeks(own: Facts, every: Facts, today: int) -> list[Week]:
    first = _find_first_day(today)

    def count(facts: Facts) -> list[int]:
        calls = [0] * WEEKS
        days = facts.filter(day__gte=first, day__lte=today).order_by().values_list("day")
        for day, number in days.annotate(number=Count("pk")):
            calls[(day - first) // 7] += number
        return calls

    return [
        Week(dt.date.fromordinal(first + 7 * number), mine, rate(mine, total))
        for number, (mine, total) in enumerate(zip(count(own), count(every), strict=True))
    ]


def _list_agents(own: Facts, scores: Mapping[int | None, ExactMean]) -> list[AgentLine]:
    rows = own.filter(agent_id__isnull=False).order_by().values("agent_id")
    found = list(rows.annotate(n=Count("pk")).order_by("-n", "agent_id")[:AGENTS])
    names = dict(Agent.objects.filter(pk__in=[row["agent_id"] for row in found]).values_list("pk", "name"))
    return [
        AgentLine(pk, names[pk], row["n"], (mean := scores.get(pk, ExactMean())).percent(), mean.calls)
        for row in found
        if (pk := row["agent_id"]) in names
    ]


def _average_scores(own: Facts) -> tuple[ExactMean, dict[int | None, ExactMean]]:
    """Return the average score of the calls that are scored, and that of each agent."""
    everything, by_agent = ExactMean(), dict[int | None, ExactMean]()
    scored = own.filter(max_points__isnull=False).order_by().values_list("agent_id", "max_points")
    for agent, most, points, calls in scored.annotate(Sum("counted_points"), Count("pk")):
        everything.add(most, int(points), calls)
        by_agent.setdefault(agent, ExactMean()).add(most, int(points), calls)
    return everything, by_agent


def _list_quotes(reason: ContactReason) -> list[Passage]:
    """Return a passage of each of the latest calls whose transcript is there."""
    calls = _list_places(reason).order_by("-call__call_datetime", "-call_id")
    ids = list(calls.values_list("call_id", flat=True)[: 4 * QUOTES])
    analyses = CallAnalysis.objects.filter(call__in=ids, is_live=True).select_related("call")
    by_file = {
        analysis.file_id: analysis for analysis in analyses.only("file", "insights", "call__file_name")
    }
    language = Project.objects.get(pk=reason.project_id).configuration.language
    found: dict[int, Passage] = {}
    for transcript in Transcript.objects.filter(file__in=by_file):
        analysis = by_file[transcript.file_id]
        topic = str((analysis.insights or {}).get("topic") or "")
        conversation = build_conversation(
            transcript.segments or [],
            language=language,
            spoken_language=transcript.language,
            quality=Quality(ok=True, reasons=[]),
        )
        quote = quote_topic(topic, conversation)
        if quote and analysis.call is not None:
            found[analysis.call.pk] = Passage(analysis.call.pk, analysis.call.file_name, quote)
    return [found[call] for call in ids if call in found][:QUOTES]


def _find_neighbors(reason: ContactReason) -> list[Neighbor]:
    """Return the reasons whose centers are nearest; centers of another embedder cannot be compared."""
    if not reason.centroid:
        return []
    others = ContactReason.objects.filter(
        project=reason.project_id, retired_at=None, embedder=reason.embedder, centroid__isnull=False
    ).exclude(pk=reason.pk)
    own = np.frombuffer(bytes(reason.centroid), dtype=np.float32)
    # Centers have unit length: the squares of one or several of them add up to their number.
    width = len(own) // max(1, round(float(own @ own)))
    found = []
    for pk, name, stored in others.values_list("pk", "name", "centroid"):
        centers = np.frombuffer(bytes(stored or b""), dtype=np.float32).reshape(-1, width)
        found.append(Neighbor(pk, name, round(float((centers @ own.reshape(-1, width).T).max()), 2)))
    return sorted(found, key=lambda each: (-each.likeness, each.id))[:NEIGHBORS]
