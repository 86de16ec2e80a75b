"""Back up a whole instance into one file: every table as of one moment, and the recordings."""

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from callscope.calls.models import UploadedFile
from callscope.db.snapshot import snapshot
from callscope.pipeline.backup.archive import (
    ROWS_AT_ONCE,
    BackupWriter,
    ShowProgress,
    describe_instance,
    stored_models,
    table_name,
)
from callscope.processes.atomic_file import open_atomic

COMPRESSION_LEVEL = 3


@dataclass(slots=True)
class BackupResult:
    """What was written."""

    rows: int = 0
    recordings: int = 0
    size: int = 0  # bytes of the archive
    missing: list[str] = field(default_factory=list)  # keys of recordings that storage does not have


def create_backup(path: Path, *, show_progress: ShowProgress = lambda _: None) -> BackupResult:
    """Write the backup; it takes the place of a file of this name once it is complete."""
    result = BackupResult()
    with open_atomic(path) as draft:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as archive:
            writer = BackupWriter(archive)
            with snapshot(may_pause=True):
                for model in stored_models():
                    show_progress(f"table {table_name(model)}")
                    result.rows += writer.add_table(model)
                pairs = UploadedFile.objects.values_list("storage_key", "playback_key")
                keys = sorted(
                    {key for pair in pairs.iterator(chunk_size=ROWS_AT_ONCE) for key in pair if key}
                )
                instance = describe_instance()
            # Recordings never change, so their bytes need no snapshot.
            for key in keys:
                show_progress(f"recording {result.recordings + 1} of {len(keys)}")
                if writer.add_recording(key):
                    result.recordings += 1
                else:
                    result.missing.append(key)
            writer.finish(instance)
        result.size = draft.tell()
    return result
