"""Save, submit and withdraw reviews. Nothing is overwritten: a submitted revision stays as it is.

Each function runs in the caller's transaction, under the lock of the call.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Max
from django.utils import timezone

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.messages.message import Message, MessageError
from callscope.reviews.answers import (
    CheckedAnswer,
    GivenAnswer,
    InvalidReview,
    check_answers,
    check_comment,
)
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, digest_transcript, list_criteria
from callscope.reviews.findings import (
    CheckedFinding,
    GivenFinding,
    Question,
    check_findings,
    list_questions,
    read_findings,
    store_findings,
)
from callscope.reviews.models import MAX_ENGINE, Calibration, CalibrationRater, Review, ReviewAnswer
from callscope.reviews.placements.answers import CheckedPlacement, read_placements, store_placements
from callscope.reviews.results import score_answers, to_hundredths, to_millionths
from callscope.transcription.models import Transcript


class ReviewConflict(MessageError):
    """The call or the review is not in a state in which this can be done."""


@dataclass(frozen=True, slots=True)
class GivenReview:
    """What a person sends; None leaves a draft's own."""

    answers: Sequence[GivenAnswer] | None = None
    comment: str | None = None
    blind: bool | None = None
    submits: bool = False
    is_partial: bool = False  # the machine's answers stand for the criteria that are left out
    findings: Sequence[GivenFinding] | None = None
    # Agent and contact reason as they were sent, by field; None takes an answer back. The pipeline, which
    # knows the contact reasons, checks them and fills `placements`.
    sent_placements: Mapping[str, int | str | None] = field(default_factory=dict)
    placements: Sequence[CheckedPlacement] | None = None
    keeps_findings: bool = False  # those of the review that stands until then, and its placements


def create_review(
    call: Call, given: GivenReview, by: User, *, rater: CalibrationRater | None = None
) -> Review:
    """Make the next revision of a call. Raises InvalidReview, and ReviewConflict where it has no scores.

    With a rater of a calibration it is a rating: blind, and without effect.
    """
    latest = Review.all_objects.filter(call=call).aggregate(latest=Max("revision"))["latest"] or 0
    now = timezone.now()
    review = Review(
        call=call,
        project_id=call.project_id,
        revision=latest + 1,
        created_at=now,
        changed_at=now,
        rater=rater,
    )
    _write(review, given, by)
    return review


def change_review(review: Review, given: GivenReview, by: User) -> None:
    """Change a draft; who changes it last is its reviewer. Raises InvalidReview and ReviewConflict."""
    if review.state != Review.State.DRAFT:
        raise ReviewConflict(Message("review_not_draft", value=review.pk, state=review.state))
    _check_open(review)
    _write(review, given, by)


def withdraw_review(review: Review, by: User) -> bool:
    """Withdraw a draft or a submitted review; return False for one that was withdrawn before.

    Raises ReviewConflict for a rating of a calibration that is closed.
    """
    if review.state == Review.State.WITHDRAWN:
        return False
    if review.state == Review.State.SUBMITTED:
        _check_open(review)
    review.state, review.is_current = Review.State.WITHDRAWN, False
    review.withdrawn_at, review.withdrawn_by = timezone.now(), by
    review.save(update_fields=["state", "is_current", "withdrawn_at", "withdrawn_by"])
    return True


def read_answers(review: Review) -> list[GivenAnswer]:
    """Return the answers of a review as they would be given."""
    rows = review.answers.order_by("position")
    return [GivenAnswer(row.criterion_id, row.answer, row.comment, row.quote) for row in rows]


def _check_open(review: Review) -> None:
    if review.rater is not None and review.rater.calibration.state != Calibration.State.OPEN:
        raise ReviewConflict(Message("calibration_not_open", value=review.rater.calibration_id))


