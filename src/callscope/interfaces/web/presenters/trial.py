"""Try candidate settings on one call and compare the findings with those of the current version.

Where rules judge, the current version judges the call, too, as in replays: the stored result may be of an
older version, and its distance from the candidate is not what the candidate changes. A language model costs,
so there the stored result is compared, and named where it is not of the current version.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.utils.translation import gettext as _

from callscope.accounts.models import User
from callscope.analysis.analyze import Findings, analyze
from callscope.analysis.figures import score_of
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.calls.private_words import engines_for_file
from callscope.engines.registry import Engines
from callscope.interfaces.web.presenters.evidence import PartQuote, Quote
from callscope.pipeline.ledger import engine_notes
from callscope.pipeline.rubric_changes.replays.answers import read_answers
from callscope.pipeline.rubric_changes.replays.baseline import list_versions_apart
from callscope.processes.time_limit import limited
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.transcription.models import Transcript

Found = Mapping[str, Any]  # a stored result or an entry of one: JSON, of any age
# "same_answer": other points, or a critical error on one side alone
Kind = Literal["differs", "same_answer", "same"]
# Somebody waits, and a process of the web works for nobody else. Without a model the first limit is of
# processor time, so that a busy machine refuses no settings.
LIMIT_S, LIMIT_IN_ALL_S = 10.0, 60.0
INSIGHTS = ("sentiment", "topic", "contact_reason_code", "goal_reached")


@dataclass(frozen=True, slots=True)
class Side:
    """What candidate settings are compared with."""

    version: int | None = None  # that judged for this comparison; None: the stored result
    apart: str = ""  # whose result is stored, where it is none of the current version

    @property
    def name(self) -> str:
        """What tables call it, as they do in replays."""
        if self.version is None:
            return _("Stored result")
        return _("Version %(version)s") % {"version": self.version}


@dataclass(frozen=True, slots=True)
class Row:
    """One criterion, prompt, mistake or question, now and with the candidate settings."""

    name: str
    section: str
    now: Found | None  # None: not part of what is compared with
    new: Found | None  # None: not part of the candidate settings

    @property
    def is_changed(self) -> bool:
        """Whether the answer is another one; as in replays, points alone make none."""
        return _answer(self.now) != _answer(self.new)

    @property
    def remark(self) -> str:
        """What else than the answer changes; "" for nothing, and where the answer changes."""
        if self.now is None or self.new is None or self.is_changed:
            return ""
        if bool(self.now.get("is_critical_error")) != bool(self.new.get("is_critical_error")):
            if self.new.get("is_critical_error"):
                return _("same answer, a critical error with these settings")
            return _("same answer, no critical error with these settings")
        if _points(self.now) != _points(self.new):
            return _("same answer, other points")
        return ""

    @property
    def kind(self) -> Kind:
        return "differs" if self.is_changed else "same_answer" if self.remark else "same"

    @property
    def why(self) -> str:
        new = self.new or {}
        return str(new.get("justification") or new.get("reason") or "")

    @property
    def quote(self) -> Quote | None:
        return Quote.of((self.new or {}).get("quote"), (self.new or {}).get("quote_start"))

    @property
    def quotes(self) -> list[PartQuote]:
        return PartQuote.list_of(self.new or {})


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one result; None where it has none."""

    percentage: float | None = None
    has_critical_error: bool | None = None

    @classmethod
    def of(cls, copc: Found) -> "Score":
        return cls(score_of(copc), copc.get("has_critical_error"))


@dataclass(frozen=True, slots=True)
class Results:
    """Results of a trial that are shown together."""

    criteria: list[Row]
    findings: list[Row]  # mistakes and prompts
    answers: list[Row]
    insights: list[tuple[str, Any, Any]]  # name, now, new

    @property
    def count(self) -> int:
        return len(self.criteria) + len(self.findings) + len(self.answers) + len(self.insights)


@dataclass(frozen=True, slots=True)
class Trial:
    """Both results, row by row."""

    side: Side
    now: Score
    new: Score
    criteria: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)  # mistakes and prompts
    answers: list[Row] = field(default_factory=list)
    insights: list[tuple[str, Any, Any]] = field(default_factory=list)  # name, now, new
    errors: list[str] = field(default_factory=list)  # sentences: an analysis that failed
    has_result: bool = False  # whether the call has a stored one
    criteria_by_id: Mapping[str, Row] = field(default_factory=dict)

    def find_criterion(self, criterion_id: str) -> Row:
        """Return the row of a criterion; one without any result where neither side has it."""
        return self.criteria_by_id.get(criterion_id, Row("", "", None, None))

    @property
    def differing(self) -> "Results":
        """What the candidate settings change on this call; all of it where nothing is stored."""
        return self._select("differs")

    @property
    def same_answer(self) -> "Results":
        """What keeps its answer with other points, or is a critical error on one side alone."""
        return self._select("same_answer")

    @property
    def same(self) -> "Results":
        return self._select("same")

    def _select(self, kind: Kind) -> "Results":
        return Results(
            [row for row in self.criteria if row.kind == kind],
            [row for row in self.findings if row.kind == kind],
            [row for row in self.answers if row.kind == kind],
            [each for each in self.insights if kind == ("same" if each[1] == each[2] else "differs")],
        )

    @property
    def change(self) -> float | None:
        """The new score minus the one now, percent points; None where either is missing."""
        if self.now.percentage is None or self.new.percentage is None:
            return None
        return self.new.percentage - self.now.percentage


