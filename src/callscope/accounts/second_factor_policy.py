"""Whether everybody needs a second factor (CALLSCOPE_SECOND_FACTOR), and whether a session has shown one."""

from typing import Any

from django.conf import settings

VERIFIED = "second_factor"  # in the session


def is_missing(session: Any) -> bool:
    """True if a second factor is required and this session has not shown one."""
    return is_required() and not session.get(VERIFIED)


def is_required() -> bool:
    """True if everybody needs a second factor."""
    is_asked: bool = settings.ENVIRONMENT.second_factor == "required"
    return is_asked
