"""What can go wrong with a machine we call. The pipeline decides on these three."""

from typing import Any


class EngineUnavailable(Exception):
    """The engine did not answer, or asked to wait: a later try may succeed.

    `usage` is what answers before that cost: they are paid for, although the work starts anew.
    """

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # what the engine asked for, if it did
        self.usage: list[Any] = []


class EngineRejected(Exception):
    """The engine refused this input, or is set up wrongly: trying again changes nothing."""


class BadOutput(Exception):
    """The engine answered, but after all repairs not with what was asked.

    `reply` is the answer of a language model where one came: it is paid for all the same.
    """

    def __init__(self, message: str, *, reply: Any = None) -> None:
        super().__init__(message)
        self.reply = reply
