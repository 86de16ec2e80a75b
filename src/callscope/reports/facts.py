"""Keep one fact row a live call, in the transaction that changes the call.

refresh() reads the truth (call, live results, contact reason) and writes the
row anew; whoever changes any of these calls it, or redescribe(), before committing.
"""

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection, transaction

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls import bulk_rows
from callscope.calls.models import Call
from callscope.contact_reasons.models import CallReason
from callscope.reports import journal, search, statements, window
from callscope.reports.counting import FACT_FIELDS, FactRow
from callscope.reports.models import CallFact, CallText, CriterionSeen, DirectionCode, Sentiment, Topic
from callscope.reports.packing import pack, packs_of
from callscope.reports.scores import CallScore, Criterion, score_call
from callscope.reports.search import SEPARATOR, search_text

BATCH = 500  # calls read at once; SQLite allows 32,766 parameters a statement
SENTIMENTS = {choice.label: choice.value for choice in Sentiment}
DIRECTIONS = {choice.label: choice.value for choice in DirectionCode}
DIGEST_BYTES = 16
UNCOUNTED = ("call_id", "at_us", "score_bp", "missing_prompts", "has_answers")  # listed, in no sum
FIELDS = UNCOUNTED + FACT_FIELDS


def refresh(call_ids: Iterable[int]) -> None:
    """Recompute the facts of these calls; a call without live results, or gone, loses its row.

    Call it inside the transaction of the change. It locks the calls first, so
    that two changes of one call follow each other and the later sees both.
    """
    ordered = sorted(set(call_ids))
    for start in range(0, len(ordered), BATCH):
        with transaction.atomic():
            _refresh(ordered[start : start + BATCH])


def _refresh(call_ids: list[int]) -> None:
    list(Call.objects.select_for_update().filter(pk__in=call_ids).order_by("pk").values_list("pk"))
    facts = CallFact.objects.select_for_update().filter(pk__in=call_ids).order_by("pk")
    before = {row[0]: row for row in facts.values_list(*FIELDS)}
    sources, scores = _read(call_ids)
    criteria = _criteria_ids(
        {
            (s.project_id, *entry.criterion)
            for s, score in zip(sources, scores, strict=True)
            for entry in score.entries
        }
    )
    packs = [
        pack([(criteria[s.project_id, *e.criterion], e.points, e.flags) for e in score.entries])
        for s, score in zip(sources, scores, strict=True)
    ]
    if before:
        CallFact.objects.filter(pk__in=before).delete()
        CallText.objects.filter(pk__in=before).delete()
    after = _write(sources, packs)
    journal.append({pk: _counted(row) for pk, row in before.items()}, after)


def redescribe(call: Call) -> None:
    """Bring the fact of a call in line with metadata that changed, while its results and reason did not.

    For what happens all day: it reads no results. The caller has locked the call, and saved it.
    """
    found = statements.rows(_one_fact(connection.vendor), [call.pk])
    if not found:
        return
    former = found[0]
    has_real_time = call.call_datetime_source != Call.DatetimeSource.UPLOAD_TIME
    fact = dict(zip(FIELDS, former, strict=True)) | {
        "at_us": window.microseconds(call.call_datetime),
        "day": window.day_of(call.call_datetime),
        "hour": window.hour_of(call.call_datetime) if has_real_time else None,
        "agent_id": call.agent_id,
        "direction": DIRECTIONS[call.direction],
    }
    present = tuple(fact[name] for name in FIELDS)
    if present != former:
        changed = {n: new for n, new, old in zip(FIELDS, present, former, strict=True) if new != old}
        CallFact.objects.filter(pk=call.pk).update(**changed)
        journal.append({call.pk: _counted(former)}, {call.pk: _counted(present)})
    ((text,),) = statements.rows("SELECT text FROM reports_calltext WHERE call_id = %s", [call.pk])
    described = SEPARATOR.join([*text.split(SEPARATOR)[:3], search_text(call.caller_number, call.campaign)])
    if described != text:
        CallText.objects.filter(pk=call.pk).update(text=described)


@cache
def _one_fact(vendor: str) -> str:
    """Return the statement that reads FIELDS of one call and locks its row, where rows have locks."""
    lock = "" if vendor == "sqlite" else " FOR UPDATE"
    return f"SELECT {', '.join(FIELDS)} FROM reports_callfact WHERE call_id = %s{lock}"  # noqa: S608 - our own words


def add(project_id: int, sources: Sequence["Source"], criteria: Sequence[Criterion], entries: bytes) -> None:
    """Write the facts of calls that this very transaction has made in a project.

    For an import: it has everything in hand that refresh() would read again. `entries`
    are the packed criteria of the sources in their order, with the place in `criteria`
    instead of an id.
    """
    known = _criteria_ids({(project_id, *criterion) for criterion in criteria})
    ids = [known[project_id, *criterion] for criterion in criteria]
    packs = packs_of(entries, [source.entries for source in sources], ids)
    journal.append({}, _write(sources, packs))


@dataclass(slots=True)
class Source:
    """One call with the results that are live: what a fact is made of, but the criteria."""

    call_id: int
    project_id: int
    file_name: str
    call_datetime: dt.datetime
    has_real_time: bool
    agent_id: int | None
    direction: str
    caller_number: str
    campaign: str
    duration_us: int | None
    sentiment: str | None
    goal_reached: bool | None
    topic: str
    reason: str
    mistakes: int | None
    missing_prompts: int | None
    has_answers: bool
    points: int
    max_points: int | None
    counted_points: int
    score_bp: int | None
    critical: bool
    error_classes: int
    plain_judged: int
    plain_met: int
    entries: int  # criteria


