"""Load what a report is built from: the aggregates of its calls, and the names of their keys."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Count, F, Model, Q, QuerySet, Sum
from django.utils import timezone

from callscope.calls.models import Agent
from callscope.calls.namesakes import find_places
from callscope.contact_reasons.models import ContactReason
from callscope.db import raw_sql
from callscope.db.chunks import chunked
from callscope.db.compiled import CompiledQuery, compile_query, stand_ins
from callscope.db.snapshot import snapshot
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.projects.rubric_changes import RubricChange, list_rubric_changes
from callscope.reports.judged_versions import read_judged
from callscope.reports.models import CallFact, CallMark, CriterionSeen, ReviewedCall, Topic
from callscope.reports.overview.missing_calls import (
    NOTHING_REMOVED,
    RemovedResults,
    count_failed_by_project,
    count_removed_of_both,
)
from callscope.reports.overview.people.sampled_scores import (
    NOTHING_SAMPLED,
    SampledScores,
    read_sampled_scores,
    select_reviewed,
)
from callscope.reports.store import reader, version
from callscope.reports.store.aggregates import TABLES, Aggregates
from callscope.reports.store.marks import TRACKER
from callscope.reports.store.rollups import FIGURES
from callscope.reports.window import Window, day_of, find_week
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.models import Review
from callscope.reviews.weak_criteria.holding import read_held

# What is compared with the window before.
PREVIOUS_TABLES = ("criteria", "hours", "hour_scores", "topics", "agent_scores")
HOUR_SCORES = TABLES["hour_scores"]
PARTS = ("hi", "lo")  # of large amounts; see aggregates.HourCounts
IDS_AT_ONCE = 5000  # of one query; SQLite allows 32,766 parameters


class ScoredCriterion(NamedTuple):
    """A criterion as results have it; its fields are columns of models.CriterionSeen."""

    project_id: int
    criterion_id: str
    name: str
    section: str
    max_points: int  # millionths


class ReviewCounts(NamedTuple):
    """What the reviews of some calls add up to."""

    calls: int = 0
    corrected: int = 0
    compared: int = 0  # answers that both person and machine gave
    agreed: int = 0  # the same answer
    appeals: int = 0
    appeals_accepted: int = 0


NO_REVIEWS = ReviewCounts(0, 0, 0, 0)


class AgentName(NamedTuple):
    """How an agent is shown, the form that the name sorts by, and what tells agents of one name apart."""

    name: str
    name_key: str
    external_id: str = ""  # the client's own id of the agent
    place: str | None = None  # see find_places(); None for a name that is the agent's alone


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that a report is built from, of one moment."""

    projects: list[Project]
    configurations: dict[int, Configuration]  # by project
    window: Window
    aggregates: Aggregates
    previous: Aggregates | None  # of the window before; None when there is no such window
    total_calls_all_time: int
    criteria: dict[int, ScoredCriterion]
    topics: dict[int, str]
    agents: dict[int, AgentName]
    topic_projects: dict[int, int] = field(default_factory=dict)  # project of each topic
    reasons: dict[tuple[int, str], int] = field(default_factory=dict)  # by project and name
    headings: dict[int, tuple[int, str]] = field(default_factory=dict)  # id and name, by a reason under it
    tracked: list[tuple[str, int, int]] = field(default_factory=list)  # (tracker id, day, calls)
    half_heard_calls: int = 0  # in the window
    half_heard_by_people: int = 0  # of them, those whose score comes from answers of people alone
    zeroed_calls: int = 0  # in the window, scored 0 with a critical error; see count_zeroed()
    failed_calls: int = 0  # in the window
    removed_results: RemovedResults = NOTHING_REMOVED
    reviews: ReviewCounts = NO_REVIEWS
    sampled: SampledScores = NOTHING_SAMPLED
    held: set[tuple[int, str]] = field(default_factory=set)  # (project, criterion) that wait for a person
    rubric_changes: list[RubricChange] = field(default_factory=list)  # within the window, earliest first
    judged_changes: list[RubricChange] = field(default_factory=list)  # those that judged calls of it
    used_changes: list[RubricChange] = field(default_factory=list)  # of these, whose rubric judged calls
    judged_calls: int = 0  # scored ones that the last of these judged
    previous_judged_calls: int = 0  # of the window before
    today: int | None = None  # an ordinal


