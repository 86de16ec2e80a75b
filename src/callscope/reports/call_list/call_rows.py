"""One call as the list shows it: as a row of the database, as an item, and as JSON."""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from callscope.analysis.figures import percentage
from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls import fields
from callscope.calls.models import Call
from callscope.calls.moments import utc_text
from callscope.db import raw_sql
from callscope.db.compiled import CompiledQuery, compile_query, stand_ins
from callscope.reports.models import CallFact, Sentiment
from callscope.reports.window import to_datetime
from callscope.transcription.models import Transcript

# Completes "FROM reports_callfact f"; a call that has no fact is in no list.
JOINS = """JOIN calls_call c ON c.id = f.call_id
    LEFT JOIN calls_agent a ON a.id = c.agent_id LEFT JOIN reports_topic t ON t.id = f.topic_id
    LEFT JOIN analysis_callanalysis n ON n.call_id = f.call_id AND n.is_newest"""
FAILED = " OR ".join(f"n.{column} = {AnalysisState.FAILED.value}" for column in STATE_FIELDS.values())
SENTIMENTS = {choice.value: choice.label for choice in Sentiment}


class CallRow(NamedTuple):
    """One row of the database; SQLite gives truth as 0 and 1."""

    id: int
    file_id: int | None
    file_name: str
    at_us: int
    agent: str | None
    direction: str
    campaign: str
    topic: str | None
    sentiment: int | None  # models.Sentiment
    max_points: int | None
    counted_points: int | None
    critical: bool | int
    mistakes: int | None
    missing_prompts: int | None
    goal_reached: bool | int | None
    failed: bool | int  # an analysis of the newest file
    half_heard: bool | int = False
    agent_id: int | None = None
    external_id: str | None = None  # of the agent, in the client's own systems


# What the list reads, in the order of CallRow: a field of the call, or else a figure of its fact.
_SOURCES = {
    "id": "c.id",
    "file_id": "c.newest_file_id",
    "file_name": "c.file_name",
    "agent": "a.name",
    "agent_id": "a.id",
    "external_id": "a.external_id",
    "topic": "t.text",
    "failed": f"COALESCE({FAILED}, FALSE)",
    **{name: f"c.{name}" for name in fields.COLUMNS},
}
COLUMNS = ", ".join(_SOURCES.get(name, f"f.{name}") for name in CallRow._fields)


class CallItem(msgspec.Struct, frozen=True, gc=False):
    """One call as the list shows it; msgspec encodes it to what the API answers."""

    id: int
    file_id: int | None
    file_name: str
    call_datetime: dt.datetime
    agent: str
    direction: str
    campaign: str
    topic: str  # the contact reason, before grouping the raw topic
    sentiment: str | None
    score_percentage: float | None
    has_critical_error: bool
    mistake_count: int | None
    missing_prompt_count: int | None
    goal_reached: bool | None
    has_failed_analysis: bool  # of the newest file
    is_half_heard: bool  # what was said is not known
    is_blinded: bool  # no result is shown, because the reader rates the call


def read_rows(ids: Sequence[int]) -> list[CallRow]:
    """Return the rows of these live calls, in their order."""
    if not ids:
        return []
    places = ", ".join(["%s"] * len(ids))
    statement = f"SELECT {COLUMNS} FROM reports_callfact f {JOINS} WHERE f.call_id IN ({places})"  # noqa: S608
    rows = {row.id: row for row in map(CallRow._make, raw_sql.fetch_rows(statement, ids))}
    return [rows[pk] for pk in ids if pk in rows]


def find_doubtful(call_ids: Collection[int]) -> set[int]:
    """Return those of the calls whose results are of a poor transcript, half-heard ones included."""
    ids = list(call_ids)
    return {call_id for (call_id,) in compile_doubtful(len(ids)).fetch(ids)} if ids else set()


@lru_cache(maxsize=128)  # as many as there are rows on a page
def compile_doubtful(count: int) -> CompiledQuery:
    """Return the query for those of so many calls whose transcript is poor."""
    files = CallAnalysis.objects.filter(call__in=stand_ins(count), is_live=True).values("file")
    return compile_query(
        Transcript.objects.filter(file__in=files, quality__ok=False).values_list("file__call")
    )


def find_untimed(call_ids: Collection[int]) -> set[int]:
    """Return those of the calls whose time is not known, so that the time of their upload is shown."""
    ids = list(call_ids)
    return {call_id for (call_id,) in compile_untimed(len(ids)).fetch(ids)} if ids else set()


@lru_cache(maxsize=128)
def compile_untimed(count: int) -> CompiledQuery:
    """Return the query for those of so many calls whose time is that of the upload."""
    source = Call.DatetimeSource.UPLOAD_TIME
    return compile_query(
        Call.objects.filter(pk__in=stand_ins(count), call_datetime_source=source).values_list("pk")
    )


