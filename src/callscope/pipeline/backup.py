"""Back a whole instance up into one file: every table as of one moment, and the recordings.

The file is a ZIP archive: `database/TABLE.jsonl` (a row a line, in values that
no database owns), `recordings/KEY`, and at its end `backup.json` with the size
and SHA-256 of every other member. So a backup of SQLite restores into PostgreSQL
and the other way round. restore.py reads it.

Left out: the secret key (a stolen backup must not let anybody in; after a
restore everybody signs in again, API keys stay good), sessions, failed sign-ins
and rate counters, and the report store, which is counted anew.
"""

import base64
import datetime as dt
import decimal
import hashlib
import itertools
import json
import uuid
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connection, models
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from callscope import __version__
from callscope.calls.compressed import CompressedJSONField
from callscope.calls.models import UploadedFile
from callscope.pipeline.exporting import whole_file
from callscope.reports.snapshot import snapshot

FORMAT = 1
CONTENTS = "backup.json"
ROWS_AT_ONCE = 1000
COPY_BYTES = 1024 * 1024
COMPRESSION_LEVEL = 3
PACKAGE = "callscope."
DERIVED_OR_PASSING = ("reports", "api")  # labels of apps whose tables are counted anew or worth nothing later

Say = Callable[[str], None]


@dataclass(slots=True)
class BackupResult:
    rows: int = 0
    recordings: int = 0
    size: int = 0  # bytes of the archive
    missing: list[str] = field(default_factory=list)  # recordings that rows name and storage does not have


def back_up(path: Path, *, say: Say = lambda _: None) -> BackupResult:
    """Write the backup; a file of this name is replaced, when the new one is whole."""
    result = BackupResult()
    members: dict[str, dict[str, Any]] = {}
    with whole_file(path) as draft:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as archive:
            with snapshot():
                for model in stored_models():
                    say(f"table {table_of(model)}")
                    rows, members[member_of(model)] = _write_table(archive, model)
                    result.rows += rows
                keys = sorted(recording_keys())
                contents = _contents()
            # Recordings are never changed, so their bytes need no snapshot.
            for key in keys:
                say(f"recording {result.recordings + 1} of {len(keys)}")
                described = _write_recording(archive, key)
                if described is None:
                    result.missing.append(key)
                else:
                    members[f"recordings/{key}"] = described
                    result.recordings += 1
            archive.writestr(CONTENTS, json.dumps({**contents, "members": members}, ensure_ascii=False))
        result.size = draft.tell()
    return result


def stored_models() -> list[type[models.Model]]:
    """Return the models whose rows a backup holds, those that others point to first."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model.__module__.startswith(PACKAGE)
        and model._meta.managed
        and model._meta.app_label not in DERIVED_OR_PASSING
        and not (model._meta.auto_created and _points_outside(model))
    ]


def _points_outside(model: type[models.Model]) -> bool:
    """Whether a connecting table leads to a table that is not ours, such as Django's permissions."""
    targets = [f.related_model for f in model._meta.concrete_fields if f.is_relation]
    return any(isinstance(t, type) and not t.__module__.startswith(PACKAGE) for t in targets)


def table_of(model: type[models.Model]) -> str:
    return model._meta.label_lower


def member_of(model: type[models.Model]) -> str:
    return f"database/{table_of(model)}.jsonl"


def columns_of(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    return list(model._meta.concrete_fields)


def recording_keys() -> set[str]:
    """Return the storage keys of all recordings that rows name."""
    pairs = UploadedFile.objects.values_list("storage_key", "playback_key")
    return {key for pair in pairs.iterator(chunk_size=ROWS_AT_ONCE) for key in pair if key}


def applied_migrations() -> dict[str, list[str]]:
    """Return app → migrations, of the tables that a backup holds: what two instances must share."""
    labels = {model._meta.app_label for model in stored_models()}
    applied: dict[str, list[str]] = {label: [] for label in sorted(labels)}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        if app in labels:
            applied[app].append(name)
    return applied


def _contents() -> dict[str, Any]:
    return {
        "format": FORMAT,
        "callscope": __version__,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": applied_migrations(),
    }


def _write_table(archive: zipfile.ZipFile, model: type[models.Model]) -> tuple[int, dict[str, Any]]:
    """Write one table; return how many rows, and what the list of contents says about it."""
    names = [column.attname for column in columns_of(model)]
    rows = model._base_manager.order_by("pk").values_list(*names)
    lines = itertools.chain(
        [names], ([plain(value) for value in row] for row in rows.iterator(chunk_size=ROWS_AT_ONCE))
    )
    with archive.open(member_of(model), "w", force_zip64=True) as member:
        written, described = _write(
            member, (json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
        )
    return written - 1, described  # the first line names the columns


def _write(member: IO[bytes], parts: Iterable[bytes]) -> tuple[int, dict[str, Any]]:
    """Return how many parts there were, and the size and hash of what they made."""
    digest, size, count = hashlib.sha256(), 0, 0
    for part in parts:
        digest.update(part)
        size += len(part)
        count += 1
        member.write(part)
    return count, {"size": size, "sha256": digest.hexdigest()}


def _write_recording(archive: zipfile.ZipFile, key: str) -> dict[str, Any] | None:
    try:
        stored = default_storage.open(key)
    except FileNotFoundError:
        return None
    # Sound is compressed already, or will be by whoever keeps the backup.
    info = zipfile.ZipInfo(f"recordings/{key}", timezone.now().timetuple()[:6])
    with stored, archive.open(info, "w", force_zip64=True) as member:
        return _write(member, iter(lambda: stored.read(COPY_BYTES), b""))[1]


def plain(value: Any) -> Any:
    """Return a column's value as JSON knows it."""
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, uuid.UUID | decimal.Decimal):
        return str(value)
    return value


def restored(column: "models.Field[Any, Any]", value: Any) -> Any:
    """Return the value that plain() was given."""
    target = column.target_field if isinstance(column, models.ForeignKey) else column
    if value is None or isinstance(target, models.JSONField | CompressedJSONField):
        return value
    if isinstance(target, models.BinaryField):
        return base64.b64decode(value)
    return target.to_python(value)
