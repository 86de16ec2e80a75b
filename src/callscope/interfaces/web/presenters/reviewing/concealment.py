"""A calibration as its pages may show it to a person: without what would sway a blind review of theirs."""

from collections.abc import Collection
from typing import NamedTuple

from callscope.accounts.models import User
from callscope.reviews.calibration.listing import CalibrationRow, CallRow, CriterionRow, RaterRow
from callscope.reviews.calibration.listing import describe_calibration as describe_all
from callscope.reviews.models import Calibration
from callscope.reviews.reading import list_hidden


class SeenCalibration(NamedTuple):
    """A calibration, and the calls that it conceals, since they wait for the viewer's blind review."""

    row: CalibrationRow
    concealed: frozenset[int] = frozenset()

    @property
    def shown(self) -> frozenset[int]:
        """Return the calls whose results who opens the page reads: none while the calibration is open."""
        is_open = self.row["state"] == Calibration.State.OPEN
        calls = frozenset(call["call_id"] for call in self.row["calls"])
        return frozenset() if is_open else calls - self.concealed


def describe_calibration(calibration: Calibration, viewer: User) -> SeenCalibration:
    """Return what the viewer may read of a calibration on a page.

    Once it is closed, it shows all answers, also to who is to review its calls: they were rated. Of a call
    that nobody rated there is nothing to compare, and the machine's answers stay hidden until the review.
    """
    row = describe_all(calibration, viewer)
    if calibration.state == Calibration.State.OPEN:
        return SeenCalibration(row)
    unrated = frozenset(each["call_id"] for each in row["calls"] if not each["rated_by"])
    concealed = unrated & list_hidden(viewer).to_review if unrated else unrated
    return SeenCalibration(_conceal(row, concealed) if concealed else row, concealed)


def _conceal(row: CalibrationRow, call_ids: Collection[int]) -> CalibrationRow:
    """Return the row without scores and answers of these calls, which the machine alone gave."""
    hidden = sum(
        any(score["is_machine"] for score in call["scores"])
        for call in row["calls"]
        if call["call_id"] in call_ids
    )
    criteria = [_conceal_answers(each, call_ids) for each in row["criteria"]]
    return {
        **row,
        "raters": [_discount(each, hidden) for each in row["raters"]],
        "calls": [
            CallRow({**each, "scores": [], "spread_percentage": None, "has_doubtful_machine_score": False})
            if each["call_id"] in call_ids
            else each
            for each in row["calls"]
        ],
        "criteria": [each for each in criteria if each["calls"]],
    }


def _conceal_answers(row: CriterionRow, call_ids: Collection[int]) -> CriterionRow:
    return {**row, "calls": [each for each in row["calls"] if each["call_id"] not in call_ids]}


def _discount(rater: RaterRow, hidden: int) -> RaterRow:
    """Return the rater; the machine with so many calls fewer."""
    return {**rater, "rated_calls": rater["rated_calls"] - hidden} if rater["is_machine"] else rater