def _write(review: Review, given: GivenReview, by: User) -> None:
    analysis = CallAnalysis.objects.filter(call=review.call_id, is_live=True).first()
    known_criteria = KnownCriteria(review.project)
    criteria = list_criteria(analysis, known_criteria) if analysis else []
    if analysis is None or not criteria:
        raise ReviewConflict(Message("review_without_scores", value=review.call_id))
    transcript = Transcript.objects.filter(file=analysis.file_id).first()
    wanted = given.answers
    if wanted is None:
        # A criterion that the call carries no more falls out of a draft; a person cannot answer it.
        known = {each["criterion_id"] for each in criteria}
        wanted = [each for each in (read_answers(review) if review.pk else []) if each.criterion_id in known]
    if given.is_partial:
        known = {each["criterion_id"] for each in criteria}
        wanted = [each for each in wanted if each.criterion_id in known]
    answers = check_answers(wanted, criteria, transcript, is_whole=given.submits and not given.is_partial)
    if given.comment is not None:
        review.comment = check_comment("comment", given.comment)
    if given.blind is not None:
        if given.blind and review.pk and not review.blind:
            raise InvalidReview("blind", "review_not_blind_any_more", value=review.pk)
        review.blind = given.blind
    review.blind = review.blind or review.rater_id is not None
    questions = list_questions(analysis, known_criteria)
    findings = check_findings(
        choose_findings(review, given, questions),
        questions,
        transcript,
        is_blind=review.blind,
        submits=given.submits and not given.keeps_findings,
    )
    placements = choose_placements(review, given)
    review.reviewer, review.changed_at = by, timezone.now()
    if given.submits:
        review.state, review.submitted_at = Review.State.SUBMITTED, review.changed_at
        if review.rater_id is None:
            Review.objects.filter(call=review.call_id, is_current=True).update(is_current=False)
            review.is_current = True
    review.file_id, review.config_version = analysis.file_id, analysis.config_version
    review.engine = analysis.describe_engine()[:MAX_ENGINE]
    review.transcript_digest = digest_transcript(transcript)
    review.on_critical_error = str(analysis.read_machine_copc().get("on_critical_error") or "flag")[:16]
    store_answers(review, criteria, answers, findings, placements=placements)


def choose_findings(
    review: Review, given: GivenReview, questions: Sequence[Question]
) -> Sequence[GivenFinding]:
    """Return what was sent, else what stood until then and is still asked. Raises InvalidReview."""
    if given.findings is not None:
        if given.findings and review.rater_id is not None:
            raise InvalidReview("findings", "rating_with_findings")
        return given.findings
    former = review if review.pk else None
    if given.keeps_findings:
        former = Review.objects.filter(call=review.call_id, is_current=True).first()
    asked = {each.key for each in questions}
    return [each for each in (read_findings(former) if former else []) if (each.kind, each.item_id) in asked]


def choose_placements(review: Review, given: GivenReview) -> Sequence[CheckedPlacement]:
    """Return what was sent, else what stood until then. Raises InvalidReview."""
    if given.placements is not None:
        if given.placements and review.rater_id is not None:
            raise InvalidReview("agent", "rating_with_findings")
        return given.placements
    former = review if review.pk else None
    if given.keeps_findings:
        former = Review.objects.filter(call=review.call_id, is_current=True).exclude(pk=review.pk).first()
    return read_placements(list(former.placements.all())) if former else []


def store_answers(
    review: Review,
    criteria: list[StoredCriterion],
    answers: list[CheckedAnswer],
    findings: Sequence[CheckedFinding],
    retired: Collection[tuple[str, str]] = (),
    placements: Sequence[CheckedPlacement] = (),
) -> None:
    """Store the review with its points, answers, findings and placements, in place of those that it had.

    The findings `retired`, (kind, item), were outdated before and stay so.
    """
    result = score_answers(answers, on_critical_error=review.on_critical_error)
    rows = result["criterion_scores"]
    review.criteria = criteria
    review.is_partial = review.state == Review.State.SUBMITTED and len(answers) < len(criteria)
    total, possible, score = (
        result[name] for name in ("total_points", "max_possible_points", "score_percentage")
    )
    review.total_points = None if total is None else to_millionths(total)
    review.max_points = None if possible is None else to_millionths(possible)
    review.score_bp = None if score is None else to_hundredths(score)
    review.has_critical_error = result["has_critical_error"]
    pairs = [(each.answer, each.criterion["machine_answer"]) for each in answers]
    review.compared = sum(machine is not None for _, machine in pairs)
    review.agreed = sum(person == machine for person, machine in pairs)
    found = [(each.answer, each.question.machine_answer) for each in findings]
    review.is_corrected = any(person != machine for person, machine in [*pairs, *found])
    review.is_corrected |= any(each.is_other for each in placements)
    review.save()
    ReviewAnswer.objects.filter(review=review).delete()
    ReviewAnswer.objects.bulk_create(
        [
            ReviewAnswer(
                review=review,
                position=position,
                criterion_id=each.criterion["criterion_id"],
                answer=each.answer,
                comment=each.comment,
                quote=each.quote,
                quote_start=each.quote_start,
                speaker=each.speaker,
                points=to_millionths(row["score"]),
                max_points=to_millionths(row["max_points"]),
                machine_answer=each.criterion["machine_answer"] or "",
            )
            for position, (each, row) in enumerate(zip(answers, rows, strict=True))
        ]
    )
    store_findings(review, findings, retired)
    store_placements(review.pk, placements)
