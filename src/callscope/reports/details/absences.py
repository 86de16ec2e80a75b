"""What the criteria that were not met in a call looked for in vain, by the rules that judged it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypedDict

from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.models import CallAnalysis
from callscope.analysis.rules.absence import Absence, explain_absence
from callscope.projects.configuration import Configuration, InvalidConfiguration, parse
from callscope.projects.models import ConfigVersion, Project
from callscope.reports.call_list.call_detail import CallDetail

RULES = "rules"  # the engine of results that rules found


@dataclass(frozen=True, slots=True)
class CriterionAbsence:
    criterion_id: str
    absence: Absence


def load_judging_configuration(project: Project, analysis: CallAnalysis | None) -> Configuration | None:
    """Return the configuration that judged the call; for imported results the current one."""
    version = analysis.config_version if analysis else None
    return load_judging_configurations(project, [version])[version]


def load_judging_configurations(
    project: Project, versions: Collection[int | None]
) -> dict[int | None, Configuration | None]:
    """Return the configuration of each version, in one query: see load_judging_configuration().

    `None` is the version of imported results. A version that is gone, or cannot be read, has none.
    """
    former = {number for number in versions if number and number != project.config_version}
    rows = ConfigVersion.objects.filter(project=project, number__in=former) if former else ()
    documents = {row.number: row.document for row in rows}
    found: dict[int | None, Configuration | None] = {}
    for number in versions:
        try:
            if number not in former:
                found[number] = project.configuration
            else:
                found[number] = parse(documents[number]) if number in documents else None
        except InvalidConfiguration:
            found[number] = None
    return found


def judged_by_rules(detail: CallDetail) -> bool:
    """Return whether phrases decided: a language model reads guidelines."""
    return detail.analysis is not None and (detail.analysis.provenance or {}).get("engine") == RULES


def find_absences(detail: CallDetail, config: Configuration | None) -> list[CriterionAbsence]:
    """Return what was looked for by the criteria that rules found not to be met, or partly."""
    analysis, transcript, copc = detail.analysis, detail.transcript, detail.completed("copc")
    if not (config and analysis and transcript and copc and judged_by_rules(detail)):
        return []
    criteria = {criterion.id: criterion.rule for _, criterion in config.rubric.criteria()}
    rules = {name: rule for name, rule in criteria.items() if rule is not None}
    conversation = build_conversation(
        transcript.segments,
        language=config.language,
        spoken_language=transcript.language,
        quality=transcript.quality,
    )
    found = []
    for entry in copc.get("criterion_scores") or []:
        rule = rules.get(str(entry.get("criterion_id")))
        # Words that were said and should not have been are quoted; a person's answer has reasons of its own.
        if rule is None or entry.get("answer") not in ("partly", "not_met") or entry.get("quote"):
            continue
        if entry.get("source") == "person":
            continue
        heard = [each["group"] for each in entry.get("quotes") or [] if each.get("group") is not None]
        absence = explain_absence(rule, conversation, heard_groups=heard, rules=rules)
        found.append(CriterionAbsence(str(entry["criterion_id"]), absence))
    return found


class AppliedJson(TypedDict):
    """The words that made a criterion apply."""

    text: str
    start_s: float


class AbsenceJson(TypedDict):
    """What one criterion looked for in vain."""

    criterion_id: str
    applied: AppliedJson | None
    looked_for: list[str]
    speaker: str
    start: float | None
    end: float | None


def absences_json(detail: CallDetail, *, shows_phrases: bool) -> list[AbsenceJson]:
    """Return the absences as JSON; without `shows_phrases` it does not say what was looked for."""
    config = load_judging_configuration(detail.call.project, detail.analysis)
    return [
        {
            "criterion_id": each.criterion_id,
            "applied": AppliedJson(text=applied.text, start_s=applied.start_s)
            if (applied := each.absence.applied)
            else None,
            "looked_for": each.absence.phrases if shows_phrases else [],
            "speaker": each.absence.speaker,
            "start": each.absence.start_s,
            "end": each.absence.end_s,
        }
        for each in find_absences(detail, config)
    ]
