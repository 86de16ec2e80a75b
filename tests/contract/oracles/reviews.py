"""A naive second opinion of reviews: the answers of people put over the imported scores of calls.

Shares no code with the product. Source: docs/api.md, "Reviews".
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from oracles.report import Oracle, OracleCall, rubric_criteria, shown


@dataclass
class OracleReview:
    """What one person says: criterion → answer, in the order of submission; `is_withdrawn` at the end.

    `findings` are answers to mistakes, prompts, goal and sentiment, by kind and id; `agent` is an identity of
    the oracle or "none", `reason` a name; None where the review says nothing of it.
    """

    project: int
    file_name: str
    answers: dict[str, str]
    is_withdrawn: bool = False
    findings: dict[tuple[str, str], str] = field(default_factory=dict)
    agent: tuple[str, str] | str | None = None
    reason: str | None = None


def put_over(oracle: Oracle, reviews: list[OracleReview], *, counting: set[int]) -> dict[str, Any]:
    """Let the last review of each call count in the projects `counting`; return the report's figures."""
    last = {(review.project, review.file_name): review for review in reviews}
    reviewed = corrected = compared = agreed = 0
    for call in oracle.calls:
        review = last.get((call.project.id, call.line["file_name"]))
        if review is None or review.is_withdrawn:
            continue
        said = {score["criterion_id"]: machine_answer(score) for score in call.scores or []}
        same = sum(review.answers[name] == answer for name, answer in said.items())
        found = find_machine(call)
        differs = same < len(review.answers) or any(found[k] != v for k, v in review.findings.items())
        differs |= review.agent is not None and review.agent != (call.agent or "none")
        differs |= review.reason is not None and review.reason != (call.line.get("contact_reason") or "")
        reviewed, corrected = reviewed + 1, corrected + differs
        compared, agreed = compared + len(said), agreed + same
        if call.project.id in counting:
            judge(call, review)
            if review.agent is not None:
                call.agent = None if review.agent == "none" else review.agent
            if review.reason is not None:
                call.line = call.line | {"contact_reason": review.reason}
            for (kind, item_id), answer in review.findings.items():
                put_finding(call, kind, item_id, answer)
    return {
        "reviewed_calls": reviewed,
        "corrected_calls": corrected,
        "agreement_pct": shown(Fraction(agreed * 100, compared)) if compared else None,
        "appeals": 0,
        "appeals_accepted": 0,
        "true_score": None,  # nothing is drawn
        "true_score_interval": None,
        "sampled_calls": 0,
        "sampled_score": None,
        "sampled_machine_score": None,
    }


def hold(oracle: Oracle, reviews: list[OracleReview], held: set[tuple[Any, ...]]) -> None:
    """Let the machine's answers to the criteria `held`, (project, *what_is_asked), count nowhere.

    They count, or a person's do, in calls whose last review stands.
    """
    last = {(review.project, review.file_name): review for review in reviews}
    for call in oracle.calls:
        review = last.get((call.project.id, call.line["file_name"]))
        if (review is None or review.is_withdrawn) and call.scores:
            call.scores = [
                each for each in call.scores if (call.project.id, *what_is_asked(each)) not in held
            ]


def what_is_asked(score: dict[str, Any]) -> tuple[Any, ...]:
    """Return what tells an imported criterion apart from another."""
    return score["criterion_id"], score["name"], score["section"], score["max_points"]


def judge(call: OracleCall, review: OracleReview) -> None:
    call.scores = [
        {
            **score,
            "score": points(score, review.answers[score["criterion_id"]]),
            "applicability": "not_applicable"
            if review.answers[score["criterion_id"]] == "not_applicable"
            else "evaluated",
            "is_critical_error": bool(score.get("is_critical_error"))
            and review.answers[score["criterion_id"]] == "not_met",
        }
        for score in (call.scores or []) + open_criteria(call)
    ]


PARTS = {"mistake": ("mistakes", "made", "not_made"), "prompt": ("missing_prompts", "missed", "said")}
GOALS = {True: "reached", False: "not_reached", None: "unknown"}


def find_machine(call: OracleCall) -> dict[tuple[str, str], str]:
    """Return what a review of an imported call may say beyond criteria, with what the line says."""
    found = {}
    line = call.line
    if line.get("no_protocol") is not None:
        for kind, (part, yes, no) in PARTS.items():
            of_settings = call.project.config.get("no_protocol", {}).get(f"{kind}s", [])
            named = {each["id"] for each in line["no_protocol"][part]}
            for item_id in named | {each["id"] for each in of_settings}:
                found[kind, item_id] = yes if item_id in named else no
    if any(line.get(name) is not None for name in ("sentiment", "topic", "goal_reached", "insights")):
        found["goal", ""] = GOALS[line.get("goal_reached")]
        found["sentiment", ""] = line.get("sentiment") or "unknown"
    return found


def put_finding(call: OracleCall, kind: str, item_id: str, answer: str) -> None:
    """Let the line of the call say what a person found."""
    if kind == "goal":
        call.line = call.line | {"goal_reached": {v: k for k, v in GOALS.items()}[answer]}
    elif kind == "sentiment":
        call.line = call.line | {"sentiment": None if answer == "unknown" else answer}
    else:
        part, yes, _ = PARTS[kind]
        before = call.line["no_protocol"][part]
        same = [each for each in before if each["id"] == item_id] or [{"id": item_id}]
        others = [each for each in before if each["id"] != item_id]
        now = others + (same if answer == yes else [])
        call.line = call.line | {"no_protocol": {**call.line["no_protocol"], part: now}}


def open_criteria(call: OracleCall) -> list[dict[str, Any]]:
    """Return the criteria that the machine left open, with the points of the rubric."""
    rubric = rubric_criteria(call.project)
    left_open = (call.line.get("copc") or {}).get("not_evaluated") or []
    return [
        {**row, "section": "", "max_points": rubric[row["criterion_id"]]["max_points"]}
        for row in left_open
        if row["criterion_id"] in rubric
    ]


def points(score: dict[str, Any], answer: str) -> float:
    most = Fraction(str(score["max_points"]))
    earned = {"not_met": Fraction(0), "partly": Fraction(round(most / 2 * 10**6), 10**6)}.get(answer, most)
    return float(earned)


def machine_answer(score: dict[str, Any]) -> str:
    if score.get("applicability") == "not_applicable":
        return "not_applicable"
    if score["score"] >= score["max_points"]:
        return "met"
    return "partly" if score["score"] > 0 else "not_met"
