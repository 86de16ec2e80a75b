"""One call made ready for its page: the scorecard by section and the other findings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.interfaces.web.told import told
from callscope.projects.configuration import Configuration, WrongConfiguration, parse
from callscope.projects.models import ConfigVersion, Project
from callscope.reports.call_detail import CallDetail

TIME_PREFIX = re.compile(r"\[(?:(\d{1,3}):)?(\d{1,3}):(\d{2})\]\s*", re.ASCII)
# What a criterion came to: word, icon and class of its mark.
RESULTS: dict[str, tuple[str | Promise, str, str]] = {
    "met": (gettext_lazy("met"), "check", "good"),
    "partly": (gettext_lazy("partly"), "half", "warn"),
    "not_met": (gettext_lazy("not met"), "close", "bad"),
    "not_applicable": (gettext_lazy("n/a"), "not-applicable", "dim"),
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
    AnalysisState.PROCESSING: gettext_lazy("being analysed"),
    AnalysisState.COMPLETED: gettext_lazy("completed"),
    AnalysisState.FAILED: gettext_lazy("failed"),
}


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the transcript and when they begin; None when no time is known."""

    text: str
    at_s: float | None

    @classmethod
    def of(cls, text: Any, start_s: Any = None) -> "Quote | None":
        """Return the quote in "[MM:SS] words"; a time of its own is more exact than the prefix."""
        shown = str(text or "")
        match = TIME_PREFIX.match(shown)
        at_s = float(start_s) if isinstance(start_s, int | float) and not isinstance(start_s, bool) else None
        if match:
            hours, minutes, seconds = (int(part or 0) for part in match.groups())
            at_s = hours * 3600 + minutes * 60 + seconds if at_s is None else at_s
            shown = shown[match.end() :]
        return cls(shown, at_s) if shown else None


def scorecard(detail: CallDetail, rubric: Configuration | None) -> list[dict[str, Any]]:
    """Return the sections of the scored call in order, each with its criteria and its points."""
    copc = detail.completed("copc") or {}
    told = {c.id: c for _, c in rubric.rubric.criteria()} if rubric else {}
    sections: dict[str, list[dict[str, Any]]] = {}
    for entry in copc.get("criterion_scores") or []:
        sections.setdefault(str(entry.get("section") or ""), []).append(_criterion(entry, told))
    for entry in copc.get("not_evaluated") or []:
        sections.setdefault(str(entry.get("section") or ""), []).append(_left_out(entry, told))
    places = {criterion: place for place, criterion in enumerate(told)}
    order = {section.name: place for place, section in enumerate(rubric.rubric.sections)} if rubric else {}
    return [
        {
            "name": name,
            "criteria": sorted(rows, key=lambda row: places.get(row["id"], len(places))),
            "points": points(sum((row["earned"] for row in rows), Decimal(0))),
            "max_points": points(sum((row["possible"] for row in rows), Decimal(0))),
        }
        for name, rows in sorted(sections.items(), key=lambda item: order.get(item[0], len(order)))
    ]


