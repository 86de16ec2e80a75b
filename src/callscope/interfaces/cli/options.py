"""Values of options and arguments: those that need more than a type, and what is said of wrong ones."""

import datetime
import re
from typing import Any

import typer

LONGEST_SHOWN = 80  # characters of a wrong value
# What is allowed in place of a value, by the kind of error that pydantic told typer.
ALLOWED = {
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "greater_than_equal": "numbers from {ge}",
    "less_than_equal": "numbers up to {le}",
}


def day(text: str) -> datetime.date:
    """Return the day in YYYY-MM-DD. Raises BadParameter, which is wrong usage."""
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text.strip(), re.ASCII):
            raise ValueError
        return datetime.date.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(
            f'"{text[:LONGEST_SHOWN]}" is not a date. Allowed: a date such as 2026-12-31.'
        ) from None


def describe(error: Any) -> None:
    """Let the error of a wrong value show the value and what is allowed, where typer's own words do not."""
    found = getattr(error.__cause__, "errors", None)
    if not callable(found):
        return
    first = found()[0]
    if first["type"] in ALLOWED:
        shown = str(first["input"])[:LONGEST_SHOWN]
        error.message = f'"{shown}". Allowed: {ALLOWED[first["type"]].format(**first.get("ctx", {}))}.'
    else:
        error.message = error.message.removeprefix("Value error, ")
