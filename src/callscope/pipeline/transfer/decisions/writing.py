"""Bring what people decided, as lines say it, into the project. Call in a transaction that holds its lock.

A review and an appeal are known again by the moment at which they were made. One that the project has
already stays as it is, unless the line knows of something later: a submission, a withdrawal, a decision.
"""

from django.db.models import Max, Q

from callscope.analysis.models import MACHINE_COLUMNS, CallAnalysis
from callscope.calls import own_calls
from callscope.calls.models import AgentUser, Call
from callscope.contact_reasons.models import ContactReason
from callscope.pipeline.transfer.context import ImportContext
from callscope.pipeline.transfer.decision_lines import (
    AcknowledgementLine,
    AppealLine,
    CriterionLine,
    FindingLine,
    NoteLine,
    ReviewLine,
)
from callscope.pipeline.transfer.line_parser import ImportedCall
from callscope.reviews.answers import CheckedAnswer
from callscope.reviews.appeal_records import Acknowledgement, Appeal
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, list_criteria
from callscope.reviews.findings import CheckedFinding, Question
from callscope.reviews.models import Review
from callscope.reviews.note_records import CoachingNote
from callscope.reviews.placements.answers import CheckedPlacement
from callscope.reviews.placements.records import ReviewPlacement
from callscope.reviews.revisions import store_answers

COPIED = (
    *("state", "blind", "comment", "created_at", "changed_at", "submitted_at", "withdrawn_at"),
    *("on_critical_error", "transcript_digest", "engine", "outdated_criteria"),
)
DECIDED = ("state", "decided_at", "decided_by", "decision_reason", "new_answer", "new_review")


def write_decisions(context: ImportContext, lines: list[tuple[ImportedCall, Call]]) -> list[int]:
    """Write the decisions of these lines; return the calls of which something changed."""
    if not lines:
        return []
    known = KnownCriteria(context.project)
    found = CallAnalysis.objects.filter(call__in=[call.pk for _, call in lines])
    # By call: the live one comes last and stays; where none is live, the newest.
    results = {
        each.call_id: each for each in found.filter(Q(is_live=True) | Q(is_newest=True)).order_by("is_live")
    }
    changed = []
    for line, call in lines:
        writer = _CallWriter(context, call, results.get(call.pk), known)
        if writer.write(line):
            changed.append(call.pk)
    return changed


