"""Candidate settings tried on one call: what they would find, beside what is stored."""

from dataclasses import dataclass, field
from typing import Any

from callscope.analysis.analyze import analyze
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.interfaces.web.call_figures import Quote
from callscope.projects.configuration import Configuration
from callscope.transcription.models import Transcript

Found = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One criterion, prompt, mistake or question, now and with the candidate settings."""

    name: str
    section: str
    now: Found | None  # None: not part of the stored result
    new: Found | None  # None: not part of the candidate settings

    @property
    def is_changed(self) -> bool:
        return bool(_gist(self.now) != _gist(self.new))

    @property
    def why(self) -> str:
        new = self.new or {}
        return str(new.get("justification") or new.get("reason") or "")

    @property
    def quote(self) -> Quote | None:
        return Quote.of((self.new or {}).get("quote"), (self.new or {}).get("quote_start"))


@dataclass(frozen=True, slots=True)
class Trial:
    """Both results, row by row."""

    now: Found = field(default_factory=dict)  # total_points, max_possible_points, score_percentage, …
    new: Found = field(default_factory=dict)
    criteria: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)  # mistakes and prompts
    answers: list[Row] = field(default_factory=list)
    insights: list[tuple[str, Any, Any]] = field(default_factory=list)  # name, now, new
    errors: list[str] = field(default_factory=list)  # sentences: an analysis that failed
    has_result: bool = False  # whether the call has a stored one


def compare(call: Call, config: Configuration) -> Trial:
    """Return what the settings find in the call's newest transcript beside the live result.

    Nothing is stored and nothing entered as usage. Raises EngineUnavailable.
    """
    transcript = Transcript.objects.select_related("file__call__agent", "project").get(
        file=call.newest_file_id
    )
    found = analyze(transcript, config)
    live = CallAnalysis.objects.filter(call=call, is_live=True).first()
    now, new = (live.copc if live else None) or {}, found.copc or {}
    return Trial(
        now=now,
        new=new,
        criteria=_paired(_criteria(now), _criteria(new)),
        findings=_paired(_findings(live.no_protocol if live else None), _findings(found.no_protocol)),
        answers=_paired(_answers(live.custom_questions if live else None), _answers(found.custom_questions)),
        insights=_insights((live.insights if live else None) or {}, found.insights or {}),
        errors=list(found.errors.values()),
        has_result=live is not None,
    )


def _criteria(copc: Found) -> dict[str, Found]:
    """Return criterion id → its entry, judged or left out; the order is the rubric's within each."""
    judged = {entry["criterion_id"]: entry for entry in copc.get("criterion_scores") or []}
    left_out = {
        entry["criterion_id"]: {**entry, "left_out": True} for entry in copc.get("not_evaluated") or []
    }
    return judged | left_out


def _findings(no_protocol: Found | None) -> dict[str, Found]:
    entries: dict[str, Found] = {}
    kinds = (("mistakes", "mistake"), ("missing_prompts", "missed"), ("prompts", "said"))
    for kind, outcome in kinds:
        for entry in (no_protocol or {}).get(kind) or []:
            key = f"{kind == 'mistakes'}:{entry.get('id')}"
            entries[key] = {**entry, "name": entry.get("description") or entry.get("id"), "outcome": outcome}
    return entries


def _answers(custom_questions: Found | None) -> dict[str, Found]:
    answers = (custom_questions or {}).get("answers") or {}
    return {
        question: {"name": question, "answer": answer.get("answer", "")}
        for question, answer in answers.items()
    }


def _paired(now: dict[str, Found], new: dict[str, Found]) -> list[Row]:
    """Return the new entries in their order, then those that are gone."""
    keys = [*new, *(key for key in now if key not in new)]
    rows = []
    for key in keys:
        either = new.get(key) or now[key]
        name, section = either.get("name") or key, either.get("section") or ""
        rows.append(Row(str(name), str(section), now.get(key), new.get(key)))
    return rows


def _insights(now: Found, new: Found) -> list[tuple[str, Any, Any]]:
    names = ("sentiment", "topic", "contact_reason_code", "goal_reached")
    return [(name, now.get(name), new.get(name)) for name in names if now.get(name) or new.get(name)]


def _gist(entry: Found | None) -> Any:
    """Return what makes two entries different for a reader: result, not wording."""
    if entry is None:
        return None
    return [
        entry.get(k)
        for k in (
            "score",
            "max_points",
            "applicability",
            "is_critical_error",
            "left_out",
            "outcome",
            "answer",
        )
    ]
