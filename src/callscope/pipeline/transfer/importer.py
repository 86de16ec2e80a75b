"""Import analyzed calls from another system, line by line, in batches.

Format and rules: docs/api.md, "Import and export". A wrong line is reported and
skipped. A line is the whole call, known by its file name: the same line again
changes nothing; another one replaces what was known, and where its results
differ, the former ones are kept as a re-upload keeps them.
"""

import datetime as dt
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import BinaryIO

from django.db import connection, transaction
from django.utils import timezone

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.contact_reasons.following import lift_calls, settle_calls
from callscope.db import bulk_insert, raw_sql
from callscope.pipeline.transfer.context import ImportContext
from callscope.pipeline.transfer.decisions.writing import write_decisions
from callscope.pipeline.transfer.insert_new import insert_calls
from callscope.pipeline.transfer.line_parser import ImportedCall, Rules
from callscope.pipeline.transfer.prepare import BATCHES_AT_HOME, Batch, Line, PreparedCall, prepare_batches
from callscope.pipeline.transfer.redaction import parse_redacted
from callscope.pipeline.transfer.schema import CriterionMarks
from callscope.pipeline.transfer.update_existing import update_calls
from callscope.projects.locking import get_locked_project
from callscope.projects.models import Project
from callscope.reports.store import compaction, facts
from callscope.reports.store.scores import CriterionKey
from callscope.reviews.weak_criteria.holding import has_held

# A batch is one transaction that holds the project's row. Large ones rewrite fewer pages of the indexes; the
# first ones are short, because the process that prepares the others starts meanwhile.
BATCH_LINES = 2500
FIRST_BATCH_LINES = 1000
BATCH_BYTES = 16 * 1024 * 1024
CALLS_PER_COMPACTION = 2 * compaction.CALLS_AT_ONCE
MAX_LINE_BYTES = 8 * 1024 * 1024  # a file without line ends must not fill the memory
GZIP_MAGIC = b"\x1f\x8b"
FIND_IDS = "SELECT id FROM calls_call WHERE project_id = %s AND file_name "


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
    reviews: int = 0  # that the project did not have
    appeals: int = 0
    unknown_users: list[str] = field(default_factory=list)  # named as deciding, and without an account

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
    config = project.configuration
    rubric = config.rubric
    marks = {
        criterion.id: CriterionMarks(criterion.critical, criterion.critical_class)
        for _, criterion in rubric.criteria()
        if criterion.critical or criterion.critical_class
    }
    rules = Rules(rubric.on_critical_error, timezone.get_default_timezone(), marks, tuple(config.redact))
    writer = _Writer(ImportContext(project, by, now or timezone.now()), rules, result)
    with bulk_insert.room_for_many():
        for lines, batch in prepare_batches(_group_lines(_read_lines(file, result)), rules):
            writer.write_batch({n: raw for n, raw in lines if isinstance(raw, bytes)}, batch)
            if on_batch:
                on_batch(result)
        compaction.compact_all()
    result.reviews, result.appeals = writer.context.written_reviews, writer.context.written_appeals
    result.unknown_users = sorted(writer.context.unknown_users)
    return result