def _criterion(entry: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    word, icon, tone = RESULTS[_result(entry)]
    critical = entry.get("critical_class")
    return {
        "id": entry.get("criterion_id"),
        "name": entry.get("name") or entry.get("criterion_id"),
        "guideline": _guideline(entry, told),
        "word": word,
        "icon": icon,
        "tone": tone,
        "earned": _decimal(entry.get("score")),
        "possible": _decimal(entry.get("max_points")),
        "points": points(_decimal(entry.get("score"))),
        "max_points": points(_decimal(entry.get("max_points"))),
        "justification": entry.get("justification") or "",
        "quote": Quote.of(entry.get("quote"), entry.get("quote_start")),
        "is_critical": bool(entry.get("is_critical_error")),
        "critical_class": CRITICAL_CLASSES.get(str(critical), "") if critical else "",
        "is_unverified": entry.get("verified") is False,
        "is_unrecorded": entry.get("applicability") is None,
    }


def _left_out(entry: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": entry.get("criterion_id"),
        "name": entry.get("name") or entry.get("criterion_id"),
        "guideline": _guideline(entry, told),
        "word": _("not evaluated"),
        "icon": "unknown",
        "tone": "dim",
        "earned": Decimal(0),
        "possible": Decimal(0),
        "justification": entry.get("reason") or "",
        "is_left_out": True,
    }


def _result(entry: Mapping[str, Any]) -> str:
    if entry.get("applicability") == "not_applicable":
        return "not_applicable"
    if entry.get("answer") in RESULTS:
        return str(entry["answer"])
    score, most = _decimal(entry.get("score")), _decimal(entry.get("max_points"))
    return "met" if score >= most else "partly" if score > 0 else "not_met"


def _guideline(entry: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    criterion = told.get(str(entry.get("criterion_id")))
    return criterion.guideline if criterion and criterion.name == entry.get("name") else ""


def rubric_of(project: Project, analysis: CallAnalysis | None) -> Configuration | None:
    """Return the configuration that judged the call; for imported results the one that stands now."""
    try:
        if analysis and analysis.config_version and analysis.config_version != project.config_version:
            versions = ConfigVersion.objects.filter(project=project, number=analysis.config_version)
            document = versions.values_list("document", flat=True).first()
            return parse(document) if document is not None else None
        return project.configuration
    except WrongConfiguration:
        return None


def protocol(detail: CallDetail) -> dict[str, Any] | None:
    """Return mistakes, missed prompts and prompts said; None while that analysis has not run."""
    found = detail.completed("no_protocol")
    if found is None:
        return None
    return {
        name: [_finding(entry) for entry in found.get(name) or []]
        for name in ("mistakes", "missing_prompts", "prompts")
    }


def _finding(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "text": entry.get("description") or entry.get("id") or "",
        "quote": Quote.of(entry.get("quote"), entry.get("quote_start")),
    }


def answers(detail: CallDetail) -> list[dict[str, Any]] | None:
    """Return the project's questions with their answers; None while that analysis has not run."""
    found = detail.completed("custom_questions")
    if found is None:
        return None
    return [
        {
            "question": question,
            "answer": answer.get("answer") or "",
            "quotes": [quote for text in answer.get("quotes") or [] if (quote := Quote.of(text))],
        }
        for question, answer in (found.get("answers") or {}).items()
    ]


def states(analysis: CallAnalysis | None) -> list[dict[str, Any]]:
    """Return the analyses that have not completed, with their state and what went wrong."""
    if analysis is None:
        return []
    found = []
    for name, column in STATE_FIELDS.items():
        state = getattr(analysis, column)
        if state not in (None, AnalysisState.COMPLETED):
            error = told((analysis.errors or {}).get(name, ""))
            found.append({"part": PARTS[name], "state": STATES[AnalysisState(state)], "error": error})
    return found


def talk(detail: CallDetail) -> dict[str, Any] | None:
    """Return the talk measures; None when there was no sound to measure."""
    speech = detail.transcript.speech if detail.transcript else {}
    if not speech:
        return None
    share = speech.get("talk_share") or {}
    return {
        "agent_pct": _percent(share.get("agent")),
        "customer_pct": _percent(share.get("customer")),
        "silence_s": speech.get("silence_seconds"),
        "longest_silence_s": speech.get("longest_silence_seconds"),
        "overlap_s": speech.get("overlap_seconds"),
        "speech_s": speech.get("speech_seconds"),
    }


def _percent(share: Any) -> float | None:
    return None if share is None else 100 * float(share)


def points(value: Decimal) -> str:
    """Return points without idle zeros, as the language writes them."""
    whole = value == value.to_integral_value()
    return number_format(value.quantize(Decimal(1)) if whole else value.normalize(), use_l10n=True)


def _decimal(value: Any) -> Decimal:
    return (
        Decimal(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else Decimal(0)
    )
