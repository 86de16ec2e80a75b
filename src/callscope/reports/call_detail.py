"""One call with everything that was found in it.

Rules: docs/api.md, "Call detail". A part is None while that analysis has not run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.projects.scope import Named
from callscope.reports.call_table import CallItem, item, item_json
from callscope.reports.models import CallFact, Topic
from callscope.reports.rounding import ratio
from callscope.reports.snapshot import snapshot
from callscope.reports.sums import MILLION
from callscope.transcription.models import Transcript

# What every entry of copc.criterion_scores shows, also where an older result did not record it.
ENTRY_DEFAULTS: dict[str, Any] = {
    "criterion_id": "",
    "name": "",
    "section": "",
    "justification": "",
    "quote": "",
    "applicability": None,
    "score": 0,
    "max_points": 0,
    "is_critical_error": False,
}


@dataclass(frozen=True, slots=True)
class CallDetail:
    call: Call
    analysis: CallAnalysis | None  # the live one
    transcript: Transcript | None  # of the file that the live analysis judged
    item: CallItem
    total_points: float | None
    max_possible_points: float | None

    def completed(self, part: str) -> dict[str, Any] | None:
        """Return the result of copc, no_protocol, custom_questions or insights; None if it has not run."""
        if self.analysis is None or getattr(self.analysis, f"{part}_state") != AnalysisState.COMPLETED:
            return None
        result: dict[str, Any] | None = getattr(self.analysis, part)
        return result


def find_call(projects: Sequence[Project] | Sequence[Named], call_id: int) -> CallDetail | None:
    """Return the call with its live results; None if it is in none of these projects."""
    with snapshot():
        calls = Call.objects.filter(project__in=[project.pk for project in projects])
        call = calls.select_related("agent", "project", "newest_file").filter(pk=call_id).first()
        if call is None:
            return None
        fact = CallFact.objects.filter(pk=call_id).first()
        topic = Topic.objects.filter(pk=fact.topic_id).first() if fact and fact.topic_id else None
        analysis = CallAnalysis.objects.filter(call=call, is_live=True).select_related("file").first()
        transcript = Transcript.objects.filter(file=analysis.file_id).first() if analysis else None
    scored = fact if fact is not None and fact.max_points is not None else None
    return CallDetail(
        call=call,
        analysis=analysis,
        transcript=transcript,
        item=item(call, fact, topic.text if topic else ""),
        total_points=ratio(scored.points, MILLION) if scored else None,
        max_possible_points=ratio(scored.max_points or 0, MILLION) if scored else None,
    )


def detail_json(detail: CallDetail) -> dict[str, Any]:
    """Return the detail as the interface shows it, with where the results come from."""
    analysis, transcript = detail.analysis, detail.transcript
    return {
        "record": item_json(detail.item)
        | {
            "call_datetime_source": detail.call.call_datetime_source,
            "caller_number": detail.call.caller_number,
            "total_points": detail.total_points,
            "max_possible_points": detail.max_possible_points,
        },
        "copc": _copc_json(detail.completed("copc")),
        "no_protocol": detail.completed("no_protocol"),
        "custom_questions": detail.completed("custom_questions"),
        "insights": detail.completed("insights"),
        "analysis_errors": analysis.errors if analysis else {},
        "provenance": analysis.provenance if analysis else None,
        "transcript": _transcript_json(transcript) if transcript else None,
    }


def _copc_json(copc: dict[str, Any] | None) -> dict[str, Any] | None:
    if copc is None:
        return None
    scores = [
        _with_points(ENTRY_DEFAULTS | entry, "score", "max_points")
        for entry in copc.get("criterion_scores") or []
    ]
    return _with_points(copc, "total_points", "max_possible_points") | {"criterion_scores": scores}


def _with_points(result: dict[str, Any], *names: str) -> dict[str, Any]:
    """Show points with two decimals as the record does; results keep them exact."""
    exact = {name: Fraction(str(result[name])) for name in names if result.get(name) is not None}
    return result | {name: ratio(points.numerator, points.denominator) for name, points in exact.items()}


def _transcript_json(transcript: Transcript) -> dict[str, Any]:
    return {
        "language": transcript.language,
        "engine": transcript.engine,
        "model": transcript.model,
        "hosts": transcript.hosts,
        "speech": transcript.speech,
        "quality": transcript.quality,
        "redactions": transcript.redactions,
    }
