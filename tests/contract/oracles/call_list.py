"""A naive second opinion of the call list: filter, search, order and cut, in plain loops.

Shares no code with the product. Source: docs/api.md, "Call list".
"""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oracles.report import Oracle, OracleCall, call_score, is_critical, shown, topic_of, trackers_of

PAGE = 25
ORDERINGS = ("call_datetime", "score_percentage", "mistake_count", "agent__name")


@dataclass
class Asked:
    """What a query asks for; `agent` is an identity of the oracle, "none" or None."""

    start: dt.date | None = None
    end: dt.date | None = None
    agent: tuple[str, str] | str | None = None
    sentiment: str = ""
    direction: str = ""
    critical: str = ""
    criterion: str = ""
    result: str = ""
    min_score: str = ""
    max_score: str = ""
    reason: tuple[int, str] | None = None  # id of a project, and the name of one of its reasons
    tracker: str = ""
    search: str = ""
    ordering: str = ""


def call_list(oracle: Oracle, asked: Asked) -> list[dict[str, Any]]:
    """Return all items of the list in their order, without ids."""
    chosen = [call for call in oracle.calls if _is_chosen(call, asked)]
    # The id grows with the order of arrival, project after project; equal calls come latest first.
    place = {project.id: number for number, project in enumerate(oracle.projects)}
    chosen.sort(key=lambda call: (place[call.project.id], call.order), reverse=True)
    return [item(oracle, call) for call in ordered(oracle, chosen, asked.ordering)]


def ordered(oracle: Oracle, calls: list[OracleCall], ordering: str) -> list[OracleCall]:
    name = ordering.removeprefix("-")
    if name not in ORDERINGS:
        ordering, name = "-call_datetime", "call_datetime"

    def key(call: OracleCall) -> Any:
        if name == "call_datetime":
            return call.at
        if name == "agent__name":
            return oracle.names[call.agent].casefold() if call.agent else None
        return item(oracle, call)[name]

    known = [call for call in calls if key(call) is not None]
    unknown = [call for call in calls if key(call) is None]
    return sorted(known, key=key, reverse=ordering.startswith("-")) + unknown


def item(oracle: Oracle, call: OracleCall) -> dict[str, Any]:
    line, no_protocol = call.line, call.line.get("no_protocol")
    return {
        "file_name": line["file_name"],
        "call_datetime": call.at.isoformat().replace("+00:00", "Z"),
        "agent": oracle.names[call.agent] if call.agent else "",
        "direction": line.get("direction") or "",
        "campaign": line.get("campaign") or "",
        "topic": topic_of(call),
        "sentiment": line.get("sentiment"),
        "score_percentage": shown(call_score(call)) if call.scores else None,
        "has_critical_error": is_critical(call),
        "mistake_count": len(no_protocol["mistakes"]) if no_protocol else None,
        "missing_prompt_count": len(no_protocol["missing_prompts"]) if no_protocol else None,
        "goal_reached": line.get("goal_reached"),
        "has_failed_analysis": False,  # what was imported has not failed
        "is_half_heard": False,
        "is_blinded": False,  # nobody rates any call there
    }


def _is_chosen(call: OracleCall, asked: Asked) -> bool:
    line = call.line
    return (
        (asked.start is None or call.day >= asked.start)
        and (asked.end is None or call.day <= asked.end)
        and (asked.agent is None or (call.agent or "none") == asked.agent)
        and (
            asked.sentiment not in ("positive", "neutral", "negative")
            or line.get("sentiment") == asked.sentiment
        )
        and (asked.direction not in ("inbound", "outbound") or line.get("direction") == asked.direction)
        and (asked.critical.lower() not in ("true", "1") or is_critical(call))
        and (not asked.criterion or _result_of(call, asked.criterion) in _wanted_results(asked.result))
        and (not asked.min_score or _is_scored(call, lambda score: score >= float(asked.min_score)))
        and (not asked.max_score or _is_scored(call, lambda score: score <= float(asked.max_score)))
        and (asked.reason is None or (call.project.id, topic_of(call)) == asked.reason)
        and (not asked.tracker or asked.tracker in trackers_of(call))
        and _is_found(call, asked.search)
    )


def _result_of(call: OracleCall, criterion: str) -> str | None:
    """Return what a criterion came to in a call; None for a call that does not name it."""
    for score in call.scores or []:
        if score["criterion_id"] == criterion:
            if score["applicability"] == "not_applicable":
                return "not_applicable"
            return {0: "not_met", score["max_points"]: "met"}.get(score["score"], "partly")
    left_out = (call.line.get("copc") or {}).get("not_evaluated") or []
    return "not_evaluated" if criterion in [each["criterion_id"] for each in left_out] else None


def _wanted_results(result: str) -> list[str]:
    return [result] if result else ["met", "partly", "not_met", "not_applicable"]


def _is_scored(call: OracleCall, is_wanted: Callable[[float], bool]) -> bool:
    return bool(call.scores) and is_wanted(shown(call_score(call)))


def _is_found(call: OracleCall, search: str) -> bool:
    fields = ("file_name", "topic", "contact_reason", "caller_number", "campaign")
    return any(search.casefold() in (call.line.get(name) or "").casefold() for name in fields)


def answers(oracle: Oracle) -> dict[str, Any]:
    """Return what the custom questions endpoint says, the ids left out."""
    asked = [call for call in oracle.calls if call.line.get("custom_questions")]
    place = {project.id: number for number, project in enumerate(oracle.projects)}
    asked.sort(key=lambda call: (call.at, place[call.project.id], call.order), reverse=True)
    listed: list[dict[str, Any]] = []
    questions: list[str] = []
    for call in asked:
        given = call.line["custom_questions"]["answers"]
        questions += [question for question in given if question not in questions]
        listed.append(
            {
                "file": call.line["file_name"],
                "call_datetime": call.at.isoformat().replace("+00:00", "Z"),
                "agent": oracle.names[call.agent] if call.agent else "",
                "answers": {q: {"answer": a["answer"], "quotes": len(a["quotes"])} for q, a in given.items()},
            }
        )
    return {"questions": questions, "calls": listed, "count": len(listed)}
