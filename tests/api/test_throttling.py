"""The rate limit."""

import dataclasses
import multiprocessing
import sqlite3

import pytest

from callscope.interfaces.api import throttling

pytestmark = pytest.mark.django_db


@pytest.fixture
def limit(settings, tmp_path):
    settings.DATA_DIR = tmp_path

    def set_limit(text):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, rate_limit=text)

    return set_limit


def count_in(folder, at_once, counted):
    """Count one request in a process of its own; tell the count, or 0 where it failed."""
    from django.conf import settings

    settings.DATA_DIR = folder
    at_once.wait()
    try:
        counted.put(throttling.count(7, now=1000.0, period_s=60)[0])
    except sqlite3.Error:
        counted.put(0)


class TestRateLimit:
    def test_refuses_with_429_and_says_when_to_come_back(self, as_alice, limit):
        limit("2/hour")

        codes = [as_alice.get("/api/projects/").status_code for _ in range(2)]
        refused = as_alice.get("/api/projects/")

        assert codes == [200, 200]
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["Retry-After"]) <= 3600
        assert list(refused.json()) == ["detail"]

    def test_counts_each_user_alone(self, as_alice, as_bob, limit):
        limit("1/hour")

        assert as_alice.get("/api/projects/").status_code == 200
        assert as_bob.get("/api/projects/").status_code == 200

    def test_counts_all_keys_of_a_user_together(self, as_alice, alice, limit):
        from tests.api.conftest import client_of

        limit("1/hour")
        as_alice.get("/api/projects/")

        assert client_of(alice).get("/api/projects/").status_code == 429

    def test_can_be_off(self, as_alice, limit):
        limit("off")

        assert {as_alice.get("/api/projects/").status_code for _ in range(5)} == {200}

    def test_starts_again_when_the_period_is_over(self, limit):
        limit("1/min")

        assert throttling.count(7, now=1000.0, period_s=60) == (1, 1000.0)
        assert throttling.count(7, now=1059.0, period_s=60) == (2, 1000.0)
        assert throttling.count(7, now=1060.0, period_s=60) == (1, 1060.0)

    @pytest.mark.one_database
    def test_counts_every_request_from_the_first(self, tmp_path):
        """A process that opens the file while another makes it must not let its request go uncounted."""
        processes = multiprocessing.get_context("fork")
        for attempt in range(40):
            folder = tmp_path / str(attempt)
            folder.mkdir()
            at_once, counted = processes.Barrier(6), processes.SimpleQueue()
            children = [processes.Process(target=count_in, args=(folder, at_once, counted)) for _ in range(6)]
            for child in children:
                child.start()
            for child in children:
                child.join()

            assert sorted(counted.get() for _ in children) == [1, 2, 3, 4, 5, 6]

    def test_goes_on_counting_when_an_earlier_request_counts_later(self, limit):
        limit("1/min")
        throttling.count(7, now=1000.5, period_s=60)

        assert throttling.count(7, now=1000.0, period_s=60) == (2, 1000.5)

    def test_survives_a_clock_that_was_set_back(self, limit):
        limit("1/min")
        throttling.count(7, now=5000.0, period_s=60)

        assert throttling.count(7, now=1000.0, period_s=60) == (1, 1000.0)

    def test_lets_requests_through_when_it_cannot_count(self, as_alice, limit, monkeypatch):
        def fail(*_args, **_named):
            raise sqlite3.OperationalError("database is locked")

        limit("1/hour")
        monkeypatch.setattr(throttling, "count", fail)

        assert {as_alice.get("/api/projects/").status_code for _ in range(3)} == {200}

    @pytest.mark.django_db(transaction=True)
    def test_is_counted_across_processes(self, limit, tmp_path):
        import subprocess
        import sys

        from django.db import connection

        if connection.vendor != "sqlite":
            pytest.skip("on PostgreSQL the counters are a table of the database")
        throttling.count(7, now=1000.0, period_s=60)
        code = (
            "import sqlite3, sys; f = sqlite3.connect(sys.argv[1]);"
            "f.execute('UPDATE api_requestcount SET requests = 41'); f.commit()"
        )
        subprocess.run([sys.executable, "-c", code, str(tmp_path / throttling.COUNTER_FILE)], check=True)

        assert throttling.count(7, now=1001.0, period_s=60) == (42, 1000.0)
