"""A calibration in words: who rated how much, and all answers side by side."""

from collections.abc import Mapping
from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.interfaces.web.presenters.reviewing.answers import (
    OwnAnswers,
    ShownAnswer,
    list_own_answers,
    list_unrated,
    name_answer,
    show_given,
)
from callscope.interfaces.web.presenters.reviewing.calibration_words import (
    AnswerLine,
    ShownCriterion,
    ShownRater,
    count_answered_by_two,
    count_differing,
    describe_removed,
    find_only_rater,
    sum_up,
    write_difference,
)
from callscope.interfaces.web.presenters.reviewing.concealment import SeenCalibration
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES, Choice
from callscope.interfaces.web.templatetags.formatting import number
from callscope.reviews.calibration.listing import (
    CalibrationRow,
    CallRow,
    CriterionRow,
    RaterRow,
    RatingRow,
)
from callscope.reviews.calibration.settlement import Settled
from callscope.reviews.models import Calibration

STATE_NAMES = {
    Calibration.State.OPEN.value: gettext_lazy("open"),
    Calibration.State.CLOSED.value: gettext_lazy("closed"),
    Calibration.State.SETTLED.value: gettext_lazy("settled"),
}


RELIED_ON = 0.667  # alpha from which on Krippendorff lets tentative conclusions be drawn


class ShownCall(NamedTuple):
    """One call with what each rater gave, in the order of the columns."""

    row: CallRow
    scores: list[tuple[ShownRater, float | None, bool]]  # the rater, the score, whether it was rated
    rated_by_visitor: bool
    is_concealed: bool  # it waits for the visitor's blind review
    settled_score: float | None  # of the review that the settled answers became
    review_url: str  # of that; "" without one


class CalibrationPage(NamedTuple):
    """Everything that the page of a calibration shows."""

    row: CalibrationRow
    state: str | Promise
    raters: list[ShownRater]
    columns: list[ShownRater]  # those who have anything in the tables
    people: int  # of them, without the machine
    calls: list[ShownCall]
    differing: list[ShownCriterion]
    agreed: list[ShownCriterion]
    own: OwnAnswers | None  # while it is open, in place of the two lists
    visitor_rates: bool
    is_open: bool
    compared: int  # questions with two answers or more, the machine's among them
    compared_by_people: int  # those with answers by two people or more
    can_settle: bool
    missing: int  # ratings that are not submitted yet
    unrated: int  # calls whose answers by the machine alone are left out
    tied: int  # answers without a majority
    summary: list[str]  # what came out and what to do, in sentences; nothing while it is open
    removed: str  # which calls lost their results and ratings to retention, in a sentence; "": none
    settled: Settled | None
    single: int  # questions with one answer, which are not compared
    only_rater: str = ""  # where one person alone rated
    relied_on: float = RELIED_ON

    @property
    def is_compared(self) -> bool:
        """Return whether answers are shown, and there is a question with two of them."""
        return not self.is_open and self.compared > 0

    @property
    def questions(self) -> int:
        """Return how many questions the tables hold: criteria times calls, but for what a call lacks."""
        return self.compared + self.single

    @property
    def incomparable(self) -> int:
        """Return how many criteria without a difference have one answer alone."""
        return sum(not each.row["n"] for each in self.agreed)

    @property
    def ratable(self) -> int:
        """Return how many calls can be rated, or could be: the results of the others were removed."""
        return sum(not each.row["results_removed"] for each in self.calls)

    @property
    def has_spread(self) -> bool:
        """Return whether a call has two scores."""
        return any(each.row["spread_percentage"] is not None for each in self.calls)

    @property
    def has_doubtful_score(self) -> bool:
        """Return whether some score of the machine is left out of the spread."""
        return any(each.row["has_doubtful_machine_score"] for each in self.calls)

    @property
    def width(self) -> int:
        """Return how many columns the tables of answers have."""
        return 1 + len(self.columns) + self.is_compared + (self.can_settle or self.settled is not None)

    @property
    def compares_people(self) -> bool:
        """Return whether what sets one person apart from the others can be said."""
        return not self.is_open and self.compared_by_people > 0