def read_agent_names(ids: Sequence[int]) -> dict[int, AgentName]:
    """Return agents by id, each with what tells it apart from others of the name."""
    agents: dict[int, AgentName] = {}
    for chunk in chunked(ids, IDS_AT_ONCE):
        rows = _select(Agent, "id", chunk, ("id", "name", "name_key", "external_id"))
        agents.update({pk: AgentName._make((*named, None)) for pk, *named in rows})
    for pk, place in find_places({pk: each[1:3] for pk, each in agents.items()}).items():
        agents[pk] = agents[pk]._replace(place=place)
    return agents


def load_report_data(projects: list[Project], window: Window, agent_id: int | None = None) -> ReportData:
    """Return the data of one report; all that is counted belongs to the same moment.

    With `agent_id` they are counted over the calls of that agent alone, in one project.
    """
    ids = [project.pk for project in projects]
    previous = window.previous()
    version.ensure_current()
    with snapshot():
        aggregates = read_sums(ids, window, FIGURES, agent_id)
        criteria = _select(CriterionSeen, "project_id", ids, ("id", *ScoredCriterion._fields))
        before = None if previous is None else read_sums(ids, previous, PREVIOUS_TABLES, agent_id)
        topics: dict[int, str] = {}
        topic_projects: dict[int, int] = {}
        counted = {row[0] for each in (aggregates, before) if each for row in each.rows("topics")}
        for chunk in chunked(sorted(counted), IDS_AT_ONCE):
            for pk, text, project in _select(Topic, "id", chunk, ("id", "text", "project_id")):
                topics[pk], topic_projects[pk] = text, project
        configurations = {project.pk: project.configuration for project in projects}
        has_trackers = any(c.trackers for c in configurations.values())
        changes = _list_rubric_changes(projects, window, aggregates)
        return ReportData(
            projects=projects,
            configurations=configurations,
            window=window,
            aggregates=aggregates,
            previous=before,
            total_calls_all_time=_count_calls(ids, agent_id),
            criteria={pk: ScoredCriterion._make(fields) for pk, *fields in criteria},
            topics=topics,
            agents=read_agent_names([row[0] for row in aggregates.rows("agents")]),
            topic_projects=topic_projects,
            reasons=read_reasons(ids) if agent_id is None else {},  # to edit them
            headings=read_headings(ids) if agent_id is None else {},
            tracked=count_marked(ids, TRACKER, window, agent_id) if has_trackers else [],
            half_heard_calls=(half_heard := count_half_heard(ids, window, agent_id)),
            half_heard_by_people=count_scored_by_people(ids, window, agent_id) if half_heard else 0,
            zeroed_calls=count_zeroed(ids, window, agent_id, aggregates),
            failed_calls=sum(count_failed_by_project(ids, window, agent_id).values()),
            removed_results=count_removed_of_both(ids, window, agent_id),
            reviews=_add_up_reviews(ids, window, agent_id),
            # A draw leads to no score without a review.
            sampled=read_sampled_scores(ids, window)
            if agent_id is None and _has_any_of(ids, Review)
            else NOTHING_SAMPLED,
            held={
                (project, each["criterion_id"])
                for project, criteria in read_held(ids).items()
                for each in criteria
                if configurations[project].reviews.weak_criteria == "ask_a_person"
            },
            rubric_changes=changes,
            **read_judged(changes, window, agent_id)._asdict(),
            today=day_of(timezone.now()),
        )


def _select(
    model: type[Model], column: str, values: Sequence[int], columns: Sequence[str]
) -> list[tuple[Any, ...]]:
    """Return these columns of the rows whose `column` is one of the values: numbers and texts.

    Django takes longer to write such a statement over hundreds of ids than the database to answer it.
    """
    if not values:
        return []
    places = ", ".join(["%s"] * len(values))
    table = model._meta.db_table
    statement = f"SELECT {', '.join(columns)} FROM {table} WHERE {column} IN ({places})"  # noqa: S608 - our own words
    return raw_sql.fetch_rows(statement, values)