def _group_lines(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Group lines, within bounds of number and size."""
    bounds = chain(repeat(FIRST_BATCH_LINES, BATCHES_AT_HOME), repeat(BATCH_LINES))
    batch: list[Line] = []
    size, most = 0, next(bounds)
    for line in lines:
        batch.append(line)
        size += len(line[1])
        if len(batch) >= most or size >= BATCH_BYTES:
            yield batch
            batch, size, most = [], 0, next(bounds)
    if batch:
        yield batch


def _read_lines(file: BinaryIO, result: ImportResult) -> Iterator[Line]:
    """Yield (number from 1, line) for lines that are not blank; a sentence for one that cannot be read."""
    if isinstance(file, io.BufferedReader):  # perhaps a pipe, which cannot go back
        head = file.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)]
    else:
        head = file.read(len(GZIP_MAGIC))
        file.seek(0)
    number = 0
    stream: BinaryIO | gzip.GzipFile = gzip.GzipFile(fileobj=file) if head == GZIP_MAGIC else file
    try:
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                # The rest of the line is skipped in pieces, for the same reason as the limit.
                while raw and not raw.endswith(b"\n"):
                    raw = stream.readline(MAX_LINE_BYTES)
                yield number, f"is longer than {MAX_LINE_BYTES} bytes"
                continue
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if raw.strip():
                yield number, raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        # Lines before the damage stay imported, because their batches are committed.
        result.is_cut_off = True
        yield number + 1, f"cannot be read, the compressed file is damaged: {error}"


def _find_ids(project: Project, file_names: list[str]) -> list[int]:
    """Return the ids of the calls that a project has of these names.

    The names go to the database as one value: a statement with a thousand takes longer to write than to run.
    """
    if connection.vendor == "postgresql":
        rows = raw_sql.fetch_rows(FIND_IDS + "= ANY(%s::text[])", [project.pk, file_names])
    else:
        values = "IN (SELECT value FROM json_each(%s))"
        rows = raw_sql.fetch_rows(FIND_IDS + values, [project.pk, json.dumps(file_names)])
    return [pk for (pk,) in rows]


class _Writer:
    """Writes batches of lines, each in a transaction."""

    def __init__(self, context: ImportContext, rules: Rules, result: ImportResult) -> None:
        self.context = context
        self.rules = rules
        self.result = result
        self.uncompacted = 0  # calls written since the journal was last compacted

    def write_batch(self, lines: dict[int, bytes], batch: Batch) -> None:
        """Write the calls of a batch; `lines` holds its lines by number."""
        pending: dict[str, PreparedCall] = {}
        for call in batch.calls:
            if isinstance(call, str):
                self.result.errors.append(call)
                continue
            if call.file_name in pending:  # a second line of one call follows the first
                self._write(pending, lines, batch.criteria)
                pending = {}
            pending[call.file_name] = call
        self._write(pending, lines, batch.criteria)

    def _write(
        self, pending: dict[str, PreparedCall], lines: dict[int, bytes], criteria: list[CriterionKey]
    ) -> None:
        """Write these calls, by file name, in one transaction: new ones, and those that exist."""
        if not pending:
            return
        context = self.context
        with transaction.atomic():
            # As every writer of calls does: an upload of the same name waits, or is seen.
            get_locked_project(context.project.pk)
            ids = _find_ids(context.project, list(pending))
            # Lines say what calls have without reviews.
            lifted = lift_calls(ids)
            calls = Call.objects.select_for_update().filter(pk__in=ids) if ids else ()
            existing = {call.file_name: call for call in calls}
            details = [line.details for line in pending.values()]
            context.resolver.preload([(each.agent_id, each.agent_name) for each in details])
            context.load_reason_ids(line.contact_reason for line in pending.values())
            new = [line for name, line in pending.items() if name not in existing]
            insert_calls(context, new, criteria)
            # Parsed again, because a prepared line holds its results compressed, ready for an insert.
            updates = [
                (parse_redacted(lines[line.number], self.rules), existing[name])
                for name, line in pending.items()
                if name in existing
            ]
            changed = set(update_calls(context, updates))
            decided = set(write_decisions(context, [*self._list_decided(new, lines), *updates]))
            followed = changed | decided | lifted | self._list_waiting(new)
            settle_calls(followed)
            facts.refresh(sorted(followed))
            changed |= decided & {call.pk for _, call in updates}
        self.result.created += len(new)
        self.result.replaced += len(updates)
        self.result.unchanged += len(updates) - len(changed)
        self.uncompacted += len(new) + len(changed)
        if self.uncompacted >= CALLS_PER_COMPACTION:  # keeps the journal short while no worker runs
            self.uncompacted = 0
            compaction.compact_all()

    def _list_waiting(self, new: list[PreparedCall]) -> set[int]:
        """Return the new calls where the machine's answers to some criteria wait for a person."""
        if not has_held(self.context.project):
            return set()
        names = [line.file_name for line in new]
        calls = Call.objects.filter(project=self.context.project, file_name__in=names)
        return set(calls.values_list("pk", flat=True))

    def _list_decided(
        self, new: list[PreparedCall], lines: dict[int, bytes]
    ) -> list[tuple[ImportedCall, Call]]:
        """Return those of the new calls about which people decided something, with their lines."""
        decided = {line.file_name: line.number for line in new if line.has_decisions}
        calls = Call.objects.filter(project=self.context.project, file_name__in=decided).order_by("pk")
        return [
            (parse_redacted(lines[decided[call.file_name]], self.rules), call)
            for call in calls.select_related("agent")
        ]
