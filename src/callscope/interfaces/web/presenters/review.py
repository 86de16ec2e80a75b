"""Prepare the review of a call: the form with what was typed and what is wrong, and what people decided."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.accounts.models import User
from callscope.interfaces.web.presenters.call import CRITICAL_CLASSES
from callscope.messages.translation import translate
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reviews.answers import GivenAnswer, InvalidReview, check_answers, check_comment
from callscope.reviews.calibration.visibility import is_blinded, reviews_visible_to
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, list_criteria
from callscope.reviews.listing import ReviewRow, describe_review
from callscope.reviews.models import Review
from callscope.reviews.revisions import GivenReview, read_answers

ANSWER_NAMES = {
    "met": gettext_lazy("met"),
    "partly": gettext_lazy("partly"),
    "not_met": gettext_lazy("not met"),
    "not_applicable": gettext_lazy("not applicable"),
}
STATE_NAMES = {
    Review.State.DRAFT: gettext_lazy("draft"),
    Review.State.SUBMITTED: gettext_lazy("submitted"),
    Review.State.WITHDRAWN: gettext_lazy("withdrawn"),
}
# The input that a message about one answer belongs to; any other is about the answer itself.
WRONG_INPUTS = {
    "long_review_comment": "comment",
    "unstorable_review_comment": "comment",
    "review_quote_not_said": "quote",
    "review_without_transcript": "quote",
}


class Choice(NamedTuple):
    """One answer that a criterion allows."""

    value: str
    label: str | Promise
    is_chosen: bool


@dataclass(slots=True)
class CriterionInput:
    """One criterion of the form, with what was typed and what is wrong with it."""

    criterion: StoredCriterion
    guideline: str
    machine: str | Promise  # "" where it is hidden
    answer: str = ""
    comment: str = ""
    quote: str = ""
    errors: dict[str, str] = field(default_factory=dict)  # input → sentence

    @property
    def choices(self) -> list[Choice]:
        allowed = self.criterion["allowed"]
        return [Choice(each, ANSWER_NAMES[each], each == self.answer) for each in allowed]

    @property
    def critical(self) -> str | Promise:
        """Return what kind of error a zero is; "" for a criterion that is not critical."""
        if not self.criterion["critical"]:
            return ""
        return CRITICAL_CLASSES.get(str(self.criterion["critical_class"]), _("critical"))

    def as_given(self) -> GivenAnswer:
        return GivenAnswer(self.criterion["criterion_id"], self.answer, self.comment, self.quote)


class ReviewForm:
    """The form of one review: a new one, or a draft to go on with."""

    def __init__(self, detail: CallDetail, draft: Review | None, *, is_rating: bool = False) -> None:
        self.detail, self.review_id = detail, draft.pk if draft else None
        self.is_rating = is_rating  # in an open calibration: always blind
        # Once the answers of the machine were shown, the review is not blind any more.
        self.shows_machine = draft is not None and not draft.blind and not is_rating
        self.is_blind = not self.shows_machine
        self.comment = draft.comment if draft else ""
        self.comment_error = self.problem = ""
        self.rows = _list_rows(detail, shows_machine=self.shows_machine)
        if draft is not None:
            self._fill({each.criterion_id: each for each in read_answers(draft)})

    @property
    def is_wrong(self) -> bool:
        return bool(self.problem or self.comment_error or any(row.errors for row in self.rows))

    def read(self, sent: QueryDict, *, submits: bool) -> GivenReview | None:
        """Take what was sent; return it as a review, or None where something is wrong, noted by its input."""
        self.comment = _read_text(sent, "comment")
        self.is_blind = self.is_rating or (not self.shows_machine and "blind" in sent)
        ids = [row.criterion["criterion_id"] for row in self.rows]
        self._fill(
            {
                each: GivenAnswer(
                    each,
                    sent.get(f"answer:{each}", ""),
                    _read_text(sent, f"comment:{each}"),
                    _read_text(sent, f"quote:{each}").strip(),
                )
                for each in ids
            }
        )
        self._check(submits=submits)
        if self.is_wrong:
            return None
        answers = [row.as_given() for row in self.rows if row.answer]
        return GivenReview(answers=answers, comment=self.comment, blind=self.is_blind, submits=submits)

    def _fill(self, given: dict[str, GivenAnswer]) -> None:
        for row in self.rows:
            answer = given.get(row.criterion["criterion_id"])
            if answer is not None:
                row.answer, row.comment, row.quote = answer.answer, answer.comment, answer.quote

    def _check(self, *, submits: bool) -> None:
        try:
            check_comment("comment", self.comment)
        except InvalidReview as error:
            self.comment_error = translate(error.message)
        for row in self.rows:
            if not row.answer:
                if submits:
                    row.errors["answer"] = _("Choose an answer: a submitted review answers every criterion.")
                elif row.comment.strip() or row.quote:
                    row.errors["answer"] = _("Choose an answer, so that the comment and the quote are kept.")
                continue
            try:
                check_answers([row.as_given()], [row.criterion], self.detail.transcript, is_whole=False)
            except InvalidReview as error:
                wrong = WRONG_INPUTS.get(error.message.code, "answer")
                row.errors[wrong] = translate(error.message)


class Difference(NamedTuple):
    """A criterion to which the machine and a person gave other answers."""

    name: str
    machine: str | Promise
    person: str | Promise


class Revision(NamedTuple):
    """One line of the list of revisions."""

    row: ReviewRow
    state: str | Promise
    moment: dt.datetime  # when it came into this state
    can_be_withdrawn: bool


class ReviewSummary(NamedTuple):
    """What people decided about a call, as its page shows it."""

    may_review: bool
    is_hidden: bool  # the visitor rates this call in an open calibration
    current: ReviewRow | None
    differences: list[Difference]
    outdated: list[str]  # names of the criteria whose answers fit no more
    machine_counts: bool  # by the settings of the project
    revisions: list[Revision]  # for who may review alone


def summarize_reviews(detail: CallDetail, visitor: User, *, may_write: bool) -> ReviewSummary:
    """Return the review that stands, and for people who may write the project all revisions."""
    visible = reviews_visible_to(visitor).filter(call=detail.call)
    reviews = visible.select_related("reviewer", "rater__calibration").prefetch_related("answers")
    wanted = reviews if may_write else reviews.filter(is_current=True)
    rows = [describe_review(review) for review in wanted.order_by("-revision")]
    current = next((row for row in rows if row["is_current"]), None)
    answers = current["criteria"] if current else []
    copc = detail.completed("copc") or {}
    return ReviewSummary(
        may_review=may_write and bool(copc.get("criterion_scores") or copc.get("not_evaluated")),
        is_hidden=is_blinded(detail.call.pk, visitor),
        current=current,
        differences=[
            Difference(
                each["name"],
                ANSWER_NAMES[each["machine_answer"]] if each["machine_answer"] else _("not evaluated"),
                ANSWER_NAMES[each["answer"]],
            )
            for each in answers
            if each["answer"] != each["machine_answer"]
        ],
        outdated=[
            each["name"]
            for each in answers
            if current and each["criterion_id"] in current["outdated_criteria"]
        ],
        machine_counts=detail.call.project.configuration.reviews.counts != "final",
        revisions=_list_revisions(rows) if may_write else [],
    )


def _list_revisions(rows: Sequence[ReviewRow]) -> list[Revision]:
    return [
        Revision(
            row,
            STATE_NAMES[Review.State(row["state"])],
            row["withdrawn_at"] or row["submitted_at"] or row["created_at"],
            can_be_withdrawn=row["state"] != Review.State.WITHDRAWN and row["calibration_id"] is None,
        )
        for row in rows
    ]


def _list_rows(detail: CallDetail, *, shows_machine: bool) -> list[CriterionInput]:
    """Return the criteria that the call carries; none while it has no scores."""
    if detail.analysis is None:
        return []
    known = KnownCriteria(detail.call.project)
    config = known.of(detail.analysis.config_version)
    rows = []
    for criterion in list_criteria(detail.analysis, known):
        found = config.get(criterion["criterion_id"])
        answer = criterion["machine_answer"]
        machine = ANSWER_NAMES[answer] if answer else _("not evaluated")
        # A criterion that was renamed since is another one: its guideline would mislead.
        guideline = found.guideline if found and found.name == criterion["name"] else ""
        rows.append(CriterionInput(criterion, guideline, machine if shows_machine else ""))
    return rows


def _read_text(sent: QueryDict, name: str) -> str:
    return sent.get(name, "").replace("\r\n", "\n")