def read_sums(
    project_ids: list[int], window: Window, tables: tuple[str, ...], agent_id: int | None
) -> Aggregates:
    """Return these tables of the window, with `agent_id` over the calls of that agent in one project."""
    if agent_id is None:
        return reader.read_aggregates(project_ids, window, tables)
    (project_id,) = project_ids
    return reader.read_agent_aggregates(project_id, agent_id, window, tables)


def _count_calls(project_ids: list[int], agent_id: int | None) -> int:
    if agent_id is None:
        return reader.count_calls(project_ids)
    return CallFact.objects.filter(project__in=project_ids, agent_id=agent_id).count()


def read_reasons(project_ids: list[int]) -> dict[tuple[int, str], int]:
    """Return (project, name) → id of the contact reasons that calls are counted for."""
    rows = compile_reasons(len(project_ids)).fetch(project_ids) if project_ids else []
    return {(project, name): pk for pk, project, name in rows}


@lru_cache(maxsize=64)
def compile_reasons(projects: int) -> CompiledQuery:
    """Return the query for the reasons of so many projects."""
    ids = stand_ins(projects)
    reasons = ContactReason.objects.filter(project__in=ids, retired_at=None, is_set_aside=False)
    return compile_query(reasons.values_list("pk", "project", "name"))


def read_headings(project_ids: list[int]) -> dict[int, tuple[int, str]]:
    """Return reason → (id, name) of the reason above it."""
    rows = compile_headings(len(project_ids)).fetch(project_ids) if project_ids else []
    return {pk: (above, name) for pk, above, name in rows}


@lru_cache(maxsize=64)
def compile_headings(projects: int) -> CompiledQuery:
    """Return the query for the reasons of so many projects that are below another."""
    below = ContactReason.objects.filter(project__in=stand_ins(projects), parent__isnull=False)
    return compile_query(below.values_list("pk", "parent_id", "parent__name"))


def count_marked(
    project_ids: list[int], kind: int, window: Window, agent_id: int | None = None
) -> list[tuple[str, int, int]]:
    """Return (id, day, calls that carry its mark) of the window; an index holds all that is read."""
    first, last = window.days
    marks = CallMark.objects.filter(project__in=project_ids, kind=kind, day__gte=first, day__lte=last)
    if agent_id is not None:
        marks = marks.filter(call__fact__agent_id=agent_id)
    counted = marks.order_by().values("key", "day").annotate(calls=Count("pk"))
    return sorted(counted.values_list("key", "day", "calls"))


def count_half_heard(project_ids: list[int], window: Window, agent_id: int | None) -> int:
    """Return how many calls of the window are half heard; an index holds them alone."""
    if not project_ids:
        return 0
    first, last = window.days
    places = ", ".join(["%s"] * len(project_ids))
    statement = (
        "SELECT COUNT(*) FROM reports_callfact WHERE half_heard"  # noqa: S608 - our own words
        f" AND project_id IN ({places}) AND day >= %s AND day <= %s"
    )
    parameters = [*project_ids, first, last]
    if agent_id is not None:
        statement, parameters = f"{statement} AND agent_id = %s", [*parameters, agent_id]
    [[count]] = raw_sql.fetch_rows(statement, parameters)
    return int(count)


def count_zeroed(project_ids: list[int], window: Window, agent_id: int | None, aggregates: Aggregates) -> int:
    """Return how many calls of the window count as 0 with a critical error; 0 where no rubric asks for that.

    `aggregates` are those of these calls: they hold more points earned than counted only where a critical
    error took some. The call list finds the same calls by their score and their critical error, and an
    index holds both.
    """
    columns = dict(zip(HOUR_SCORES.keys + HOUR_SCORES.counts, aggregates.table("hour_scores").T, strict=True))
    if all(int(columns[f"earned_{part}"].sum()) == int(columns[f"counted_{part}"].sum()) for part in PARTS):
        return 0
    first, last = window.days
    zeroed = CallFact.objects.filter(
        project__in=project_ids, score_bp=0, critical=True, day__gte=first, day__lte=last
    )
    return (zeroed if agent_id is None else zeroed.filter(agent_id=agent_id)).count()


