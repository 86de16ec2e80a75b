"""What counts: a person's answers become the result of a call, or the machine's do again.

The live row of a call's analyses holds the result that counts in `copc`; where a person's counts, the
machine's own stays next to it in `machine_copc`. Everything that reads results follows by itself.

settle_calls() brings both in line with the reviews. Code that changes results, live rows, reviews or the
setting `reviews.counts` calls it in its transaction, before it refreshes the facts. A re-analysis never
overwrites a person's answer: it is carried over to each criterion that asks the same of the same
transcript. Where nothing fits, the review is outdated, and the machine counts.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Q

from callscope.analysis.models import CallAnalysis
from callscope.analysis.scoring import add_up
from callscope.db.chunks import chunked
from callscope.projects.models import Project
from callscope.reviews.answers import CheckedAnswer
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, digest_transcript, list_criteria
from callscope.reviews.models import Review, ReviewAnswer
from callscope.reviews.results import score_answers
from callscope.transcription.models import Transcript

Scores = dict[str, Any]  # a stored copc result, or one score of it
CALLS_AT_ONCE = 200  # their results are read together
FITTING = ("file_id", "outdated_criteria", "is_outdated")
EVIDENCE = ("justification", "quote", "quote_start", "verified", "quotes")  # of a score


def settle_calls(call_ids: Iterable[int]) -> None:
    """Let the result of these calls be what their reviews and the setting of their project say.

    The caller holds the lock of their project.
    """
    projects: dict[int, tuple[KnownCriteria, bool]] = {}
    for chunk in chunked(sorted(set(call_ids)), CALLS_AT_ONCE):
        current = Review.objects.filter(call__in=chunk, is_current=True).prefetch_related("answers")
        reviews = {review.call_id: review for review in current}
        wanted = Q(call__in=chunk, machine_copc__isnull=False) | Q(call__in=list(reviews), is_live=True)
        # The live row comes last, so that a superseded one has given its review back by then.
        for analysis in CallAnalysis.objects.select_for_update().filter(wanted).order_by("is_live", "pk"):
            if analysis.project_id not in projects:
                project = Project.objects.get(pk=analysis.project_id)
                counts = project.configuration.reviews.counts == "final"
                projects[project.pk] = (KnownCriteria(project), counts)
            review = reviews.get(analysis.call_id) if analysis.is_live else None
            _settle(analysis, review, *projects[analysis.project_id])


def list_reviewed_calls(project_id: int) -> list[int]:
    """Return the calls of a project that have a current review."""
    current = Review.objects.filter(project=project_id, is_current=True)
    return list(current.order_by("call_id").values_list("call_id", flat=True))


def _settle(
    analysis: CallAnalysis, review: Review | None, known: KnownCriteria, project_counts_people: bool
) -> None:
    machine, combined = analysis.read_machine_copc(), None
    if review is not None:
        criteria = list_criteria(analysis, known)
        fitting = _find_fitting(review, criteria, analysis)
        _note_fit(review, [each.criterion["criterion_id"] for each in fitting])
        if fitting and project_counts_people:
            combined = combine_results(machine, fitting, criteria)
    copc, kept = (machine, None) if combined is None else (combined, machine)
    if (copc, kept) != (analysis.copc, analysis.machine_copc):
        analysis.copc, analysis.machine_copc = copc, kept
        analysis.save(update_fields=["copc", "machine_copc"])


def _find_fitting(
    review: Review, criteria: Iterable[StoredCriterion], analysis: CallAnalysis
) -> list[CheckedAnswer]:
    """Return the answers of a review that fit these criteria and the transcript of this result."""
    transcript = Transcript.objects.filter(file=analysis.file_id).first()
    digest = digest_transcript(transcript)
    if review.file_id != analysis.file_id:
        if not digest or digest != review.transcript_digest:
            return []
        # All revisions that were made of these very words go along with them.
        same = Review.all_objects.filter(call=review.call_id, transcript_digest=digest)
        same.update(file=analysis.file_id)
        review.file_id = analysis.file_id
    elif digest and digest != review.transcript_digest:  # "": retention has removed it
        return []
    answered: list[StoredCriterion] = review.criteria
    asked = {each["criterion_id"]: each["fingerprint"] for each in answered}
    given = {answer.criterion_id: answer for answer in review.answers.all()}
    return [
        _as_checked(given[each["criterion_id"]], each)
        for each in criteria
        if each["criterion_id"] in given
        and asked.get(each["criterion_id"]) == each["fingerprint"]
        and given[each["criterion_id"]].answer in each["allowed"]
    ]


def _as_checked(answer: ReviewAnswer, criterion: StoredCriterion) -> CheckedAnswer:
    return CheckedAnswer(
        criterion=criterion,
        answer=answer.answer,  # type: ignore[arg-type]  # the table takes no other
        comment=answer.comment,
        quote=answer.quote,
        quote_start=answer.quote_start,
        speaker=answer.speaker,
    )


def _note_fit(review: Review, fitting: list[str]) -> None:
    outdated = [answer.criterion_id for answer in review.answers.all() if answer.criterion_id not in fitting]
    if (review.outdated_criteria, review.is_outdated) != (sorted(outdated), not fitting):
        review.outdated_criteria, review.is_outdated = sorted(outdated), not fitting
        review.save(update_fields=["outdated_criteria", "is_outdated"])


def combine_results(
    machine: Mapping[str, Any], answers: list[CheckedAnswer], criteria: Iterable[StoredCriterion]
) -> Scores:
    """Return the stored scores in which these answers of a person take the place of the machine's."""
    on_critical_error = str(machine.get("on_critical_error") or "flag")
    by_machine = _first_of_each(machine.get("criterion_scores") or [])
    by_person = {
        row["criterion_id"]: _as_persons(row, by_machine.get(row["criterion_id"]))
        for row in score_answers(answers, on_critical_error=on_critical_error)["criterion_scores"]
    }
    rows = []
    for criterion in criteria:
        criterion_id = criterion["criterion_id"]
        row = by_person.get(criterion_id) or by_machine.get(criterion_id)
        if row is not None:
            rows.append(row)
    left_open = machine.get("not_evaluated") or []
    return {
        **machine,
        "criterion_scores": rows,
        "not_evaluated": [row for row in left_open if row.get("criterion_id") not in by_person],
        **add_up(rows, on_critical_error=on_critical_error),
    }


def _first_of_each(rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        found.setdefault(str(row["criterion_id"]), row)
    return found


def _as_persons(row: Mapping[str, Any], machine: Mapping[str, Any] | None) -> Scores:
    """Return a person's score; one that agrees with the machine keeps its evidence, where none was given."""
    shown = {**row, "source": "person"}
    if machine is None:
        return shown
    if "critical" in machine:  # imported: a zero would be a critical error
        shown["critical"] = machine["critical"]
    if machine.get("score") == row["score"] and not row["quote"] and not row["justification"]:
        shown |= {name: machine[name] for name in EVIDENCE if name in machine}
    return shown
