"""The marks of a call: its trackers, mistakes, missed prompts, and the criteria that nobody could judge.

The call list finds calls by them, and reports count all but the last by week. They are read from the
stored results, and written and removed together with the fact of the call. No Django here: the
process that prepares an import reads them too.
"""

from collections.abc import Mapping
from typing import Any

TRACKER, NOT_EVALUATED, MISTAKE, MISSED_PROMPT = 1, 2, 3, 4  # kinds of marks
MAX_KEY = 64  # characters; as long as an id in a configuration may be

Mark = tuple[int, str]  # the kind, and the id of the tracker, criterion, mistake or prompt


def find_marks(
    copc: Mapping[str, Any] | None,
    insights: Mapping[str, Any] | None,
    no_protocol: Mapping[str, Any] | None,
    *,
    has_quotes: bool = True,
) -> tuple[Mark, ...]:
    """Return the marks in the stored results of a call, each once, in order; None: that has not run.

    A tracker counts with at least one quote, or where a retention period has removed them all:
    `has_quotes` is False then.
    """
    trackers = (insights or {}).get("trackers") or []
    missed = (copc or {}).get("not_evaluated") or []
    marks = [(TRACKER, each.get("id")) for each in trackers if each.get("quotes") or not has_quotes]
    marks += [(NOT_EVALUATED, each.get("criterion_id")) for each in missed]
    for kind, found in ((MISTAKE, "mistakes"), (MISSED_PROMPT, "missing_prompts")):
        marks += [(kind, each.get("id")) for each in (no_protocol or {}).get(found) or []]
    return tuple(sorted({(kind, str(key)[:MAX_KEY]) for kind, key in marks if key}))
