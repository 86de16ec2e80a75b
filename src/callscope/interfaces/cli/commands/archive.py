"""`callscope backup` and `callscope restore`."""

import datetime as dt
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from callscope.interfaces.cli.commands import init
from callscope.interfaces.cli.runtime import progress, startup
from callscope.interfaces.cli.runtime.errors import Failure, NotInitialized
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.atomic_file import is_stdout
from callscope.processes.standard_streams import copy_stdin, is_stdin, output_path


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    command(app, "backup")(backup)
    command(app, "restore", django=False)(restore)


def backup(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The file to write, such as callscope-backup.zip; - for standard output."
        ),
    ],
    keep_days: Annotated[
        int | None,
        typer.Option(
            metavar="DAYS",
            min=1,
            max=36_500,
            help="When you will delete it; receipts of erasures list it until then.",
        ),
    ] = None,
) -> CommandResult:
    """Write database and recordings into one file, as of one moment, while the server runs.

    The secret key is not included: after a restore all users sign in again, and API keys stay valid.
    """
    from django.utils import timezone

    from callscope.accounts import audit
    from callscope.accounts.trail.chaining import chain_notes
    from callscope.pipeline.backup.backup import create_backup

    file = output_path(file)
    if not file.absolute().parent.is_dir() or file.is_dir():
        raise Failure(f"{file}: cannot write a file there.")
    chain_notes()
    result = create_backup(file, show_progress=progress.show_status)
    progress.clear_status()
    end = None if keep_days is None else timezone.localdate() + dt.timedelta(days=keep_days)
    audit.record(
        None,
        "backup.created",
        "instance",
        rows=result.rows,
        recordings=result.recordings,
        name=file.name,
        kept_until=end.isoformat() if end else None,
    )
    for key in result.missing:
        print(f"{key}: missing in storage, so it is not in the backup.", file=sys.stderr)
    document = {
        "file": str(file),
        "size": result.size,
        "rows": result.rows,
        "recordings": result.recordings,
        "missing": result.missing,
    }
    text = f"{result.rows} rows and {result.recordings} recordings written to {file}."
    return CommandResult(document, text, is_stdout_taken=is_stdout(file))


def restore(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A file that `callscope backup` wrote; - for standard input."),
    ],
) -> CommandResult:
    """Restore a backup into a new data folder, or into an unused instance.

    The whole file is checked before anything is restored.
    """
    if is_stdin(file):
        # A ZIP is read from its end, so it has to lie in a file.
        with tempfile.TemporaryDirectory(prefix="callscope-") as folder:
            copy = Path(folder) / "backup.zip"
            with copy.open("wb") as target:
                copy_stdin(target)
            return restore_named(copy, shown="standard input")
    return restore_named(file, shown=str(file))


def restore_named(file: Path, *, shown: str) -> CommandResult:
    """Restore a backup, which messages call `shown`."""
    if not file.is_file():
        raise Failure(f"{shown}: not a file. `callscope backup FILE` writes one.")
    try:
        startup.start_django()
    except NotInitialized:
        # A restore often follows the loss of a machine, so it creates the instance if there is none.
        if not zipfile.is_zipfile(file):
            raise Failure(f"{shown} is not a backup, or it is damaged.") from None
        from callscope.environment import Environment

        environment = Environment.read()
        init.prepare_folder(environment)
        init.migrate(environment)

    from callscope.accounts import audit
    from callscope.pipeline.backup.archive import InvalidBackup
    from callscope.pipeline.backup.restore import restore_backup

    try:
        result = restore_backup(file, show_progress=progress.show_status)
    except InvalidBackup as error:
        raise Failure(str(error).replace(str(file), shown)) from None
    finally:
        progress.clear_status()
    audit.record(None, "backup.restored", "instance", rows=result.rows, recordings=result.recordings)
    document = {"file": shown, "rows": result.rows, "recordings": result.recordings}
    return CommandResult(
        document, f"{result.rows} rows and {result.recordings} recordings restored from {shown}."
    )
