"""Restore a backup into an empty instance; see backup.py for what is in one.

The whole archive is checked before anything is changed. The recordings are put
in place first, then all rows in one transaction, so no row is without its file.
"""

import hashlib
import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.core.management.color import no_style
from django.db import connection, models, transaction

from callscope.accounts.models import User
from callscope.calls import recordings
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.backup import (
    CONTENTS,
    COPY_BYTES,
    FORMAT,
    ROWS_AT_ONCE,
    Say,
    applied_migrations,
    columns_of,
    member_of,
    restored,
    stored_models,
    table_of,
)
from callscope.projects.models import Project
from callscope.reports import facts, rebuild

LONGEST_CONTENTS = 1024 * 1024 * 1024  # bytes; a line of it is about 150


class WrongBackup(Exception):
    """The file cannot be restored here; str() is one sentence, and nothing was changed."""


@dataclass(slots=True)
class RestoreResult:
    rows: int = 0
    recordings: int = 0


def restore(path: Path, *, say: Say = lambda _: None) -> RestoreResult:
    """Bring the instance to what the backup holds. Raises WrongBackup, and then nothing is changed."""
    require_empty()
    try:
        with zipfile.ZipFile(path) as archive:
            members = _check(archive, say)
            return _restore(archive, members, say)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise WrongBackup(f"{path} is no backup, or it is damaged: {error}.") from None


def require_empty() -> None:
    """Raise WrongBackup unless this instance holds nobody and nothing."""
    for model, name in ((User, "user"), (Project, "project"), (UploadedFile, "file")):
        count = model._default_manager.count()
        if count:
            raise WrongBackup(
                f"This instance has {count} {name}{'' if count == 1 else 's'}. "
                "A backup is restored into an empty one: "
                "set CALLSCOPE_DATA_DIR or CALLSCOPE_DATABASE_URL to a new place."
            )


def _check(archive: zipfile.ZipFile, say: Say) -> list[str]:
    """Return the names of the recordings, after reading every byte of the archive. Raises WrongBackup."""
    contents = _contents(archive)
    members: dict[str, Any] = contents["members"]
    expected = {member_of(model) for model in stored_models()}
    missing = sorted(expected - members.keys())
    if missing:
        raise WrongBackup(f"The backup is not complete: it lacks {missing[0]}.")
    for number, (name, described) in enumerate(members.items(), 1):
        say(f"checking {number} of {len(members)}")
        if name not in expected and not name.startswith("recordings/"):
            raise WrongBackup(f'The backup holds "{name[:100]}", which no backup has.')
        if _measured(archive, name) != (described["size"], described["sha256"]):
            raise WrongBackup(f"The backup is damaged: {name} is not what was written.")
    return [name for name in members if name.startswith("recordings/")]


def _contents(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        if archive.getinfo(CONTENTS).file_size > LONGEST_CONTENTS:
            raise ValueError
        contents = json.loads(archive.read(CONTENTS))
        made_by = str(contents["callscope"])
        wanted: dict[str, list[str]] = contents["migrations"]
        if contents["format"] != FORMAT or not isinstance(contents["members"], dict):
            raise ValueError
    except (KeyError, TypeError, ValueError, RecursionError):
        raise WrongBackup("The file is no backup of Callscope that this version can read.") from None
    if wanted != applied_migrations():
        raise WrongBackup(
            f"The backup was made by Callscope {made_by} with other tables than these. "
            f"Restore it with that version, then upgrade and run `callscope init`."
        )
    return dict(contents)


def _measured(archive: zipfile.ZipFile, name: str) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    try:
        member = archive.open(name)
    except KeyError:
        return 0, ""
    with member:
        while part := member.read(COPY_BYTES):
            digest.update(part)
            size += len(part)
    return size, digest.hexdigest()


def _restore(archive: zipfile.ZipFile, members: list[str], say: Say) -> RestoreResult:
    result = RestoreResult()
    placed: list[str] = []
    try:
        for member in members:
            say(f"recording {result.recordings + 1} of {len(members)}")
            placed.append(_place_recording(archive, member))
            result.recordings += 1
        with transaction.atomic():
            for model in stored_models():
                say(f"table {table_of(model)}")
                result.rows += _restore_table(archive, model)
            _restart_sequences()
            _count_anew(say)
    except BaseException:
        recordings.remove(placed)
        raise
    rebuild.rebuild()
    return result


def _place_recording(archive: zipfile.ZipFile, member: str) -> str:
    """Write one recording into storage and return its key. Raises WrongBackup for a key that leads away."""
    key = member.removeprefix("recordings/")
    parts = key.split("/")
    if not all(parts) or any(part in (".", "..") or part.startswith(".") for part in parts) or "\\" in key:
        raise WrongBackup(f'"{key[:100]}" is no name of a recording.')
    if default_storage.exists(key):
        raise WrongBackup(f"The storage holds {key} already. A backup is restored into an empty one.")
    with tempfile.NamedTemporaryFile(dir=recordings.incoming_folder(), delete=False) as copy:
        try:
            with archive.open(member) as stored:
                while part := stored.read(COPY_BYTES):
                    copy.write(part)
            copy.flush()
            recordings.keep(Path(copy.name), key)
        except BaseException:
            Path(copy.name).unlink(missing_ok=True)
            raise
    return key


def _restore_table(archive: zipfile.ZipFile, model: type[models.Model]) -> int:
    columns = columns_of(model)
    names = [column.attname for column in columns]
    count = 0
    with archive.open(member_of(model)) as member:
        if json.loads(member.readline()) != names:
            raise WrongBackup(f"The backup has other columns in {table_of(model)} than this version.")
        for rows in _portions(member):
            instances = []
            for row in rows:
                values = {n: restored(c, v) for n, c, v in zip(names, columns, row, strict=True)}
                instances.append(model(**values))
            _insert(model, instances, columns)
            count += len(instances)
    return count


def _portions(member: Any) -> Iterator[list[list[Any]]]:
    rows: list[list[Any]] = []
    for line in member:
        rows.append(json.loads(line))
        if len(rows) == ROWS_AT_ONCE:
            yield rows
            rows = []
    if rows:
        yield rows


def _insert(model: type[models.Model], instances: list[models.Model], columns: list[Any]) -> None:
    """Insert rows as they are: bulk_create() would put today into columns that fill themselves."""
    size = max(1, connection.ops.bulk_batch_size(columns, instances))
    manager: Any = model._base_manager
    for start in range(0, len(instances), size):
        manager._insert(instances[start : start + size], fields=columns, using=connection.alias, raw=True)


def _restart_sequences() -> None:
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), stored_models()):
            cursor.execute(statement)


def _count_anew(say: Say) -> None:
    """Fill the report store from the restored results."""
    latest = 0
    while ids := list(
        Call.objects.filter(pk__gt=latest).order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE]
    ):
        say(f"counting call {ids[-1]}")
        facts.refresh(ids)
        latest = ids[-1]