def _read(call_ids: list[int]) -> tuple[list[Source], list[CallScore]]:
    analyses = CallAnalysis.objects.filter(call__in=call_ids, is_live=True).select_related("call", "file")
    reasons = dict(CallReason.objects.filter(call__in=call_ids).values_list("call_id", "reason__name"))
    sources, scores = [], []
    for analysis in analyses.order_by("call_id"):
        score = score_call(analysis.copc)
        sources.append(_source(analysis, score, reasons.get(analysis.call_id, "")))
        scores.append(score)
    return sources, scores


def _source(analysis: CallAnalysis, score: CallScore, reason: str) -> Source:
    call = analysis.call
    insights = analysis.insights or {}
    return Source(
        call_id=call.pk,
        project_id=call.project_id,
        file_name=call.file_name,
        call_datetime=call.call_datetime,
        has_real_time=call.call_datetime_source != Call.DatetimeSource.UPLOAD_TIME,
        agent_id=call.agent_id,
        direction=call.direction,
        caller_number=call.caller_number,
        campaign=call.campaign,
        duration_us=analysis.file.duration_us,
        sentiment=insights.get("sentiment"),
        goal_reached=insights.get("goal_reached"),
        topic=str(insights.get("topic") or ""),
        reason=reason,
        mistakes=_count(analysis.no_protocol, "mistakes"),
        missing_prompts=_count(analysis.no_protocol, "missing_prompts"),
        has_answers=analysis.custom_questions_state == AnalysisState.COMPLETED
        and analysis.custom_questions is not None,
        points=score.points,
        max_points=score.max_points,
        counted_points=score.counted_points,
        score_bp=score.basis_points,
        critical=score.critical,
        error_classes=score.error_classes,
        plain_judged=score.plain_judged,
        plain_met=score.plain_met,
        entries=len(score.entries),
    )


def _count(result: dict[str, Any] | None, key: str) -> int | None:
    return None if result is None else len(result.get(key) or [])


def _write(sources: Sequence[Source], packs: Sequence[bytes]) -> dict[int, FactRow]:
    """Write facts and searched texts; return what is counted of each call."""
    if not sources:
        return {}
    topics = _topic_ids({(s.project_id, s.reason or s.topic) for s in sources if s.reason or s.topic})
    rows = [_fact(source, topics, packed) for source, packed in zip(sources, packs, strict=True)]
    columns = (list(column) for column in zip(*rows, strict=True))
    bulk_rows.insert_columns(CallFact, len(rows), dict(zip(FIELDS, columns, strict=True)))
    texts = [search_text(s.file_name, s.topic, s.reason, s.caller_number, s.campaign) for s in sources]
    call_ids = [source.call_id for source in sources]
    bulk_rows.insert_columns(
        CallText,
        len(rows),
        {"call_id": call_ids, "project_id": [s.project_id for s in sources], "text": texts},
    )
    search.index(list(zip(call_ids, texts, strict=True)))
    return {row[0]: _counted(row) for row in rows}


def _fact(source: Source, topics: Mapping[tuple[int, str], int], packed: bytes) -> FactRow:
    """Return one row of CallFact, in the order of FIELDS."""
    shown_topic = source.reason or source.topic
    return (
        source.call_id,
        window.microseconds(source.call_datetime),
        source.score_bp,
        source.missing_prompts,
        source.has_answers,
        source.project_id,
        window.day_of(source.call_datetime),
        window.hour_of(source.call_datetime) if source.has_real_time else None,
        source.agent_id,
        topics[source.project_id, shown_topic] if shown_topic else None,
        DIRECTIONS[source.direction],
        SENTIMENTS.get(source.sentiment or ""),
        source.goal_reached,
        source.duration_us or 0,
        source.max_points,
        source.points,
        source.counted_points,
        source.critical,
        source.error_classes,
        source.plain_judged,
        source.plain_met,
        source.mistakes,
        packed,
    )


def _counted(row: FactRow) -> FactRow:
    return row[len(UNCOUNTED) :]


def _criteria_ids(keys: set[tuple[int, str, str, str, int]]) -> dict[tuple[int, str, str, str, int], int]:
    """Return the id of each (project, criterion id, name, section, maximum), adding rows that are missing."""
    fields = ("project_id", "criterion_id", "name", "section", "max_points")
    known = _known_criteria(keys)
    missing = sorted(keys - known.keys())
    if missing:
        rows = [CriterionSeen(**dict(zip(fields, key, strict=True))) for key in missing]
        CriterionSeen.objects.bulk_create(rows, ignore_conflicts=True)
        known = _known_criteria(keys)
    return known


def _known_criteria(keys: set[tuple[int, str, str, str, int]]) -> dict[tuple[int, str, str, str, int], int]:
    rows = CriterionSeen.objects.filter(project__in={key[0] for key in keys}).values_list(
        "project_id", "criterion_id", "name", "section", "max_points", "pk"
    )
    return {row[:5]: row[5] for row in rows if row[:5] in keys}


def _topic_ids(keys: set[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Return the id of each (project, text), adding rows that are missing."""
    digests = {key: _digest(key[1]) for key in keys}
    known = _known_topics(digests)
    missing = sorted(key for key in keys if (key[0], digests[key]) not in known)
    if missing:
        rows = [Topic(project_id=key[0], digest=digests[key], text=key[1]) for key in missing]
        Topic.objects.bulk_create(rows, ignore_conflicts=True)
        known = _known_topics(digests)
    return {key: known[key[0], digests[key]] for key in keys}


def _known_topics(digests: dict[tuple[int, str], str]) -> dict[tuple[int, str], int]:
    rows = Topic.objects.filter(project__in={key[0] for key in digests}, digest__in=set(digests.values()))
    return {(project, digest): pk for project, digest, pk in rows.values_list("project_id", "digest", "pk")}


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()
