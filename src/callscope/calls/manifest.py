"""Apply a manifest to the calls of a project; keep the rows whose files are still to come.

Matching: the exact file name first, then the name without extension whatever
its case. Blank cells clear nothing. Rows that a later one names again are
listed. Rules: docs/api.md, "The manifest".
"""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from django.db import connection

from callscope.calls import agents, metadata
from callscope.calls.fields import FIELDS
from callscope.calls.manifest_file import BadRow, Row
from callscope.calls.metadata import Values
from callscope.calls.models import Call, ManifestRow
from callscope.calls.names import stem
from callscope.messages.message import Message
from callscope.projects.models import Project

# Rows that are matched and written together: memory stays flat, statements short, and other writers
# wait for one batch and never for a whole manifest.
BATCH = 500

# Django's bulk_update builds one CASE of all rows and columns: seconds for a large manifest.
_UPDATE_CALLS = (
    f"UPDATE calls_call SET {', '.join(f'{name} = %s' for name in metadata.WRITTEN_COLUMNS)} WHERE id = %s"  # noqa: S608
)


# What rows are about: the id of a call, or the name of a file that is still to come.
Target = int | str


@dataclass(slots=True)
class ManifestResult:
    """What became of the rows."""

    matched: int = 0  # rows
    unmatched: list[str] = field(default_factory=list)  # names kept for files to come, each once
    errors: list[str] = field(default_factory=list)  # as English text: there may be one for each row
    repeated: list[str] = field(default_factory=list)  # as these: applied, then a later row named the file
    unknown_columns: dict[str, str] | None = None  # → the known one that may be meant; None: nobody asked


@dataclass(slots=True)
class WrittenBatch:
    """What became of the rows of one batch."""

    named: list[tuple[Target, Row]] = field(default_factory=list)  # in the order of the rows
    bad: list[BadRow] = field(default_factory=list)


def apply_rows(
    rows: Iterable[Row | BadRow],
    *,
    now: dt.datetime,
    on_said_agents: Callable[[list[int]], None],
    on_changed: Callable[[list[int]], None],
    in_project: Callable[[Callable[[Project], WrittenBatch]], WrittenBatch],
) -> ManifestResult:
    """Write the rows into a project's calls, in their order, a batch at a time.

    `in_project` runs a batch in a transaction that holds the project's row, so that no upload
    comes between matching and keeping; it may run it again after a deadlock. Rows are read
    between the transactions: nobody waits for a file to be parsed. `on_changed` is called
    with the ids of the calls of each batch; before it, `on_said_agents` with those whose rows name an agent,
    though it may be the one that they have.
    """
    last: dict[Target, tuple[int, str]] = {}  # the number of its last row, and the name there
    result = ManifestResult()
    repeated: list[BadRow] = []
    rest = iter(rows)
    while batch := list(islice(rest, BATCH)):

        def write(project: Project, batch: list[Row | BadRow] = batch) -> WrittenBatch:
            return _write_batch(project, batch, now=now, on_said_agents=on_said_agents, on_changed=on_changed)

        written = in_project(write)
        result.matched += sum(isinstance(target, int) for target, _ in written.named)
        result.errors += [str(row.message) for row in sorted(written.bad, key=lambda row: row.number)]
        repeated += _find_repeated(written.named, last)
    result.unmatched = [target for target in last if isinstance(target, str)]
    result.repeated = [str(row.message) for row in sorted(repeated, key=lambda row: row.number)]
    return result


def _find_repeated(named: list[tuple[Target, Row]], last: dict[Target, tuple[int, str]]) -> list[BadRow]:
    """Return the earlier rows, of this batch or one before, whose file a later row names again.

    Keep in `last` which row names each file last.
    """
    repeated = []
    for target, row in named:
        if earlier := last.get(target):
            repeated.append(BadRow(*earlier, Message("row_named_again", number=row.number)))
        last[target] = row.number, row.file_name
    return repeated


def _write_batch(
    project: Project,
    batch: list[Row | BadRow],
    *,
    now: dt.datetime,
    on_said_agents: Callable[[list[int]], None],
    on_changed: Callable[[list[int]], None],
) -> WrittenBatch:
    written = WrittenBatch(bad=[row for row in batch if isinstance(row, BadRow)])
    good = [row for row in batch if isinstance(row, Row)]
    changed_ids, said_ids = _apply_batch(project, good, agents.AgentResolver(project), written)
    _store_waiting(project, [row for target, row in written.named if isinstance(target, str)], now)
    if said_ids:
        on_said_agents(said_ids)
    if changed_ids:
        on_changed(changed_ids)
    return written


