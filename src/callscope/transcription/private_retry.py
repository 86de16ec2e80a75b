"""What is private is heard by the private engine or by nobody.

Rules: docs/api.md, "Asynchronous transcription failures": an engine that cannot
be reached is asked three times within 15 s. One that answers but is busy is left
to the job, which waits longer.
"""

import logging
import time

from callscope.calls.models import UploadedFile
from callscope.engines.asr.protocol import (
    EngineUnreachable,
    Health,
    Recognition,
    Samples,
    Transcriber,
)
from callscope.engines.errors import EngineMissing, EngineUnavailable
from callscope.messages.message import Message, MessageError

log = logging.getLogger(__name__)

PAUSES_S = [1.0, 3.0]  # between three attempts; with 3 s to connect each they end within 15 s
LIMIT_S = 12.0  # no further attempt is begun after this


class PrivateEngineUnavailable(MessageError):
    """The private engine cannot be reached or is not there; the recording went nowhere."""


class PrivateEngineBusy(EngineUnavailable):
    """The private engine answers, but cannot work now; `reason` is what it means if it never can."""

    reason = UploadedFile.ErrorReason.PRIVATE_TRANSCRIPTION_UNAVAILABLE


class PrivateEngine:
    """An engine that may hear private recordings, asked with patience."""

    def __init__(self, engine: Transcriber, *, pause_factor: float = 1.0) -> None:
        self.engine = engine
        self.pause_factor = pause_factor
        self.name, self.model = engine.name, engine.model
        self.hosts, self.sends_data_out = engine.hosts, engine.sends_data_out
        self.is_demo = engine.is_demo

    def check(self) -> Health:
        return self.engine.check()

    def transcribe(
        self, samples: Samples, *, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        """Ask the engine. Raises PrivateEngineUnavailable, PrivateEngineBusy, and what is final."""
        if self.sends_data_out:
            raise PrivateEngineUnavailable(Message("private_unfit", engine=self.name))
        began = time.monotonic()
        for pause_s in [*PAUSES_S, None]:
            try:
                return self.engine.transcribe(samples, language=language, hints=hints, deadline=deadline)
            except EngineMissing as error:
                raise _unavailable(error) from None
            except EngineUnreachable as error:
                log.warning("The private transcriber: %s", error)
                if pause_s is None or time.monotonic() - began + pause_s > LIMIT_S:
                    raise _unavailable(error) from None
            except EngineUnavailable as error:
                raise PrivateEngineBusy(
                    error.message,
                    retry_after_s=error.retry_after_s,
                    trouble=error.trouble,
                    # In this process nobody answers others meanwhile; five attempts are its share.
                    engine=error.engine if self.hosts else None,
                    parks=error.parks,
                ) from None
            time.sleep(pause_s * self.pause_factor)
        raise AssertionError("the last attempt returns or raises")


def _unavailable(error: MessageError) -> PrivateEngineUnavailable:
    return PrivateEngineUnavailable(Message("private_failed", problem=error.message))
