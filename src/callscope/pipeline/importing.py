"""Import analysed calls from another system, line by line, in batches.

Format and rules: docs/api.md, "Import and export". A wrong line is reported and
skipped. A line is the whole call, known by its file name: the same line again
changes nothing; another one replaces what was known, and where its results
differ, the former ones are kept as a re-upload keeps them.
"""

import datetime as dt
import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from callscope.accounts.models import User
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls import bulk_rows
from callscope.calls.agents import Directory
from callscope.calls.models import Call, UploadedFile
from callscope.calls.names import stem
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.pipeline.import_lines import ImportedCall, parse_line
from callscope.pipeline.import_parts import WrongLine
from callscope.projects.models import Project
from callscope.reports import facts, fold

BATCH_LINES = 500
BATCHES_A_FOLD = 40  # keeps the journal of the report store short while no worker runs
MAX_LINE_BYTES = 8 * 1024 * 1024
GZIP_MAGIC = b"\x1f\x8b"
PARTS = ("copc", "no_protocol", "custom_questions", "insights")
CALL_FIELDS = (
    "newest_file",
    "call_datetime",
    "call_datetime_source",
    "agent",
    "agent_source",
    "agent_unlinked",
    "direction",
    "caller_number",
    "campaign",
    "uploaded_at",
)


class NotACallProject(Exception):
    """Only call projects hold calls; str() is one sentence."""

    def __init__(self, project: Project) -> None:
        super().__init__(f"Project {project.pk} is of type {project.type}. Calls are in call projects only.")


@dataclass(slots=True)
class ImportResult:
    """What an import did: created + replaced + errors = lines that were not blank."""

    created: int = 0
    replaced: int = 0  # lines of calls that the project had already, changed or not
    unchanged: int = 0  # those of them that said nothing new
    errors: list[str] = field(default_factory=list)
    is_cut_off: bool = False  # the file could not be read to its end

    @property
    def lines(self) -> int:
        return self.created + self.replaced + len(self.errors)


def import_calls(
    project: Project,
    file: BinaryIO,
    *,
    by: User | None = None,
    now: dt.datetime | None = None,
    on_batch: Callable[[ImportResult], None] | None = None,
) -> ImportResult:
    """Read JSON Lines, plain or gzip-compressed, into the project; each batch is one transaction.

    Raises NotACallProject.
    """
    if project.type != Project.Type.CALL:
        raise NotACallProject(project)
    result = ImportResult()
    importer = _Importer(project, by, now or timezone.now(), result)
    on_critical_error = project.configuration.rubric.on_critical_error
    for number, raw in _numbered_lines(file, result):
        try:
            importer.add(parse_line(raw, on_critical_error=on_critical_error))
        except WrongLine as error:
            result.errors.append(_told(number, error))
        if on_batch and not number % BATCH_LINES:
            on_batch(result)
    importer.flush()
    fold.fold_all()
    return result


