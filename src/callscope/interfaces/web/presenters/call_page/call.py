"""Prepare one call for its page: the scorecard by section and the other findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from callscope.analysis.figures import score_of
from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.analysis.rules.absence import write_phrase
from callscope.interfaces.web.presenters.call_page.undecided import (
    UndecidedFinding,
    has_undecided_words,
    list_undecided,
)
from callscope.interfaces.web.presenters.evidence import (
    PHRASES_AT_FIRST,
    PartQuote,
    Quote,
    ShownAbsence,
    show_absences,
)
from callscope.interfaces.web.templatetags.formatting import number
from callscope.messages.translation import translate_stored
from callscope.projects.configuration import Configuration
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reports.details.absences import judged_by_rules

# What a criterion came to: word, icon and class of its mark.
RESULTS: dict[str, tuple[str | Promise, str, str]] = {
    "met": (gettext_lazy("met"), "check", "good"),
    "partly": (gettext_lazy("partly"), "half", "warn"),
    "not_met": (gettext_lazy("not met"), "close", "bad"),
    "not_applicable": (gettext_lazy("not applicable"), "not-applicable", "dim"),
}
CRITICAL_CLASSES = {
    "customer": gettext_lazy("customer-critical"),
    "business": gettext_lazy("business-critical"),
    "compliance": gettext_lazy("compliance-critical"),
}
PARTS = {
    "calls_analysis_copc": gettext_lazy("Scorecard"),
    "calls_analysis_no_protocol": gettext_lazy("Prompts and mistakes"),
    "calls_analysis_custom_questions": gettext_lazy("Questions"),
    "calls_analysis_insights": gettext_lazy("Sentiment, reason and goal"),
}
STATES = {
    AnalysisState.QUEUED: gettext_lazy("queued"),
    AnalysisState.PROCESSING: gettext_lazy("being analyzed"),
    AnalysisState.COMPLETED: gettext_lazy("completed"),
    AnalysisState.FAILED: gettext_lazy("failed"),
}


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A criterion as the call's scorecard shows it."""

    id: str | None
    name: str | None
    guideline: str
    word: str | Promise
    icon: str
    tone: str
    earned: Decimal
    possible: Decimal
    justification: str
    quote: Quote | None = None
    quotes: Sequence[PartQuote] = ()  # where the rule wants several things
    is_critical: bool = False
    critical_class: str | Promise = ""
    is_unverified: bool = False
    is_unrecorded: bool = False
    is_left_out: bool = False
    has_failed: bool = False  # it applied, and did not earn all points
    source: str = "machine"  # or person
    keeps_machines_reason: bool = False  # a person gave as many points and no reason
    absence: ShownAbsence | None = None

    @property
    def is_persons(self) -> bool:
        return self.source == "person"

    @property
    def has_more(self) -> bool:
        """Whether there is something to unfold."""
        return bool(self.justification or self.guideline or self.quote or self.quotes or self.absence)

    @property
    def is_open(self) -> bool:
        """Whether it begins unfolded: what failed or is in doubt asks for a look."""
        return self.has_failed or self.is_critical or self.is_unverified

    @property
    def points(self) -> str:
        return format_points(self.earned)

    @property
    def max_points(self) -> str:
        return format_points(self.possible)

    @classmethod
    def of_scored(cls, entry: Mapping[str, Any], guideline: str) -> "CriterionResult":
        earned, possible = _decimal(entry.get("score")), _decimal(entry.get("max_points"))
        if entry.get("applicability") == "not_applicable":
            result = "not_applicable"
        elif entry.get("answer") in RESULTS:
            result = str(entry["answer"])
        else:  # older and imported results hold points alone
            result = "met" if earned >= possible else "partly" if earned > 0 else "not_met"
        word, icon, tone = RESULTS[result]
        return cls(
            id=entry.get("criterion_id"),
            name=entry.get("name") or entry.get("criterion_id"),
            guideline=guideline,
            word=word,
            icon=icon,
            tone=tone,
            earned=earned,
            possible=possible,
            justification=entry.get("justification") or "",
            quote=Quote.of(entry.get("quote"), entry.get("quote_start")),
            quotes=PartQuote.list_of(entry),
            is_critical=bool(entry.get("is_critical_error")),
            critical_class=CRITICAL_CLASSES.get(str(entry.get("critical_class")), ""),
            is_unverified=entry.get("verified") is False,
            is_unrecorded=entry.get("applicability") is None,
            has_failed=result in ("partly", "not_met"),
            source=str(entry.get("source") or "machine"),
        )

    @classmethod
    def of_left_out(cls, entry: Mapping[str, Any], guideline: str) -> "CriterionResult":
        waits = bool(entry.get("for_person"))
        return cls(
            id=entry.get("criterion_id"),
            name=entry.get("name") or entry.get("criterion_id"),
            guideline=guideline,
            word=pgettext("result of a criterion", "for a person") if waits else _("not evaluated"),
            icon="person" if waits else "unknown",
            tone="warn" if waits else "dim",
            earned=Decimal(0),
            possible=Decimal(0),
            justification=entry.get("reason") or "",
            is_left_out=True,
        )