def arrange(
    seen: SeenCalibration, email: str, sent: Mapping[str, str], settled: Settled | None = None
) -> CalibrationPage:
    """Return the page for the visitor with this e-mail; `sent` holds answers that could not be settled."""
    row = seen.row
    raters = show_raters(row["raters"])
    is_ratable = not all(each["results_removed"] for each in row["calls"])
    columns = [each for each in raters if each.row["rated_calls"] or (each.row["is_machine"] and is_ratable)]
    file_names = {call["call_id"]: call["file_name"] for call in row["calls"]}
    visitor_rates = any(each["rater"] == email for each in row["raters"])
    is_open = row["state"] == Calibration.State.OPEN
    unrated = list_unrated(row)
    criteria = []
    for each in [] if is_open else sorted(row["criteria"], key=rank_difference):
        lines = list_lines(each, columns, file_names, sent, settled.answers if settled else {})
        lines = [line for line in lines if line.call_id not in unrated]
        if lines:
            criteria.append(ShownCriterion(each, lines, write_difference(each, lines)))
    is_rated = any(each["rated_by"] for each in row["calls"])
    return CalibrationPage(
        row=row,
        state=STATE_NAMES[row["state"]],
        raters=raters,
        columns=columns,
        people=sum(not each["is_machine"] for each in row["raters"]),
        calls=[
            show_call(call, columns, email, settled, is_concealed=call["call_id"] in seen.concealed)
            for call in row["calls"]
        ],
        differing=[each for each in criteria if any(line.differs for line in each.lines)],
        agreed=[each for each in criteria if not any(line.differs for line in each.lines)],
        own=list_own_answers(row, email) if is_open else None,
        visitor_rates=visitor_rates,
        is_open=is_open,
        compared=(compared := sum(each["n"] for each in row["criteria"])),
        single=sum(len(each.lines) for each in criteria) - compared,
        compared_by_people=count_answered_by_two(row),
        unrated=0 if is_open else len(unrated),
        tied=sum(line.is_tied for each in criteria for line in each.lines),
        missing=row["expected_ratings"] - row["submitted_ratings"],
        can_settle=row["state"] == Calibration.State.CLOSED and is_rated,
        removed=describe_removed(row),
        summary=[] if is_open else sum_up(row, criteria, raters),
        settled=settled,
        only_rater=alone.name if (alone := find_only_rater(raters)) else "",
    )


def rank_difference(row: CriterionRow) -> tuple[bool, float, float]:
    """Return the key that puts first where people differ, then what is most points apart."""
    people = [
        {given["answer"] for given in call["answers"] if not given["is_machine"]} for call in row["calls"]
    ]
    apart = max((call["spread_points"] or 0.0 for call in row["calls"]), default=0.0)
    return not any(len(each) > 1 for each in people), -apart, -(row["spread_points"] or 0.0)


def show_raters(rows: list[RaterRow]) -> list[ShownRater]:
    names = [name_rater(each) for each in rows]
    short = [name.partition("@")[0] for name in names]
    return [
        ShownRater(
            row,
            name,
            f"{part}@…" if "@" in name and short.count(part) == 1 else name,
            _("%(count)s of %(all)s")
            % {"count": number(count_differing(row)), "all": number(row["compared_answers"] or 0)},
        )
        for row, name, part in zip(rows, names, short, strict=True)
    ]


def name_rater(rater: RaterRow) -> str:
    return _("Machine") if rater["is_machine"] else rater["rater"] or _("a user who was erased")


def show_call(
    call: CallRow, raters: list[ShownRater], email: str, settled: Settled | None, *, is_concealed: bool
) -> ShownCall:
    scores = {(each["rater"], each["is_machine"]): each["score_percentage"] for each in call["scores"]}
    keys = [(each.row["rater"], each.row["is_machine"]) for each in raters]
    reviewed = settled.scores if settled else {}
    return ShownCall(
        call,
        [(rater, scores.get(key), key in scores) for rater, key in zip(raters, keys, strict=True)],
        rated_by_visitor=(email, False) in scores,
        is_concealed=is_concealed,
        settled_score=reviewed.get(call["call_id"]),
        review_url=reverse("web:call", args=[call["call_id"]]) + "#review-title"
        if call["call_id"] in reviewed
        else "",
    )


def list_lines(
    criterion: CriterionRow,
    raters: list[ShownRater],
    file_names: Mapping[int, str],
    sent: Mapping[str, str],
    settled: Mapping[tuple[int, str], str],
) -> list[AnswerLine]:
    lines = []
    numbers = {call_id: number for number, call_id in enumerate(file_names, 1)}
    for call in criterion["calls"]:
        given = {(each["rater"], each["is_machine"]): each for each in call["answers"]}
        agreed = settled.get((call["call_id"], criterion["criterion_id"]))
        usual = agreed or call["proposed"]  # in a tie nobody stands out, whatever the machine answered
        answers = [
            show_answer(rater, given.get((rater.row["rater"], rater.row["is_machine"])), usual)
            for rater in raters
        ]
        people = sum(not each["is_machine"] for each in call["answers"])
        choices = criterion["allowed"] if people else []
        name = f"answer:{call['call_id']}:{criterion['criterion_id']}"
        chosen = sent.get(name, call["proposed"] or "")
        lines.append(
            AnswerLine(
                call_id=call["call_id"],
                number=numbers[call["call_id"]],
                file_name=file_names[call["call_id"]],
                answers=answers,
                spread_points=call["spread_points"],
                differs=len({each["answer"] for each in call["answers"]}) > 1,
                is_tied=call["proposed"] is None and people > 1,
                input_name=name,
                is_missing=bool(sent and choices and not chosen),
                choices=[Choice(each, ANSWER_NAMES[each], each == chosen) for each in choices],
                settled=name_answer(agreed) if agreed else None,
            )
        )
    return lines


def show_answer(rater: ShownRater, found: RatingRow | None, usual: str | None) -> ShownAnswer:
    """Return the answer of a rater, or why there is none; others than the `usual` one stand out."""
    if found is None:
        reason = _("The machine did not evaluate this.") if rater.row["is_machine"] else _("Not rated.")
        return ShownAnswer(rater.name, why_none=reason, short_rater=rater.short_name)
    stands_out = usual is not None and found["answer"] != usual
    return show_given(found)._replace(rater=rater.name, short_rater=rater.short_name, stands_out=stands_out)
