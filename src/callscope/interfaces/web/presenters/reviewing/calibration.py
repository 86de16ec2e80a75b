"""A calibration in words: who rated how much, and all answers side by side."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from callscope.interfaces.web.presenters.reviewing.answers import (
    OwnAnswers,
    ShownAnswer,
    list_own_answers,
    list_unrated,
    name_answer,
    show_given,
)
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


class ShownRater(NamedTuple):
    """One rater with the name that the tables use."""

    row: RaterRow
    name: str
    short_name: str  # for a narrow head: without the domain, where no other rater has it
    differing: str  # how many answers are other ones than the expert's or the majority's, as "5 of 33"


class ShownCall(NamedTuple):
    """One call with what each rater gave, in the order of the raters."""

    row: CallRow
    scores: list[tuple[ShownRater, float | None, bool]]  # the rater, the score, whether it was rated
    rated_by_visitor: bool
    settled_score: float | None  # of the review that the settled answers became
    review_url: str  # of that; "" without one


class AnswerLine(NamedTuple):
    """One criterion of one call."""

    call_id: int
    number: int  # of the call in the list of calls, which has its name
    file_name: str
    answers: list[ShownAnswer]
    spread_points: float | None
    differs: bool
    is_tied: bool  # no answer was given by more people than any other
    input_name: str
    is_missing: bool  # it was not chosen, and has to be
    choices: list[Choice]  # to settle it; none of a call that nobody rated
    settled: ShownAnswer | None  # what was settled


class ShownCriterion(NamedTuple):
    row: CriterionRow
    lines: list[AnswerLine]
    summary: str  # in how many calls the answers differ, and by how much


def write_difference(row: CriterionRow, lines: list[AnswerLine]) -> str:
    """Return in how many calls the answers to a criterion differ, and by how many points at most."""
    if not row["n"]:
        return _("not compared")
    differing = ngettext(
        "%(differing)s of %(count)s call differs", "%(differing)s of %(count)s calls differ", row["n"]
    )
    apart = max((each.spread_points or 0.0 for each in lines), default=0.0)
    points = _("at most %(apart)s of %(most)s points apart") if apart else _("no points apart")
    counts = {"differing": number(sum(each.differs for each in lines)), "count": number(row["n"])}
    figures = {"apart": number(apart, int(apart % 1 > 0)), "most": number(row["max_points"])}
    return f"{differing % counts} · {points % figures}"


class CalibrationPage(NamedTuple):
    """Everything that the page of a calibration shows."""

    row: CalibrationRow
    state: str | Promise
    raters: list[ShownRater]
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
    settled: Settled | None
    only_rater: str = ""  # where one person alone rated
    relied_on: float = RELIED_ON

    @property
    def is_compared(self) -> bool:
        """Return whether answers are shown, and there is a question with two of them."""
        return not self.is_open and self.compared > 0

    @property
    def compares_people(self) -> bool:
        """Return whether what sets one person apart from the others can be said."""
        return not self.is_open and self.compared_by_people > 0


def arrange(
    row: CalibrationRow,
    email: str,
    sent: Mapping[str, str],
    settled: Settled | None = None,
    concealed: Collection[int] = (),
) -> CalibrationPage:
    """Return the page for the visitor with this e-mail; `sent` holds answers that could not be settled.

    Of the calls that are `concealed` the machine's score is left out.
    """
    raters = show_raters(row["raters"])
    file_names = {call["call_id"]: call["file_name"] for call in row["calls"]}
    visitor_rates = any(each["rater"] == email for each in row["raters"])
    is_open = row["state"] == Calibration.State.OPEN
    unrated = list_unrated(row)
    criteria = []
    for each in [] if is_open else sorted(row["criteria"], key=rank_difference):
        lines = list_lines(each, raters, file_names, sent, settled.answers if settled else {})
        lines = [line for line in lines if line.call_id not in unrated]
        if lines:
            criteria.append(ShownCriterion(each, lines, write_difference(each, lines)))
    is_rated = any(each["rated_by"] for each in row["calls"])
    return CalibrationPage(
        row=row,
        state=STATE_NAMES[row["state"]],
        raters=raters,
        people=sum(not each["is_machine"] for each in row["raters"]),
        calls=[
            show_call(call, raters, email, settled, is_concealed=call["call_id"] in concealed)
            for call in row["calls"]
        ],
        differing=[each for each in criteria if any(line.differs for line in each.lines)],
        agreed=[each for each in criteria if not any(line.differs for line in each.lines)],
        own=list_own_answers(row, email) if is_open else None,
        visitor_rates=visitor_rates,
        is_open=is_open,
        compared=sum(each["n"] for each in row["criteria"]),
        compared_by_people=count_answered_by_two(row),
        unrated=0 if is_open else len(unrated),
        tied=sum(line.is_tied for each in criteria for line in each.lines),
        missing=row["expected_ratings"] - row["submitted_ratings"],
        can_settle=row["state"] == Calibration.State.CLOSED and is_rated,
        summary=[] if is_open else sum_up(row, criteria, raters),
        settled=settled,
        only_rater=alone.name if (alone := find_only_rater(raters)) else "",
    )


def find_only_rater(raters: list[ShownRater]) -> ShownRater | None:
    """Return the person who alone rated; None where several did, or nobody."""
    rated = [each for each in raters if each.row["rated_calls"] and not each.row["is_machine"]]
    return rated[0] if len(rated) == 1 else None


def rank_difference(row: CriterionRow) -> tuple[bool, float, float]:
    """Return the key that puts first where people differ, then what is most points apart."""
    people = [
        {given["answer"] for given in call["answers"] if not given["is_machine"]} for call in row["calls"]
    ]
    apart = max((call["spread_points"] or 0.0 for call in row["calls"]), default=0.0)
    return not any(len(each) > 1 for each in people), -apart, -(row["spread_points"] or 0.0)


def count_answered_by_two(row: CalibrationRow) -> int:
    """Return how many questions at least two people answered."""
    calls = (call for each in row["criteria"] for call in each["calls"])
    return sum(sum(not given["is_machine"] for given in call["answers"]) > 1 for call in calls)


def sum_up(row: CalibrationRow, criteria: list[ShownCriterion], raters: list[ShownRater]) -> list[str]:
    """Return what came out: how much differs, where most, and who is furthest from the others."""
    if not any(call["rated_by"] for call in row["calls"]):
        return [_("Nobody rated a call, so there is only what the machine answered.")]
    compared = sum(each.row["n"] for each in criteria)
    differing = sum(line.differs for each in criteria for line in each.lines)
    sentences = []
    if missing := row["expected_ratings"] - row["submitted_ratings"]:
        said = ngettext(
            "%(count)s of %(all)s ratings is missing.", "%(count)s of %(all)s ratings are missing.", missing
        )
        sentences.append(said % {"count": number(missing), "all": number(row["expected_ratings"])})
    if not compared:
        return [*sentences, _("No question has two answers, so nothing can be compared.")]
    if not differing:
        return sentences + describe_agreement(compared, count_answered_by_two(row))
    said = ngettext(
        "The answers to %(differing)s of %(count)s question differ.",
        "The answers to %(differing)s of %(count)s questions differ.",
        compared,
    )
    worst = next(each for each in criteria if any(line.differs for line in each.lines))
    sentences += [said % {"differing": number(differing), "count": number(compared)}, describe_worst(worst)]
    if furthest := find_furthest(raters):
        alone = find_only_rater(raters)
        sentences.append(describe_furthest(furthest, alone, has_expert=bool(row["expert"])))
    return sentences


def describe_worst(worst: ShownCriterion) -> str:
    """Return what to talk about first, and why."""
    apart = max((line.spread_points or 0.0 for line in worst.lines), default=0.0)
    if apart:
        talk = ngettext(
            "Talk about “%(criterion)s” first: up to %(apart)s point apart.",
            "Talk about “%(criterion)s” first: up to %(apart)s points apart.",
            1 if apart == 1 else 2,
        )
        return talk % {"criterion": worst.row["name"], "apart": number(apart, int(apart % 1 > 0))}
    talk = ngettext(
        "Talk about “%(criterion)s” first: its answers differ in %(differing)s of %(count)s call.",
        "Talk about “%(criterion)s” first: its answers differ in %(differing)s of %(count)s calls.",
        worst.row["n"],
    )
    differing = number(sum(line.differs for line in worst.lines))
    return talk % {"criterion": worst.row["name"], "differing": differing, "count": number(worst.row["n"])}


def describe_agreement(compared: int, by_people: int) -> list[str]:
    """Return on how many of the compared questions people agree, and on how many one and the machine."""
    sentences = []
    if by_people:
        said = ngettext(
            "All agree on the answer to %(count)s question: there is nothing to talk about.",
            "All agree on the answers to %(count)s questions: there is nothing to talk about.",
            by_people,
        )
        sentences.append(said % {"count": number(by_people)})
    if alone := compared - by_people:
        said = ngettext(
            "One person and the machine agree on %(count)s question.",
            "One person and the machine agree on %(count)s questions.",
            alone,
        )
        sentences.append(said % {"count": number(alone)})
    return sentences


def find_furthest(raters: list[ShownRater]) -> ShownRater | None:
    """Return who gave other answers most often; None where nobody did, or several did as often.

    The expert is what the others are compared with.
    """
    compared = [each for each in raters if each.row["different_pct"] and not each.row["is_expert"]]
    ordered = sorted(compared, key=lambda each: each.row["different_pct"] or 0)
    if not ordered or (
        len(ordered) > 1 and ordered[-2].row["different_pct"] == ordered[-1].row["different_pct"]
    ):
        return None
    return ordered[-1]


def describe_furthest(rater: ShownRater, alone: ShownRater | None, *, has_expert: bool) -> str:
    """Return how often this rater differs; `alone` is the only person who rated."""
    answers = rater.row["compared_answers"] or 0
    differing = count_differing(rater.row)
    name = _("the machine") if rater.row["is_machine"] else rater.name
    names = {"name": name, "differing": number(differing), "count": number(answers)}
    if alone is not None and rater.row["is_machine"]:
        said = ngettext(
            "The machine and %(name)s differ in %(differing)s of %(count)s answer.",
            "The machine and %(name)s differ in %(differing)s of %(count)s answers.",
            answers,
        )
        return said % {**names, "name": alone.name}
    if has_expert:
        said = ngettext(
            "Furthest from the expert: %(name)s, differing in %(differing)s of %(count)s answer.",
            "Furthest from the expert: %(name)s, differing in %(differing)s of %(count)s answers.",
            answers,
        )
        return said % names
    said = ngettext(
        "Furthest from the others: %(name)s, differing in %(differing)s of %(count)s answer.",
        "Furthest from the others: %(name)s, differing in %(differing)s of %(count)s answers.",
        answers,
    )
    return said % names


def count_differing(row: RaterRow) -> int:
    """Return how many of the compared answers of a rater are other ones."""
    return round((row["different_pct"] or 0) * (row["compared_answers"] or 0) / 100)


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
    """Return a call; without the score of the machine where the visitor has to review it blind."""
    given = [] if is_concealed else call["scores"]
    scores = {(each["rater"], each["is_machine"]): each["score_percentage"] for each in given}
    keys = [(each.row["rater"], each.row["is_machine"]) for each in raters]
    reviewed = settled.scores if settled else {}
    return ShownCall(
        call,
        [(rater, scores.get(key), key in scores) for rater, key in zip(raters, keys, strict=True)],
        rated_by_visitor=(email, False) in scores,
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
