"""`callscope init`: the data folder, the secret key and the tables."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from callscope.environment import Environment
from callscope.interfaces.cli import startup
from callscope.interfaces.cli.answers import Answer, Failure, command

FOLDERS = ("incoming", "recordings")
OUR_MARKS = ("secret_key", "callscope.sqlite3")  # a folder that holds one of these is ours to close
MIGRATION_LOCK = 0x63616C6C  # number of the PostgreSQL advisory lock: "call"


def register(app: typer.Typer) -> None:
    command(app, "init", django=False)(init)


def init() -> Answer:
    """Make the data folder, the secret key and the tables; harmless to repeat."""
    environment = Environment.read()
    prepare_folder(environment)
    startup.start(database=False)
    migrate(environment)
    document = {"data_dir": str(environment.data_dir), "database": startup.shown_database()}
    return Answer(document, f"Ready: data in {document['data_dir']}, database {document['database']}.")


def prepare_folder(environment: Environment) -> None:
    """Make the data folder (mode 0700) with its sub-folders and, once, the secret key (0600)."""
    folder = environment.data_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not any(folder.iterdir()) or any((folder / mark).exists() for mark in OUR_MARKS):
            folder.chmod(0o700)
        for name in FOLDERS:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        if not environment.secret_key:
            _make_secret_key(folder / "secret_key")
    except OSError as error:
        verb = "used" if folder.is_dir() else "made"
        raise Failure(f"The data folder {folder} cannot be {verb}: {error.strerror}.") from None


def _make_secret_key(path: Path) -> None:
    """Write the key under another name and link it into place: whoever comes second keeps the first key."""
    if path.exists():
        return
    draft = path.with_name(f"secret_key.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def migrate(environment: Environment) -> None:
    """Bring the tables to this version; of several at once one works and the others wait.

    The report store follows where this version counts other sums: else the first report would wait for it.
    """
    from django.core.management import call_command

    from callscope.reports import premises

    with _one_at_a_time(environment.data_dir / ".init.lock"):
        call_command("migrate", verbosity=0, interactive=False)
        premises.ensure()


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    from django.db import connection

    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if connection.vendor != "postgresql":
            yield
            return
        # Other machines share this database, but not the lock file.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])
