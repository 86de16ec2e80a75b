"""Restore a backup into an empty instance.

The whole archive is verified before anything is changed. The recordings are put in
place first, then all rows in one transaction, so no row is without its file.
"""

import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.core.management.color import no_style
from django.db import connection, models, transaction

from callscope.accounts.models import AuditEvent, AuditHead, User
from callscope.calls import storage
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.backup.archive import (
    RECORDINGS,
    ROWS_AT_ONCE,
    BackupReader,
    InvalidBackup,
    ShowProgress,
    stored_models,
    table_columns,
    table_name,
)
from callscope.projects.models import Project
from callscope.reports.store import facts, rebuild


@dataclass(slots=True)
class RestoreResult:
    """What was restored."""

    rows: int = 0
    recordings: int = 0


def restore_backup(path: Path, *, show_progress: ShowProgress = lambda _: None) -> RestoreResult:
    """Restore the backup into this instance. Raise InvalidBackup, after which nothing is changed."""
    require_empty()
    try:
        with zipfile.ZipFile(path) as archive:
            reader = BackupReader(archive)
            reader.verify(show_progress)
            return _restore(reader, show_progress)
    # zipfile raises NotImplementedError for a compression that it does not know.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise InvalidBackup(f"{path} is not a backup, or it is damaged: {error}.") from None


def require_empty() -> None:
    """Raise InvalidBackup unless this instance has no users, projects and files."""
    for model, name in ((User, "user"), (Project, "project"), (UploadedFile, "file")):
        count = model._default_manager.count()
        if count:
            raise InvalidBackup(
                f"This instance has {count} {name}{'' if count == 1 else 's'}. "
                "A backup is restored into an empty instance: "
                "set CALLSCOPE_DATA_DIR or CALLSCOPE_DATABASE_URL to a new place."
            )


def _restore(reader: BackupReader, show_progress: ShowProgress) -> RestoreResult:
    result = RestoreResult()
    placed: list[str] = []
    try:
        for name in reader.recordings:
            show_progress(f"recording {result.recordings + 1} of {len(reader.recordings)}")
            placed.append(_place_recording(reader, name))
            result.recordings += 1
        with transaction.atomic():
            # What this instance did before it had users; the trail that comes is whole by itself.
            AuditEvent.objects.all().delete()
            AuditHead.objects.all().delete()
            for model in stored_models():
                show_progress(f"table {table_name(model)}")
                for instances in reader.read_rows(model):
                    _insert_rows(model, instances)
                    result.rows += len(instances)
            with connection.cursor() as cursor:
                for statement in connection.ops.sequence_reset_sql(no_style(), stored_models()):
                    cursor.execute(statement)
            latest = 0
            while ids := list(
                Call.objects.filter(pk__gt=latest).order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE]
            ):
                show_progress(f"counting call {ids[-1]}")
                facts.refresh(ids)
                latest = ids[-1]
    except BaseException:
        storage.remove(placed)
        raise
    rebuild.rebuild_rollups()
    return result


def _place_recording(reader: BackupReader, name: str) -> str:
    """Write one recording into storage and return its key. Raise InvalidBackup if the key leads outside."""
    key = name.removeprefix(RECORDINGS)
    parts = key.split("/")
    if not all(parts) or any(part in (".", "..") or part.startswith(".") for part in parts) or "\\" in key:
        raise InvalidBackup(f'"{key[:100]}" is not the name of a recording.')
    if default_storage.exists(key):
        raise InvalidBackup(f"The storage already has {key}. A backup is restored into an empty one.")
    with tempfile.NamedTemporaryFile(dir=storage.incoming_folder(), delete=False) as copy:
        try:
            reader.copy_recording(name, copy)
            copy.flush()
            storage.save(Path(copy.name), key)
        except BaseException:
            Path(copy.name).unlink(missing_ok=True)
            raise
    return key


def _insert_rows(model: type[models.Model], instances: list[models.Model]) -> None:
    """Insert rows as they are; bulk_create() would put today into columns that fill themselves."""
    columns = table_columns(model)
    size = max(1, connection.ops.bulk_batch_size(columns, instances))
    manager: Any = model._base_manager
    for start in range(0, len(instances), size):
        manager._insert(instances[start : start + size], fields=columns, using=connection.alias, raw=True)
