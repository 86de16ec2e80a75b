"""`callscope backup` and `callscope restore`."""

import sys
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from callscope.environment import Environment
from callscope.interfaces.cli import initialise, progress_lines, startup
from callscope.interfaces.cli.answers import Answer, Failure, command


def register(app: typer.Typer) -> None:
    command(app, "backup")(backup)
    command(app, "restore", django=False)(restore)


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to, such as callscope-backup.zip.")],
) -> Answer:
    """Write database and recordings into one file, as of one moment, while work goes on.

    The secret key is not in it: after a restore everybody signs in again; API keys stay good.
    """
    from callscope.pipeline.backup import back_up
    from callscope.pipeline.exporting import is_stdout

    if not file.absolute().parent.is_dir() or file.is_dir():
        raise Failure(f"{file}: no file can be written there.")
    result = back_up(file, say=progress_lines.show)
    progress_lines.clear()
    for key in result.missing:
        print(f"{key}: a recording that is not in storage, and so not in the backup.", file=sys.stderr)
    document = {
        "file": str(file),
        "size": result.size,
        "rows": result.rows,
        "recordings": result.recordings,
        "missing": result.missing,
    }
    text = f"{result.rows} rows and {result.recordings} recordings written to {file}."
    return Answer(document, text, is_stdout_taken=is_stdout(file))


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `callscope backup` wrote.")],
) -> Answer:
    """Restore a backup into a new place, or into an instance that `callscope init` made and nobody used.

    The file is checked whole before anything is restored.
    """
    if not file.is_file():
        raise Failure(f"{file}: not a file. `callscope backup FILE` writes one.")
    _start_anywhere(file)
    from callscope.pipeline import restore as restoring

    try:
        result = restoring.restore(file, say=progress_lines.show)
    except restoring.WrongBackup as error:
        raise Failure(str(error)) from None
    finally:
        progress_lines.clear()
    document = {"file": str(file), "rows": result.rows, "recordings": result.recordings}
    return Answer(document, f"{result.rows} rows and {result.recordings} recordings restored from {file}.")


def _start_anywhere(file: Path) -> None:
    """Start Django; make the instance where there is none: whoever restores has often lost a machine."""
    try:
        startup.start()
    except startup.NotInitialised:
        if not zipfile.is_zipfile(file):
            raise Failure(f"{file} is no backup, or it is damaged.") from None
        environment = Environment.read()
        initialise.prepare_folder(environment)
        initialise.migrate(environment)
