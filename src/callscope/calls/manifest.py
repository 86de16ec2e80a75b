"""Apply a manifest to the calls of a project; keep the rows whose files are still to come.

Matching: the exact file name first, then the name without extension whatever
its case. Blank cells clear nothing. Rules: docs/api.md, "The manifest".
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from django.db import connection

from callscope.calls import agents, metadata
from callscope.calls.manifest_file import BadRow, Row
from callscope.calls.metadata import Values
from callscope.calls.models import Call, ManifestRow
from callscope.calls.names import stem
from callscope.projects.models import Project

BATCH = 500  # rows matched and written together; keeps memory flat and statements short

# Django's bulk_update builds one CASE of all rows and columns: seconds for a large manifest.
_UPDATE_CALLS = (
    f"UPDATE calls_call SET {', '.join(f'{name} = %s' for name in metadata.WRITTEN_COLUMNS)} WHERE id = %s"  # noqa: S608
)


@dataclass(slots=True)
class Result:
    """What became of the rows."""

    matched: int = 0
    unmatched: list[str] = field(default_factory=list)  # names kept for files to come, each once
    errors: list[str] = field(default_factory=list)


def apply(
    project: Project, rows: Iterable[Row | BadRow], *, now: dt.datetime, changed: Callable[[list[int]], None]
) -> Result:
    """Write the rows into the project's calls, in their order, a batch at a time.

    `changed` is called with the ids of the calls of each batch. The caller
    holds the project's row, so that no upload comes between matching and keeping.
    """
    result = Result()
    directory = agents.Directory(project)
    kept: dict[str, None] = {}
    for batch in _batches(rows):
        wrong = [row for row in batch if isinstance(row, BadRow)]
        good = [row for row in batch if isinstance(row, Row)]
        ids, waiting = _apply_batch(project, good, directory, result, wrong)
        result.errors += [str(row) for row in sorted(wrong, key=lambda row: row.number)]
        _keep(project, waiting, now)
        kept.update(dict.fromkeys(row.file_name for row in waiting))
        if ids:
            changed(ids)
    result.unmatched = list(kept)
    return result


def take_waiting(project: Project, file_name: str) -> Values:
    """Return the values that wait for a file of this name, and keep them no longer.

    Call it in the transaction that writes the file's call, holding the project's row.
    """
    rows = ManifestRow.objects.filter(project=project, file_name=file_name)
    found = list(rows) or list(
        ManifestRow.objects.filter(project=project, name_stem=stem(file_name)).order_by("updated_at", "pk")
    )
    values: Values = {}
    for row in found:
        values.update(_from_json(row.values))
    ManifestRow.objects.filter(pk__in=[row.pk for row in found]).delete()
    return values


def _batches(rows: Iterable[Row | BadRow]) -> Iterator[list[Row | BadRow]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _apply_batch(
    project: Project,
    rows: list[Row],
    directory: agents.Directory,
    result: Result,
    wrong: list[BadRow],
) -> tuple[list[int], list[Row]]:
    """Return the ids of the calls that were written, and the rows without a file; add to the wrong ones."""
    matches = _match(project, rows)
    calls = {
        call.pk: call
        for call in Call.objects.select_for_update(no_key=True)
        .filter(pk__in={ids[0] for ids in matches.values() if len(ids) == 1})
        .order_by("pk")
    }
    directory.preload([_agent_of(row) for row in rows if row.number in matches])
    waiting: list[Row] = []
    written: dict[int, Call] = {}
    for row in rows:
        ids = matches.get(row.number, [])
        if len(ids) > 1:
            wrong.append(BadRow(row.number, row.file_name, _ambiguous(ids)))
        elif not ids or ids[0] not in calls:
            waiting.append(row)
        else:
            call = calls[ids[0]]
            if metadata.apply(call, row.values, source=Call.DatetimeSource.MANIFEST, directory=directory):
                written[call.pk] = call
            result.matched += 1
    _write(list(written.values()))
    return list(written), waiting


def _match(project: Project, rows: list[Row]) -> dict[int, list[int]]:
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


def _ambiguous(ids: list[int]) -> str:
    names = sorted(Call.objects.filter(pk__in=ids[:20]).values_list("file_name", flat=True))
    more = f" and {len(ids) - len(names)} more" if len(ids) > len(names) else ""
    return f"matches several files: {', '.join(names)}{more}"


def _agent_of(row: Row) -> tuple[str, str]:
    return str(row.values.get("agent_id", "")), str(row.values.get("agent_name", ""))


def _write(calls: list[Call]) -> None:
    if not calls:
        return
    adapt = connection.ops.adapt_datetimefield_value
    rows = []
    for call in calls:
        values = [getattr(call, name) for name in metadata.WRITTEN_COLUMNS]
        rows.append([adapt(v) if isinstance(v, dt.datetime) else v for v in values] + [call.pk])
    with connection.cursor() as cursor:
        cursor.executemany(_UPDATE_CALLS, rows)


def _keep(project: Project, rows: list[Row], now: dt.datetime) -> None:
    """Store the rows; a row that waits already for the same name keeps what the newer one leaves blank."""
    if not rows:
        return
    merged: dict[str, dict[str, str]] = dict(
        ManifestRow.objects.filter(
            project=project, file_name__in={row.file_name for row in rows}
        ).values_list("file_name", "values")
    )
    for row in rows:
        merged[row.file_name] = {**merged.get(row.file_name, {}), **_as_json(row.values)}
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


def _as_json(values: Values) -> dict[str, str]:
    return {n: v.isoformat() if isinstance(v, dt.datetime) else v for n, v in values.items()}


def _from_json(values: dict[str, str]) -> Values:
    return {n: dt.datetime.fromisoformat(v) if n == "call_datetime" else v for n, v in values.items()}
