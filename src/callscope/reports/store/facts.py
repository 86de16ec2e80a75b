"""Keep one fact row for each live call, in the transaction that changes the call.

The truth is the call, its live results and its contact reason. Code that changes one
of them calls, before it commits:

- refresh() after any change: it reads the truth and replaces the row,
- update_metadata() after a change of metadata alone, which reads no results,
- add_imported() after an import, which has everything in hand.

Each writes the fact, the searched text, the marks and the journal.
"""

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import connection, models, transaction

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Call
from callscope.contact_reasons.models import CallReason
from callscope.db import bulk_insert, raw_sql
from callscope.db.chunks import chunked
from callscope.reports import window
from callscope.reports.models import (
    CallFact,
    CallMark,
    CallText,
    CriterionSeen,
    DirectionCode,
    ReviewedCall,
    Sentiment,
    SpokenCall,
    Topic,
)
from callscope.reports.search import call_texts
from callscope.reports.search.call_texts import SEPARATOR, build_search_text
from callscope.reports.store import journal
from callscope.reports.store.fact_row import FactRow
from callscope.reports.store.marks import find_marks
from callscope.reports.store.packing import pack_entries, split_into_packs
from callscope.reports.store.scores import CallFigures, CallScore, CriterionKey, score_call
from callscope.reports.store.talk import read_talk
from callscope.reviews.criteria import KnownCriteria, list_criteria
from callscope.reviews.effect import score_review
from callscope.reviews.models import Review
from callscope.reviews.results import to_hundredths
from callscope.transcription.models import Transcript

CALLS_AT_ONCE = 500  # read by one statement; SQLite allows 32,766 parameters
SENTIMENTS = {choice.label: choice.value for choice in Sentiment}
DIRECTIONS = {choice.label: choice.value for choice in DirectionCode}
DIGEST_BYTES = 16  # of the text of a topic
READ_FACT = f"SELECT {', '.join(FactRow._fields)} FROM reports_callfact WHERE call_id = %s"  # noqa: S608


class ReviewSums(NamedTuple):
    """What the report sums up of the review that stands; models.ReviewedCall says what each means."""

    is_corrected: bool
    compared: int
    agreed: int
    score_bp: int | None


@dataclass(slots=True)
class FactInput:
    """One call with its live results: what a fact is made of, without the entries of its criteria."""

    call_id: int
    project_id: int
    file_name: str
    call_datetime: dt.datetime
    has_real_time: bool
    agent_id: int | None
    direction: str
    caller_number: str
    campaign: str
    reason: str  # the contact reason; "" before grouping
    figures: CallFigures
    transcript_id: int | None = None
    review: ReviewSums | None = None  # of the review that stands
    is_set_aside: bool = False  # the reason is noise: the call counts for none

    @property
    def shown_topic(self) -> str:
        return "" if self.is_set_aside else self.reason or self.figures.topic


def refresh(call_ids: Iterable[int]) -> None:
    """Recompute the facts of these calls; a call without live results, or deleted, loses its row.

    Call it inside the transaction of the change. It locks the calls first, so
    that two changes of one call follow each other and the later sees both.
    """
    for chunk in chunked(sorted(set(call_ids)), CALLS_AT_ONCE):
        with transaction.atomic():
            _refresh_locked(chunk)


def _refresh_locked(call_ids: list[int]) -> None:
    list(Call.objects.select_for_update().filter(pk__in=call_ids).order_by("pk").values_list("pk"))
    facts = CallFact.objects.select_for_update().filter(pk__in=call_ids).order_by("pk")
    before = {row[0]: FactRow._make(row) for row in facts.values_list(*FactRow._fields)}
    inputs, scores = _read_inputs(call_ids)
    scored = [(source.project_id, score) for source, score in zip(inputs, scores, strict=True)]
    criteria = _criteria_ids({(project, *e.criterion) for project, score in scored for e in score.entries})
    packs = [
        pack_entries([(criteria[project, *e.criterion], e.points, e.flags) for e in score.entries])
        for project, score in scored
    ]
    if before:
        CallFact.objects.filter(pk__in=before).delete()
        CallText.objects.filter(pk__in=before).delete()
        CallMark.objects.filter(call__in=before).delete()
        SpokenCall.objects.filter(call__in=before).delete()
        ReviewedCall.objects.filter(call__in=before).delete()
    journal.append(before, _insert_facts(inputs, packs))