class _CallWriter:
    """Writes the decisions about one call."""

    def __init__(
        self, context: ImportContext, call: Call, analysis: CallAnalysis | None, known: KnownCriteria
    ) -> None:
        self.context = context
        self.call = call
        self.analysis = analysis
        self.known = known
        self.reviews: dict[int, Review] = {}  # by the revision that the line gives

    def write(self, line: ImportedCall) -> bool:
        """Return whether anything changed."""
        has_changed = self._keep_machine_results(line)
        if line.decisions is None:
            return has_changed
        file_id = self.analysis.file_id if self.analysis else self.call.newest_file_id
        if file_id is not None:
            has_changed |= self._write_reviews(line.decisions.reviews, file_id)
        for given in line.decisions.appeals:
            has_changed |= self._write_appeal(given)
        for note in line.decisions.notes:
            has_changed |= self._write_note(note)
        for email in line.decisions.agent_users:
            has_changed |= self._link_agent(email)
        return has_changed

    def _keep_machine_results(self, line: ImportedCall) -> bool:
        """Put the machine's own results next to those that count, where the line has brought both."""
        row, kept = self.analysis, []
        if row is None or not row.is_live:
            return False
        for part, column in MACHINE_COLUMNS.items():
            machine = getattr(line, column)
            if machine is None or getattr(row, column) is not None:
                continue
            if getattr(row, part) == getattr(line, part):
                setattr(row, column, machine)
                kept.append(column)
        if kept:
            row.save(update_fields=kept)
        return bool(kept)

    def _write_reviews(self, given: list[ReviewLine], file_id: int) -> bool:
        if not given:
            return False
        stored = {review.created_at: review for review in Review.objects.filter(call=self.call)}
        criteria = list_criteria(self.analysis, self.known) if self.analysis else []
        asked = {each["criterion_id"]: each for each in criteria}
        has_changed = False
        for each in given:
            review = stored.get(each["created_at"])
            self.reviews[each["revision"]] = review or Review(call=self.call, project=self.context.project)
            review = self.reviews[each["revision"]]
            if review.pk is None or _is_later(each, review):
                self._write_review(review, each, file_id, asked)
                has_changed = True
            elif review.reviewer_id is None and (reviewer := self.context.find_user(each["reviewer"])):
                review.reviewer = reviewer
                review.save(update_fields=["reviewer"])
                has_changed = True
            has_changed |= self._acknowledge(review, each["acknowledgements"])
        if has_changed:
            _mark_current(self.call)
        return has_changed

    def _write_review(
        self, review: Review, given: ReviewLine, file_id: int, asked: dict[str, StoredCriterion]
    ) -> None:
        if review.pk is None:
            review.file_id = file_id
            review.revision = self._choose_revision(given["revision"])
            self.context.written_reviews += 1
        values = dict(given)
        for name in COPIED:
            setattr(review, name, values[name])
        review.reviewer = self.context.find_user(given["reviewer"])
        review.withdrawn_by = self.context.find_user(given["withdrawn_by"])
        outdated = set(given["outdated_criteria"])
        criteria, answers = [], []
        for row in given["criteria"]:
            criterion = _as_stored(row, asked, is_outdated=row["criterion_id"] in outdated)
            criteria.append(criterion)
            if row["answer"]:
                said = row["comment"], row["quote"], row["quote_start"], row["speaker"]
                answers.append(CheckedAnswer(criterion, row["answer"], *said))
        review.is_outdated = bool(outdated) and outdated >= {a.criterion["criterion_id"] for a in answers}
        retired = {(each["kind"], each["id"]) for each in given["findings"] if each["is_outdated"]}
        findings = [_as_checked(each) for each in given["findings"]]
        store_answers(review, criteria, answers, findings, retired, placements=self._read_placements(given))

    def _read_placements(self, given: ReviewLine) -> list[CheckedPlacement]:
        placements = []
        if (agent := given["agent"]) is not None:
            person, machine = (
                self._resolve_agent(agent["agent_id"], agent["agent_name"]),
                self._resolve_agent(agent["machine_agent_id"], agent["machine_agent_name"]),
            )
            placements.append(
                CheckedPlacement(
                    ReviewPlacement.Kind.AGENT,
                    is_nobody=person is None,
                    agent_id=person,
                    machine_agent_id=machine,
                    is_retired=agent["is_outdated"],
                )
            )
        if (reason := given["contact_reason"]) is not None:
            found, _ = ContactReason.objects.get_or_create(project=self.context.project, name=reason["name"])
            placements.append(
                CheckedPlacement(
                    ReviewPlacement.Kind.REASON,
                    reason_id=found.pk,
                    chosen_reason_id=found.pk,
                    reason_name=reason["name"],
                    machine_reason_name=reason["machine_name"],
                    is_retired=reason["is_outdated"],
                )
            )
        return placements

    def _resolve_agent(self, agent_id: str, name: str) -> int | None:
        agent_id, name = agent_id.strip(), " ".join(name.split())
        return self.context.resolver.resolve(agent_id, name).pk if agent_id or name else None

    def _choose_revision(self, wanted: int) -> int:
        """Return the number of the line, or the next one where another review has it."""
        everything = Review.all_objects.filter(call=self.call)
        if not everything.filter(revision=wanted).exists():
            return wanted
        return int(everything.aggregate(latest=Max("revision"))["latest"]) + 1

    def _acknowledge(self, review: Review, given: list[AcknowledgementLine]) -> bool:
        made = [
            Acknowledgement.objects.get_or_create(review=review, user=user, defaults={"at": each["at"]})[1]
            for each in given
            if (user := self.context.find_user(each["user"])) is not None
        ]
        return any(made)

    def _write_appeal(self, given: AppealLine) -> bool:
        of_criterion = Appeal.objects.filter(call=self.call, criterion_id=given["criterion_id"])
        decision = {
            "state": given["state"],
            "decided_at": given["decided_at"],
            "decision_reason": given["decision_reason"],
            "new_answer": given["new_answer"],
            "decided_by": self.context.find_user(given["decided_by"]),
            "new_review": self.reviews.get(given["new_review"] or 0),
        }
        stored = of_criterion.filter(created_at=given["created_at"]).first()
        if stored is not None:
            if stored.state != Appeal.State.OPEN or given["state"] == Appeal.State.OPEN:
                return False
            for name in DECIDED:
                setattr(stored, name, decision[name])
            stored.save(update_fields=list(DECIDED))
            return True
        is_open = given["state"] == Appeal.State.OPEN
        if is_open and of_criterion.filter(state=Appeal.State.OPEN).exists():
            return False  # one is enough: it is decided here
        Appeal.objects.create(
            call=self.call,
            project=self.context.project,
            criterion_id=given["criterion_id"],
            criterion_name=given["name"],
            review=self.reviews.get(given["review"] or 0),
            judged_at=given["judged_at"],
            answer=given["answer"],
            appellant=self.context.find_user(given["appellant"]),
            reason=given["reason"],
            created_at=given["created_at"],
            **decision,
        )
        self.context.written_appeals += 1
        return True

    def _write_note(self, given: NoteLine) -> bool:
        values = {
            "at_s": given["at"],
            "text": given["text"],
            "is_shared": given["is_shared"],
            "changed_at": given["changed_at"],
            "closed_at": given["closed_at"],
            "author": self.context.find_user(given["author"]),
        }
        stored = CoachingNote.objects.filter(call=self.call, created_at=given["created_at"]).first()
        if stored is not None and stored.changed_at >= given["changed_at"]:
            return False
        note = stored or CoachingNote(
            call=self.call, project=self.context.project, created_at=given["created_at"]
        )
        for name, value in values.items():
            setattr(note, name, value)
        note.save()
        return True

    def _link_agent(self, email: str) -> bool:
        """Link a user to the agent of the call, unless the project has another link of that e-mail."""
        agent = self.call.agent
        if agent is None or AgentUser.objects.filter(project=self.context.project, email=email).exists():
            return False
        own_calls.link_user(self.context.project, email, agent, self.context.by)
        return True


