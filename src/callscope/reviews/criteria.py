"""The criteria that a call carries: those of its live result, with the answers that each allows.

Names, points and sections are those of the result. What may be answered is read from the
configuration that the result was made with; an imported result has none, so the project's own
counts where it has the criterion, and else the answers that the result itself shows.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal, NotRequired, TypedDict

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.analysis.results.findings import ANSWERS
from callscope.analysis.results.schema import Answer, JsonNumber
from callscope.analysis.scoring import allowed_answers, as_json_number
from callscope.projects import configuration
from callscope.projects.configuration import Configuration, Criterion, Section
from callscope.projects.models import ConfigVersion, Project
from callscope.transcription.models import Transcript

LONGEST_ID = 64


class StoredCriterion(TypedDict):
    """One criterion as a review keeps it."""

    criterion_id: str
    name: str
    section: str
    max_points: JsonNumber
    critical: bool
    critical_class: Literal["customer", "business", "compliance"] | None
    allowed: list[Answer]
    machine_answer: Answer | None  # None: not evaluated
    question: NotRequired[
        str
    ]  # digest of what is asked, which points and sections are not; older reviews lack it
    fingerprint: str  # of the same with section and points, by which older reviews are known


class KnownCriteria:
    """The configurations of a project and their criteria, each version read once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._versions: dict[int, Configuration] = {}
        self._criteria: dict[int, dict[str, Criterion]] = {}

    def of(self, version: int | None) -> dict[str, Criterion]:
        """Return the criteria that count for results of a version, by id, in rubric order.

        Imported results are of none, and those of a version that is gone are read like them.
        """
        number = self.project.config_version if version is None else version
        if number not in self._criteria:
            rubric = self.configuration_of(number).rubric
            self._criteria[number] = {criterion.id: criterion for _, criterion in rubric.criteria()}
        return self._criteria[number]

    def configuration_of(self, version: int | None) -> Configuration:
        """Return the configuration that counts for results of a version, chosen as of() does."""
        number = self.project.config_version if version is None else version
        if number not in self._versions:
            self._versions[number] = self._read(number)
        return self._versions[number]

    def _read(self, number: int) -> Configuration:
        if number == self.project.config_version:
            return self.project.configuration
        row = ConfigVersion.objects.filter(project=self.project, number=number).first()
        return (
            self.project.configuration if row is None else configuration.parse(row.document, is_stored=True)
        )


def list_criteria(analysis: CallAnalysis, known_criteria: KnownCriteria) -> list[StoredCriterion]:
    """Return the criteria that a call with this live result carries; none where nothing was judged.

    In the order of the rubric that the result was made with, else of the result.
    """
    result = analysis.read_machine_copc() if analysis.copc_state == AnalysisState.COMPLETED else None
    if not result:
        return []
    known = known_criteria.of(analysis.config_version)
    found: dict[str, StoredCriterion] = {}
    for row in result.get("criterion_scores") or []:
        criterion_id = str(row["criterion_id"])[:LONGEST_ID]
        if criterion_id not in found and row.get("max_points", 0) > 0:
            found[criterion_id] = _describe_scored(row, known.get(criterion_id), analysis)
    for row in result.get("not_evaluated") or []:
        criterion_id = str(row.get("criterion_id", ""))[:LONGEST_ID]
        if criterion_id not in found and criterion_id in known:
            found[criterion_id] = _describe_open(row, known[criterion_id], analysis)
    places = {criterion_id: place for place, criterion_id in enumerate(known)}
    return sorted(found.values(), key=lambda each: places.get(each["criterion_id"], len(places)))


def describe_criterion(section: Section, criterion: Criterion) -> StoredCriterion:
    """Return a criterion as results of its configuration carry it, before a machine answers it."""
    row = {"criterion_id": criterion.id, "name": criterion.name, "section": section.name}
    return _describe_configured(row, criterion, criterion)


def describe_criteria(config: Configuration) -> dict[str, StoredCriterion]:
    """Return the criteria of a configuration by id, each as describe_criterion() has it."""
    return {each.id: describe_criterion(section, each) for section, each in config.rubric.criteria()}


