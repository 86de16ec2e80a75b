"""Processes state that they live, and what they counted adds up whatever happens to them."""

import datetime as dt

import pytest
from django.db import OperationalError
from django.utils import timezone

from callscope.pipeline.models import SiteProcess
from callscope.pipeline.operation import processes
from callscope.pipeline.queue import worker_identity
from callscope.processes import counters

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_counted():
    counters.take()
    yield
    counters.take()


def be(monkeypatch, name):
    monkeypatch.setattr(worker_identity, "current_identity", lambda: f"elsewhere/1/{name}")


class TestShareOfTheCores:
    @pytest.fixture(autouse=True)
    def _eight_cores(self, monkeypatch):
        monkeypatch.setattr(processes, "cores", lambda: 8)

    def be_worker(self, monkeypatch, name, queues, *, host=None):
        be(monkeypatch, name)
        processes.beat("worker", queues)
        if host:
            SiteProcess.objects.filter(identity=f"elsewhere/1/{name}").update(host=host)

    def test_is_all_of_them_for_a_worker_alone(self):
        assert processes.share_cores() == 8

    def test_is_that_of_the_workers_that_hear_on_this_machine(self, monkeypatch):
        for name in "abc":
            self.be_worker(monkeypatch, name, ["asr", "llm"])
        self.be_worker(monkeypatch, "d", ["llm"])
        self.be_worker(monkeypatch, "e", ["asr"], host="another")

        assert processes.share_cores() == 2

    def test_is_one_where_there_are_more_workers_than_cores(self, monkeypatch):
        for number in range(9):
            self.be_worker(monkeypatch, str(number), ["asr"])

        assert processes.share_cores() == 1


class TestBeat:
    def test_states_role_queues_settings_and_disk(self):
        processes.beat("worker", ["asr", "llm"])

        row = SiteProcess.objects.get(role="worker")
        assert (row.role, row.queues) == ("worker", "asr,llm")
        assert row.settings["CALLSCOPE_TIME_ZONE"] == "UTC"
        assert 0 < row.disk_free <= row.disk_size
        assert [alive.pk for alive in processes.list_alive()] == [row.pk]

    def test_is_one_row_a_process(self, monkeypatch):
        for name in ("a", "b", "a"):
            be(monkeypatch, name)
            processes.beat("web")

        assert SiteProcess.objects.filter(role="web").count() == 2

    def test_is_over_when_it_stays_away(self, monkeypatch):
        be(monkeypatch, "a")
        processes.beat("web")

        assert processes.list_alive(timezone.now() + processes.ALIVE + dt.timedelta(seconds=1)) == []

    def test_of_a_process_that_has_ended_here_is_over_at_once(self, monkeypatch):
        identity = worker_identity.current_identity().rpartition("/")[0] + "/1"
        monkeypatch.setattr(worker_identity, "current_identity", lambda: identity)

        processes.beat("worker", ["asr"])

        assert processes.list_alive() == []


class TestCounts:
    def test_of_all_processes_add_up(self, monkeypatch):
        for name, number in (("a", 2), ("b", 3), ("a", 5)):
            be(monkeypatch, name)
            counters.count("callscope_uploads_total", number, type="srt")
            processes.beat("web")

        assert processes.sum_counted() == {'callscope_uploads_total{type="srt"}': 10}

    def test_of_a_process_that_is_gone_remain_once(self, monkeypatch):
        be(monkeypatch, "a")
        counters.count("callscope_upload_bytes_total", 7)
        processes.beat("web")
        SiteProcess.objects.filter(role="web").update(seen_at=timezone.now() - 2 * processes.FOLDED)

        for name in ("b", "c"):
            be(monkeypatch, name)
            processes.beat("web")

        assert SiteProcess.objects.filter(role="web").count() == 2
        assert processes.sum_counted() == {"callscope_upload_bytes_total": 7}

    def test_of_a_process_that_was_only_frozen_are_not_counted_twice(self, monkeypatch):
        be(monkeypatch, "a")
        counters.count("callscope_upload_bytes_total", 7)
        processes.beat("web")
        SiteProcess.objects.filter(role="web").update(seen_at=timezone.now() - 2 * processes.FOLDED)
        be(monkeypatch, "b")
        processes.beat("web")

        be(monkeypatch, "a")
        counters.count("callscope_upload_bytes_total", 1)
        processes.beat("web")

        assert processes.sum_counted() == {"callscope_upload_bytes_total": 8}

    def test_that_could_not_be_stored_are_stored_the_next_time(self, monkeypatch):
        def fail(*_):
            raise OperationalError("away")

        counters.count("callscope_upload_bytes_total", 7)
        with monkeypatch.context() as away:
            away.setattr(processes, "_store", fail)
            with pytest.raises(OperationalError):
                processes.beat("web")

        processes.beat("web")

        assert processes.sum_counted() == {"callscope_upload_bytes_total": 7}