def _as_stored(
    row: CriterionLine, asked: dict[str, StoredCriterion], *, is_outdated: bool
) -> StoredCriterion:
    """Return the criterion as a review keeps it; an answer fits where the result asks the same."""
    here = asked.get(row["criterion_id"])
    found: StoredCriterion = {
        "criterion_id": row["criterion_id"],
        "name": row["name"],
        "section": row["section"],
        "max_points": row["max_points"],
        "critical": row["critical"],
        "critical_class": row["critical_class"],
        "allowed": row["allowed"],
        "machine_answer": row["machine_answer"],
        "fingerprint": "",
    }
    if here is None or is_outdated or here["name"] != row["name"]:
        return found
    is_listed_alike = (here["section"], here["max_points"]) == (row["section"], row["max_points"])
    if is_listed_alike:
        found["fingerprint"] = here["fingerprint"]
    if is_listed_alike or here["question"] != here["fingerprint"]:  # equal where a result is imported
        found["question"] = here["question"]
    return found


def _as_checked(row: FindingLine) -> CheckedFinding:
    question = Question(row["kind"], row["id"], row["description"], row["machine_answer"], is_quoted=False)
    said = row["comment"], row["quote"], row["quote_start"], row["speaker"]
    return CheckedFinding(question, row["answer"], *said)


def _is_later(given: ReviewLine, stored: Review) -> bool:
    """Return whether the line knows of something later than the stored review."""
    there = (given["changed_at"], given["submitted_at"], given["withdrawn_at"])
    here = (stored.changed_at, stored.submitted_at, stored.withdrawn_at)
    return max(filter(None, there)) > max(filter(None, here))


def _mark_current(call: Call) -> None:
    """Let the last submission stand, unless it was withdrawn: then none does."""
    submitted = Review.objects.filter(call=call, submitted_at__isnull=False)
    last = submitted.order_by("-submitted_at", "-revision").first()
    Review.objects.filter(call=call, is_current=True).update(is_current=False)
    if last is not None and last.state == Review.State.SUBMITTED:
        Review.objects.filter(pk=last.pk).update(is_current=True)
