"""`callscope backup` and `callscope restore`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from callscope.interfaces.cli.answers import Answer, Failure, command


def register(app: typer.Typer) -> None:
    command(app, "backup")(backup)
    command(app, "restore")(restore)


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to, such as callscope-backup.zip.")],
) -> Answer:
    """Write database and recordings into one file, as of one moment, while work goes on.

    The secret key is not in it: after a restore everybody signs in again; API keys stay good.
    """
    from callscope.pipeline.backup import back_up

    if not file.absolute().parent.is_dir() or file.is_dir():
        raise Failure(f"{file}: no file can be written there.")
    result = back_up(file, say=_show)
    _show("")
    for key in result.missing:
        print(f"{key}: a recording that is not in storage, and so not in the backup.", file=sys.stderr)
    document = {
        "file": str(file),
        "size": result.size,
        "rows": result.rows,
        "recordings": result.recordings,
        "missing": result.missing,
    }
    return Answer(document, f"{result.rows} rows and {result.recordings} recordings written to {file}.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `callscope backup` wrote.")],
) -> Answer:
    """Restore a backup into an empty instance: run `callscope init` in a new place first.

    The file is checked whole before anything is changed.
    """
    from callscope.pipeline import restore as restoring

    if not file.is_file():
        raise Failure(f"{file}: not a file. `callscope backup FILE` writes one.")
    try:
        result = restoring.restore(file, say=_show)
    except restoring.WrongBackup as error:
        raise Failure(str(error)) from None
    finally:
        _show("")
    document = {"file": str(file), "rows": result.rows, "recordings": result.recordings}
    return Answer(document, f"{result.rows} rows and {result.recordings} recordings restored from {file}.")


def _show(text: str) -> None:
    """Keep one line on a terminal up to date; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