def update_metadata(call: Call) -> None:
    """Bring the fact of a call in line with metadata that changed, while its results and reason did not.

    For what happens all day: it reads no results. The caller has locked the call, and saved it.
    """
    lock = "" if connection.vendor == "sqlite" else " FOR UPDATE"
    rows = raw_sql.fetch_rows(READ_FACT + lock, [call.pk])
    if not rows:
        return
    before = FactRow._make(rows[0])
    has_real_time = call.call_datetime_source != Call.DatetimeSource.UPLOAD_TIME
    after = before._replace(
        at_us=window.to_microseconds(call.call_datetime),
        day=window.day_of(call.call_datetime),
        hour=window.hour_of(call.call_datetime) if has_real_time else None,
        agent_id=call.agent_id,
        direction=DIRECTIONS[call.direction],
    )
    if after != before:
        fields = zip(FactRow._fields, after, before, strict=True)
        CallFact.objects.filter(pk=call.pk).update(**{name: new for name, new, old in fields if new != old})
        if after.at_us != before.at_us:
            SpokenCall.objects.filter(call=call.pk).update(at_us=after.at_us)
        if (after.at_us, after.agent_id) != (before.at_us, before.agent_id):
            ReviewedCall.objects.filter(call=call.pk).update(at_us=after.at_us, agent_id=after.agent_id)
        if after.day != before.day:
            CallMark.objects.filter(call=call.pk).update(day=after.day)
        journal.append({call.pk: before}, {call.pk: after})
    ((text,),) = raw_sql.fetch_rows("SELECT text FROM reports_calltext WHERE call_id = %s", [call.pk])
    # File name, topic and reason keep their places; the rest of the text is metadata.
    metadata = build_search_text(call.caller_number, call.campaign)
    searched = SEPARATOR.join([*text.split(SEPARATOR)[:3], metadata])
    if searched != text:
        CallText.objects.filter(pk=call.pk).update(text=searched)


def add_imported(
    project_id: int, inputs: Sequence[FactInput], criteria: Sequence[CriterionKey], entries: bytes
) -> None:
    """Write the facts of calls that this very transaction has inserted in a project.

    For an import: it has everything in hand that refresh() would read again. `entries`
    are the packed criteria of the inputs in their order, with the index in `criteria`
    instead of an id.
    """
    ids = _criteria_ids({(project_id, *criterion) for criterion in criteria})
    ids_in_order = [ids[project_id, *criterion] for criterion in criteria]
    packs = split_into_packs(entries, [source.figures.entries for source in inputs], ids_in_order)
    journal.append({}, _insert_facts(inputs, packs))


def forget_topics(project_id: int) -> int:
    """Delete the topics of a project that no call is counted under any more, and return how many."""
    used = CallFact.objects.filter(project=project_id, topic__isnull=False).values("topic_id")
    return Topic.objects.filter(project=project_id).exclude(pk__in=used).delete()[0]


