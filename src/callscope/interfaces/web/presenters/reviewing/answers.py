"""Answers of raters in words, and those that a rater of an open calibration gave: the only ones it shows."""

from typing import NamedTuple

from django.utils.functional import Promise

from callscope.interfaces.web.presenters.call_page.call import RESULTS
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES
from callscope.reviews.calibration.listing import CalibrationRow, RatingRow


class ShownAnswer(NamedTuple):
    """The answer of one rater in words; "" where there is none."""

    rater: str
    label: str | Promise = ""
    icon: str = ""
    tone: str = ""
    stands_out: bool = False  # it is another one than the settled one, else the expert's, else the majority's
    comment: str = ""
    quote: str = ""
    why_none: str = ""
    short_rater: str = ""  # for a narrow page


class OwnCall(NamedTuple):
    """One call that the visitor rated."""

    call_id: int
    number: int  # in the list of calls
    file_name: str


class OwnCriterion(NamedTuple):
    """One criterion with the visitor's answer to each call, in the order of the calls; None without one."""

    criterion_id: str
    name: str
    answers: list[tuple[OwnCall, ShownAnswer | None]]


class OwnAnswers(NamedTuple):
    """What the visitor answered: one row a criterion, one column a call."""

    calls: list[OwnCall]
    criteria: list[OwnCriterion]


def list_unrated(row: CalibrationRow) -> frozenset[int]:
    """Return the calls that nobody rated, which leave nothing to talk about; none where nobody rated any.

    Those whose results were removed are not among them: their ratings went with these.
    """
    ratable = [each for each in row["calls"] if not each["results_removed"]]
    is_rated = any(each["rated_by"] for each in ratable)
    return frozenset(each["call_id"] for each in ratable if is_rated and not each["rated_by"])


def list_own_answers(row: CalibrationRow, email: str) -> OwnAnswers:
    """Return the answers of the visitor with this e-mail; calls without one are left out."""
    given = {
        (call["call_id"], criterion["criterion_id"]): show_given(each)
        for criterion in row["criteria"]
        for call in criterion["calls"]
        for each in call["answers"]
        if each["rater"] == email and not each["is_machine"]
    }
    rated = {call_id for call_id, _criterion_id in given}
    calls = [
        OwnCall(call["call_id"], number, call["file_name"])
        for number, call in enumerate(row["calls"], 1)
        if call["call_id"] in rated
    ]
    criteria = [
        OwnCriterion(
            each["criterion_id"],
            each["name"],
            [(call, given.get((call.call_id, each["criterion_id"]))) for call in calls],
        )
        for each in row["criteria"]
        if any((call.call_id, each["criterion_id"]) in given for call in calls)
    ]
    return OwnAnswers(calls, criteria)


def show_given(found: RatingRow) -> ShownAnswer:
    """Return the answer with what was said about it, of nobody."""
    return name_answer(found["answer"])._replace(comment=found["comment"], quote=found["quote"])


def name_answer(answer: str) -> ShownAnswer:
    """Return an answer in words, of nobody."""
    _word, icon, tone = RESULTS[answer]
    return ShownAnswer("", ANSWER_NAMES[answer], icon, tone)