class ScoredSection(NamedTuple):
    name: str
    criteria: list[CriterionResult]
    points: str
    max_points: str

    @property
    def is_open(self) -> bool:
        """Whether none of the criteria was evaluated: no points are there to be earned."""
        return all(each.is_left_out for each in self.criteria)

    @property
    def failed(self) -> int:
        """How many of the criteria applied and did not earn all points."""
        return sum(each.has_failed for each in self.criteria)

    @property
    def inapplicable_points(self) -> str:
        """How many of the points were earned because a criterion did not apply; "" for none."""
        earned = sum((each.earned for each in self.criteria if each.icon == "not-applicable"), Decimal(0))
        return format_points(earned) if earned else ""


def build_scorecard(
    detail: CallDetail, config: Configuration | None, *, shows_phrases: bool = True
) -> list[ScoredSection]:
    """Return the sections of the scored call in order, each with its criteria and its points.

    Without `shows_phrases` the phrases that a rule looks for stay with those who see the rubric.
    """
    copc = detail.completed("copc") or {}
    absences = show_absences(detail, config, shows_phrases=shows_phrases)
    criteria = {c.id: c for _, c in config.rubric.criteria()} if config else {}

    def guideline(entry: Mapping[str, Any]) -> str:
        # A criterion that was renamed since is another one: its guideline would mislead.
        criterion = criteria.get(str(entry.get("criterion_id")))
        return criterion.guideline if criterion and criterion.name == entry.get("name") else ""

    machine = (detail.analysis.machine_copc if detail.analysis else None) or {}
    reasons = {
        str(each["criterion_id"]): each.get("justification") for each in machine.get("criterion_scores") or []
    }
    sections: dict[str, list[CriterionResult]] = {}
    for entry in copc.get("criterion_scores") or []:
        result = CriterionResult.of_scored(entry, guideline(entry))
        result = replace(
            result,
            absence=absences.get(str(result.id)),
            keeps_machines_reason=result.is_persons
            and bool(result.justification)
            and result.justification == reasons.get(str(result.id)),
        )
        sections.setdefault(str(entry.get("section") or ""), []).append(result)
    for entry in copc.get("not_evaluated") or []:
        result = CriterionResult.of_left_out(entry, guideline(entry))
        sections.setdefault(str(entry.get("section") or ""), []).append(result)
    positions = {criterion: position for position, criterion in enumerate(criteria)}
    order = (
        {section.name: position for position, section in enumerate(config.rubric.sections)} if config else {}
    )
    return [
        ScoredSection(
            name=name,
            criteria=sorted(results, key=lambda result: positions.get(str(result.id), len(positions))),
            points=format_points(sum((result.earned for result in results), Decimal(0))),
            max_points=format_points(sum((result.possible for result in results), Decimal(0))),
        )
        for name, results in sorted(sections.items(), key=lambda item: order.get(item[0], len(order)))
    ]


def describe_persons_part(detail: CallDetail, *, shows_machine: bool = True) -> str:
    """Return what stands next to a score that answers of people are part of; "" for the machine's own.

    Without `shows_machine` it does not say what a review has changed.
    """
    copc, machine = detail.completed("copc") or {}, detail.analysis.machine_copc if detail.analysis else None
    if all(entry.get("source") != "person" for entry in copc.get("criterion_scores") or []):
        return ""
    score = score_of(machine or {})
    if not shows_machine or score is None or score == detail.item.score_percentage:
        return _("by a person")
    return _("by a person; the machine gave %(score)s %%") % {"score": number(score, 1)}


class Finding(NamedTuple):
    """A mistake or prompt and where it was said."""

    text: str
    quote: Quote | None
    is_persons: bool  # a person said so
    comment: str  # of that person
    phrases: list[str]  # of a missed prompt: some of those that were looked for


