"""A call as people outside see it: without the words of its reviewers, and without what was said in it.

Redaction takes out the kinds that a project chose, and none of them holds names, addresses or dates of
birth. So what leave_out_words() keeps is listed: what is new in a result is left out until somebody adds it.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from callscope.reports.call_list.call_detail import CallDetail, Json
from callscope.reviews.criteria import read_machine_answer
from callscope.reviews.effect import EVIDENCE
from callscope.reviews.findings import item_key
from callscope.reviews.placements.listing import describe_reason

OF_CRITERION = frozenset(
    (
        "criterion_id", "name", "section", "score", "max_points", "applicability", "is_critical_error",
        "critical_class", "answer", "source", "for_person",
    )
)  # fmt: skip
OF_FINDING = frozenset(("id", "description", "source"))
OF_INSIGHTS = frozenset(("sentiment", "goal_reached", "talk"))
OF_REASON = frozenset(("contact_reason_code", "contact_reason_confidence", "contact_reason_quote"))


def leave_out_comments(detail: CallDetail) -> CallDetail:
    """Return the call without what reviewers wrote; of a person's answer, without a reason for another one.

    The machine's reason stays where the person gave its answer and wrote nothing.
    """
    if detail.analysis is None:
        return detail
    analysis = copy.copy(detail.analysis)  # is never saved
    analysis.copc = _leave_out_reasons(analysis.copc, analysis.machine_copc)
    analysis.no_protocol = _leave_out_reasons(analysis.no_protocol, analysis.machine_no_protocol)
    placed = describe_reason(detail.review.placements.filter(is_outdated=False)) if detail.review else None
    if placed and placed["name"] != placed["machine_name"] and analysis.insights:
        analysis.insights = {n: value for n, value in analysis.insights.items() if n not in OF_REASON}
    return replace(detail, analysis=analysis)


def _leave_out_reasons(result: Any, machine: Any) -> Any:
    """Return a result whose rows by people have no comments; `machine` is what they take the place of."""
    if not isinstance(result, dict):
        return result
    shown = dict(result)
    for name, rows in result.items():
        if not isinstance(rows, list):
            continue
        own = {
            _key_of(row): row for row in reversed((machine or {}).get(name) or []) if isinstance(row, dict)
        }
        shown[name] = [
            _leave_out_reason(row, own.get(_key_of(row)) or {})
            if isinstance(row, dict) and row.get("source") == "person"
            else row
            for row in rows
        ]
    return shown


def _key_of(row: Mapping[str, Any]) -> str:
    return str(row.get("criterion_id") or item_key(row))


def _leave_out_reason(row: Json, machine: Json) -> Json:
    has_others_reason = bool(row.get("justification")) and row.get("justification") != machine.get(
        "justification"
    )
    is_same_answer = bool(machine) and (
        "score" not in row or read_machine_answer(row) == read_machine_answer(machine)
    )
    if is_same_answer and not has_others_reason:
        return row
    is_evidence_of_machine = all(row.get(name) == machine.get(name) for name in EVIDENCE)
    left_out = EVIDENCE if is_evidence_of_machine else ("justification",)
    return {name: value for name, value in row.items() if name not in left_out}


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