def _read_inputs(call_ids: list[int]) -> tuple[list[FactInput], list[CallScore]]:
    analyses = CallAnalysis.objects.filter(call__in=call_ids, is_live=True).select_related("call", "file")
    placed = CallReason.objects.filter(call__in=call_ids)
    named = placed.values_list("call_id", "reason__name", "reason__is_set_aside")
    reasons = {call: (name, is_set_aside) for call, name, is_set_aside in named}
    transcripts = dict(
        Transcript.objects.filter(file__in=analyses.values("file")).values_list("file_id", "pk")
    )
    standing = Review.objects.filter(call__in=call_ids, is_current=True, is_outdated=False)
    reviews = {each.call_id: each for each in standing.select_related("project").prefetch_related("answers")}
    known = {each.project_id: KnownCriteria(each.project) for each in reviews.values()}
    inputs, scores = [], []
    for analysis in analyses.order_by("call_id"):
        call, insights = analysis.call, analysis.insights or {}
        score = score_call(analysis.copc)
        reason, is_set_aside = reasons.get(call.pk, ("", False))
        scores.append(score)
        inputs.append(
            FactInput(
                call_id=call.pk,
                project_id=call.project_id,
                file_name=call.file_name,
                call_datetime=call.call_datetime,
                has_real_time=call.call_datetime_source != Call.DatetimeSource.UPLOAD_TIME,
                agent_id=call.agent_id,
                direction=call.direction,
                caller_number=call.caller_number,
                campaign=call.campaign,
                reason=reason,
                is_set_aside=is_set_aside,
                transcript_id=transcripts.get(analysis.file_id),
                review=_sum_up_review(reviews.get(call.pk), analysis, known),
                figures=CallFigures(
                    duration_us=analysis.file.duration_us,
                    sentiment=insights.get("sentiment"),
                    goal_reached=insights.get("goal_reached"),
                    topic=str(insights.get("topic") or ""),
                    mistakes=_count_findings(analysis.no_protocol, "mistakes"),
                    missing_prompts=_count_findings(analysis.no_protocol, "missing_prompts"),
                    has_answers=analysis.custom_questions_state == AnalysisState.COMPLETED
                    and analysis.custom_questions is not None,
                    score=score.totals,
                    entries=len(score.entries),
                    half_heard=bool((insights.get("transcript_quality") or {}).get("half_heard")),
                    talk=read_talk(insights),
                    marks=find_marks(
                        analysis.copc,
                        insights,
                        analysis.no_protocol,
                        has_quotes=analysis.file.transcript_removed_at is None,
                    ),
                ),
            )
        )
    return inputs, scores


def _sum_up_review(
    review: Review | None, analysis: CallAnalysis, known: Mapping[int, KnownCriteria]
) -> ReviewSums | None:
    if review is None:
        return None
    scored = score_review(review, analysis, list_criteria(analysis, known[review.project_id]))
    score = None
    if scored is not None and scored.is_whole:
        score = to_hundredths(scored.result["score_percentage"])
    return ReviewSums(review.is_corrected, review.compared, review.agreed, score)


def _count_findings(result: dict[str, Any] | None, key: str) -> int | None:
    return None if result is None else len(result.get(key) or [])


def _insert_facts(inputs: Sequence[FactInput], packs: Sequence[bytes]) -> dict[int, FactRow]:
    """Write facts and searched texts; return the facts by call."""
    if not inputs:
        return {}
    topics = _topic_ids({(s.project_id, s.shown_topic) for s in inputs if s.shown_topic})
    facts = [_build_fact(source, topics, pack) for source, pack in zip(inputs, packs, strict=True)]
    columns = (list(column) for column in zip(*facts, strict=True))
    bulk_insert.insert_columns(CallFact, len(facts), dict(zip(FactRow._fields, columns, strict=True)))
    texts = [
        build_search_text(s.file_name, s.figures.topic, s.reason, s.caller_number, s.campaign) for s in inputs
    ]
    call_ids = [source.call_id for source in inputs]
    bulk_insert.insert_columns(
        CallText,
        len(facts),
        {"call_id": call_ids, "project_id": [s.project_id for s in inputs], "text": texts},
    )
    call_texts.index_texts(list(zip(call_ids, texts, strict=True)))
    marks = [
        (source.call_id, source.project_id, fact.day, *mark)
        for source, fact in zip(inputs, facts, strict=True)
        for mark in source.figures.marks
    ]
    names = ("call_id", "project_id", "day", "kind", "key")
    marked = {name: [row[at] for row in marks] for at, name in enumerate(names)}
    bulk_insert.insert_columns(CallMark, len(marks), marked)
    _insert_narrow_rows(inputs)
    return {fact.call_id: fact for fact in facts}


