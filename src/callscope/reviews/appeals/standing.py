"""Whether an answer that was appealed against still counts: a call may be scored again, or reviewed."""

from typing import NamedTuple

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.criteria import read_machine_answer


class Standing(NamedTuple):
    """What counts now for the criterion of an appeal."""

    answer: str | None  # "": it is not evaluated; None: the call is not judged by it any more
    is_persons: bool = False
    has_all_points: bool = False  # or it does not apply: nothing can be gained

    def overtakes(self, appeal: Appeal) -> bool:
        """Return whether it is another answer than the one that was appealed against."""
        return self.answer != appeal.answer


def read_standing(analysis: CallAnalysis | None, criterion_id: str) -> Standing | None:
    """Return what the live result says of a criterion; None while there is no such result."""
    if analysis is None or analysis.copc_state != AnalysisState.COMPLETED or not analysis.copc:
        return None
    for row in analysis.copc.get("criterion_scores") or []:
        if row.get("criterion_id") == criterion_id:
            answer = read_machine_answer(row)
            gains_nothing = answer == "not_applicable" or (row.get("score") or 0) >= (
                row.get("max_points") or 0
            )
            return Standing(answer, row.get("source") == "person", gains_nothing)
    left_out = analysis.copc.get("not_evaluated") or []
    return Standing("" if any(row.get("criterion_id") == criterion_id for row in left_out) else None)
