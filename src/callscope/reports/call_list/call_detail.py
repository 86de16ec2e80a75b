"""One call with everything that was found in it.

Rules: docs/api.md, "Call detail". A part is None while that analysis has not run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from callscope.analysis.evidence import TIME_PREFIX, read_time
from callscope.analysis.models import RESULT_COLUMNS, AnalysisState, CallAnalysis
from callscope.calls.fields import CALL_FIELDS
from callscope.calls.models import Call
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.projects.scope import ProjectRef
from callscope.reports.call_list.call_rows import CallItem, item_json, item_of_call
from callscope.reports.models import CallFact, Topic
from callscope.reports.store.aggregates import MILLION
from callscope.reports.store.exact_figures import ratio
from callscope.transcription.models import Transcript

TRANSCRIPT_FIELDS = ("language", "engine", "model", "hosts", "speech", "quality", "redactions")
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
    analysis_errors: dict[str, str]  # analysis type → why it failed, also in a newer file on its way

    def completed(self, part: str) -> dict[str, Any] | None:
        """Return the result of copc, no_protocol, custom_questions or insights; None if it has not run."""
        if self.analysis is None or getattr(self.analysis, f"{part}_state") != AnalysisState.COMPLETED:
            return None
        result: dict[str, Any] | None = getattr(self.analysis, part)
        return result


def find_call(projects: Sequence[Project] | Sequence[ProjectRef], call_id: int) -> CallDetail | None:
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
        newest = CallAnalysis.objects.filter(call=call, is_newest=True).defer(*RESULT_COLUMNS).first()
    scored = fact if fact is not None and fact.max_points is not None else None
    return CallDetail(
        call=call,
        analysis=analysis,
        transcript=transcript,
        item=item_of_call(call, fact, topic.text if topic else "", newest),
        total_points=ratio(scored.points, MILLION) if scored else None,
        max_possible_points=ratio(scored.max_points or 0, MILLION) if scored else None,
        analysis_errors={
            name: error for each in (analysis, newest) if each for name, error in each.list_errors().items()
        },
    )


def detail_json(detail: CallDetail) -> dict[str, Any]:
    """Return the detail as the interface shows it, with where the results come from."""
    analysis, transcript, copc = detail.analysis, detail.transcript, detail.completed("copc")
    if copc is not None:
        scores = [
            _with_points(ENTRY_DEFAULTS | entry, "score", "max_points")
            | {"quotes": _list_quotes(entry, transcript)}
            for entry in copc.get("criterion_scores") or []
        ]
        copc = _with_points(copc, "total_points", "max_possible_points") | {"criterion_scores": scores}
    insights = detail.completed("insights")
    return {
        "record": item_json(detail.item)
        | {field.name: getattr(detail.call, field.name) for field in CALL_FIELDS if field.in_record}
        | {"total_points": detail.total_points, "max_possible_points": detail.max_possible_points},
        "copc": copc,
        "no_protocol": detail.completed("no_protocol"),
        "custom_questions": detail.completed("custom_questions"),
        "insights": {name: value for name, value in insights.items() if name != "trackers"}
        if insights is not None
        else None,
        "trackers": (insights or {}).get("trackers") or [],
        "analysis_errors": detail.analysis_errors,
        "provenance": analysis.provenance if analysis else None,
        "transcript": {name: getattr(transcript, name) for name in TRANSCRIPT_FIELDS} if transcript else None,
    }


def _list_quotes(entry: Mapping[str, Any], transcript: Transcript | None) -> list[Any]:
    """Return all quotes of a criterion; of one that keeps a single quote that one, with who says it there."""
    if entry.get("quotes"):
        return list(entry["quotes"])
    quote = entry.get("quote") or ""
    text = TIME_PREFIX.sub("", quote)
    if not text:
        return []
    start = entry.get("quote_start")
    if start is None:  # imported: the quote names its second
        start = read_time(quote)
    said = transcript.segments or [] if transcript and start is not None else []
    speaker = next((s.get("speaker") for s in said if s.get("start") == start), None)
    return [{"group": None, "text": text, "speaker": speaker or None, "start": start}]


def _with_points(result: dict[str, Any], *names: str) -> dict[str, Any]:
    """Show points with two decimals as the record does; results keep them exact."""
    exact = {name: Fraction(str(result[name])) for name in names if result.get(name) is not None}
    return result | {name: ratio(points.numerator, points.denominator) for name, points in exact.items()}
