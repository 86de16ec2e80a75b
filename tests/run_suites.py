"""Run the test suite on SQLite, then on PostgreSQL where one answers.

`make test` calls this. In strict mode (CALLSCOPE_TEST_STRICT=1, set by .ci/run)
a missing PostgreSQL, Redis, RabbitMQ or browser is a failure instead of a skip.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

import prepared

ROOT = Path(__file__).parent.parent
STRICT = os.environ.get("CALLSCOPE_TEST_STRICT") == "1"
POSTGRES_URL = os.environ.get("CALLSCOPE_TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
NOTHING_COLLECTED = 5  # pytest's exit status


def main() -> int:
    workers = os.environ.get("PYTEST_WORKERS", "2")
    arguments = [sys.executable, "-m", "pytest", "-q", "-n", workers, *sys.argv[1:]]
    # conftest.py puts the long files first, so that no worker ends alone with one of them.
    arguments += ["--dist", "loadfile", "--no-loadscope-reorder"]

    os.environ[prepared.FOLDER] = str(prepared.make_folder())
    # What the first tests wait for is made while the workers still read the tests.
    threading.Thread(target=prepared.data_folder).start()
    print("== SQLite", flush=True)
    sqlite = subprocess.run([*arguments, "-m", "not slow"], cwd=ROOT, check=False).returncode
    if not postgres_answers():
        print(f"== PostgreSQL: skipped, none answers at {POSTGRES_URL}", flush=True)
        return sqlite or (1 if STRICT else 0)

    threading.Thread(target=prepared.postgres_database, args=[POSTGRES_URL]).start()
    print("== PostgreSQL", flush=True)
    environment = {**os.environ, "CALLSCOPE_TEST_DATABASE_URL": POSTGRES_URL}
    selection = ["-m", "not one_database and not slow", *([] if sys.argv[1:] else prepared.named_files())]
    postgres = subprocess.run([*arguments, *selection], cwd=ROOT, env=environment, check=False).returncode
    return sqlite or postgres


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
