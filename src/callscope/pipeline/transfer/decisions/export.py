"""What people decided about calls, as an export writes it."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence

from callscope.accounts.models import User
from callscope.calls.models import Agent, AgentUser, Call
from callscope.calls.reviewed_agents import read_placed
from callscope.pipeline.transfer.schema import JsonObject
from callscope.projects.models import Project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.listing import SHOWN_WITH
from callscope.reviews.models import Review, ReviewAnswer, ReviewFinding
from callscope.reviews.note_records import CoachingNote
from callscope.reviews.placements.records import ReviewPlacement

CRITERION_FIELDS = ("criterion_id", "name", "section", "max_points", "critical", "critical_class", "allowed")


class DecisionExport:
    """The decisions of one project; who an agent is stands in the first line of the agent's calls."""

    def __init__(self, project: Project) -> None:
        self._users: dict[int, list[str]] = defaultdict(list)
        for agent_id, email in (
            AgentUser.objects.filter(project=project).order_by("email").values_list("agent_id", "email")
        ):
            self._users[agent_id].append(email)

    def describe_calls(self, calls: Sequence[Call]) -> dict[int, JsonObject]:
        """Return by call what its line says of decisions; a call without any is left out."""
        found: dict[int, JsonObject] = defaultdict(dict)
        reviews, appeals = defaultdict(list), defaultdict(list)
        for review in (
            Review.objects.filter(call__in=calls)
            .select_related("reviewer", "withdrawn_by")
            .prefetch_related(*SHOWN_WITH, "acknowledgements__user")
            .order_by("revision")
        ):
            reviews[review.call_id].append(_describe_review(review))
        for appeal in (
            Appeal.objects.filter(call__in=calls)
            .select_related("appellant", "decided_by", "review", "new_review")
            .order_by("created_at", "pk")
        ):
            appeals[appeal.call_id].append(_describe_appeal(appeal))
        notes = defaultdict(list)
        for note in CoachingNote.objects.filter(call__in=calls).select_related("author").order_by("pk"):
            notes[note.call_id].append(_describe_note(note))
        for name, rows in (("reviews", reviews), ("appeals", appeals), ("notes", notes)):
            for call_id, entries in rows.items():
                found[call_id][name] = entries
        placed = read_placed([call.pk for call in calls])
        for call in calls:
            own = placed[call.pk].own if call.pk in placed else call.agent_id
            users = self._users.pop(own, None) if own is not None else None
            if users:
                found[call.pk]["agent_users"] = users
        return found


def _describe_review(review: Review) -> JsonObject:
    answers = {answer.criterion_id: answer for answer in review.answers.all()}
    acknowledged = [
        {"user": each.user.email, "at": _moment(each.at)}
        for each in sorted(review.acknowledgements.all(), key=lambda each: each.pk)
    ]
    findings = sorted(review.findings.all(), key=lambda each: each.position)
    described: JsonObject = {
        "revision": review.revision,
        "reviewer": _email(review.reviewer),
        "state": review.state,
        "blind": review.blind,
        "comment": review.comment,
        "created_at": _moment(review.created_at),
        "changed_at": _moment(review.changed_at),
        "submitted_at": _moment(review.submitted_at),
        "withdrawn_at": _moment(review.withdrawn_at),
        "withdrawn_by": _email(review.withdrawn_by),
        "on_critical_error": review.on_critical_error,
        "transcript_digest": review.transcript_digest,
        "engine": review.engine,
        "outdated_criteria": review.outdated_criteria,
        "criteria": [
            _describe_criterion(dict(each), answers.get(each["criterion_id"])) for each in review.criteria
        ],
        "acknowledgements": acknowledged,
    }
    # A line without findings is as good, and shorter.
    if findings:
        described["findings"] = [_describe_finding(each) for each in findings]
    for placement in review.placements.all():
        if not placement.is_agent:
            described["contact_reason"] = _describe_reason(placement)
        elif placement.is_nobody or placement.agent is not None:
            described["agent"] = _describe_agent(placement)
    return described


def _describe_agent(placement: ReviewPlacement) -> JsonObject:
    return {
        **_name_agent("", placement.agent),
        **_name_agent("machine_", placement.machine_agent),
        "is_outdated": placement.is_outdated or placement.is_retired,
    }


def _name_agent(prefix: str, agent: Agent | None) -> JsonObject:
    return {
        f"{prefix}agent_id": agent.external_id if agent else "",
        f"{prefix}agent_name": agent.name if agent else "",
    }


def _describe_reason(placement: ReviewPlacement) -> JsonObject:
    return {
        "name": placement.reason_name,
        "machine_name": placement.machine_reason_name,
        "is_outdated": placement.is_outdated or placement.is_retired,
    }


def _describe_criterion(criterion: JsonObject, answer: ReviewAnswer | None) -> JsonObject:
    row = {name: criterion[name] for name in CRITERION_FIELDS}
    row["machine_answer"] = criterion["machine_answer"]
    if answer is not None:
        row |= {
            "answer": answer.answer,
            "comment": answer.comment,
            "quote": answer.quote,
            "quote_start": answer.quote_start,
            "speaker": answer.speaker,
        }
    return row


def _describe_finding(finding: ReviewFinding) -> JsonObject:
    return {
        "kind": finding.kind,
        "id": finding.item_id,
        "description": finding.description,
        "answer": finding.answer,
        "comment": finding.comment,
        "quote": finding.quote,
        "quote_start": finding.quote_start,
        "speaker": finding.speaker,
        "machine_answer": finding.machine_answer,
        "is_outdated": finding.is_outdated or finding.is_retired,
    }


def _describe_appeal(appeal: Appeal) -> JsonObject:
    return {
        "criterion_id": appeal.criterion_id,
        "name": appeal.criterion_name,
        "answer": appeal.answer or None,
        "reason": appeal.reason,
        "state": appeal.state,
        "appellant": _email(appeal.appellant),
        "created_at": _moment(appeal.created_at),
        "judged_at": _moment(appeal.judged_at),
        "decided_at": _moment(appeal.decided_at),
        "decided_by": _email(appeal.decided_by),
        "decision_reason": appeal.decision_reason,
        "new_answer": appeal.new_answer or None,
        "review": appeal.review.revision if appeal.review else None,
        "new_review": appeal.new_review.revision if appeal.new_review else None,
    }


def _describe_note(note: CoachingNote) -> JsonObject:
    return {
        "at": note.at_s,
        "text": note.text,
        "is_shared": note.is_shared,
        "author": _email(note.author),
        "created_at": _moment(note.created_at),
        "changed_at": _moment(note.changed_at),
        "closed_at": _moment(note.closed_at),
    }


def _email(user: User | None) -> str | None:
    return None if user is None else user.email


def _moment(at: dt.datetime | None) -> str | None:
    return None if at is None else at.astimezone(dt.UTC).isoformat()
