"""Say what people decided about a call: the review that stands, where it differs, and all revisions."""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.accounts.models import User
from callscope.interfaces.web.presenters.reviewing.places import compare_places, list_replaced
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES, KIND_NAMES, name_answer
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reviews.calibration.visibility import reviews_visible_to
from callscope.reviews.listing import SHOWN_WITH, FindingRow, ReviewRow, describe_review
from callscope.reviews.models import Review

STATE_NAMES = {
    Review.State.DRAFT: gettext_lazy("draft"),
    Review.State.SUBMITTED: gettext_lazy("submitted"),
    Review.State.WITHDRAWN: gettext_lazy("withdrawn"),
}


class Difference(NamedTuple):
    """Something to which the machine and a person gave other answers."""

    name: str | Promise
    machine: str | Promise
    person: str | Promise


class Revision(NamedTuple):
    """One line of the list of revisions."""

    row: ReviewRow
    state: str | Promise
    moment: dt.datetime  # when it came into this state
    can_be_withdrawn: bool
    role: str  # "current", "rating" of a calibration, which never counts, "replaced" by a later one, or ""


class ReviewSummary(NamedTuple):
    """What people decided about a call, as its page shows it."""

    may_review: bool
    is_hidden: bool  # the visitor rates this call, or is to review it blind
    current: ReviewRow | None
    differences: list[Difference]
    replaced: list[Promise]  # agent or reason: somebody placed the call elsewhere since
    outdated: Sequence[str | Promise]  # names of what was answered and is asked in another way now
    machine_counts: bool  # by the settings of the project
    revisions: list[Revision]  # for who may review alone

    @property
    def is_offered(self) -> bool:
        """Whether the top of the page leads to the form: where results are hidden, the notice does."""
        return self.may_review and not self.is_hidden


def summarize_reviews(
    detail: CallDetail, visitor: User, *, may_write: bool, is_hidden: bool, shows_agents: bool = False
) -> ReviewSummary:
    """Return the review that stands, and for people who may write the project all revisions.

    `is_hidden`: the visitor rates the call, or is to review it blind. Without `shows_agents` no colleague
    is named.
    """
    rows = []
    if detail.records.has_reviews:
        found = reviews_visible_to(visitor).filter(call=detail.call).order_by("-revision")
        found = found.select_related("reviewer", "rater__calibration").prefetch_related(*SHOWN_WITH)
        rows = list(map(describe_review, found if may_write else found.filter(is_current=True)))
    current = next((row for row in rows if row["is_current"]), None)
    answers = current["criteria"] if current else []
    findings = current["findings"] if current else []
    agent = current["agent"] if current and shows_agents else None
    reason = current["contact_reason"] if current else None
    copc = detail.completed("copc") or {}
    return ReviewSummary(
        may_review=may_write and bool(copc.get("criterion_scores") or copc.get("not_evaluated")),
        is_hidden=is_hidden,
        current=current,
        differences=[
            Difference(
                each["name"],
                ANSWER_NAMES[each["machine_answer"]] if each["machine_answer"] else _("not evaluated"),
                ANSWER_NAMES[each["answer"]],
            )
            for each in answers
            if each["answer"] != each["machine_answer"]
        ]
        + [
            Difference(_name_finding(each), name_answer(each["machine_answer"]), name_answer(each["answer"]))
            for each in findings
            if each["answer"] != each["machine_answer"]
        ]
        + [Difference(*each) for each in compare_places(agent, reason)],
        replaced=list_replaced(agent, reason),
        outdated=[
            each["name"]
            for each in answers
            if current and each["criterion_id"] in current["outdated_criteria"]
        ]
        + [_name_finding(each) for each in findings if each["is_outdated"]],
        machine_counts=detail.call.project.configuration.reviews.counts != "final",
        revisions=_list_revisions(rows) if may_write else [],
    )


def _name_finding(row: FindingRow) -> str | Promise:
    return row["description"] if row["id"] else KIND_NAMES[row["kind"]]


def _list_revisions(rows: Sequence[ReviewRow]) -> list[Revision]:
    return [
        Revision(
            row,
            STATE_NAMES[Review.State(row["state"])],
            row["withdrawn_at"] or row["submitted_at"] or row["created_at"],
            can_be_withdrawn=row["state"] != Review.State.WITHDRAWN and row["calibration_id"] is None,
            role=name_role(row),
        )
        for row in rows
    ]


def name_role(row: ReviewRow) -> str:
    """Return why a revision counts or not: current, rating, replaced; "" where its state says it."""
    if row["is_current"]:
        return "current"
    if row["calibration_id"] is not None:
        return "rating"
    return "replaced" if row["state"] == Review.State.SUBMITTED else ""