def count_scored_by_people(project_ids: list[int], window: Window, agent_id: int | None) -> int:
    """Return how many half-heard calls of the window have a score that no answer of the machine is in."""
    found = _select_scored_by_people(project_ids, window)
    return (found if agent_id is None else found.filter(call__fact__agent_id=agent_id)).count()


def count_doubtful_by_agent(project_ids: list[int], window: Window) -> dict[int, int]:
    """Return how many half-heard calls of the window have a score that is not of people alone, by agent."""
    first, last = window.days
    facts = CallFact.objects.filter(project__in=project_ids, half_heard=True, agent_id__isnull=False)
    facts = facts.exclude(call__in=_select_scored_by_people(project_ids, window).values("call"))
    inside = facts.filter(day__gte=first, day__lte=last).order_by()
    return dict(inside.values_list("agent_id").annotate(Count("pk")))


def _select_scored_by_people(project_ids: list[int], window: Window) -> QuerySet[Review]:
    """Return the reviews from which alone the scores of half-heard calls come.

    An answer of the machine that counts next to them would add to the points that can be earned.
    """
    first, last = window.days
    fitting = Review.objects.filter(
        project__in=project_ids, is_current=True, is_outdated=False, outdated_criteria=[]
    )
    return fitting.filter(
        call__fact__half_heard=True,
        call__fact__day__gte=first,
        call__fact__day__lte=last,
        call__fact__max_points=F("max_points"),
        call__fact__points=F("total_points"),  # as earned: what a critical error does may have changed
    )


def _add_up_reviews(project_ids: list[int], window: Window, agent_id: int | None) -> ReviewCounts:
    """Return what the reviews of the calls of the window add up to; an index holds all that is read."""
    if not _has_any_of(project_ids, ReviewedCall, Appeal):
        return ReviewCounts()
    sums = select_reviewed(project_ids, window, agent_id).aggregate(
        calls=Count("at_us"),  # the key is not in the index
        corrected=Count("at_us", filter=Q(is_corrected=True)),
        compared=Sum("compared"),
        agreed=Sum("agreed"),
    )
    first, last = window.days
    appeals = Appeal.objects.filter(
        project__in=project_ids, call__fact__day__gte=first, call__fact__day__lte=last
    ).exclude(state=Appeal.State.WITHDRAWN)
    if agent_id is not None:
        appeals = appeals.filter(call__fact__agent_id=agent_id)
    accepted = Count("pk", filter=Q(state=Appeal.State.ACCEPTED))
    sums |= appeals.aggregate(appeals=Count("pk"), appeals_accepted=accepted)
    return ReviewCounts(*(int(sums[name] or 0) for name in ReviewCounts._fields))


def _has_any_of(project_ids: list[int], *models: type[Model]) -> bool:
    """Return whether the projects have a row in one of these tables: nobody has reviewed a call of most."""
    if not project_ids:
        return False
    places = ", ".join(["%s"] * len(project_ids))
    tables = [each._meta.db_table for each in models]
    parts = [f"EXISTS (SELECT 1 FROM {table} WHERE project_id IN ({places}))" for table in tables]  # noqa: S608
    [[found]] = raw_sql.fetch_rows(f"SELECT {' OR '.join(parts)}", project_ids * len(models))
    return bool(found)


def _list_rubric_changes(
    projects: list[Project], window: Window, aggregates: Aggregates
) -> list[RubricChange]:
    """Return the changes within the window; where its start is open, from the week of the first call on."""
    days = aggregates.table("days")[:, 0]
    if window.start is None and len(days):
        window = Window(find_week(int(days.min())), window.end)
    return list_rubric_changes(projects, *window.moments)