def find_lengths(call_ids: Collection[int]) -> dict[int, int]:
    """Return how long these calls are, in microseconds; without those whose length is not known."""
    ids = list(call_ids)
    return (
        {call_id: length for call_id, length in compile_lengths(len(ids)).fetch(ids) if length} if ids else {}
    )


@lru_cache(maxsize=128)
def compile_lengths(count: int) -> CompiledQuery:
    """Return the query for the lengths of so many calls."""
    return compile_query(CallFact.objects.filter(pk__in=stand_ins(count)).values_list("pk", "duration_us"))


def read_raw_topics(call_ids: Collection[int]) -> dict[int, str]:
    """Return what the analyses of these calls named their topics; without those that have none."""
    if not call_ids:
        return {}
    analyses = CallAnalysis.objects.filter(call__in=call_ids, is_live=True).only("call", "insights")
    named = ((each.call_id, each.insights) for each in analyses)
    return {pk: str(found["topic"]) for pk, found in named if isinstance(found, dict) and found.get("topic")}


def find_project_ids(call_ids: Collection[int]) -> dict[int, int]:
    """Return the project of each of these calls, by its id."""
    ids = list(call_ids)
    return dict(compile_projects(len(ids)).fetch(ids)) if ids else {}


@lru_cache(maxsize=128)
def compile_projects(count: int) -> CompiledQuery:
    """Return the query for the projects of so many calls."""
    return compile_query(Call.objects.filter(pk__in=stand_ins(count)).values_list("pk", "project_id"))


def item_of_row(row: CallRow) -> CallItem:
    return CallItem(
        id=row.id,
        file_id=row.file_id,
        file_name=row.file_name,
        call_datetime=to_datetime(row.at_us),
        agent=row.agent or "",
        direction=row.direction,
        campaign=row.campaign,
        topic=row.topic or "",
        sentiment=SENTIMENTS[row.sentiment] if row.sentiment else None,
        score_percentage=percentage(row.counted_points or 0, row.max_points or 0),
        has_critical_error=bool(row.critical),
        mistake_count=row.mistakes,
        missing_prompt_count=row.missing_prompts,
        goal_reached=None if row.goal_reached is None else bool(row.goal_reached),
        has_failed_analysis=bool(row.failed),
        is_half_heard=bool(row.half_heard),
        is_blinded=False,
    )


def item_of_call(
    call: Call, fact: CallFact | None, topic: str, newest: CallAnalysis | None = None
) -> CallItem:
    """Return the item of a call; without a fact, what is known before any result.

    `newest` are the analyses of its newest file.
    """
    return CallItem(
        id=call.pk,
        file_id=call.newest_file_id,
        file_name=call.file_name,
        call_datetime=call.call_datetime,
        agent=call.agent.name if call.agent else "",
        direction=call.direction,
        campaign=call.campaign,
        topic=topic,
        sentiment=SENTIMENTS[fact.sentiment] if fact and fact.sentiment else None,
        score_percentage=percentage(fact.counted_points, fact.max_points or 0) if fact else None,
        has_critical_error=fact.critical if fact else False,
        mistake_count=fact.mistakes if fact else None,
        missing_prompt_count=fact.missing_prompts if fact else None,
        goal_reached=fact.goal_reached if fact else None,
        has_failed_analysis=bool(newest and newest.list_errors()),
        is_half_heard=fact.half_heard if fact else False,
        is_blinded=False,
    )


def name_agents(items: Iterable[CallItem], agents: Mapping[int, str]) -> Iterator[CallItem]:
    """Yield the items for a page, with the names of their agents in `agents`, by call."""
    for item in items:
        agent = agents.get(item.id, item.agent)
        yield item if agent == item.agent else msgspec.structs.replace(item, agent=agent)


def hide_results_of(items: Iterable[CallItem], call_ids: Collection[int]) -> Iterator[CallItem]:
    """Yield the items; those of these calls as hide_results() leaves them."""
    for item in items:
        yield hide_results(item) if item.id in call_ids else item


def hide_results(item: CallItem) -> CallItem:
    """Return the item as somebody sees it who rates the call and shall not be swayed.

    `has_critical_error`, which is always a boolean, is False and means nothing then.
    """
    return msgspec.structs.replace(
        item,
        score_percentage=None,
        has_critical_error=False,
        sentiment=None,
        goal_reached=None,
        mistake_count=None,
        missing_prompt_count=None,
        is_blinded=True,
    )


def item_json(item: CallItem) -> dict[str, Any]:
    """Return the item as the interface shows it."""
    return msgspec.structs.asdict(item) | {"call_datetime": utc_text(item.call_datetime)}
