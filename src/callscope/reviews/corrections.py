"""The stored results of a call in which a person's findings take the place of the machine's."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from callscope.analysis.evidence import format_quote
from callscope.analysis.results.findings import Quote
from callscope.reviews.findings import GOALS, UNKNOWN, Kind, item_key
from callscope.reviews.models import ReviewFinding

Result = dict[str, object]  # a stored no_protocol or insights result, or one entry of it


def correct_protocol(machine: Mapping[str, Any], findings: Iterable[ReviewFinding]) -> Result | None:
    """Return the mistakes and prompts with what a person says of them; None where nothing is said."""
    answered = [each for each in findings if each.kind in (Kind.MISTAKE, Kind.PROMPT)]
    if not answered:
        return None
    corrected = {**machine, "mistakes": machine.get("mistakes") or []}
    corrected["missing_prompts"] = machine.get("missing_prompts") or []
    for each in answered:
        if each.kind == Kind.MISTAKE:
            lists = {"mistakes": each.answer == "made"}
        else:
            lists = {"missing_prompts": each.answer == "missed", "prompts": each.answer == "said"}
        for name, holds in lists.items():
            corrected[name] = _correct_list(corrected.get(name) or [], each, holds=holds)
    if not corrected.get("prompts") and "prompts" not in machine:
        corrected.pop("prompts", None)
    return corrected


def _correct_list(
    entries: Sequence[Mapping[str, Any]], finding: ReviewFinding, *, holds: bool
) -> list[Result]:
    others = [dict(each) for each in entries if item_key(each) != finding.item_id]
    if not holds:
        return others
    if len(others) == len(entries):
        return [*others, _as_persons({"id": finding.item_id, "description": finding.description}, finding)]
    shown, is_first = [], True
    for entry in entries:
        if item_key(entry) != finding.item_id:
            shown.append(dict(entry))
            continue
        shown.append(_as_persons(entry, finding) if is_first else {**entry, "source": "person"})
        is_first = False
    return shown


def _as_persons(entry: Mapping[str, Any], finding: ReviewFinding) -> Result:
    """Return the entry as a person's, with the person's evidence where there is some."""
    shown = {**entry, "source": "person"}
    if finding.quote:
        shown |= {"quote": _format_quote(finding), "quote_start": finding.quote_start}
        shown.pop("verified", None)
    if finding.comment:
        shown["justification"] = finding.comment
    return shown


def correct_insights(machine: Mapping[str, Any], findings: Iterable[ReviewFinding]) -> Result | None:
    """Return goal and sentiment with what a person says of them; None where nothing is said."""
    answered = {each.kind: each for each in findings if each.kind in (Kind.GOAL, Kind.SENTIMENT)}
    if not answered:
        return None
    corrected = dict(machine)
    if sentiment := answered.get(Kind.SENTIMENT):
        corrected["sentiment"] = None if sentiment.answer == UNKNOWN else sentiment.answer
        corrected["sentiment_source"] = "person"
    if goal := answered.get(Kind.GOAL):
        reached = next(value for value, answer in GOALS.items() if answer == goal.answer)
        corrected |= {"goal_reached": reached, "goal_source": "person"}
        if goal.quote:
            corrected |= {"goal_quote": _format_quote(goal), "goal_quote_start": goal.quote_start}
        elif reached != machine.get("goal_reached"):
            corrected["goal_quote"] = ""
            corrected.pop("goal_quote_start", None)
    return corrected


def _format_quote(finding: ReviewFinding) -> str:
    if finding.quote_start is None:
        return finding.quote
    return format_quote(Quote(finding.quote, finding.quote_start))
