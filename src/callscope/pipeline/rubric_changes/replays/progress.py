"""How far a replay is, and what it came to."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from callscope.calls.models import Call
from callscope.pipeline.models import Job, Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.besides_comparison import BesidesOutcome, ChangedKind
from callscope.pipeline.rubric_changes.replays.comparison import (
    ChangedCall,
    ChangedCriterion,
    Comparison,
    LeftOpen,
    OneSided,
    Outcome,
    ScoreChange,
    Scores,
    Stopped,
)

State = Literal["queued", "running", "completed", "stopped", "failed"]
Phase = Literal["open", "stopping", "ended", "failed"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A replay as the API shows it; what it comes to is None or empty until it is completed."""

    state: State
    calls: int
    done: int
    before: Scores | None = None
    after: Scores | None = None
    change: ScoreChange | None = None  # also None of replays of earlier releases
    baseline: Comparison | None = None  # also None of those: they compared results of any version
    criteria: list[ChangedCriterion] = field(default_factory=list)
    left_open: LeftOpen = field(default_factory=dict)  # also empty of replays that did not record it
    critical_gained: int | None = None
    critical_lost: int | None = None
    one_sided: list[OneSided] = field(default_factory=list)  # not stored by earlier releases
    unreliable: int = 0  # calls in the average change whose transcript is unreliable; as this
    most_changed: list[ChangedCall] = field(default_factory=list)
    besides: BesidesOutcome | None = None  # also None of replays that did not record it
    stopped: Stopped | None = None  # then all that is compared is of a part of the calls
    is_stopping: bool = False  # a worker still judges calls that it had begun, and adds them


def read_progress(replay: Replay) -> Progress:
    """Return how far a replay is; calls that were erased since are left out."""
    rows = ReplayedCall.objects.filter(replay=replay)
    calls, done = rows.count(), rows.filter(answers__isnull=False).count()
    if replay.completed_at is None:
        return Progress(_read_open_state(replay, done), calls, done)
    outcome = cast(Outcome, replay.outcome)
    besides = outcome.get("besides")
    named = [row["call_id"] for row in outcome["most_changed"]]
    named += [call_id for row in (besides["kinds"] if besides else []) for call_id in row["changed_calls"]]
    there = set(Call.objects.filter(project=replay.project_id, pk__in=named).values_list("pk", flat=True))
    stopped = outcome.get("stopped")
    return Progress(
        state="stopped" if stopped else "completed",
        calls=calls,
        done=done,
        before=outcome["before"],
        after=outcome["after"],
        change=outcome.get("change"),
        baseline=outcome.get("baseline"),
        criteria=outcome["criteria"],
        left_open=outcome.get("left_open", {}),
        one_sided=outcome.get("one_sided", []),
        unreliable=outcome.get("unreliable", 0),
        critical_gained=outcome["critical_gained"],
        critical_lost=outcome["critical_lost"],
        most_changed=[row for row in outcome["most_changed"] if row["call_id"] in there],
        besides=_leave_out_erased(besides, there) if besides else None,
        stopped=stopped,
        is_stopping=is_stopping(replay),
    )


def is_open(replay: Replay) -> bool:
    """Return True if the replay waits or runs."""
    return replay.completed_at is None and _read_open_state(replay, done=0) != "failed"


def is_stopping(replay: Replay) -> bool:
    """Return whether a worker still adds calls that it had begun when the replay was stopped."""
    return read_phases([replay])[replay.pk] == "stopping"


def read_phases(replays: Sequence[Replay]) -> dict[int, Phase]:
    """Return by id in which phase each of these replays is."""
    jobs = Job.objects.filter(kind=Job.Kind.REPLAY, subject_id__in=[replay.pk for replay in replays])
    at_work = jobs.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING))
    states = dict(at_work.values_list("subject_id", "state")) if replays else {}
    return {replay.pk: _find_phase(replay, states.get(replay.pk)) for replay in replays}


def _find_phase(replay: Replay, state: str | None) -> Phase:
    if replay.completed_at is None:
        return "failed" if state is None else "open"
    return "stopping" if state == Job.State.RUNNING else "ended"


def _leave_out_erased(besides: BesidesOutcome, there: Container[int]) -> BesidesOutcome:
    kinds = [
        ChangedKind({**row, "changed_calls": [each for each in row["changed_calls"] if each in there]})
        for row in besides["kinds"]
    ]
    return {**besides, "kinds": kinds}


def _read_open_state(replay: Replay, done: int) -> State:
    """Return the state of a replay that is not completed: between two portions its job is queued."""
    states = Job.objects.filter(kind=Job.Kind.REPLAY, subject_id=replay.pk).order_by("-created_at")
    state = states.values_list("state", flat=True).first()
    if state not in (Job.State.QUEUED, Job.State.RUNNING):
        return "failed"
    return "running" if done or state == Job.State.RUNNING else "queued"
