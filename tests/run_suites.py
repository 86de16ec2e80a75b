"""Run the test suite on SQLite and, where one answers, on PostgreSQL, both at the same time.

`make test` calls this. In strict mode (CALLSCOPE_TEST_STRICT=1, set by .ci/run)
a missing PostgreSQL, Redis, RabbitMQ or browser is a failure instead of a skip.

Each run waits where it starts, and at its end for its longest file; the other one computes meanwhile.
What the run on PostgreSQL says is shown when the one on SQLite is over.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import prepared

ROOT = Path(__file__).parent.parent
STRICT = os.environ.get("CALLSCOPE_TEST_STRICT") == "1"
POSTGRES_URL = os.environ.get("CALLSCOPE_TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
# To compile a query takes the server longer than to ask it of the few rows of a test. Tests kill processes of
# Callscope, not the server, so no commit has to wait for its disk.
FOR_SHORT_WORK = "-c jit=off -c synchronous_commit=off"
LOOK_S = 0.5  # between two looks for the names of the files for both databases


def main() -> int:
    os.environ[prepared.FOLDER] = str(prepared.make_folder())
    # What the first tests wait for is made while the workers still read the tests.
    threading.Thread(target=prepared.data_folder).start()
    print("== SQLite", flush=True)
    workers = int(os.environ.get("PYTEST_WORKERS", "2"))
    sqlite = start(workers, "not slow", {})
    if not postgres_answers():
        print(f"== PostgreSQL: skipped, none answers at {POSTGRES_URL}", flush=True)
        return sqlite.wait() or (1 if STRICT else 0)

    threading.Thread(target=prepared.postgres_database, args=[POSTGRES_URL]).start()
    with tempfile.TemporaryFile() as said:
        # It reads only the files that hold tests for both databases, which the run on SQLite finds out.
        files = [] if sys.argv[1:] else wait_for(prepared.named_files, while_running=sqlite)
        postgres = start(
            max(1, workers // 2),  # it has a quarter of the work
            "not one_database and not slow",
            {"CALLSCOPE_TEST_DATABASE_URL": POSTGRES_URL, "PGOPTIONS": FOR_SHORT_WORK},
            *files,
            output=said,
        )
        failed = sqlite.wait()
        print("== PostgreSQL", flush=True)
        show_until_the_end(postgres, said)
    return failed or postgres.returncode


def start(
    workers: int,
    marks: str,
    environment: dict[str, str],
    *arguments: str,
    output: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start pytest with what this program was given."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), *sys.argv[1:]]
    # conftest.py puts the long files first, so that no worker ends alone with one of them.
    command += ["--dist", "loadfile", "--no-loadscope-reorder", "-m", marks, *arguments]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
    )


def wait_for(find: Callable[[], list[str]], *, while_running: subprocess.Popen[bytes]) -> list[str]:
    """Return what is found first, or nothing once the process has ended without it."""
    while not (found := find()) and while_running.poll() is None:
        time.sleep(LOOK_S)
    return found


def show_until_the_end(process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
    """Print what the process has written so far, and what it writes until it ends."""
    place = 0
    while True:
        is_over = process.poll() is not None
        new = os.pread(said.fileno(), 1 << 20, place)
        place += len(new)
        sys.stdout.buffer.write(new)
        sys.stdout.flush()
        if is_over and not new:
            return
        if not new:
            time.sleep(LOOK_S)


def postgres_answers() -> bool:
    try:
        import psycopg

        psycopg.connect(POSTGRES_URL, connect_timeout=3).close()
    except Exception as error:  # any reason is a reason to skip; it is printed
        print(f"PostgreSQL: {error}", flush=True)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
