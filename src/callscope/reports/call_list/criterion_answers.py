"""What one criterion came to in some calls, with its quote: the column of a list that asks for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from callscope.analysis.models import CallAnalysis
from callscope.reports.call_list.drilldown import MET, NOT_EVALUATED, NOT_MET, PARTLY

NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True)
class CriterionAnswer:
    """What the criterion came to in one call."""

    result: str  # of drilldown.RESULTS
    is_critical_error: bool = False
    quote: str = ""  # with its time in front
    justification: Any = ""  # a stored message or a text
    for_person: bool = False  # the machine answered, and only a person's answer counts


def read_answers(call_ids: Iterable[int], criterion_id: str) -> dict[int, CriterionAnswer]:
    """Return call → what the criterion came to, for the calls that name it; one query."""
    analyses = CallAnalysis.objects.filter(call__in=list(call_ids), is_live=True).only("call_id", "copc")
    answers = {}
    for analysis in analyses:
        copc: Any = analysis.copc or {}
        found = next((row for row in copc.get("criterion_scores") or [] if _is_of(row, criterion_id)), None)
        if found is not None:
            answers[analysis.call_id] = CriterionAnswer(
                result=read_result(found),
                is_critical_error=bool(found.get("is_critical_error")),
                quote=str(found.get("quote") or ""),
                justification=found.get("justification") or "",
            )
            continue
        left_open = (row for row in copc.get("not_evaluated") or [] if _is_of(row, criterion_id))
        if (missed := next(left_open, None)) is not None:
            answers[analysis.call_id] = CriterionAnswer(
                NOT_EVALUATED,
                justification=missed.get("reason") or "",
                for_person=bool(missed.get("for_person")),
            )
    return answers


def read_results(copc: Mapping[str, Any]) -> dict[str, str]:
    """Return criterion → its result, of drilldown.RESULTS, in one stored analysis."""
    judged = {str(row.get("criterion_id")): read_result(row) for row in copc.get("criterion_scores") or []}
    left_open = (str(row.get("criterion_id")) for row in copc.get("not_evaluated") or [])
    return dict.fromkeys(left_open, NOT_EVALUATED) | judged


def _is_of(row: Mapping[str, Any], criterion_id: str) -> bool:
    return row.get("criterion_id") == criterion_id


def read_result(row: Mapping[str, Any]) -> str:
    """Return the result as the filters count it: by the points that were earned."""
    if row.get("applicability") == NOT_APPLICABLE:
        return NOT_APPLICABLE
    score, most = float(row.get("score") or 0), float(row.get("max_points") or 0)
    return MET if score == most else PARTLY if score > 0 else NOT_MET