def _numbered_lines(file: BinaryIO, result: ImportResult) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, line) for lines that are not blank; report those that are too long."""
    number = 0
    try:
        stream = _unpacked(file)
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                while raw and not raw.endswith(b"\n"):
                    raw = stream.readline(MAX_LINE_BYTES)
                result.errors.append(f"line {number}: is longer than {MAX_LINE_BYTES} bytes")
                continue
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if raw.strip():
                yield number, raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        result.errors.append(f"line {number + 1}: cannot be read, the compressed file is damaged: {error}")
        result.is_cut_off = True


def _unpacked(file: BinaryIO) -> BinaryIO:
    head = file.read(len(GZIP_MAGIC))
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if head == GZIP_MAGIC else file  # type: ignore[return-value]


def _told(number: int, error: WrongLine) -> str:
    name = f", {error.file_name}" if error.file_name else ""
    return f"line {number}{name}: {error.reason}"


class _Importer:
    """Collects lines and writes a batch of them in one transaction."""

    def __init__(self, project: Project, by: User | None, now: dt.datetime, result: ImportResult) -> None:
        self.project = project
        self.by = by
        self.now = now
        self.result = result
        self.directory = Directory(project)
        self.reasons: dict[str, int] = {}
        self.waiting: dict[str, ImportedCall] = {}
        self.batches = 0

    def add(self, line: ImportedCall) -> None:
        # A second line of one call follows the first: they never share a batch.
        if line.file_name in self.waiting or len(self.waiting) >= BATCH_LINES:
            self.flush()
        self.waiting[line.file_name] = line

    def flush(self) -> None:
        lines, self.waiting = self.waiting, {}
        if not lines:
            return
        with transaction.atomic():
            # As every writer of calls does: an upload of the same name waits, or is seen.
            Project.objects.select_for_update(no_key=True).get(pk=self.project.pk)
            known = {
                call.file_name: call
                for call in Call.objects.select_for_update().filter(project=self.project, file_name__in=lines)
            }
            self.directory.preload([(line.agent_id, line.agent_name) for line in lines.values()])
            self._read_reasons(lines.values())
            new = [line for name, line in lines.items() if name not in known]
            self._create(new)
            again = [(line, known[name]) for name, line in lines.items() if name in known]
            changed = self._replace(again)
            facts.refresh(changed)
        self.batches += 1
        if self.batches % BATCHES_A_FOLD == 0:
            fold.fold_all()
        self.result.created += len(new)
        self.result.replaced += len(again)
        self.result.unchanged += len(again) - len(changed)

    def _read_reasons(self, lines: Any) -> None:
        """Learn the ids of the contact reasons in these lines, adding rows that are missing.

        Learnt anew for each batch: a regrouping in between may have cleared some away.
        """
        self.reasons = {}
        wanted = {line.contact_reason for line in lines if line.contact_reason}
        if not wanted:
            return
        rows = [ContactReason(project=self.project, name=name) for name in sorted(wanted)]
        ContactReason.objects.bulk_create(rows, ignore_conflicts=True)
        found = ContactReason.objects.filter(project=self.project, name__in=wanted)
        found.filter(retired_at__isnull=False).update(retired_at=None)
        self.reasons.update(found.values_list("name", "pk"))

    def _create(self, lines: list[ImportedCall]) -> None:
        """Write the calls that the project does not have, with their facts."""
        if not lines:
            return
        calls = [self._call(line) for line in lines]
        bulk_rows.give_ids(Call, calls)
        files = [self._file(line, call) for line, call in zip(lines, calls, strict=True)]
        bulk_rows.give_ids(UploadedFile, files)
        for call, file in zip(calls, files, strict=True):
            call.newest_file = file
        bulk_rows.insert(Call, calls)
        bulk_rows.insert(UploadedFile, files)
        analyses = [
            self._analysis(line, call, file) for line, call, file in zip(lines, calls, files, strict=True)
        ]
        bulk_rows.insert(CallAnalysis, analyses)
        reasons = {
            call.pk: line.contact_reason
            for line, call in zip(lines, calls, strict=True)
            if line.contact_reason
        }
        bulk_rows.insert(
            CallReason, [self._reason(call, reasons[call.pk]) for call in calls if call.pk in reasons]
        )
        facts.add([analysis for analysis in analyses if analysis.is_live], reasons)

    def _call(self, line: ImportedCall) -> Call:
        call = Call(
            project=self.project,
            file_name=line.file_name,
            name_stem=stem(line.file_name),
            uploaded_at=line.uploaded_at or self.now,
        )
        self._describe(call, line)
        return call

    def _describe(self, call: Call, line: ImportedCall) -> None:
        """Write into the call, unsaved, what the line tells about it; `uploaded_at` is set before."""
        if line.call_datetime is None:
            call.call_datetime = call.uploaded_at
            call.call_datetime_source = Call.DatetimeSource.UPLOAD_TIME
        else:
            call.call_datetime = line.call_datetime
            call.call_datetime_source = line.call_datetime_source or Call.DatetimeSource.API
        call.direction = line.direction
        call.caller_number = line.caller_number
        call.campaign = line.campaign
        if line.agent_id or line.agent_name:
            call.agent = self.directory.find(line.agent_id, line.agent_name)
            call.agent_source = line.agent_source or Call.AgentSource.API
        else:
            call.agent, call.agent_source = None, ""
        call.agent_unlinked = False

    def _file(self, line: ImportedCall, call: Call) -> UploadedFile:
        ending = line.file_name.rpartition(".")[2].lower()
        return UploadedFile(
            project=self.project,
            call=call,
            uploaded_by=self.by,
            original_filename=line.file_name,
            file_type=ending if ending in ("srt", "vtt") else UploadedFile.Type.AUDIO,
            duration_us=line.duration_us,
            status=UploadedFile.Status.TRANSCRIBED,
            created_at=call.uploaded_at,
        )

    def _analysis(self, line: ImportedCall, call: Call, file: UploadedFile) -> CallAnalysis:
        results = {part: getattr(line, part) for part in PARTS}
        states = {
            f"{part}_state": None if result is None else AnalysisState.COMPLETED
            for part, result in results.items()
        }
        return CallAnalysis(
            file=file,
            call=call,
            project=self.project,
            is_live=line.has_results,
            completed_at=(line.analyzed_at or self.now) if line.has_results else None,
            provenance={"source": "import"},
            **results,
            **states,
        )

    def _reason(self, call: Call, name: str) -> CallReason:
        return CallReason(call=call, project=self.project, reason_id=self.reasons[name])

    def _replace(self, again: list[tuple[ImportedCall, Call]]) -> list[int]:
        """Bring known calls to what their lines say; return the ids of those that changed."""
        if not again:
            return []
        former = self._former(again)
        before = {call.pk: _described(call) for _, call in again}
        others = [
            (line, call) for line, call in again if _says_other_results(line, call, former.get(call.pk))
        ]
        for _, call in others:
            call.uploaded_at = self.now
        for line, call in again:
            call.uploaded_at = line.uploaded_at or call.uploaded_at
            self._describe(call, line)
        self._swap_results(others, former)
        replaced = {call.pk for _, call in others}
        moved = self._move_reasons(again, replaced)
        changed = replaced | moved | {c.pk for _, c in again if _described(c) != before[c.pk]}
        Call.objects.bulk_update([call for _, call in again if call.pk in changed], CALL_FIELDS)
        return sorted(changed)

    def _former(self, again: list[tuple[ImportedCall, Call]]) -> dict[int, CallAnalysis]:
        """Return call id → its live analysis, or its newest one where none is live."""
        rows = CallAnalysis.objects.filter(call__in=[call.pk for _, call in again]).select_related("file")
        wanted = rows.filter(Q(is_live=True) | Q(is_newest=True)).order_by("is_live")
        return {analysis.call_id: analysis for analysis in wanted}  # the live one comes last and stays

    def _swap_results(self, others: list[tuple[ImportedCall, Call]], former: dict[int, CallAnalysis]) -> None:
        """Make new files with the results of these lines; what was live is kept, superseded."""
        if not others:
            return
        files = [self._file(line, call) for line, call in others]
        UploadedFile.objects.bulk_create(files)
        superseded = []
        for (_, call), file in zip(others, files, strict=True):
            call.newest_file = file
            before = former.get(call.pk)
            if before and before.is_live:
                before.is_live, before.superseded_at = False, self.now
                before.superseded_by, before.superseded_by_file = self.by, file
                superseded.append(before)
        CallAnalysis.objects.filter(call__in=[call.pk for _, call in others], is_newest=True).update(
            is_newest=False
        )
        CallAnalysis.objects.bulk_update(
            superseded, ["is_live", "superseded_at", "superseded_by", "superseded_by_file"]
        )
        CallAnalysis.objects.bulk_create(
            [self._analysis(line, call, file) for (line, call), file in zip(others, files, strict=True)]
        )

    def _move_reasons(self, again: list[tuple[ImportedCall, Call]], replaced: set[int]) -> set[int]:
        """Bring the contact reasons to what the lines say; return the calls whose reason changed.

        New results leave nothing of the former ones: without a reason in the line, the call has none.
        """
        current = dict(
            CallReason.objects.filter(call__in=[call.pk for _, call in again]).values_list(
                "call_id", "reason_id"
            )
        )
        moved = [
            (line, call)
            for line, call in again
            if (line.contact_reason is not None or call.pk in replaced)
            and current.get(call.pk) != self.reasons.get(line.contact_reason or "")
        ]
        ids = {call.pk for _, call in moved}
        CallReason.objects.filter(call__in=ids).delete()
        CallReason.objects.bulk_create(
            [self._reason(call, line.contact_reason) for line, call in moved if line.contact_reason]
        )
        return ids


def _described(call: Call) -> tuple[Any, ...]:
    return tuple(
        getattr(call, name if name not in ("agent", "newest_file") else f"{name}_id") for name in CALL_FIELDS
    )


def _says_other_results(line: ImportedCall, call: Call, former: CallAnalysis | None) -> bool:
    """Whether the line carries results that differ from the former ones, or that are of another time."""
    if former is None:
        return True
    said = (
        (line.uploaded_at, call.uploaded_at),
        (line.analyzed_at if line.has_results else None, former.completed_at),
        (line.duration_us, former.file.duration_us),
    )
    return any(new is not None and new != old for new, old in said) or any(
        getattr(line, part) != getattr(former, part) for part in PARTS
    )
