"""One call with everything that was found in it.

Rules: docs/api.md, "Call detail". A part is None while that analysis has not run.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from callscope.analysis.conversation.talk import Talk, measure_call
from callscope.analysis.evidence import TIME_PREFIX, read_time
from callscope.analysis.figures import ratio
from callscope.analysis.models import RESULT_COLUMNS, AnalysisState, CallAnalysis
from callscope.calls.fields import CALL_FIELDS
from callscope.calls.models import Call
from callscope.db.compiled import stand_ins
from callscope.db.compiled_models import CompiledModels, compile_models
from callscope.db.limits import MAX_ID
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.projects.scope import ProjectRef
from callscope.reports.call_list.call_rows import CallItem, hide_results, item_json, item_of_call
from callscope.reports.models import CallFact
from callscope.reports.store.aggregates import MILLION
from callscope.reviews.call_records import CallRecords, find_call_records
from callscope.reviews.models import Review
from callscope.reviews.placements.listing import describe_agent, describe_reason
from callscope.reviews.results import counts_person
from callscope.transcription.models import Transcript

Json = dict[str, Any]  # an object of a stored or shown document
TRANSCRIPT_FIELDS = ("language", "engine", "model", "hosts", "speech", "quality", "redactions")
# What every entry of copc.criterion_scores shows, also where an older result did not record it.
ENTRY_DEFAULTS: Json = {
    "criterion_id": "",
    "name": "",
    "section": "",
    "justification": "",
    "quote": "",
    "applicability": None,
    "score": 0,
    "max_points": 0,
    "is_critical_error": False,
    "source": "machine",
}
INTERNAL = frozenset({"margin", "asked_again"})  # of an entry: what draws of calls go by


@dataclass(frozen=True, slots=True)
class CallDetail:
    call: Call
    analysis: CallAnalysis | None  # the live one
    transcript: Transcript | None  # of the file that the live analysis judged, or had judged
    item: CallItem
    total_points: float | None
    max_possible_points: float | None
    records: CallRecords  # of people
    review: Review | None  # the one that counts
    is_review_outdated: bool  # there is one, and it fits these results no more
    analysis_errors: dict[str, str]  # analysis type → why it failed, also in a newer file on its way

    def completed(self, part: str) -> Json | None:
        """Return the result of copc, no_protocol, custom_questions or insights; None if it has not run."""
        if self.analysis is None or getattr(self.analysis, f"{part}_state") != AnalysisState.COMPLETED:
            return None
        result: Json | None = getattr(self.analysis, part)
        return result

    @property
    def results_removed_at(self) -> dt.datetime | None:
        """When retention removed the results of the call, if it has none since."""
        newest = self.call.newest_file
        return newest.results_removed_at if newest is not None and self.analysis is None else None

    @property
    def days_until_removal(self) -> int | None:
        """How many days after the upload that was."""
        newest, at = self.call.newest_file, self.results_removed_at
        return None if newest is None or at is None else (at - newest.created_at).days

    @property
    def talk(self) -> Talk | None:
        """The talk measures: as they were stored, or of the stored transcript; None without either."""
        insights = (self.analysis.insights if self.analysis else None) or {}
        if insights.get("talk"):
            stored: Talk = insights["talk"]
            return stored
        if self.transcript is None:
            return None
        return measure_call(
            self.transcript.segments or [],
            self.transcript.speech or {},
            language=self.transcript.language,
            is_half_heard=bool((self.transcript.quality or {}).get("half_heard")),
        )


def find_call(
    projects: Sequence[Project] | Sequence[ProjectRef], call_id: int, agent_id: int | None = None
) -> CallDetail | None:
    """Return the call with its live results; None if it is in none of these projects, or of another agent."""
    with snapshot():
        queries = compile_parts()
        call = queries.call.first([call_id]) if 0 < call_id <= MAX_ID else None
        if call is None or call.project_id not in {project.pk for project in projects}:
            return None
        if agent_id is not None and call.agent_id != agent_id:
            return None
        fact = queries.fact.first([call_id])
        topic = fact.topic if fact else None
        analysis = queries.analysis.first([call_id])
        heard = analysis.file if analysis else call.newest_file
        is_shown = heard is not None and (analysis is not None or heard.results_removed_at is not None)
        transcript = queries.transcript.first([heard.pk]) if heard is not None and is_shown else None
        records = find_call_records(call_id)
        reviews = Review.objects.select_related("reviewer").filter(call=call, is_current=True)
        current = reviews.first() if records.has_reviews else None
        is_persons = analysis is not None and current is not None and _counts_person(analysis, current)
        newest = analysis
        if analysis is None or not analysis.is_newest:
            newest = CallAnalysis.objects.filter(call=call, is_newest=True).defer(*RESULT_COLUMNS).first()
    scored = fact if fact is not None and fact.max_points is not None else None
    return CallDetail(
        call=call,
        analysis=analysis,
        transcript=transcript,
        item=item_of_call(call, fact, topic.text if topic else "", newest),
        total_points=ratio(scored.points, MILLION) if scored else None,
        max_possible_points=ratio(scored.max_points or 0, MILLION) if scored else None,
        records=records,
        review=current if is_persons else None,
        is_review_outdated=current is not None and current.is_outdated,
        analysis_errors={
            name: error for each in (analysis, newest) if each for name, error in each.list_errors().items()
        },
    )


class CompiledParts(NamedTuple):
    """The queries for what every page of a call reads; Django takes longer to write them than they take."""

    call: CompiledModels[Call]
    fact: CompiledModels[CallFact]
    analysis: CompiledModels[CallAnalysis]
    transcript: CompiledModels[Transcript]


@lru_cache(maxsize=1)
def compile_parts() -> CompiledParts:
    """Return the queries by the id of the call; that of the transcript by the id of its file."""
    [pk] = stand_ins(1)
    return CompiledParts(
        compile_models(Call.objects.filter(pk=pk), "agent", "project", "newest_file"),
        compile_models(CallFact.objects.filter(pk=pk), "topic"),
        compile_models(CallAnalysis.objects.filter(call=pk, is_live=True), "file"),
        compile_models(Transcript.objects.filter(file=pk)),
    )


def _counts_person(analysis: CallAnalysis, review: Review) -> bool:
    """Return whether the review decides something of what the call shows."""
    placed = review.placements.filter(is_outdated=False).exists()
    return counts_person(analysis) or (placed and analysis.project.configuration.reviews.counts == "final")


def detail_json(detail: CallDetail) -> Json:
    """Return the detail as the interface shows it, with where the results come from."""
    analysis, transcript, copc = detail.analysis, detail.transcript, detail.completed("copc")
    machine = analysis.machine_copc if analysis is not None and detail.review is not None else None
    insights = detail.completed("insights")
    return {
        "record": item_json(detail.item)
        | {field.name: getattr(detail.call, field.name) for field in CALL_FIELDS if field.in_record}
        | {"total_points": detail.total_points, "max_possible_points": detail.max_possible_points},
        "copc": None if copc is None else _copc_json(copc, transcript),
        "machine": None if machine is None else _copc_json(machine, transcript),
        "review": None if detail.review is None else _review_json(detail.review),
        "review_outdated": detail.is_review_outdated,
        "no_protocol": detail.completed("no_protocol"),
        "machine_no_protocol": analysis.machine_no_protocol if analysis else None,
        "custom_questions": detail.completed("custom_questions"),
        "insights": _insights_json(insights),
        "machine_insights": _insights_json(analysis.machine_insights if analysis else None),
        "talk": detail.talk,
        "trackers": (insights or {}).get("trackers") or [],
        "analysis_errors": detail.analysis_errors,
        "provenance": analysis.provenance if analysis else None,
        "transcript": {name: getattr(transcript, name) for name in TRANSCRIPT_FIELDS} if transcript else None,
    }


def blinded_detail_json(detail: CallDetail) -> Json:
    """Return what somebody sees who rates the call: no score, no answer of the machine or a person."""
    shown = detail_json(replace(detail, item=hide_results(detail.item)))
    shown["record"] |= {"total_points": None, "max_possible_points": None}
    # With quotes and sources: what anybody found, in which words, would sway a rating.
    if shown["insights"] is not None:
        insights = shown["machine_insights"] or shown["insights"]
        shown["insights"] = {n: v for n, v in insights.items() if not n.startswith(("goal", "sentiment"))}
    hidden = {"copc", "machine", "no_protocol", "machine_no_protocol", "machine_insights", "review"}
    return shown | dict.fromkeys(hidden) | {"review_outdated": False}


def own_detail_json(detail: CallDetail) -> Json:
    """Return what the agent of the call sees of it: no name of a colleague, nothing of engines."""
    shown = detail_json(detail) | {"analysis_errors": {}, "provenance": None, "transcript": None}
    if shown["review"] is not None:
        shown["review"] |= {"reviewer": None, "agent": None}
    for part in ("insights", "machine_insights"):
        if shown[part] is not None:  # the name that the analysis heard may be that of a colleague
            shown[part] = {name: value for name, value in shown[part].items() if name != "agent_name"}
    return shown


def _copc_json(copc: Json, transcript: Transcript | None) -> Json:
    scores = [
        _with_points(ENTRY_DEFAULTS | _without_internal(entry), "score", "max_points")
        | {
            "quotes": _list_quotes(entry, transcript),
            "source": "person" if entry.get("source") == "person" else "machine",
        }
        for entry in copc.get("criterion_scores") or []
    ]
    return _with_points(copc, "total_points", "max_possible_points") | {"criterion_scores": scores}


def _without_internal(entry: Json) -> Json:
    return {name: value for name, value in entry.items() if name not in INTERNAL}


def _insights_json(insights: Json | None) -> Json | None:
    """Return them without what a detail shows elsewhere."""
    if insights is None:
        return None
    return {name: value for name, value in insights.items() if name not in ("trackers", "talk")}


def _review_json(review: Review) -> Json:
    """Return who decided, when, in which revision, and where the call belongs."""
    placements = review.placements.select_related("agent", "machine_agent")
    return {
        "id": review.pk,
        "reviewer": review.reviewer.email if review.reviewer else None,
        "revision": review.revision,
        "blind": review.blind,
        "submitted_at": review.submitted_at,
        "comment": review.comment,
        "outdated_criteria": review.outdated_criteria,
        "agent": describe_agent(placements),
        "contact_reason": describe_reason(placements),
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


def _with_points(result: Json, *names: str) -> Json:
    """Show points with two decimals as the record does; results keep them exact."""
    exact = {name: Fraction(str(result[name])) for name in names if result.get(name) is not None}
    return result | {name: ratio(points.numerator, points.denominator) for name, points in exact.items()}
