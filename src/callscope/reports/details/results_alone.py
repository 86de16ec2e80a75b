"""A call without anything that was said in it, to be shown to people outside.

Redaction takes out the kinds that a project chose, and none of them holds names, addresses or dates of
birth. So what stays here is listed: what is new in a result is left out until somebody adds it.
"""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from callscope.reports.call_list.call_detail import CallDetail, Json

OF_CRITERION = frozenset(
    (
        "criterion_id", "name", "section", "score", "max_points", "applicability", "is_critical_error",
        "critical_class", "answer", "source", "for_person",
    )
)  # fmt: skip
OF_FINDING = frozenset(("id", "description", "source"))
OF_INSIGHTS = frozenset(("sentiment", "goal_reached", "talk"))


def leave_out_words(detail: CallDetail) -> CallDetail:
    """Return the call without transcript, quotes, reasons, topic, trackers and answers to questions."""
    analysis = copy.copy(detail.analysis)  # is never saved
    if analysis is not None:
        analysis.copc = _keep_rows(analysis.copc, OF_CRITERION)
        analysis.no_protocol = _keep_rows(analysis.no_protocol, OF_FINDING)
        analysis.insights = _keep(analysis.insights, OF_INSIGHTS)
        analysis.custom_questions, analysis.custom_questions_state = None, None
    return replace(detail, analysis=analysis, transcript=None, item=structs.replace(detail.item, topic=""))


def _keep_rows(result: Any, names: frozenset[str]) -> Json | None:
    """Return the lists of a result, of each row these values alone."""
    if not isinstance(result, dict):
        return None
    lists = {
        key: rows for key, rows in result.items() if isinstance(rows, Sequence) and not isinstance(rows, str)
    }
    return {key: [_keep(row, names) for row in rows if isinstance(row, dict)] for key, rows in lists.items()}


def _keep(row: Any, names: frozenset[str]) -> Json:
    return {name: value for name, value in (row or {}).items() if name in names}
