"""`callscope init`: the data folder, the secret key and the tables."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from callscope.interfaces.cli.runtime import startup
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes import atomic_file
from callscope.processes.file_lock import FileLock

if TYPE_CHECKING:
    from callscope.environment import Environment

FOLDERS = ("incoming", "recordings")
OUR_FILES = (
    "secret_key",
    "callscope.sqlite3",
)  # a folder with one of these is ours, so its mode may be changed
MIGRATION_LOCK = 0x63616C6C  # number of the PostgreSQL advisory lock: "call"


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    command(app, "init", django=False)(init)


def init() -> CommandResult:
    """Create the data folder, the secret key and the tables. Safe to repeat."""
    from callscope.environment import Environment

    environment = Environment.read()
    prepare_folder(environment)
    startup.start_django(database=False)
    migrate(environment)
    document = {"data_dir": str(environment.data_dir), "database": startup.describe_database()}
    return CommandResult(document, f"Ready: data in {document['data_dir']}, database {document['database']}.")


def prepare_folder(environment: "Environment") -> None:
    """Create the data folder (mode 0700) with its subfolders and the secret key (0600). Raise Failure."""
    folder = environment.data_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not any(folder.iterdir()) or any((folder / name).exists() for name in OUR_FILES):
            folder.chmod(0o700)
        for name in FOLDERS:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        for path in folder.glob("*.sqlite3*"):  # made before by a version that left this to the umask
            path.chmod(0o600)
        if not environment.secret_key:
            atomic_file.write_once(folder / "secret_key", f"{secrets.token_urlsafe(48)}\n".encode())
    except OSError as error:
        verb = "used" if folder.is_dir() else "created"
        raise Failure(f"The data folder {folder} cannot be {verb}: {error.strerror}.") from None


def migrate(environment: "Environment") -> None:
    """Migrate the tables to this version; if several processes do so at once, one works and the others wait.

    If this version stores other report aggregates they are rebuilt too, or the first report would wait.
    Raise Failure for a database that a newer version has migrated, and for an empty one without UTF-8.
    """
    from callscope.db import schema_version
    from callscope.db.migrating import apply_migrations
    from callscope.reports.store import version

    with _one_at_a_time(environment.data_dir / ".init.lock"):
        try:
            schema_version.require_no_newer_schema(startup.describe_database())
        except schema_version.NewerDatabase as error:
            raise Failure(str(error)) from None
        encoding = schema_version.find_wrong_encoding()
        if encoding and schema_version.read_schema_state().is_empty:
            place = startup.describe_database()
            raise Failure(
                f"The database {place} stores text as {encoding}, not as UTF8. {schema_version.UTF8_ADVICE}"
            )
        apply_migrations()
        version.ensure_current()


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    from django.db import connection

    with FileLock(lock):
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
