"""A migrated database and a data folder, made once a run and for every test that begins with one.

Next to them lies which files hold tests for both databases, so that the second run reads no others.
To make a migrated database takes 3 s of computing. The processes of a run share what is made in
the folder CALLSCOPE_TEST_PREPARED; a process without that setting makes its own. Nobody
may change what is here: it is copied.
"""

import atexit
import functools
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from callscope.processes.file_lock import FileLock

FOLDER = "CALLSCOPE_TEST_PREPARED"
DATABASE = "callscope.sqlite3"
MIGRATE = "import django; django.setup(); from callscope.db import migrating; migrating.apply_migrations()"


def make_folder() -> Path:
    """Make a folder for a run, which ends with this process, as do the databases named in it."""
    folder = Path(tempfile.mkdtemp(prefix="callscope-prepared-"))
    atexit.register(_remove, folder)
    return folder


@functools.cache
def _folder() -> Path:
    named = os.environ.get(FOLDER)
    return Path(named) if named else make_folder()


def sqlite_database() -> Path:
    """Return a migrated SQLite database without a row of ours."""
    made = _folder() / "migrated"
    with FileLock(_folder() / ".lock"):
        if not made.exists():
            new = _folder() / "new"
            new.mkdir()
            _run(new, f"sqlite:///{new / DATABASE}", "-c", MIGRATE)
            new.rename(made)
    return made / DATABASE


def postgres_database(server_url: str) -> str:
    """Return the name of a migrated database on this server, for CREATE DATABASE … TEMPLATE."""
    named = _folder() / "postgres"
    with FileLock(_folder() / ".lock"):
        if not named.exists():
            name = f"callscope_prepared_{secrets.token_hex(4)}"
            _administer(server_url, f"CREATE DATABASE {name}")
            (_folder() / "postgres.urls").write_text(f"{server_url} {name}\n")
            url = f"{server_url.rpartition('/')[0]}/{name}"
            _run(_folder() / "nothing", url, "-c", MIGRATE)
            named.write_text(name)
    return named.read_text()


def data_folder() -> Path:
    """Return a data folder as `callscope init` leaves it."""
    database = sqlite_database()
    made = _folder() / "initialised"
    with FileLock(_folder() / ".lock"):
        if not made.exists():
            new = _folder() / "new"
            new.mkdir(mode=0o700)
            shutil.copy(database, new)
            _run(new, f"sqlite:///{new / DATABASE}", "-m", "callscope", "init")
            new.rename(made)
    return made


def make_once(name: str, fill: Callable[[Path], object]) -> Path:
    """Return the folder of this name, which the first process of a run that asks for it fills."""
    made = _folder() / name
    with FileLock(_folder() / f".{name}.lock"):
        if not made.exists():
            new = _folder() / f"new-{name}"
            new.mkdir()
            fill(new)
            new.rename(made)
    return made


def name_files(paths: list[str]) -> None:
    """Keep which files hold tests for both databases; each worker of a run finds the same ones."""
    new = _folder() / f"files-{os.getpid()}"
    new.write_text("\n".join(paths))
    new.replace(_folder() / "files")


def named_files() -> list[str]:
    """Return the files that were named, none before a run got so far."""
    named = _folder() / "files"
    return named.read_text().splitlines() if named.exists() else []


def _run(folder: Path, url: str, *arguments: str) -> None:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CALLSCOPE_", "DJANGO_"))}
    own = {"CALLSCOPE_DATA_DIR": str(folder), "CALLSCOPE_DATABASE_URL": url}
    if arguments[0] == "-c":
        own |= {"DJANGO_SETTINGS_MODULE": "callscope.settings", "CALLSCOPE_SECRET_KEY": secrets.token_hex(32)}
    done = subprocess.run(
        [sys.executable, *arguments], env={**kept, **own}, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr


def _administer(server_url: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(statement)


def _remove(folder: Path) -> None:
    urls = folder / "postgres.urls"
    for line in urls.read_text().splitlines() if urls.exists() else ():
        server_url, name = line.split()
        _administer(server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    shutil.rmtree(folder, ignore_errors=True)