def take_waiting_values(project: Project, file_name: str) -> Values:
    """Return the values that wait for a file of this name, and keep them no longer.

    Call it in the transaction that writes the file's call, holding the project's row.
    """
    waiting = ManifestRow.objects.filter(project=project)
    rows = list(waiting.filter(file_name=file_name)) or list(
        waiting.filter(name_stem=stem(file_name)).order_by("updated_at", "pk")
    )
    values: Values = {}
    for row in rows:
        for name, text in row.values.items():
            values[name] = dt.datetime.fromisoformat(text) if FIELDS[name].kind == "moment" else text
    ManifestRow.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return values


def _apply_batch(
    project: Project,
    rows: list[Row],
    resolver: agents.AgentResolver,
    written: WrittenBatch,
) -> tuple[list[int], list[int]]:
    """Return the calls that were written and those whose agents were said.

    Add to `written` what each row is about, or that it may mean several files.
    """
    matches = _match_rows(project, rows)
    calls = {
        call.pk: call
        for call in Call.objects.select_for_update(no_key=True)
        .filter(pk__in={ids[0] for ids in matches.values() if len(ids) == 1})
        .order_by("pk")
    }
    matched = [row.values for row in rows if row.number in matches]
    resolver.preload([(str(v.get("agent_id", "")), str(v.get("agent_name", ""))) for v in matched])
    changed: dict[int, Call] = {}
    said: dict[int, None] = {}
    for row in rows:
        ids = matches.get(row.number, [])
        if len(ids) > 1:
            written.bad.append(BadRow(row.number, row.file_name, _ambiguity(ids)))
        elif not ids or ids[0] not in calls:
            written.named.append((row.file_name, row))
        else:
            call = calls[ids[0]]
            if metadata.says_agent(call, row.values):
                said[call.pk] = None
            if metadata.apply_values(
                call, row.values, source=Call.DatetimeSource.MANIFEST, resolver=resolver
            ):
                changed[call.pk] = call
            written.named.append((call.pk, row))
    _update_calls(list(changed.values()))
    return list(changed), list(said)


def _match_rows(project: Project, rows: list[Row]) -> dict[int, list[int]]:
    """Return row number → ids of the calls that the row may mean; rows without any are left out."""
    own = Call.objects.filter(project=project)
    exact = dict(own.filter(file_name__in={row.file_name for row in rows}).values_list("file_name", "pk"))
    stems = {stem(row.file_name) for row in rows if row.file_name not in exact}
    by_stem: dict[str, list[int]] = {}
    for name_stem, pk in own.filter(name_stem__in=stems).order_by("pk").values_list("name_stem", "pk"):
        by_stem.setdefault(name_stem, []).append(pk)
    matches: dict[int, list[int]] = {}
    for row in rows:
        ids = [exact[row.file_name]] if row.file_name in exact else by_stem.get(stem(row.file_name), [])
        if ids:
            matches[row.number] = ids
    return matches


def _ambiguity(ids: list[int]) -> Message:
    names = sorted(Call.objects.filter(pk__in=ids[:20]).values_list("file_name", flat=True))
    if len(ids) > len(names):
        return Message("ambiguous_files", files=", ".join(names), count=len(ids) - len(names))
    return Message("ambiguous_file", files=", ".join(names))


def _update_calls(calls: list[Call]) -> None:
    if not calls:
        return
    adapt = connection.ops.adapt_datetimefield_value
    rows = []
    for call in calls:
        values = [getattr(call, name) for name in metadata.WRITTEN_COLUMNS]
        rows.append([adapt(v) if isinstance(v, dt.datetime) else v for v in values] + [call.pk])
    with connection.cursor() as cursor:
        cursor.executemany(_UPDATE_CALLS, rows)


def _store_waiting(project: Project, rows: list[Row], now: dt.datetime) -> None:
    """Store the rows; a row that waits already for the same name keeps what the newer one leaves blank."""
    if not rows:
        return
    merged: dict[str, dict[str, str]] = dict(
        ManifestRow.objects.filter(
            project=project, file_name__in={row.file_name for row in rows}
        ).values_list("file_name", "values")
    )
    for row in rows:
        texts = {n: v.isoformat() if isinstance(v, dt.datetime) else v for n, v in row.values.items()}
        merged[row.file_name] = {**merged.get(row.file_name, {}), **texts}
    ManifestRow.objects.bulk_create(
        [
            ManifestRow(
                project=project, file_name=name, name_stem=stem(name), values=merged[name], updated_at=now
            )
            for name in dict.fromkeys(row.file_name for row in rows)
        ],
        update_conflicts=True,
        unique_fields=["project", "file_name"],
        update_fields=["values", "updated_at"],
    )
