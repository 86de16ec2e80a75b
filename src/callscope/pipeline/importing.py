"""Import analysed calls from another system, line by line, in batches.

Format and rules: docs/api.md, "Import and export". A wrong line is reported and
skipped. A line is the whole call, known by its file name: the same line again
changes nothing; another one replaces what was known, and where its results
differ, the former ones are kept as a re-upload keeps them.
"""

import datetime as dt
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from django.db import transaction
from django.utils import timezone

from callscope.accounts.models import User
from callscope.calls import bulk_rows
from callscope.calls.models import Call
from callscope.pipeline.import_again import replace
from callscope.pipeline.import_batches import Batch, Line, PreparedCall, prepared
from callscope.pipeline.import_lines import Rules, parse_line
from callscope.pipeline.import_new import create
from callscope.pipeline.import_parts import Marks
from callscope.pipeline.import_run import ImportRun
from callscope.projects.configuration import Rubric
from callscope.projects.models import Project
from callscope.reports import facts, fold
from callscope.reports.scores import Criterion

BATCH_LINES = 1000
BATCH_BYTES = 16 * 1024 * 1024
CALLS_A_FOLD = 50_000
MAX_LINE_BYTES = 8 * 1024 * 1024
GZIP_MAGIC = b"\x1f\x8b"


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
    rubric = project.configuration.rubric
    rules = Rules(rubric.on_critical_error, timezone.get_default_timezone(), _marks(rubric))
    writer = _Writer(ImportRun(project, by, now or timezone.now()), rules, result)
    with bulk_rows.room_for_many():
        for lines, batch in prepared(_batches(_numbered_lines(file, result)), rules):
            writer.take_in({n: raw for n, raw in lines if isinstance(raw, bytes)}, batch)
            if on_batch:
                on_batch(result)
        fold.fold_all()
    return result


def _marks(rubric: Rubric) -> Marks:
    """Return what the rubric says of its critical criteria, for lines that do not say it."""
    marks: dict[str, dict[str, object]] = {}
    for _, criterion in rubric.criteria():
        if criterion.critical:
            marks[criterion.id] = {"critical": True}
        if criterion.critical_class:
            marks.setdefault(criterion.id, {})["critical_class"] = criterion.critical_class
    return marks


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Group lines, within bounds of number and size."""
    batch: list[Line] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line[1])
        if len(batch) >= BATCH_LINES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _numbered_lines(file: BinaryIO, result: ImportResult) -> Iterator[Line]:
    """Yield (number from 1, line) for lines that are not blank; what cannot be read is told instead."""
    number = 0
    try:
        stream = _unpacked(file)
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                while raw and not raw.endswith(b"\n"):
                    raw = stream.readline(MAX_LINE_BYTES)
                yield number, f"is longer than {MAX_LINE_BYTES} bytes"
                continue
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if raw.strip():
                yield number, raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        result.is_cut_off = True
        yield number + 1, f"cannot be read, the compressed file is damaged: {error}"


def _unpacked(file: BinaryIO) -> BinaryIO:
    if isinstance(file, io.BufferedReader):  # perhaps a pipe, which cannot go back
        head = file.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)]
    else:
        head = file.read(len(GZIP_MAGIC))
        file.seek(0)
    return gzip.GzipFile(fileobj=file) if head == GZIP_MAGIC else file  # type: ignore[return-value]


class _Writer:
    """Writes batches of lines, each in a transaction."""

    def __init__(self, run: ImportRun, rules: Rules, result: ImportResult) -> None:
        self.run = run
        self.rules = rules
        self.result = result
        self.unfolded = 0  # calls

    def take_in(self, lines: dict[int, bytes], batch: Batch) -> None:
        """Write the calls of a batch; `lines` holds its lines by number."""
        waiting: dict[str, PreparedCall] = {}
        for call in batch.calls:
            if isinstance(call, str):
                self.result.errors.append(call)
                continue
            if call.file_name in waiting:  # a second line of one call follows the first
                self._write(waiting, lines, batch.criteria)
                waiting = {}
            waiting[call.file_name] = call
        self._write(waiting, lines, batch.criteria)

    def _write(
        self, waiting: dict[str, PreparedCall], lines: dict[int, bytes], criteria: list[Criterion]
    ) -> None:
        if not waiting:
            return
        with transaction.atomic():
            # As every writer of calls does: an upload of the same name waits, or is seen.
            Project.objects.select_for_update(no_key=True).get(pk=self.run.project.pk)
            known = {
                call.file_name: call
                for call in Call.objects.select_for_update().filter(
                    project=self.run.project, file_name__in=waiting
                )
            }
            self.run.directory.preload([(call.agent_id, call.agent_name) for call in waiting.values()])
            self.run.learn_reasons(call.contact_reason for call in waiting.values())
            new = [call for name, call in waiting.items() if name not in known]
            create(self.run, new, criteria)
            again = [
                (parse_line(lines[line.number], self.rules), known[name])
                for name, line in waiting.items()
                if name in known
            ]
            changed = replace(self.run, again)
            facts.refresh(changed)
        self.result.created += len(new)
        self.result.replaced += len(again)
        self.result.unchanged += len(again) - len(changed)
        self._fold_now_and_then(len(new) + len(changed))

    def _fold_now_and_then(self, calls: int) -> None:
        """Keep the journal of the report store short while no worker runs."""
        self.unfolded += calls
        if self.unfolded >= CALLS_A_FOLD:
            self.unfolded = 0
            fold.fold_all()