def find_transcript(call: Call) -> Transcript:
    """Return the call's newest transcript."""
    return Transcript.objects.select_related("file__call__agent", "project").get(file=call.newest_file_id)


def analyze_as_trial(
    transcript: Transcript, config: Configuration, *, by: User, engines: Engines | None = None
) -> Findings:
    """Return what candidate settings find in a transcript by `engines`, or those of its file; store nothing.

    It ends at its limit, also when nobody waits for it any more. Raise EngineUnavailable or AnalysisTooLong.
    """
    # The stored settings and the file decide as well: an editor of a private project must not
    # send its words to another engine by a document that says it is not private.
    stored = transcript.project.configuration
    engines = engines or engines_for_file(transcript.file, config, stored)
    engine_notes.note_trial(by, transcript.file, engines)
    with limited(LIMIT_IN_ALL_S):
        if engines.llm:
            return analyze(transcript, config, engines)
        with limited(LIMIT_S, time.thread_time):
            return analyze(transcript, config, engines)


def find_version(engines: Engines, project: Project) -> int | None:
    """Return the version that judges for a comparison; None where a language model would, which costs."""
    return None if engines.llm else project.config_version


def analyze_by_current(
    transcript: Transcript, *, by: User, engines: Engines | None = None
) -> Findings | None:
    """Return what the current version finds, by `engines` or those of its file; None where a model judges.

    Raises what analyze_as_trial raises.
    """
    config = transcript.project.configuration
    engines = engines or engines_for_file(transcript.file, config)
    if find_version(engines, transcript.project) is None:
        return None
    return analyze_as_trial(transcript, config, by=by, engines=engines)


def compare(call: Call, found: Findings, current: Findings | None = None) -> Trial:
    """Return findings of candidate settings next to those of the current version, or the stored result."""
    live = CallAnalysis.objects.filter(call=call, is_live=True).first()
    before = current or _read_stored(live)
    now: Found = before.copc or {}
    new: Found = found.copc or {}
    now_insights: Found = before.insights or {}
    new_insights: Found = found.insights or {}
    criteria = _pair(_criteria(now), _criteria(new))
    return Trial(
        side=Side(call.project.config_version) if current else Side(apart=_say_apart(live)),
        now=Score.of(now),
        new=Score.of(new),
        criteria=list(criteria.values()),
        criteria_by_id=criteria,
        findings=list(_pair(_findings(before.no_protocol), _findings(found.no_protocol)).values()),
        answers=list(_pair(_answers(before.custom_questions), _answers(found.custom_questions)).values()),
        insights=[
            (name, now_insights.get(name), new_insights.get(name))
            for name in INSIGHTS
            if now_insights.get(name) or new_insights.get(name)
        ],
        errors=list(dict.fromkeys([*found.errors.values(), *before.errors.values()])),
        has_result=live is not None,
    )


def _read_stored(live: CallAnalysis | None) -> Findings:
    """Return what the machine had found, without corrections by people."""
    if live is None:
        return Findings()
    return Findings(
        copc=live.read_machine_copc(),
        no_protocol=live.read_machine("no_protocol"),
        insights=live.read_machine("insights"),
        custom_questions=live.custom_questions,
    )


def _say_apart(live: CallAnalysis | None) -> str:
    """Say whose stored result it is where the current version judges otherwise."""
    if live is None:
        return ""
    if live.config_version is None:
        return _("imported result")
    if not list_versions_apart(live.project, [live.config_version]):
        return ""
    return _("stored result of version %(version)s") % {"version": live.config_version}


def _criteria(copc: Found) -> dict[str, Found]:
    """Return criterion id → its entry, judged or left out; the order is the rubric's within each."""
    read = read_answers(copc)  # as replays do, so that both count the same
    answers = read["criteria"] if read else {}
    judged: dict[str, Found] = {
        entry["criterion_id"]: {**entry, "answer": answers[entry["criterion_id"]]}
        for entry in copc.get("criterion_scores") or []
    }
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


def _pair(now: dict[str, Found], new: dict[str, Found]) -> dict[str, Row]:
    """Return the new entries in their order, then those that are gone, by their keys."""
    keys = [*new, *(key for key in now if key not in new)]
    rows = {}
    for key in keys:
        either = new.get(key) or now[key]
        name, section = either.get("name") or key, either.get("section") or ""
        rows[key] = Row(str(name), str(section), now.get(key), new.get(key))
    return rows


def _answer(entry: Found | None) -> tuple[Any, ...] | None:
    """Return what makes two entries different for a reader: the answer, not its wording or its points."""
    if entry is None:
        return None
    return bool(entry.get("left_out")), entry.get("outcome"), entry.get("answer")


def _points(entry: Found) -> tuple[Any, Any]:
    return entry.get("score"), entry.get("max_points")