def read_machine_answer(row: Mapping[str, Any]) -> Answer:
    """Return the answer in a stored score; from its points where an older or imported one names none."""
    answer = row.get("answer")
    if answer in ANSWERS:
        return answer  # type: ignore[no-any-return]
    if row.get("applicability") == "not_applicable":
        return "not_applicable"
    if row["score"] >= row["max_points"]:
        return "met"
    return "partly" if row["score"] > 0 else "not_met"


def digest_transcript(transcript: Transcript | None) -> str:
    """Return what tells two transcripts apart: start, speaker and text of each segment; "" without one."""
    if transcript is None:
        return ""
    said = [[s.get("start"), s.get("speaker"), s.get("text")] for s in transcript.segments or []]
    return hashlib.sha256(_encode(said)).hexdigest()


def _describe_scored(
    row: Mapping[str, Any], criterion: Criterion | None, analysis: CallAnalysis
) -> StoredCriterion:
    answer = read_machine_answer(row)
    allowed = {"met", "not_met", answer} | set(allowed_answers(criterion) if criterion else ())
    is_imported = analysis.config_version is None
    own = None if is_imported else criterion
    critical = bool(row.get("critical") or row.get("is_critical_error") or (criterion and criterion.critical))
    return _store(
        row,
        own,
        max_points=row["max_points"],
        critical=critical,
        critical_class=row.get("critical_class") or (criterion.critical_class if criterion else None),
        allowed=[each for each in ANSWERS if each in allowed],
        machine_answer=answer,
    )


def _describe_open(row: Mapping[str, Any], criterion: Criterion, analysis: CallAnalysis) -> StoredCriterion:
    return _describe_configured(row, criterion, None if analysis.config_version is None else criterion)


def _describe_configured(
    row: Mapping[str, Any], criterion: Criterion, own: Criterion | None
) -> StoredCriterion:
    return _store(
        row,
        own,
        max_points=as_json_number(criterion.max_points),
        critical=criterion.critical,
        critical_class=criterion.critical_class,
        allowed=list(allowed_answers(criterion)),
        machine_answer=None,
    )


def _store(
    row: Mapping[str, Any],
    criterion: Criterion | None,
    *,
    max_points: JsonNumber,
    critical: bool,
    critical_class: Literal["customer", "business", "compliance"] | None,
    allowed: Iterable[Answer],
    machine_answer: Answer | None,
) -> StoredCriterion:
    """Return the criterion as a review keeps it; `criterion` is None for an imported result."""
    found: StoredCriterion = {
        "criterion_id": str(row["criterion_id"])[:LONGEST_ID],
        "name": str(row.get("name") or row["criterion_id"])[:255],
        "section": str(row.get("section") or "")[:255],
        "max_points": max_points,
        "critical": critical,
        "critical_class": critical_class,
        "allowed": list(allowed),
        "machine_answer": machine_answer,
        "fingerprint": "",
    }
    found["question"], found["fingerprint"] = digest_criterion(found, criterion)
    return found


def digest_criterion(stored: StoredCriterion, criterion: Criterion | None) -> tuple[str, str]:
    """Return question and fingerprint of a stored criterion; `criterion` is None for an imported result."""
    listed = [stored["section"], str(Decimal(str(stored["max_points"])))]
    if criterion is None:  # nothing else is known of it
        fingerprint = _digest([stored["name"], *listed])
        return fingerprint, fingerprint
    rules = [criterion.guideline, criterion.applies_when, stored["critical"], stored["critical_class"]]
    rules += [criterion.partial_credit, criterion.can_be_not_applicable]
    return _digest([stored["name"], *rules]), _digest([stored["name"], *listed, *rules])


def asks_the_same(one: StoredCriterion, other: StoredCriterion) -> bool:
    """Return whether an answer to one criterion is an answer to the other, of the same id.

    Points only weigh an answer, and a section is where it is listed; but of imported results nothing else
    is known.
    """
    return one["fingerprint"] == other["fingerprint"] or (
        "question" in one and "question" in other and one["question"] == other["question"]
    )


def takes_answer(criterion: StoredCriterion, answer: str, asked: StoredCriterion) -> bool:
    """Return whether a criterion takes an answer that was given where this one of the same id was asked."""
    return asks_the_same(asked, criterion) and answer in criterion["allowed"]


def _digest(value: object) -> str:
    return hashlib.blake2b(_encode(value), digest_size=16).hexdigest()


def _encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
