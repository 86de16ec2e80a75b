"""Errors that end a command with a line, and the wording of wrong usage."""

from typing import Any

MAX_SHOWN = 80  # characters of a wrong value
# What is allowed instead of a value, by the type of pydantic's error, which typer wraps.
ALLOWED_BY_ERROR = {
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "numbers from {ge}",
    "less_than_equal": "numbers up to {le}",
}


class Failure(Exception):
    """An error that ends the command; each message is one line."""

    def __init__(self, *messages: str) -> None:
        super().__init__("\n".join(messages))
        self.messages = list(messages)


class NotInitialized(Failure):
    """There is no instance here yet: `callscope init` creates one."""


def describe_bad_value(error: Any) -> None:
    """Make typer's error of a bad value show the value and what is allowed."""
    get_errors = getattr(error.__cause__, "errors", None)
    if not callable(get_errors):
        return
    first = get_errors()[0]
    if first["type"] in ALLOWED_BY_ERROR:
        shown = str(first["input"])[:MAX_SHOWN]
        allowed = ALLOWED_BY_ERROR[first["type"]].format(**first.get("ctx", {}))
        error.message = f'"{shown}". Allowed: {allowed}.'
    else:
        error.message = error.message.removeprefix("Value error, ")
