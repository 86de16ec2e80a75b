"""Export the calls of a project in the format that importing.py reads.

Every call of the project is one line, with its live results; one without
carries what is known about it alone. Export → import gives the same reports.
"""

import contextlib
import datetime as dt
import gzip
import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.contact_reasons.models import CallReason
from callscope.pipeline.import_parts import INSIGHT_FIELDS
from callscope.projects.models import Project
from callscope.reports.snapshot import snapshot

CALLS_AT_ONCE = 500
MICROSECONDS = 1_000_000
COMPRESSION_LEVEL = 6
STDOUT, STDERR = 1, 2
OPEN_ALREADY = re.compile(
    r"/dev/(?P<name>stdout|stderr)|/(dev|proc/self)/fd/(?P<number>[0-9]{1,6})", re.ASCII
)


def export_file(project: Project, path: Path, *, on_batch: Callable[[int], None] | None = None) -> int:
    """Write the calls to the file, gzip-compressed if its name ends in .gz; return how many.

    The file appears whole or not at all.
    """
    with whole_file(path) as draft:
        target: BinaryIO = draft
        if path.suffix.lower() == ".gz":
            # Without a name and time in its header, equal calls give equal files.
            target = gzip.GzipFile("", "wb", COMPRESSION_LEVEL, draft, mtime=0)  # type: ignore[assignment]
        calls = 0
        with snapshot():
            for line in export_lines(project):
                target.write(line)
                calls += 1
                if on_batch and not calls % CALLS_AT_ONCE:
                    on_batch(calls)
        if target is not draft:
            target.close()
    return calls


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a temporary file beside `path` that takes its name when all went well; a link stays a link.

    What is no file, such as a pipe, is written into as it is. An OSError names the path.
    """
    try:
        if (descriptor := _open_already(path)) is not None:
            with os.fdopen(os.dup(descriptor), "wb") as device:
                yield _Stream(device)  # type: ignore[misc]
        elif path.exists() and not path.is_file():
            with path.open("wb") as device:
                yield _Stream(device)  # type: ignore[misc]
        else:
            with _draft(path.resolve()) as file:
                yield file
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


@contextlib.contextmanager
def _draft(target: Path) -> Iterator[BinaryIO]:
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def is_stdout(path: Path) -> bool:
    return _open_already(path) == STDOUT


def _open_already(path: Path) -> int | None:
    """Return which of our open files the path means: in /dev no file may take the place of another."""
    match = OPEN_ALREADY.fullmatch(str(path))
    if not match:
        return None
    return int(match["number"]) if match["number"] else {"stdout": STDOUT, "stderr": STDERR}[match["name"]]


class _Stream(io.RawIOBase):
    """Bytes go through and are counted; nothing goes back."""

    def __init__(self, device: BinaryIO) -> None:
        self._device = device
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        size = self._device.write(data)
        self._written += size
        return size

    def flush(self) -> None:
        if not self._device.closed:
            self._device.flush()

    def tell(self) -> int:
        return self._written


def export_lines(project: Project) -> Iterator[bytes]:
    """Yield one JSON line a call, in the order in which the calls came."""
    latest = 0
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
        for call in calls:
            document = _document(call, live.get(call.pk), reasons.get(call.pk, ""))
            yield json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _document(call: Call, live: CallAnalysis | None, reason: str) -> dict[str, Any]:
    insights = (live.insights if live else None) or {}
    document = {
        "file_name": call.file_name,
        "call_datetime": call.call_datetime.astimezone(dt.UTC).isoformat(),
        "call_datetime_source": call.call_datetime_source,
        "uploaded_at": call.uploaded_at.astimezone(dt.UTC).isoformat(),
        "analyzed_at": live.completed_at.astimezone(dt.UTC).isoformat()
        if live and live.completed_at
        else None,
        "duration_seconds": _seconds(live.file.duration_us if live else None),
        "agent_id": call.agent.external_id if call.agent else "",
        "agent_name": call.agent.name if call.agent else "",
        "agent_source": call.agent_source,
        "direction": call.direction,
        "caller_number": call.caller_number,
        "campaign": call.campaign,
        "sentiment": insights.get("sentiment"),
        "topic": insights.get("topic") or "",
        "contact_reason": reason,
        "goal_reached": insights.get("goal_reached"),
        "copc": _copc(live.copc) if live else None,
        "no_protocol": live.no_protocol if live else None,
        "custom_questions": live.custom_questions if live else None,
    }
    if live and live.insights is not None:
        document["insights"] = {name: value for name, value in insights.items() if name not in INSIGHT_FIELDS}
    return document


def _copc(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """Leave out what an import computes anew: the totals and the rubric's version in this project."""
    if stored is None:
        return None
    kept: dict[str, Any] = {"criterion_scores": stored.get("criterion_scores") or []}
    if stored.get("on_critical_error"):
        kept["on_critical_error"] = stored["on_critical_error"]
    if stored.get("not_evaluated"):
        kept["not_evaluated"] = stored["not_evaluated"]
    return kept


def _seconds(duration_us: int | None) -> int | float | None:
    if duration_us is None:
        return None
    whole, rest = divmod(duration_us, MICROSECONDS)
    return whole if not rest else duration_us / MICROSECONDS
