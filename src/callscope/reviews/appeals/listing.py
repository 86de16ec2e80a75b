"""Appeals as people read them."""

import datetime as dt
from typing import TypedDict

from django.db.models import QuerySet

from callscope.accounts.models import User
from callscope.calls.own_calls import OwnCalls
from callscope.projects.models import Project
from callscope.reviews.appeal_records import Appeal


class AppealRow(TypedDict):
    """One appeal with everything that became of it."""

    id: int
    call_id: int
    file_name: str
    project_id: int
    criterion_id: str
    name: str  # of the criterion
    answer: str | None  # that stood; None: not evaluated
    reason: str
    state: str
    appellant: str | None  # e-mail; None: the user is gone
    created_at: dt.datetime
    decided_at: dt.datetime | None
    decided_by: str | None  # e-mail; None: open, gone, or hidden from the agent
    decision_reason: str
    new_answer: str | None
    review_id: int | None  # that was appealed; None: the machine's result
    new_review_id: int | None


def list_appeals(
    projects: list[Project], own: OwnCalls | None = None, *, blinded: frozenset[int] = frozenset()
) -> QuerySet[Appeal]:
    """Return the appeals of these projects, or those of the own calls; the newest first.

    A call may have had another agent: the agent sees none of whose appeals.
    Appeals of `blinded` calls are left out: they say how the call was judged.
    """
    appeals = Appeal.objects.select_related("call", "appellant", "decided_by")
    if own is not None:
        appeals = appeals.filter(
            project=own.project, call__agent=own.agent_id, appellant__in=own.list_users()
        )
    else:
        appeals = appeals.filter(project__in=projects)
    return appeals.exclude(call__in=blinded).order_by("-pk")


def describe_appeal(appeal: Appeal, reader: User, *, is_own: bool) -> AppealRow:
    """Return the row; to the agent, `is_own`, it names nobody else."""

    def show(user: User | None) -> str | None:
        return None if user is None or (is_own and user.pk != reader.pk) else user.email

    return {
        "id": appeal.pk,
        "call_id": appeal.call_id,
        "file_name": appeal.call.file_name,
        "project_id": appeal.project_id,
        "criterion_id": appeal.criterion_id,
        "name": appeal.criterion_name,
        "answer": appeal.answer or None,
        "reason": appeal.reason,
        "state": appeal.state,
        "appellant": show(appeal.appellant),
        "created_at": appeal.created_at,
        "decided_at": appeal.decided_at,
        "decided_by": show(appeal.decided_by),
        "decision_reason": appeal.decision_reason,
        "new_answer": appeal.new_answer or None,
        "review_id": appeal.review_id,
        "new_review_id": appeal.new_review_id,
    }
