"""What a job hears of its engines: answers, refusals, and whether to wait for a busy one in place."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field

from callscope.engines.errors import EngineRejected, EngineUnavailable, Trouble
from callscope.engines.identity import EngineId

MAX_WAIT_S = 60.0  # in place; who is asked to wait longer gives the worker free
MAX_WAITS_S = 900.0  # of one job, all together
DEFAULT_WAIT_S = 5.0  # where a busy engine does not say for how long

logger = logging.getLogger(__name__)


# Takes a refusal that may be everybody's; returns whether the job parks, or None where the refusal is final.
RefusalListener = Callable[[EngineId, EngineRejected], bool | None]


@dataclass
class _Listening:
    listener: Callable[[EngineId], None]
    refusal_listener: RefusalListener
    answered: set[EngineId] = field(default_factory=set)
    waited_s: float = 0.0


_listening: ContextVar[_Listening | None] = ContextVar("listening_to_answers", default=None)


@contextlib.contextmanager
def listen_to_answers(
    listener: Callable[[EngineId], None], refusal_listener: RefusalListener = lambda _engine, _error: None
) -> Iterator[None]:
    """Call `listener` for each answer that an engine gives to this thread inside the block.

    `refusal_listener` is asked about each refusal that does not say that it is about this one request.
    """
    token = _listening.set(_Listening(listener, refusal_listener))
    try:
        yield
    finally:
        _listening.reset(token)


def note_answer(engine: EngineId) -> None:
    """Note that an engine answered a request, if only with a refusal of this one."""
    listening = _listening.get()
    if listening is not None:
        listening.answered.add(engine)
        listening.listener(engine)


def note_refusal(engine: EngineId, error: EngineRejected) -> None:
    """Note a refusal; raise EngineUnavailable if it may be no matter of this one request."""
    if error.is_of_call:
        note_answer(engine)
        return
    listening = _listening.get()
    parks = listening.refusal_listener(engine, error) if listening is not None else None
    if parks is not None:
        raise EngineUnavailable(error.message, engine=engine, parks=parks) from error


def wait_in_place(error: EngineUnavailable) -> bool:
    """Wait as a busy engine asks, and return True, if the job has had answers that would be lost.

    A job of several requests would never end at an engine that takes one at a time: it
    would start again, and pay again, after each refusal of its second.
    """
    listening = _listening.get()
    if listening is None or error.trouble != Trouble.BUSY or error.engine not in listening.answered:
        return False
    wait_s = DEFAULT_WAIT_S if error.retry_after_s is None else error.retry_after_s
    if wait_s > MAX_WAIT_S or listening.waited_s + wait_s > MAX_WAITS_S:
        return False
    listening.waited_s += max(wait_s, 0.1)
    logger.info("Waiting %.0f s in place: %s", wait_s, error)
    time.sleep(wait_s)
    return True
