"""Keep one fact row a live call, in the transaction that changes the call.

refresh() reads the truth (call, live results, contact reason) and writes the
row anew; whoever changes any of these calls it before committing.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls import bulk_rows
from callscope.calls.models import Call
from callscope.contact_reasons.models import CallReason
from callscope.reports import journal, window
from callscope.reports.models import CallFact, CallText, CriterionSeen, DirectionCode, Sentiment, Topic
from callscope.reports.packing import pack
from callscope.reports.scores import CallScore, score_call
from callscope.reports.search import search_text

BATCH = 500  # calls read at once; SQLite allows 32,766 parameters a statement
SENTIMENTS = {choice.label: choice.value for choice in Sentiment}
DIRECTIONS = {choice.label: choice.value for choice in DirectionCode}
DIGEST_BYTES = 16


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
    before = {
        fact.pk: fact for fact in CallFact.objects.select_for_update().filter(pk__in=call_ids).order_by("pk")
    }
    facts, texts = _facts_of(_read(call_ids))
    if before:
        CallFact.objects.filter(pk__in=before).delete()
        CallText.objects.filter(pk__in=before).delete()
    _write(facts, texts)
    journal.append(before.values(), facts)


def add(analyses: Sequence[CallAnalysis], reasons: Mapping[int, str]) -> None:
    """Write the facts of calls that this very transaction has made; `reasons` tells contact reasons by call.

    For an import: it has everything in hand that refresh() would read again. The
    analyses are live, and carry their call and their file.
    """
    sources = [_Source(analysis.call, analysis, reasons.get(analysis.call_id, "")) for analysis in analyses]
    facts, texts = _facts_of(sources)
    _write(facts, texts)
    journal.append((), facts)


class _Source:
    """One call with the results that are live, as read from the other rooms."""

    __slots__ = ("analysis", "call", "reason", "score", "topic")

    def __init__(self, call: Call, analysis: CallAnalysis, reason: str) -> None:
        self.call = call
        self.analysis = analysis
        self.reason = reason
        self.topic = str((analysis.insights or {}).get("topic") or "")
        self.score: CallScore = score_call(analysis.copc)


def _read(call_ids: list[int]) -> list[_Source]:
    analyses = CallAnalysis.objects.filter(call__in=call_ids, is_live=True).select_related("call", "file")
    reasons = dict(CallReason.objects.filter(call__in=call_ids).values_list("call_id", "reason__name"))
    return [
        _Source(analysis.call, analysis, reasons.get(analysis.call_id, ""))
        for analysis in analyses.order_by("call_id")
    ]


def _facts_of(sources: Sequence[_Source]) -> tuple[list[CallFact], list[CallText]]:
    criteria = _criteria_ids(
        {
            (source.call.project_id, entry.criterion_id, entry.name, entry.section, entry.max_points)
            for source in sources
            for entry in source.score.entries
        }
    )
    topics = _topic_ids({(s.call.project_id, s.reason or s.topic) for s in sources if s.reason or s.topic})
    facts, texts = [], []
    for source in sources:
        call = source.call
        shown_topic = source.reason or source.topic
        topic_id = topics[call.project_id, shown_topic] if shown_topic else None
        facts.append(_fact(source, topic_id, criteria))
        text = search_text(call.file_name, source.topic, source.reason, call.caller_number, call.campaign)
        texts.append(CallText(call_id=call.pk, project_id=call.project_id, text=text))
    return facts, texts


def _fact(
    source: _Source, topic_id: int | None, criteria: dict[tuple[int, str, str, str, int], int]
) -> CallFact:
    call, analysis, score = source.call, source.analysis, source.score
    insights = analysis.insights or {}
    has_real_time = call.call_datetime_source != Call.DatetimeSource.UPLOAD_TIME
    project_id = call.project_id
    return CallFact(
        call_id=call.pk,
        project_id=project_id,
        at_us=window.microseconds(call.call_datetime),
        day=window.day_of(call.call_datetime),
        hour=window.hour_of(call.call_datetime) if has_real_time else None,
        agent_id=call.agent_id,
        direction=DIRECTIONS[call.direction],
        topic_id=topic_id,
        sentiment=SENTIMENTS.get(insights.get("sentiment") or ""),
        goal_reached=insights.get("goal_reached"),
        duration_us=analysis.file.duration_us or 0,
        points=score.points,
        max_points=score.max_points,
        counted_points=score.counted_points,
        score_bp=score.basis_points,
        critical=score.critical,
        error_classes=score.error_classes,
        plain_judged=score.plain_judged,
        plain_met=score.plain_met,
        mistakes=_count(analysis.no_protocol, "mistakes"),
        missing_prompts=_count(analysis.no_protocol, "missing_prompts"),
        has_answers=analysis.custom_questions_state == AnalysisState.COMPLETED
        and analysis.custom_questions is not None,
        pack=pack(
            [
                (criteria[project_id, e.criterion_id, e.name, e.section, e.max_points], e.points, e.flags)
                for e in score.entries
            ]
        ),
    )


def _count(result: dict[str, Any] | None, key: str) -> int | None:
    return None if result is None else len(result.get(key) or [])


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


def _write(facts: list[CallFact], texts: list[CallText]) -> None:
    bulk_rows.insert(CallFact, facts)
    bulk_rows.insert(CallText, texts)
