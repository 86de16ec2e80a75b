"""What an error of a stage says of the engine or the bucket that it asked, and how giving up is reported."""

from dataclasses import dataclass

from django.conf import settings

from callscope.calls import storage
from callscope.calls.models import UploadedFile
from callscope.engines.errors import EngineRejected, EngineUnavailable, Trouble
from callscope.engines.identity import EngineId
from callscope.messages.message import Message, quoted
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue.breakers import needs, states

OWN_PAUSE_S = 60.0  # of a job alone
MAX_REFUSALS = 2  # of one job, while its engine answers others


@dataclass(frozen=True, slots=True)
class Wait:
    """What a job waits for."""

    trouble: Message
    pause_s: float = 0.0  # in any case, also while its engine works


def record_engine_trouble(job: Job, error: Exception) -> Wait | None:
    """Note what an error says of an engine; return what the job waits for, None if it does not wait."""
    from callscope.transcription.gates import TranscriptionFailed

    bucket, trouble = storage.storage_id(), storage.find_trouble(error)
    if bucket is not None and trouble is not None:
        message = Message("storage_unreachable", value=bucket.address, name=type(error).__name__)
        states.record_trouble(bucket, job, trouble, str(message))
        return Wait(message)
    if isinstance(error, TranscriptionFailed) and error.reason == _PRIVATE:
        # Each private recording says by itself that its engine is away, so none waits for it.
        for engine in needs.list_engines(needs.PRIVATE_SPEECH):
            states.record_answer(engine)
    if not isinstance(error, EngineUnavailable) or error.engine is None:
        return None
    if error.parks is not None:  # record_refusal() has noted it
        return _wait_for(job, error.engine, error.message) if error.parks else None
    if error.trouble is None:
        is_everybodys = states.record_failure(error.engine, job, str(error))
        return _wait_for(job, error.engine, error.message) if is_everybodys else None
    is_engines = states.record_trouble(
        error.engine, job, error.trouble, str(error), retry_after_s=error.retry_after_s
    )
    if is_engines:
        return _wait_for(job, error.engine, error.message)
    # What is left of a quota may be enough for shorter calls; money is never a matter of the call.
    return Wait(error.message, pause_s=OWN_PAUSE_S) if error.trouble == Trouble.QUOTA else None


def _wait_for(job: Job, engine: EngineId, message: Message) -> Wait:
    """Return the wait for an engine; with a pause where its state does not hold the job back.

    That is one that the settings of the project do not need, and those of a draft do.
    """
    is_held_back = engine in needs.list_engines(needs.find_needs_of_job(job))
    return Wait(message, pause_s=0.0 if is_held_back else OWN_PAUSE_S)


def record_refusal(job: Job, engine: EngineId, error: EngineRejected) -> bool | None:
    """Note a refusal that may be everybody's; return whether the job waits, None if the refusal is final.

    It is final after a second try: by then others have had their turn, and were answered or refused too.
    """
    if states.record_refusal(engine, job, str(error)):
        return True
    return False if job.attempts < MAX_REFUSALS else None


def park_before_asking(job: Job) -> None:
    """Raise EngineUnavailable if an engine that the job needs is paused, and another job has to try it."""
    row = states.find_pause_of(job)
    if row is not None:
        raise EngineUnavailable(quoted(row.detail), engine=EngineId(row.kind, row.address), parks=True)


def describe_latest_trouble(job: Job) -> Message:
    """Return the latest trouble of what a job needs."""
    engines = set(needs.list_engines(job.needs))
    rows = EngineState.objects.exclude(state=EngineState.State.WORKING).order_by("since")
    details = [row.detail for row in rows if (row.kind, row.address) in engines]
    return quoted(next(iter(details), job.error))


def describe_giving_up(problem: Message) -> str:
    """Return the sentence of a job that has waited for long enough."""
    seconds = settings.ENGINE_PATIENCE
    value = f"{seconds / 3600:g} h" if seconds >= 3600 else f"{seconds:g} s"
    return str(Message("engine_gave_up", value=value, problem=problem))


def find_reason_of_giving_up(job: Job) -> str:
    """Return the error_reason of a file whose job is given up: "" except for private recordings."""
    return _PRIVATE if job.needs == needs.PRIVATE_SPEECH else ""


_PRIVATE = UploadedFile.ErrorReason.PRIVATE_TRANSCRIPTION_UNAVAILABLE
