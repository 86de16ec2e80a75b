"""What can go wrong with a machine we call. The pipeline decides on these three."""

from enum import StrEnum
from typing import Any

from callscope.engines.identity import EngineId
from callscope.messages.message import Message, MessageError


class Trouble(StrEnum):
    """Trouble of an engine itself, which no call can help."""

    BUSY = "busy"  # it asks to wait: 429, 503 with Retry-After, a model that is being loaded
    UNREACHABLE = "unreachable"
    KEY = "key"  # it refuses the key of the settings
    QUOTA = "quota"
    MODEL = "model"  # it does not have the model of the settings
    ADDRESS = "address"  # something answers at the address, but not such an engine
    MISSING = "missing"  # an engine of this process: its package or model is not here, or does not load


class EngineUnavailable(MessageError):
    """The engine did not answer, or asked to wait: a later try may succeed.

    `trouble` is None where it may come from this one call. `usage` is what earlier answers cost:
    they are paid for, although the work starts again. `parks` says whether the job waits for the engine,
    where that is decided already; else it is None.
    """

    def __init__(
        self,
        message: Message | str,
        *,
        retry_after_s: float | None = None,
        trouble: Trouble | None = None,
        engine: EngineId | None = None,
        parks: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.parks = parks
        self.retry_after_s = retry_after_s  # what the engine asked for, if it did
        self.trouble = trouble
        self.engine = engine  # set by the client that raises it
        self.usage: list[Any] = []


class EngineMissing(EngineUnavailable):
    """An engine of this process is not installed, not set up or does not load; str() says what to do."""

    def __init__(self, message: Message | str, *, engine: EngineId | None = None) -> None:
        super().__init__(message, trouble=Trouble.MISSING, engine=engine)


class EngineRejected(MessageError):
    """The engine refused this input, or is set up wrongly: trying again changes nothing.

    `is_of_call` is False where nothing says that it is about this input: the engine may refuse everything.
    """

    def __init__(self, message: Message | str, *, is_of_call: bool = True) -> None:
        super().__init__(message)
        self.is_of_call = is_of_call


class BadOutput(MessageError):
    """The engine answered, but after all repairs not with what was asked.

    `reply` is the answer of a language model where one came: it is paid for all the same.
    `is_mishap`: nothing speaks against a right answer when it is asked again at once.
    """

    def __init__(self, message: Message | str, *, reply: Any = None, is_mishap: bool = False) -> None:
        super().__init__(message)
        self.reply = reply
        self.is_mishap = is_mishap
