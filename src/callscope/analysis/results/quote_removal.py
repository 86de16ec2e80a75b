"""Take the words of a call out of its stored results, whose points and answers stay.

For calls whose transcript is removed: a quote is a piece of the transcript, and a justification or a
reason may repeat one. Topics and the answers to questions are findings, and stay.
"""

from collections.abc import Mapping
from typing import Any

WORDS = frozenset(
    {"quote", "goal_quote", "contact_reason_quote", "justification", "reason"}
)  # texts that repeat what was said
TIMES = frozenset({"quote_start", "goal_quote_start"})  # of words that are gone
LISTS = frozenset({"quotes"})


def remove_quotes(result: Mapping[str, Any]) -> dict[str, object]:
    """Return a stored copc, no_protocol, custom_questions or insights result without what was said."""
    return {name: _without_words(name, value) for name, value in result.items()}


def _without_words(name: str, value: Any) -> Any:
    # By the type as well, because the answers are named by the project's own questions.
    if isinstance(value, str) and name in WORDS:
        return ""
    if isinstance(value, int | float) and name in TIMES:
        return None
    if isinstance(value, list):
        return [] if name in LISTS else [_without_words("", each) for each in value]
    return remove_quotes(value) if isinstance(value, Mapping) else value
