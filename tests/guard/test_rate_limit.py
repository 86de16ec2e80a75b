"""The rate limit."""

import dataclasses
import multiprocessing
import sqlite3

import pytest
from django.test import Client

from callscope.interfaces.guard import rate_limit
from tests.api.conftest import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_alice(alice):
    return client_of(alice)


@pytest.fixture
def as_bob(bob):
    return client_of(bob)


@pytest.fixture
def browser(alice):
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def limit(settings, tmp_path):
    settings.DATA_DIR = tmp_path

    def set_limit(text):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, rate_limit=text)

    return set_limit


def count_in(folders, at_once, counted):
    """Count a request in each folder at the same time as others; tell (folder, count), 0 where it failed."""
    from django.conf import settings

    for folder in folders:
        settings.DATA_DIR = folder
        at_once.wait()
        try:
            count = rate_limit.count_request(7, now=1000.0, period_s=60)[0]
        except sqlite3.Error:
            count = 0
        counted.put((folder.name, count))


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
        limit("1/hour")
        as_alice.get("/api/projects/")

        assert client_of(alice).get("/api/projects/").status_code == 429

    def test_counts_pages_and_the_api_together(self, as_alice, browser, limit):
        limit("3/hour")

        assert browser.get("/projects/").status_code == 200
        assert browser.get("/account/").status_code == 200
        assert as_alice.get("/api/projects/").status_code == 200
        refused = browser.get("/projects/")

        assert refused.status_code == 429
        assert 1 <= int(refused["Retry-After"]) <= 3600
        assert "too many requests" in refused.content.decode()
        assert browser.get("/api/projects/").status_code == 429

    def test_answers_a_page_that_sent_json_in_json(self, browser, limit, project):
        limit("1/hour")
        browser.get("/projects/")

        refused = browser.post(f"/projects/{project.pk}/try/", "{}", content_type="application/json")

        assert refused.status_code == 429
        assert "too many requests" in refused.json()["detail"]

    @pytest.mark.parametrize(
        ("path", "weight"),
        [
            ("/calls/export.csv", rate_limit.EXPORT),
            ("/questions/export.csv", rate_limit.EXPORT),
            ("/report/agents.csv", rate_limit.EXPORT),
            ("/calls/export.xlsx", rate_limit.EXPORT),
            ("/report/agents.xlsx", rate_limit.EXPORT),
            ("/projects/{project}/try/", rate_limit.TRIAL),
            ("/calls/api/report/pdf/?start_date=x", rate_limit.PDF),
        ],
    )
    def test_counts_what_costs_more_for_more(self, browser, limit, project, path, weight):
        limit(f"{weight}/hour")

        assert browser.get(path.format(project=project.pk)).status_code != 429
        assert browser.get("/projects/").status_code == 429

    def test_lets_what_costs_more_than_a_period_through_once(self, browser, limit):
        limit("2/hour")

        assert browser.get("/calls/export.csv").status_code == 200
        assert browser.get("/calls/export.csv").status_code == 429

    def test_leaves_the_sign_in_to_its_own_limits(self, limit, alice):
        limit("1/hour")

        assert {Client().get("/login/").status_code for _ in range(3)} == {200}

    def test_can_be_off(self, as_alice, limit):
        limit("off")

        assert {as_alice.get("/api/projects/").status_code for _ in range(5)} == {200}

    def test_starts_again_when_the_period_is_over(self, limit):
        limit("1/min")

        assert rate_limit.count_request(7, now=1000.0, period_s=60) == (1, 1000.0)
        assert rate_limit.count_request(7, now=1059.0, period_s=60) == (2, 1000.0)
        assert rate_limit.count_request(7, now=1060.0, period_s=60) == (1, 1060.0)

    @pytest.mark.one_database
    def test_counts_every_request_from_the_first(self, tmp_path):
        """A process that opens the file while another makes it must not let its request go uncounted."""
        processes = multiprocessing.get_context("fork")
        folders = [tmp_path / str(attempt) for attempt in range(40)]
        for folder in folders:
            folder.mkdir()
        at_once, results = processes.Barrier(6, timeout=120), processes.SimpleQueue()
        children = [processes.Process(target=count_in, args=(folders, at_once, results)) for _ in range(6)]
        for child in children:
            child.start()
        for child in children:
            child.join()

        counted = []
        while not results.empty():
            counted.append(results.get())
        assert sorted(counted) == sorted((folder.name, count) for folder in folders for count in range(1, 7))

    def test_goes_on_counting_when_an_earlier_request_counts_later(self, limit):
        limit("1/min")
        rate_limit.count_request(7, now=1000.5, period_s=60)

        assert rate_limit.count_request(7, now=1000.0, period_s=60) == (2, 1000.5)

    def test_survives_a_clock_that_was_set_back(self, limit):
        limit("1/min")
        rate_limit.count_request(7, now=5000.0, period_s=60)

        assert rate_limit.count_request(7, now=1000.0, period_s=60) == (1, 1000.0)

    def test_lets_requests_through_when_it_cannot_count(self, as_alice, limit, monkeypatch):
        def fail(*_args, **_named):
            raise sqlite3.OperationalError("database is locked")

        limit("1/hour")
        monkeypatch.setattr(rate_limit, "count_request", fail)

        assert {as_alice.get("/api/projects/").status_code for _ in range(3)} == {200}

    @pytest.mark.django_db(transaction=True)
    def test_is_counted_across_processes(self, limit, tmp_path):
        import subprocess
        import sys

        from django.db import connection

        if connection.vendor != "sqlite":
            pytest.skip("on PostgreSQL the counters are a table of the database")
        rate_limit.count_request(7, now=1000.0, period_s=60)
        code = (
            "import sqlite3, sys; f = sqlite3.connect(sys.argv[1]);"
            "f.execute('UPDATE api_requestcount SET requests = 41'); f.commit()"
        )
        subprocess.run([sys.executable, "-c", code, str(tmp_path / rate_limit.COUNTER_FILE)], check=True)

        assert rate_limit.count_request(7, now=1001.0, period_s=60) == (42, 1000.0)
