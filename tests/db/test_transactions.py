"""Writers to SQLite take turns, whichever process they are in."""

import fcntl
import subprocess
import sys
import threading
import time

import pytest
from django.db import connection

from callscope.db.transactions import TURN_FILE, run_in_transaction

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]

HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def turn_file(settings, tmp_path):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has many writers, which take no turns")
    settings.DATA_DIR = tmp_path
    path = tmp_path / TURN_FILE
    path.parent.mkdir()
    return path


class TestTurnToWrite:
    def test_waits_for_a_writer_in_another_process_and_comes_when_that_is_killed(self, turn_file):
        done = []

        def write():
            done.append(run_in_transaction(lambda: time.monotonic()))
            connection.close()

        with subprocess.Popen(
            [sys.executable, "-c", HOLD, str(turn_file)], stdout=subprocess.PIPE, text=True
        ) as other:
            other.stdout.readline()
            writer = threading.Thread(target=write)
            writer.start()
            writer.join(0.5)
            waited = writer.is_alive()
            killed_at = time.monotonic()
            other.kill()
        writer.join(30)

        assert waited
        assert done[0] >= killed_at

    def test_ends_with_the_transaction_even_when_it_fails(self, turn_file):
        with pytest.raises(ZeroDivisionError):
            run_in_transaction(lambda: 1 / 0)

        with turn_file.open("a") as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_is_not_needed_where_files_cannot_be_locked(self, turn_file, monkeypatch):
        def refuse(*_arguments):
            raise OSError("no locks available")

        monkeypatch.setattr(fcntl, "flock", refuse)

        assert run_in_transaction(lambda: 7) == 7