class Protocol(NamedTuple):
    mistakes: list[Finding]
    missing_prompts: list[Finding]
    prompts: list[Finding]
    undecided: list[UndecidedFinding]
    is_decided: bool  # everything that is looked for was evaluated

    @property
    def has_failures(self) -> bool:
        return bool(self.mistakes or self.missing_prompts)

    @property
    def shared_reason(self) -> str:
        """Why none of several was evaluated, where it is the same for all of them; said once."""
        reasons = {each.reason for each in self.undecided}
        return reasons.pop() if len(reasons) == 1 and len(self.undecided) > 1 else ""


def build_protocol(
    detail: CallDetail, config: Configuration | None = None, *, shows_phrases: bool = True
) -> Protocol | None:
    """Return mistakes, missed prompts and prompts said; None while that analysis has not run.

    `config` is the one that judged the call. Without `shows_phrases` the phrases that are looked for stay
    with those who see the settings.
    """
    result = detail.completed("no_protocol")
    if result is None:
        return None
    prompts = config.no_protocol.prompts if config and shows_phrases and judged_by_rules(detail) else ()
    phrases = {prompt.id: list(map(write_phrase, prompt.any_of)) for prompt in prompts}
    mistakes, missing, said = (
        [
            Finding(
                text=entry.get("description") or entry.get("id") or "",
                quote=Quote.of(entry.get("quote"), entry.get("quote_start")),
                is_persons=entry.get("source") == "person",
                comment=entry.get("justification") or "",
                phrases=phrases.get(str(entry.get("id")), [])[:PHRASES_AT_FIRST]
                if kind == "missing_prompts" and entry.get("source") != "person"
                else [],
            )
            for entry in result.get(kind) or []
        ]
        for kind in ("mistakes", "missing_prompts", "prompts")
    )
    undecided = list_undecided(detail, config, result) if config else []
    # Without the settings that judged the call nobody knows what was looked for.
    is_decided = config is not None and not undecided
    if config is not None and not (config.no_protocol.prompts or config.no_protocol.mistakes):
        is_decided = not has_undecided_words(detail)
    return Protocol(mistakes, missing, said, undecided, is_decided)


class TrackerFound(NamedTuple):
    """A tracker that holds in the call, and where."""

    name: str
    quotes: list[PartQuote]


def build_trackers(detail: CallDetail, config: Configuration | None) -> list[TrackerFound]:
    """Return the trackers that hold in the call; one that the settings no longer name by its id."""
    names = {tracker.id: tracker.name for tracker in config.trackers} if config else {}
    return [
        TrackerFound(names.get(entry["id"], entry["id"]), PartQuote.list_of(entry))
        for entry in (detail.completed("insights") or {}).get("trackers") or []
    ]


class UnfinishedPart(NamedTuple):
    """An analysis that has not completed, and what went wrong."""

    part: str | Promise
    state: str | Promise
    error: str


def list_unfinished(analysis: CallAnalysis | None) -> list[UnfinishedPart]:
    """Return the enabled analyses that are queued, running or failed."""
    unfinished = []
    for name, column in STATE_FIELDS.items() if analysis else ():
        state = getattr(analysis, column)
        if analysis and state not in (None, AnalysisState.COMPLETED):
            error = translate_stored((analysis.errors or {}).get(name, ""))
            unfinished.append(UnfinishedPart(PARTS[name], STATES[AnalysisState(state)], error))
    return unfinished


class TalkMeasures(NamedTuple):
    """Who talks how long; None for what cannot be measured in the recording."""

    agent_pct: float | None
    customer_pct: float | None
    silence_s: float | None
    longest_silence_s: float | None
    overlap_s: float | None
    speech_s: float | None


def build_talk_measures(detail: CallDetail) -> TalkMeasures | None:
    """Return the talk measures; None when there was no sound to measure."""
    speech = detail.transcript.speech if detail.transcript else {}
    if not speech:
        return None
    share = speech.get("talk_share") or {}
    return TalkMeasures(
        agent_pct=_percent(share.get("agent")),
        customer_pct=_percent(share.get("customer")),
        silence_s=speech.get("silence_seconds"),
        longest_silence_s=speech.get("longest_silence_seconds"),
        overlap_s=speech.get("overlap_seconds"),
        speech_s=speech.get("speech_seconds"),
    )


def _percent(share: Any) -> float | None:
    return None if share is None else 100 * float(share)


def format_points(value: Decimal) -> str:
    """Return points without idle zeros, as the language writes them."""
    whole = value == value.to_integral_value()
    return number_format(value.quantize(Decimal(1)) if whole else value.normalize(), use_l10n=True)


def _decimal(value: Any) -> Decimal:
    return (
        Decimal(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else Decimal(0)
    )
