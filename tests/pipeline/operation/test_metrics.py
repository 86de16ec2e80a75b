"""The metrics: the same from every process, in Prometheus' own form, and those of the dashboard."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest
from django.utils import timezone

from callscope.analysis import analyze
from callscope.pipeline.models import Job
from callscope.pipeline.operation import metrics, processes
from callscope.processes import counters
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import accept

ROOT = Path(__file__).parent.parent.parent.parent
DASHBOARD = ROOT / "deploy" / "grafana" / "callscope.json"
SAMPLE = re.compile(r'([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\.)*",?)+\})? (-?[0-9.e+-]+|\+Inf)')


@pytest.fixture(autouse=True)
def _nothing_counted():
    counters.take()
    yield
    counters.take()


def add_job(project, number, **values):
    return Job.objects.create(
        **{"kind": "transcribe", "queue": "asr", "run_after": timezone.now(), **values},
        project=project,
        subject_id=number,
    )


@pytest.mark.django_db
class TestMetrics:
    def test_count_jobs_by_queue_and_state(self, project):
        now = timezone.now()
        add_job(project, 1, run_after=now - dt.timedelta(seconds=90))
        add_job(project, 2, run_after=now + dt.timedelta(hours=1))
        add_job(project, 3, state="failed", queue="llm", kind="analyze")
        add_job(project, 4, state="done")

        found = metrics.collect_metrics()

        assert found['callscope_jobs{queue="asr",state="due"}'] == 1
        assert found['callscope_jobs{queue="asr",state="paused"}'] == 1
        assert found['callscope_jobs{queue="llm",state="failed"}'] == 1
        assert found['callscope_jobs{queue="default",state="due"}'] == 0
        assert 90 <= found['callscope_oldest_due_job_seconds{queue="asr"}'] < 3600

    def test_count_files_whose_analysis_failed_in_a_job_that_is_done(self, judged, monkeypatch):
        real = analyze.analyze

        def lose_insights(*arguments, **options):
            findings = real(*arguments, **options)
            findings.insights = None
            findings.errors["calls_analysis_insights"] = "Refused."
            return findings

        monkeypatch.setattr(analyze, "analyze", lose_insights)
        accept(judged)
        run_due_jobs()

        found = metrics.collect_metrics()

        assert found['callscope_jobs{queue="llm",state="failed"}'] == 0
        assert found['callscope_failed_files{kind="analyze"}'] == 1
        assert found['callscope_failed_files{kind="transcribe"}'] == 0

    def test_have_the_form_of_prometheus(self, project):
        processes.beat("worker", ["asr"])
        counters.count("callscope_requests_total", door='odd"\\door', method="GET", status="2xx")
        counters.observe("callscope_request_seconds", 0.3, door="api")
        processes.beat("worker", ["asr"])

        lines = metrics.format_metrics(metrics.collect_metrics()).splitlines()

        samples = [line for line in lines if not line.startswith("#")]
        assert [line for line in samples if not SAMPLE.fullmatch(line)] == []
        assert "# TYPE callscope_request_seconds histogram" in lines
        buckets = [line for line in samples if line.startswith("callscope_request_seconds_bucket")]
        assert [float(line.split()[-1]) for line in buckets] == sorted(
            float(line.split()[-1]) for line in buckets
        )
        assert buckets[0].startswith('callscope_request_seconds_bucket{door="api",le="0.5"}')
        assert buckets[-1] == 'callscope_request_seconds_bucket{door="api",le="+Inf"} 1'
        assert 'callscope_workers{queue="asr"} 1' in samples
        assert any(line.startswith("callscope_disk_free_bytes{") for line in samples)

    def test_are_all_described(self):
        assert all(
            kind in {"gauge", "counter", "histogram"} and text for kind, text in metrics.METRICS.values()
        )
        assert metrics.find_metric('callscope_request_seconds_bucket{le="1"}') == "callscope_request_seconds"
        assert metrics.find_metric("callscope_unknown_total") == ""


@pytest.mark.django_db
class TestReaders:
    def test_on_this_machine_need_no_token(self, client):
        answer = client.get("/metrics", headers={"host": "localhost"})

        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == metrics.CONTENT_TYPE
        assert "callscope_jobs{" in answer.content.decode()

    @pytest.mark.parametrize(
        "how",
        [
            {"REMOTE_ADDR": "192.0.2.7"},
            {"HTTP_X_FORWARDED_FOR": "192.0.2.7"},
            {"HTTP_X_FORWARDED_PROTO": "https"},
            {"HTTP_HOST": "evil.example"},
        ],
    )
    def test_from_elsewhere_get_nothing(self, client, how):
        answer = client.get("/metrics", **{"HTTP_HOST": "localhost", **how})

        assert answer.status_code == 403
        assert b"callscope_jobs" not in answer.content

    def test_with_the_token_come_from_anywhere(self, client, settings):
        import dataclasses

        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, metrics_token="t" * 20)
        there = {"REMOTE_ADDR": "192.0.2.7", "HTTP_HOST": "10.0.0.5:8000"}

        assert client.get("/metrics", **there).status_code == 401
        assert client.get("/metrics", HTTP_HOST="localhost").status_code == 401
        assert client.get("/metrics", **there, HTTP_AUTHORIZATION="Bearer wrong").status_code == 401
        assert client.get("/metrics", **there, HTTP_AUTHORIZATION="Bearer " + "t" * 20).status_code == 200

    def test_are_reported_when_the_database_is_away(self, client, monkeypatch):
        from django.db import OperationalError

        def fail():
            raise OperationalError("away")

        monkeypatch.setattr(metrics, "collect_metrics", fail)

        answer = client.get("/metrics", HTTP_HOST="localhost")

        assert answer.status_code == 503
        assert answer.headers["Retry-After"]


@pytest.mark.one_database
class TestDashboard:
    def test_asks_only_for_metrics_that_exist_and_for_all_of_them(self):
        panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
        asked = {
            metrics.find_metric(name) or name
            for panel in panels
            for target in panel["targets"]
            for name in re.findall(r"callscope_[a-z_]+", target["expr"])
        }

        assert asked == metrics.METRICS.keys()

    def test_groups_by_labels_that_exist(self):
        panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
        labels = {
            label
            for panel in panels
            for target in panel["targets"]
            for group in re.findall(r"by \(([^)]*)\)", target["expr"])
            for label in group.replace(" ", "").split(",")
        }

        assert labels <= {
            "queue", "role", "kind", "address", "door", "status", "le", "type", "outcome", "host", "version",
        }  # fmt: skip

    def test_shows_no_errors_as_none_and_not_as_no_data(self):
        [panel] = [
            each
            for each in json.loads(DASHBOARD.read_text("utf-8"))["panels"]
            if each["title"] == "Errors of the server"
        ]

        assert "or vector(0)) /" in panel["targets"][0]["expr"]

    def test_is_described_in_the_documents(self):
        page = (ROOT / "docs" / "operations.md").read_text("utf-8")

        assert "deploy/grafana/callscope.json" in page
        assert [name for name in metrics.METRICS if f"`{name}`" not in page] == []
