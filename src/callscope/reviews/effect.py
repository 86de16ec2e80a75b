"""What counts: a person's answers become the result of a call, or the machine's do again.

The live row of a call's analyses holds the results that count in `copc`, `no_protocol` and `insights`; where
a person's counts, the machine's own stays next to it (MACHINE_COLUMNS). Everything that reads results
follows by itself.

settle_calls() brings both in line with the reviews. Code that changes results, live rows, reviews or the
setting `reviews.counts` calls it in its transaction, before it refreshes the facts. A re-analysis never
overwrites a person's answer: it is carried over to each criterion that asks the same of the same
transcript, and so is a finding to the mistake, prompt or goal that reads the same. Where nothing fits, the
review is outdated, and the machine counts.

The agent that a review gives a call follows here too (placements.agents), and the contact reason in
contact_reasons.reviewed, a later room: contact_reasons.following does both.

Criteria that wait for a person (weak_criteria) count nowhere: the machine's answer becomes "not evaluated"
in `copc` and stays in `machine_copc`, until a review answers it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Q

from callscope.analysis.models import HAS_MACHINE_RESULTS, MACHINE_COLUMNS, CallAnalysis
from callscope.analysis.results.messages import sentence
from callscope.analysis.results.schema import CopcResult
from callscope.analysis.scoring import add_up
from callscope.db.chunks import chunked
from callscope.projects.models import Project
from callscope.reviews.answers import CheckedAnswer
from callscope.reviews.corrections import correct_insights, correct_protocol
from callscope.reviews.criteria import (
    KnownCriteria,
    StoredCriterion,
    digest_transcript,
    list_criteria,
    takes_answer,
)
from callscope.reviews.findings import find_fitting
from callscope.reviews.models import Review, ReviewAnswer, ReviewFinding
from callscope.reviews.placements.agents import settle_agents
from callscope.reviews.placements.records import ReviewPlacement
from callscope.reviews.results import score_answers
from callscope.reviews.weak_criteria.holding import key_of, list_held, list_holding
from callscope.transcription.models import Transcript

Scores = dict[str, Any]  # a stored copc result, or one score of it
CALLS_AT_ONCE = 200  # their results are read together
FITTING = ("file_id", "outdated_criteria", "is_outdated")
EVIDENCE = ("justification", "quote", "quote_start", "verified", "quotes")  # of a score


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """What decides in one project which answers count."""

    known: KnownCriteria
    people_count: bool
    held: frozenset[tuple[str, str]]  # the criteria that wait for a person, by holding.key_of
    language: str

    @classmethod
    def of(cls, project: Project) -> "ProjectRules":
        config = project.configuration
        return cls(
            known=KnownCriteria(project),
            people_count=config.reviews.counts == "final",
            held=list_held(project, config),
            language=config.language,
        )


def settle_calls(call_ids: Iterable[int]) -> None:
    """Let the result of these calls be what their reviews and the setting of their project say.

    The caller holds the lock of their project.
    """
    rules: dict[int, ProjectRules] = {}
    for chunk in chunked(sorted(set(call_ids)), CALLS_AT_ONCE):
        current = Review.objects.filter(call__in=chunk, is_current=True).prefetch_related(
            "answers", "findings", "placements"
        )
        reviews = {review.call_id: review for review in current}
        holding = set(list_holding(chunk))
        wanted = (Q(call__in=chunk) & HAS_MACHINE_RESULTS) | Q(call__in=list(reviews), is_live=True)
        if holding:
            wanted |= Q(call__in=chunk, is_live=True, project__in=holding)
        agents: dict[int, ReviewPlacement] = {}
        # The live row comes last, so that a superseded one has given its review back by then.
        for analysis in CallAnalysis.objects.select_for_update().filter(wanted).order_by("is_live", "pk"):
            if analysis.project_id not in rules:
                rules[analysis.project_id] = ProjectRules.of(Project.objects.get(pk=analysis.project_id))
            review = reviews.get(analysis.call_id) if analysis.is_live else None
            for placement in _settle(analysis, review, rules[analysis.project_id]):
                if placement.is_agent:
                    agents[analysis.call_id] = placement
        settle_agents(chunk, agents)


def list_reviewed_calls(project_id: int) -> list[int]:
    """Return the calls of a project that have a current review."""
    current = Review.objects.filter(project=project_id, is_current=True)
    return list(current.order_by("call_id").values_list("call_id", flat=True))


def _settle(analysis: CallAnalysis, review: Review | None, rules: ProjectRules) -> list[ReviewPlacement]:
    """Let the result be what counts, and return where the review places the call."""
    placements: list[ReviewPlacement] = []
    fitting: list[CheckedAnswer] = []
    findings: list[ReviewFinding] = []
    holds = bool(rules.held) and analysis.is_live
    criteria = list_criteria(analysis, rules.known) if review is not None or holds else []
    if review is not None:
        if fits_words(review, analysis):
            fitting = find_fitting_answers(review, criteria)
            findings = find_fitting(review.findings.all(), analysis, rules.known)
            placements = [each for each in review.placements.all() if each.has_place]
        _note_fit(review, [each.criterion["criterion_id"] for each in fitting], findings, placements)
    answered = {each.criterion["criterion_id"] for each in fitting}
    # Where the machine counts, a review lets its answer count: somebody has looked at it.
    waiting = _find_waiting(criteria, rules.held, answered) if holds else []
    counting = fitting if rules.people_count else []
    combined: dict[str, Scores | None] = dict.fromkeys(MACHINE_COLUMNS)
    if counting or waiting:
        reason = sentence("for_person", _find_language(analysis, rules)) if waiting else ""
        machine = analysis.read_machine_copc()
        combined["copc"] = combine_results(machine, counting, criteria, waiting=waiting, reason=reason)
    if findings and rules.people_count:
        combined["no_protocol"] = correct_protocol(analysis.read_machine("no_protocol") or {}, findings)
        combined["insights"] = correct_insights(analysis.read_machine("insights") or {}, findings)
    if changed := analysis.put_over(combined):
        analysis.save(update_fields=changed)
    return placements if rules.people_count else []


def _find_waiting(
    criteria: Iterable[StoredCriterion], held: Collection[tuple[str, str]], answered: Collection[str]
) -> list[StoredCriterion]:
    """Return the criteria that the machine answered, and that wait for a person all the same."""
    return [
        each
        for each in criteria
        if key_of(each) in held
        and each["machine_answer"] is not None
        and each["criterion_id"] not in answered
    ]


def _find_language(analysis: CallAnalysis, rules: ProjectRules) -> str:
    if rules.language != "auto":
        return rules.language
    spoken = Transcript.objects.filter(file=analysis.file_id).values_list("language", flat=True).first()
    return spoken or "en"


def fits_words(review: Review, analysis: CallAnalysis) -> bool:
    """Return whether the words of this result are those of the review."""
    transcript = Transcript.objects.filter(file=analysis.file_id).first()
    digest = digest_transcript(transcript)
    if review.file_id == analysis.file_id:
        return not digest or digest == review.transcript_digest  # "": retention has removed it
    if not digest or digest != review.transcript_digest:
        return False
    # All revisions that were made of these very words go along with them.
    same = Review.all_objects.filter(call=review.call_id, transcript_digest=digest)
    same.update(file=analysis.file_id)
    review.file_id = analysis.file_id
    return True


def find_fitting_answers(review: Review, criteria: Iterable[StoredCriterion]) -> list[CheckedAnswer]:
    """Return the answers of a review that fit these criteria."""
    answered: list[StoredCriterion] = review.criteria
    asked = {each["criterion_id"]: each for each in answered}
    given = {answer.criterion_id: answer for answer in review.answers.all()}
    return [
        _as_checked(given[each["criterion_id"]], each)
        for each in criteria
        if each["criterion_id"] in given
        and each["criterion_id"] in asked
        and takes_answer(each, given[each["criterion_id"]].answer, asked[each["criterion_id"]])
    ]


class ReviewScore(NamedTuple):
    """The score that the answers of a review make by the criteria and the rule of a result."""

    result: CopcResult  # of the answers that fit
    asked: int  # criteria
    is_whole: bool  # else an answer of the machine counts next to these


def score_review(
    review: Review, analysis: CallAnalysis, criteria: Sequence[StoredCriterion]
) -> ReviewScore | None:
    """Return what a review makes of this result, which has these criteria; None where no answer fits.

    Whether its words are those of the review, the caller has checked.
    """
    fitting = find_fitting_answers(review, criteria)
    if not fitting:
        return None
    answered = {each.criterion["criterion_id"] for each in fitting}
    judged = {each["criterion_id"] for each in criteria if each["machine_answer"] is not None}
    machine = analysis.read_machine_copc() or {}
    result = score_answers(fitting, on_critical_error=str(machine.get("on_critical_error") or "flag"))
    return ReviewScore(result, len(criteria), judged <= answered)


def _as_checked(answer: ReviewAnswer, criterion: StoredCriterion) -> CheckedAnswer:
    return CheckedAnswer(
        criterion=criterion,
        answer=answer.answer,  # type: ignore[arg-type]  # the table takes no other
        comment=answer.comment,
        quote=answer.quote,
        quote_start=answer.quote_start,
        speaker=answer.speaker,
    )


def _note_fit(
    review: Review, fitting: list[str], findings: list[ReviewFinding], placements: list[ReviewPlacement]
) -> None:
    outdated = [answer.criterion_id for answer in review.answers.all() if answer.criterion_id not in fitting]
    is_outdated = not fitting and not findings and not placements
    if (review.outdated_criteria, review.is_outdated) != (sorted(outdated), is_outdated):
        review.outdated_criteria, review.is_outdated = sorted(outdated), is_outdated
        review.save(update_fields=["outdated_criteria", "is_outdated"])
    for finding in review.findings.all():
        if finding.is_outdated != (finding not in findings):
            finding.is_outdated = finding not in findings
            finding.save(update_fields=["is_outdated"])
    for placement in review.placements.all():
        if placement.is_outdated != (placement not in placements):
            placement.is_outdated = placement not in placements
            placement.save(update_fields=["is_outdated"])


def combine_results(
    machine: Mapping[str, Any],
    answers: list[CheckedAnswer],
    criteria: Iterable[StoredCriterion],
    *,
    waiting: Collection[StoredCriterion] = (),
    reason: str = "",
) -> Scores:
    """Return the stored scores in which these answers of a person take the place of the machine's.

    Those of the criteria that are `waiting` for a person count nowhere, for this reason.
    """
    on_critical_error = str(machine.get("on_critical_error") or "flag")
    by_machine = _first_of_each(machine.get("criterion_scores") or [])
    by_person = {
        row["criterion_id"]: _as_persons(row, by_machine.get(row["criterion_id"]))
        for row in score_answers(answers, on_critical_error=on_critical_error)["criterion_scores"]
    }
    open_rows: list[Scores] = [
        {
            "criterion_id": each["criterion_id"],
            "name": each["name"],
            "section": each["section"],
            "reason": reason,
            "for_person": True,
        }
        for each in waiting
    ]
    waiting_ids = {each["criterion_id"] for each in waiting}
    rows = []
    for criterion in criteria:
        criterion_id = criterion["criterion_id"]
        if criterion_id in waiting_ids:
            continue
        row = by_person.get(criterion_id) or by_machine.get(criterion_id)
        if row is not None:
            rows.append(row)
    left_open = machine.get("not_evaluated") or []
    return {
        **machine,
        "criterion_scores": rows,
        "not_evaluated": [row for row in left_open if row.get("criterion_id") not in by_person] + open_rows,
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
