"""Prepare the review of a call: the form with what was typed and what is wrong."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from callscope.interfaces.web.presenters.call_page.call import CRITICAL_CLASSES
from callscope.interfaces.web.presenters.reviewing.places import list_places
from callscope.messages.translation import translate
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reviews.answers import GivenAnswer, InvalidReview, check_answers, check_comment
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, list_criteria
from callscope.reviews.findings import (
    ANSWERS,
    GivenFinding,
    Question,
    check_findings,
    list_asked,
    list_questions,
    read_findings,
)
from callscope.reviews.models import Review, ReviewFinding
from callscope.reviews.revisions import GivenReview, read_answers

ANSWER_NAMES = {
    "met": gettext_lazy("met"),
    "partly": gettext_lazy("partly"),
    "not_met": gettext_lazy("not met"),
    "not_applicable": gettext_lazy("not applicable"),
}
FINDING_NAMES = {
    "made": gettext_lazy("made"),
    "not_made": gettext_lazy("not made"),
    "said": gettext_lazy("said"),
    "missed": gettext_lazy("missed"),
    "reached": gettext_lazy("reached"),
    "not_reached": gettext_lazy("not reached"),
    "positive": gettext_lazy("positive"),
    "neutral": gettext_lazy("neutral"),
    "negative": gettext_lazy("negative"),
    "unknown": gettext_lazy("unknown"),
}
KIND_NAMES: dict[str, Promise] = {
    ReviewFinding.Kind.MISTAKE: pgettext_lazy("one found in a call", "Mistake"),
    ReviewFinding.Kind.PROMPT: pgettext_lazy("what an agent has to say", "Prompt"),
    ReviewFinding.Kind.GOAL: gettext_lazy("Goal"),
    ReviewFinding.Kind.SENTIMENT: gettext_lazy("Sentiment"),
}
UNANSWERED = gettext_lazy("Choose an answer, so that the comment and the quote are kept.")
# The input that a message about one answer belongs to; any other is about the answer itself.
WRONG_INPUTS = {
    "long_review_comment": "comment",
    "unstorable_review_comment": "comment",
    "review_quote_not_said": "quote",
    "review_without_transcript": "quote",
    "review_finding_quote_not_said": "quote",
    "review_finding_without_transcript": "quote",
    "review_mistake_without_quote": "quote",
    "review_mistake_without_words": "comment",
}
# What a page says next to the input, where the sentence of the API names ids and what to send.
NO_TRANSCRIPT = gettext_lazy("The call has no transcript to quote from. Leave this empty.")
NOT_SAID = gettext_lazy("These words are not in the transcript. Select them there, or leave this empty.")
NOT_SAID_BUT_NEEDED = gettext_lazy("These words are not in the transcript. Select those that show it.")
# In an unreliable transcript, what shows a mistake may not stand there.
NOT_SAID_BUT_HEARD = gettext_lazy(
    "These words are not in the transcript. Select those that show it, or leave this empty and write in the "
    "comment what is heard and when."
)
OWN_WORDS: dict[str, Promise] = {
    "review_quote_not_said": NOT_SAID,
    "review_finding_quote_not_said": NOT_SAID,
    "review_without_transcript": NO_TRANSCRIPT,
    "review_finding_without_transcript": NO_TRANSCRIPT,
    "review_mistake_without_quote": gettext_lazy("Quote the words that show it."),
    "review_mistake_without_words": gettext_lazy(
        "Write here what is heard and when, or quote the words that show it."
    ),
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
    errors: dict[str, str | Promise] = field(default_factory=dict)  # input → sentence
    needs_quote = False

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

    @property
    def is_open(self) -> bool:
        """Return whether comment and quote are shown from the start."""
        return bool(self.comment or self.quote or self.errors.keys() & {"comment", "quote"})

    @property
    def key(self) -> str:
        return self.criterion["criterion_id"]

    @property
    def name(self) -> str:
        return self.criterion["name"]

    @property
    def section(self) -> str:
        return self.criterion["section"]

    def as_given(self) -> GivenAnswer:
        return GivenAnswer(self.key, self.answer, self.comment, self.quote)


@dataclass(slots=True)
class FindingInput:
    """A mistake, a prompt, the goal or the sentiment of the form, as CriterionInput has a criterion."""

    question: Question
    machine: str | Promise  # "" where it is hidden
    answer: str = ""  # "": the machine's stands
    comment: str = ""
    quote: str = ""
    errors: dict[str, str | Promise] = field(default_factory=dict)  # input → sentence
    guideline: str = ""
    critical: str = ""
    needs_quote: bool = False  # where it is a mistake that was made

    @property
    def choices(self) -> list[Choice]:
        answers = [
            Choice(each, FINDING_NAMES[each], each == self.answer) for each in ANSWERS[self.question.kind]
        ]
        left_out = _("as the machine says") if self.machine else _("not answered")
        return [Choice("", left_out, not self.answer), *answers]

    @property
    def is_open(self) -> bool:
        """Return whether comment and quote are shown from the start."""
        is_wrong = self.errors.keys() & {"comment", "quote"}
        return bool(self.answer == "made" or self.comment or self.quote or is_wrong)

    @property
    def key(self) -> str:
        return f"{self.question.kind}:{self.question.item_id}"

    @property
    def name(self) -> str | Promise:
        return self.question.description if self.question.item_id else KIND_NAMES[self.question.kind]

    @property
    def section(self) -> str | Promise:
        """Return what kind of thing is asked, for the goal how the settings put it."""
        is_item = bool(self.question.item_id)
        return KIND_NAMES[self.question.kind] if is_item else self.question.description

    def as_given(self) -> GivenFinding:
        return GivenFinding(*self.question.key, self.answer, self.comment, self.quote)


class ReviewForm:
    """The form of one review: a new one, or a draft to go on with."""

    def __init__(
        self, detail: CallDetail, draft: Review | None, *, is_rating: bool = False, has_read: bool = False
    ) -> None:
        self.detail, self.review_id = detail, draft.pk if draft else None
        self.is_rating = is_rating  # in an open calibration: always blind
        # Once the answers of the machine were shown, the review is not blind any more.
        self.has_read = has_read  # on the page of the call
        was_shown = has_read or (draft is not None and not draft.blind)
        self.shows_machine = was_shown and not is_rating
        self.is_blind = not self.shows_machine
        self.comment = draft.comment if draft else ""
        self.comment_error = self.problem = ""
        self.rows = list_rows(detail, shows_machine=self.shows_machine)
        said = {f"{each.kind}:{each.item_id}": each for each in (read_findings(draft) if draft else [])}
        asks = bool(self.rows) and not is_rating
        self.findings = _list_findings(detail, self.shows_machine, said) if asks else []
        self.places = list_places(detail.call, draft, self.shows_machine) if asks else []
        if draft is not None:
            _fill(self.rows, {each.criterion_id: each for each in read_answers(draft)})
            _fill(self.findings, said)

    @property
    def answered(self) -> int:
        return sum(bool(row.answer) for row in self.rows)

    @property
    def missing(self) -> int:
        """Return how many criteria lack the answer that submitting needs."""
        return sum("answer" in row.errors and not row.answer for row in self.rows)

    @property
    def is_half_heard(self) -> bool:
        """Return whether the transcript is unreliable, so that words of the call may not stand in it."""
        transcript = self.detail.transcript
        return transcript is not None and bool((transcript.quality or {}).get("half_heard"))

    @property
    def has_other_faults(self) -> bool:
        """Return whether something is wrong besides missing answers to criteria."""
        rows: list[CriterionInput | FindingInput] = [*self.rows, *self.findings]
        faults = sum(len(row.errors) for row in rows) - self.missing
        return bool(faults or self.comment_error or any(each.error for each in self.places))

    @property
    def is_wrong(self) -> bool:
        return bool(self.problem or self.missing or self.has_other_faults)

    def read(self, sent: QueryDict, *, submits: bool) -> GivenReview | None:
        """Take what was sent; return it as a review, or None where something is wrong, noted by its input."""
        self.comment = _read_text(sent, "comment")
        self.is_blind = self.is_rating or (not self.shows_machine and "blind" in sent)
        for row, prefix in [(row, "") for row in self.rows] + [(row, "finding-") for row in self.findings]:
            row.answer = sent.get(f"{prefix}answer:{row.key}", "")
            row.comment = _read_text(sent, f"{prefix}comment:{row.key}")
            row.quote = _read_text(sent, f"{prefix}quote:{row.key}").strip()
        for place in self.places:
            place.read(sent.get(f"place:{place.kind}", ""))
        self._check(submits=submits)
        if self.is_wrong:
            return None
        answers = [row.as_given() for row in self.rows if row.answer]
        return GivenReview(
            answers=answers,
            comment=self.comment,
            blind=self.is_blind,
            submits=submits,
            findings=[row.as_given() for row in self.findings if row.answer],
            sent_placements={place.kind: place.as_sent() for place in self.places},
        )

    def _check(self, *, submits: bool) -> None:
        try:
            check_comment("comment", self.comment)
        except InvalidReview as error:
            self.comment_error = translate(error.message)
        for row in self.rows:
            if not row.answer:
                if submits:
                    row.errors["answer"] = _("Choose an answer.")
                elif row.comment.strip() or row.quote:
                    row.errors["answer"] = UNANSWERED
                continue
            try:
                check_answers([row.as_given()], [row.criterion], self.detail.transcript, is_whole=False)
            except InvalidReview as error:
                _note_fault(row, error)
        for finding in self.findings:
            if not finding.answer:
                if finding.comment.strip() or finding.quote:
                    finding.errors["answer"] = UNANSWERED
                continue
            try:
                check_findings(
                    [finding.as_given()],
                    [finding.question],
                    self.detail.transcript,
                    is_blind=self.is_blind,
                    submits=submits,
                )
            except InvalidReview as error:
                _note_fault(finding, error, is_half_heard=self.is_half_heard)


def _note_fault(
    row: CriterionInput | FindingInput, error: InvalidReview, *, is_half_heard: bool = False
) -> None:
    code = error.message.code
    words = OWN_WORDS.get(code) or translate(error.message)
    if words is NOT_SAID and row.needs_quote and row.answer == "made":
        words = NOT_SAID_BUT_HEARD if is_half_heard else NOT_SAID_BUT_NEEDED
    row.errors[WRONG_INPUTS.get(code, "answer")] = words


def _fill(
    rows: Iterable[CriterionInput | FindingInput], given: Mapping[str, GivenAnswer | GivenFinding]
) -> None:
    for row in rows:
        said = given.get(row.key)
        if said is not None:
            row.answer, row.comment, row.quote = said.answer, said.comment, said.quote


def list_rows(detail: CallDetail, *, shows_machine: bool) -> list[CriterionInput]:
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


def _list_findings(detail: CallDetail, shows_machine: bool, said: Collection[str]) -> list[FindingInput]:
    """Return what may be answered; while the machine is hidden, without what is asked because it found it."""
    if detail.analysis is None:
        return []
    known = KnownCriteria(detail.call.project)
    asked = list_asked(known.configuration_of(detail.analysis.config_version))
    rows = [
        FindingInput(
            each,
            name_answer(each.machine_answer) if shows_machine else "",
            needs_quote=_needs_quote(detail, each, shows_machine),
        )
        for each in list_questions(detail.analysis, known)
    ]
    return [
        row
        for row in rows
        if shows_machine or not row.question.item_id or row.question.key in asked or row.key in said
    ]


def _needs_quote(detail: CallDetail, question: Question, shows_machine: bool) -> bool:
    """Return whether a mistake, if it was made, needs words that show it: nobody has quoted any."""
    is_quoted = question.is_quoted and shows_machine
    return question.kind == ReviewFinding.Kind.MISTAKE and detail.transcript is not None and not is_quoted


def name_answer(answer: str | None) -> str | Promise:
    return FINDING_NAMES[answer] if answer else _("not evaluated")


def _read_text(sent: QueryDict, name: str) -> str:
    return sent.get(name, "").replace("\r\n", "\n")
