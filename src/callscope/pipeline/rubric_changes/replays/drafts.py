"""Start a replay: draw past calls and queue the job that judges them by a draft.

Only calls that have results and a transcript can be compared. A replay writes nothing that a report counts.
"""

import random
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.db.transactions import run_in_transaction
from callscope.messages.message import Message, MessageError
from callscope.pipeline.ledger.estimates import Estimate
from callscope.pipeline.models import Job, Replay, ReplayedCall
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.replays.baseline import WITHOUT_EFFECT, estimate_replay
from callscope.projects import configuration, versions
from callscope.projects.configuration import Configuration
from callscope.projects.locking import get_locked_project
from callscope.projects.merging import list_conflicts, merge_changes
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, Window

DEFAULT_SAMPLE = 100
MOST_CALLS = 20_000
ROWS_AT_ONCE = 1_000


class InvalidReplay(MessageError):
    """The calls of a replay cannot be drawn like this; `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


@dataclass(frozen=True, slots=True)
class Plan:
    """A replay that could be started, and what it will cost."""

    config: Configuration
    calls: list[int]
    estimate: Estimate
    drawn_from: int  # so many calls could be drawn
    window: Window = ALL_TIME  # whose calls are all taken; ALL_TIME: a random sample
    draft_version: int | None = None  # which the draft was made from; None: that of today


def request_replay(
    project: Project,
    document: Any,
    *,
    by: User,
    sample: int | None = None,
    window: Window = ALL_TIME,
) -> Replay:
    """Plan a replay and queue it at once. Raises InvalidConfiguration and InvalidReplay."""
    return start_replay(project, plan_replay(project, document, sample=sample, window=window), by=by)


def plan_replay(
    project: Project, document: Any, *, sample: int | None = None, window: Window = ALL_TIME
) -> Plan:
    """Plan a replay of a draft over a random sample of calls, or over all calls of a window.

    Without either, over a sample of DEFAULT_SAMPLE. Raises InvalidConfiguration and InvalidReplay.
    """
    config = configuration.parse(document)
    drawn, drawn_from = _draw_calls(project, sample, window)
    return Plan(
        config,
        drawn,
        estimate_replay(project, config, drawn),
        drawn_from,
        window if sample is None else ALL_TIME,
    )


def start_replay(project: Project, plan: Plan, *, by: User) -> Replay:
    """Queue a planned replay."""

    def write() -> Replay:
        locked = get_locked_project(project.pk)
        replay = Replay.objects.create(
            project=locked,
            config=plan.config.as_document(),
            config_version=locked.config_version,
            draft_version=plan.draft_version,
            drawn_from=plan.drawn_from,
            start_date=plan.window.start,
            end_date=plan.window.end,
            created_by=by,
        )
        rows = [ReplayedCall(replay=replay, call_id=call_id) for call_id in plan.calls]
        ReplayedCall.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
        jobs.enqueue(Job.Kind.REPLAY, locked, replay.pk)
        calls = len(plan.calls)
        audit.record(by, "project.replayed", f"project {project.pk}", replay=replay.pk, calls=calls)
        return replay

    return run_in_transaction(write)


def list_draft_settings(replay: Replay) -> versions.Document:
    """Return the settings that a draft changes in those of today, with what others saved of them since."""
    project = replay.project
    today = project.configuration.as_document()
    base = versions.find_document(project, replay.config_version) or {}
    merged = merge_changes(base, _read_draft(replay), today)
    return {name: value for name, value in merged.items() if value != today.get(name)}


def list_draft_conflicts(replay: Replay) -> list[versions.Change]:
    """Return what a draft and others since have set to different values: today's, then the draft's."""
    base = versions.find_document(replay.project, replay.config_version) or {}
    return list_conflicts(base, _read_draft(replay), replay.project.configuration.as_document())


def is_outdated(replay: Replay, project: Project) -> bool:
    """Return whether settings were saved since a replay began that a judgment or its draft depends on.

    What has no part in a judgment, as the targets of the report, leaves the comparison as it is.
    """
    if project.config_version in (replay.config_version, replay.published_version):
        return False
    today = project.configuration.as_document()
    saved = versions.list_changed_settings(project, replay.config_version, today)
    own = versions.list_changed_settings(project, replay.config_version, _read_draft(replay))
    return any(name not in WITHOUT_EFFECT or name in own for name in saved)


def compose_draft(replay: Replay, project: Project) -> versions.Document:
    """Return the draft with the settings of today that have no part in a judgment and that it left alone."""
    draft, today = _read_draft(replay), project.configuration.as_document()
    own = versions.list_changed_settings(project, replay.config_version, draft)
    return {**draft, **{name: today[name] for name in WITHOUT_EFFECT if name not in own}}


def _read_draft(replay: Replay) -> versions.Document:
    return configuration.parse(replay.config, is_stored=True).as_document()


def plan_replay_again(replay: Replay) -> Plan:
    """Plan a replay of the same draft over as many calls, on top of what others have saved meanwhile.

    Raises InvalidConfiguration.
    """
    calls = ReplayedCall.objects.filter(replay=replay).count()
    plan = plan_replay(replay.project, compose_again(replay), sample=max(calls, 1))
    return replace(plan, draft_version=replay.draft_version or replay.config_version)


def compose_again(replay: Replay) -> versions.Document:
    """Return the settings of today with what a draft changed; what both changed is as the draft has it."""
    return {**replay.project.configuration.as_document(), **list_draft_settings(replay)}


def find_comparable(project: Project, window: Window = ALL_TIME) -> QuerySet[CallAnalysis]:
    """Return the live results of a project whose words are still there, of calls in a window."""
    first, after = window.moments
    return CallAnalysis.objects.filter(
        project=project,
        is_live=True,
        file__transcript__isnull=False,
        call__call_datetime__gte=first,
        call__call_datetime__lt=after,
    )


def _draw_calls(project: Project, sample: int | None, window: Window) -> tuple[list[int], int]:
    """Return the calls of a replay, and how many there were to draw from."""
    calls = list(find_comparable(project, window).order_by("call").values_list("call", flat=True))
    is_whole_window = sample is None and window != ALL_TIME
    if is_whole_window:
        if len(calls) > MOST_CALLS:
            raise InvalidReplay(
                "start_date", "replay_too_large", count=f"{len(calls):,}", most=f"{MOST_CALLS:,}"
            )
        return calls, len(calls)
    wanted = min(sample or DEFAULT_SAMPLE, len(calls))
    return sorted(random.SystemRandom().sample(calls, wanted)), len(calls)
