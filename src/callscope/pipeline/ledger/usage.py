"""The usage ledger: every call of a speech or language engine, and what it cost.

Entries are written in the transaction that stores the result they paid for. A
recording that is too short has no entry, because no engine was called.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Max, Sum
from django.db.models.functions import TruncDate

from callscope.accounts.models import User
from callscope.calls.models import UploadedFile
from callscope.calls.private_words import engines_for_file
from callscope.pipeline.models import UsageEntry
from callscope.projects.models import Project

if TYPE_CHECKING:
    from callscope.analysis.analyze import EngineUse
    from callscope.engines.llm.client import Reply
    from callscope.transcription.transcribe import TranscriptDraft

MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What one engine did for one project on one day in the server's time zone."""

    date: dt.date
    project_id: int
    project_name: str
    kind: str
    engine: str
    model: str
    calls: int  # calls of the engine, not phone calls
    audio_us: int
    input_tokens: int
    output_tokens: int
    cost_micros: int | None  # null: no price is known


def record_transcription(file: UploadedFile, draft: "TranscriptDraft") -> None:
    """Enter the audio that an engine transcribed; subtitles need no engine, so they have no entry."""
    audio_us = round(draft.usage_audio_s * MICROSECONDS)
    if audio_us <= 0:
        return
    UsageEntry.objects.create(
        project_id=file.project_id,
        file=file,
        user_id=file.uploaded_by_id,
        kind=UsageEntry.Kind.TRANSCRIPTION,
        engine=draft.engine,
        model=draft.model,
        audio_us=audio_us,
        cost_micros=engines_for_file(file, file.project.configuration).audio_cost_micros(audio_us),
    )


def record_analysis(file: UploadedFile, usage: Iterable["EngineUse"]) -> None:
    """Enter the model calls of one analysis."""
    _record_uses(file, usage, UsageEntry.Kind.ANALYSIS, user_id=file.uploaded_by_id)


def record_trial(user: User | None, file: UploadedFile, usage: Iterable["EngineUse"]) -> None:
    """Enter the model calls of candidate settings that a user tried on one call."""
    _record_uses(file, usage, UsageEntry.Kind.TRIAL, user_id=user.pk if user else None)


def _record_uses(
    file: UploadedFile, usage: Iterable["EngineUse"], kind: UsageEntry.Kind, *, user_id: int | None
) -> None:
    UsageEntry.objects.bulk_create(
        UsageEntry(
            project_id=file.project_id,
            file=file,
            user_id=user_id,
            kind=kind,
            **_columns(use),
        )
        for use in usage
    )


def _columns(use: "EngineUse") -> dict[str, object]:
    return {
        "engine": use.engine,
        "model": use.model[:255],
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "cost_micros": use.cost_micros,
    }


def record_naming(project: Project, uses: Iterable["EngineUse"]) -> None:
    """Enter the model calls that worded names of contact reasons."""
    UsageEntry.objects.bulk_create(
        UsageEntry(project=project, kind=UsageEntry.Kind.NAMING, **_columns(use)) for use in uses
    )


def record_narrative(user: User, engine: str, reply: "Reply") -> None:
    """Enter the model call that wrote an executive summary, which may cover several projects."""
    UsageEntry.objects.create(
        user=user,
        kind=UsageEntry.Kind.NARRATIVE,
        engine=engine,
        model=reply.model[:255],
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_micros=reply.cost_micros,
    )


def daily_usage(
    projects: Iterable[Project], *, start: dt.datetime | None, end: dt.datetime | None
) -> list[UsageRow]:
    """Return the usage from `start` until before `end` by day, project and engine, newest first."""
    entries = UsageEntry.objects.filter(project__in=[p.pk for p in projects])
    if start is not None:
        entries = entries.filter(at__gte=start)
    if end is not None:
        entries = entries.filter(at__lt=end)
    rows = (
        entries.annotate(date=TruncDate("at"))
        .values("date", "project_id", "kind", "engine", "model")
        .annotate(
            project_name=Max("project__name"),
            calls=Count("pk"),
            audio=Sum("audio_us"),
            tokens_in=Sum("input_tokens"),
            tokens_out=Sum("output_tokens"),
            cost=Sum("cost_micros"),
        )
        .order_by("-date", "project_id", "kind", "engine", "model")
    )
    return [
        UsageRow(
            date=row["date"],
            project_id=row["project_id"],
            project_name=row["project_name"],
            kind=row["kind"],
            engine=row["engine"],
            model=row["model"],
            calls=row["calls"],
            audio_us=row["audio"],
            input_tokens=row["tokens_in"],
            output_tokens=row["tokens_out"],
            cost_micros=row["cost"],
        )
        for row in rows
    ]