def _insert_narrow_rows(inputs: Sequence[FactInput]) -> None:
    """Write what a search in transcripts and the sums of reviews read in place of the wide facts."""
    spoken = [s for s in inputs if s.transcript_id is not None]
    bulk_insert.insert_columns(
        SpokenCall,
        len(spoken),
        {
            "transcript_id": [s.transcript_id for s in spoken],
            "call_id": [s.call_id for s in spoken],
            "project_id": [s.project_id for s in spoken],
            "at_us": [window.to_microseconds(s.call_datetime) for s in spoken],
        },
    )
    reviewed = [(s, s.review) for s in inputs if s.review is not None]
    bulk_insert.insert_columns(
        ReviewedCall,
        len(reviewed),
        {
            "call_id": [s.call_id for s, _ in reviewed],
            "project_id": [s.project_id for s, _ in reviewed],
            "at_us": [window.to_microseconds(s.call_datetime) for s, _ in reviewed],
            "agent_id": [s.agent_id for s, _ in reviewed],
            **{name: [getattr(sums, name) for _, sums in reviewed] for name in ReviewSums._fields},
        },
    )


def _build_fact(source: FactInput, topics: Mapping[tuple[int, str], int], pack: bytes) -> FactRow:
    figures, topic, moment = source.figures, source.shown_topic, source.call_datetime
    score = figures.score
    # In the order of the fields: an import builds so many that their names would take half of the time.
    return FactRow._make(
        (
            source.call_id,
            window.to_microseconds(moment),
            score.score_bp,
            figures.missing_prompts,
            figures.has_answers,
            figures.half_heard,
            source.project_id,
            window.day_of(moment),
            window.hour_of(moment) if source.has_real_time else None,
            source.agent_id,
            topics[source.project_id, topic] if topic else None,
            DIRECTIONS[source.direction],
            SENTIMENTS.get(figures.sentiment or ""),
            figures.goal_reached,
            figures.duration_us or 0,
            score.max_points,
            score.points,
            score.counted_points,
            score.critical,
            score.error_classes,
            score.plain_judged,
            score.plain_met,
            figures.mistakes,
            *figures.talk,
            pack,
        )
    )


def _criteria_ids(
    rows: set[tuple[int, str, str, str, int]],
) -> dict[tuple[int, str, str, str, int], int]:
    """Return the id of each (project, criterion id, name, section, maximum)."""
    seen = CriterionSeen.objects.filter(project__in={row[0] for row in rows})
    return _get_or_create_ids(seen, ("project_id", *CriterionKey._fields), rows)


def _topic_ids(texts: set[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Return the id of each (project, text)."""
    # Texts are unique by digest: PostgreSQL refuses an index entry of more than 2.7 kB.
    rows = {
        (
            project,
            text,
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest(),
        )
        for project, text in texts
    }
    topics = Topic.objects.filter(project__in={row[0] for row in rows}, digest__in={row[2] for row in rows})
    ids = _get_or_create_ids(topics, ("project_id", "text", "digest"), rows, unique=(0, 2))
    return {row[:2]: pk for row, pk in ids.items()}


def _get_or_create_ids(
    candidates: "models.QuerySet[Any]",
    fields: Sequence[str],
    rows: set[Any],
    *,
    unique: Sequence[int] | None = None,
) -> dict[Any, int]:
    """Return the primary key of each row, a tuple of these fields; rows that are missing are inserted.

    `unique` are the indexes of the fields that tell rows apart, all of them by default. Another
    process may insert the same row first: then its row is the one that counts.
    """
    key_of = itemgetter(*(range(len(fields)) if unique is None else unique))
    keys = {key_of(row) for row in rows}
    key_fields = key_of(fields)

    def read() -> dict[Any, int]:
        found = candidates.values_list(*key_fields, "pk")
        return {row[:-1]: row[-1] for row in found if row[:-1] in keys}

    known = read()
    missing = sorted(row for row in rows if key_of(row) not in known)
    if missing:
        new = [candidates.model(**dict(zip(fields, row, strict=True))) for row in missing]
        candidates.model.objects.bulk_create(new, ignore_conflicts=True)
        known = read()
    return {row: known[key_of(row)] for row in rows}
