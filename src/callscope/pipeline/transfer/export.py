"""Export the calls of a project in the format that importer.py reads.

Every call of the project is one line, with its live results and what people decided about them;
one without carries what is known about it alone. Export → import gives the same reports.
"""

import datetime as dt
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from callscope.analysis.models import CallAnalysis
from callscope.calls import reviewed_agents
from callscope.calls.metadata import call_metadata
from callscope.calls.models import Call
from callscope.contact_reasons import reviewed
from callscope.contact_reasons.models import CallReason
from callscope.db.snapshot import snapshot
from callscope.pipeline.transfer.decisions.export import DecisionExport
from callscope.pipeline.transfer.result_validation import INSIGHT_FIELDS
from callscope.pipeline.transfer.schema import JsonObject
from callscope.processes.atomic_file import open_atomic
from callscope.projects.models import Project

CALLS_AT_ONCE = 500
MICROSECONDS = 1_000_000
COMPRESSION_LEVEL = 6


def export_file(project: Project, path: Path, *, on_batch: Callable[[int], None] | None = None) -> int:
    """Write the calls to the file, gzip-compressed if its name ends in .gz; return how many.

    The file appears whole or not at all.
    """
    with open_atomic(path) as draft:
        target: BinaryIO = draft
        if path.suffix.lower() == ".gz":
            # Without a name and time in its header, equal calls give equal files.
            target = gzip.GzipFile("", "wb", COMPRESSION_LEVEL, draft, mtime=0)  # type: ignore[assignment]
        calls = 0
        # Calls that change while the file is written are exported as they were at its beginning.
        with snapshot(may_pause=True):
            for line in export_lines(project):
                target.write(line)
                calls += 1
                if on_batch and not calls % CALLS_AT_ONCE:
                    on_batch(calls)
        if target is not draft:
            target.close()
    return calls


def export_lines(project: Project) -> Iterator[bytes]:
    """Yield one JSON line a call, in the order in which the calls came."""
    latest = 0
    decisions = DecisionExport(project)
    while True:
        calls = list(
            Call.objects.filter(project=project, pk__gt=latest)
            .select_related("agent")
            .order_by("pk")[:CALLS_AT_ONCE]
        )
        if not calls:
            return
        latest = calls[-1].pk
        live = {
            analysis.call_id: analysis
            for analysis in CallAnalysis.objects.filter(call__in=calls, is_live=True).select_related("file")
        }
        reasons = dict(CallReason.objects.filter(call__in=calls).values_list("call_id", "reason__name"))
        # Reviews stand in lines of their own: what they put over agents and reasons follows from them.
        reasons |= reviewed.read_own_names([call.pk for call in calls])
        decided = decisions.describe_calls(calls)
        reviewed_agents.show_own(calls)
        for call in calls:
            document = _build_document(call, live.get(call.pk), reasons.get(call.pk, ""))
            document |= decided.get(call.pk, {})
            yield json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _build_document(call: Call, live: CallAnalysis | None, reason: str) -> JsonObject:
    """Return the line of a call as importer.py reads it; `live` are its results, if it has any."""
    details = call_metadata(call)
    insights = (live.insights if live else None) or {}
    duration_us = live.file.duration_us if live else None
    document: JsonObject = {
        "file_name": call.file_name,
        "call_datetime": call.call_datetime.astimezone(dt.UTC).isoformat(),
        "call_datetime_source": details.pop("call_datetime_source"),
        "uploaded_at": call.uploaded_at.astimezone(dt.UTC).isoformat(),
        "analyzed_at": None,
        "duration_seconds": None,
        **{name: value for name, value in details.items() if name != "call_datetime"},
        "sentiment": insights.get("sentiment"),
        "topic": insights.get("topic") or "",
        "contact_reason": reason,
        "goal_reached": insights.get("goal_reached"),
        "copc": None,
        "no_protocol": live.no_protocol if live else None,
        "custom_questions": live.custom_questions if live else None,
    }
    if live and live.completed_at:
        document["analyzed_at"] = live.completed_at.astimezone(dt.UTC).isoformat()
    if duration_us is not None:
        whole, rest = divmod(duration_us, MICROSECONDS)
        document["duration_seconds"] = duration_us / MICROSECONDS if rest else whole
    if live and live.copc is not None:
        document["copc"] = _describe_scores(live.copc)
    if live and live.machine_copc is not None:
        document["machine_copc"] = _describe_scores(live.machine_copc)
    if live and live.machine_no_protocol is not None:
        document["machine_no_protocol"] = live.machine_no_protocol
    if live and live.machine_insights is not None:
        document["machine_insights"] = live.machine_insights
    if live and live.insights is not None:
        document["insights"] = {name: value for name, value in insights.items() if name not in INSIGHT_FIELDS}
    return document


def _describe_scores(copc: JsonObject) -> JsonObject:
    """Return scores without what an import computes itself: the totals, and the version of a rubric."""
    kept = {n: copc[n] for n in ("on_critical_error", "not_evaluated") if copc.get(n)}
    return {"criterion_scores": copc.get("criterion_scores") or [], **kept}
