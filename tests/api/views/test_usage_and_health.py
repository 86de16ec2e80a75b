"""GET /api/usage/, /healthz and /readyz."""

import dataclasses
import datetime as dt
from types import SimpleNamespace

import pytest
from django.utils import timezone

from callscope.pipeline.models import Job, UsageEntry
from callscope.pipeline.operation import readiness
from callscope.projects.models import Project, ProjectShare

pytestmark = pytest.mark.django_db


def enter(project, *, at=None, kind="analysis", engine="chat.example", **fields):
    entry = UsageEntry.objects.create(project=project, kind=kind, engine=engine, **fields)
    if at:
        UsageEntry.objects.filter(pk=entry.pk).update(at=at)


class TestUsage:
    def test_sums_by_day_project_and_engine(self, client, alice, project):
        client.force_login(alice)
        now = timezone.now()  # one day for all of them, even if it ends just now
        enter(project, model="m", input_tokens=100, output_tokens=5, cost_micros=1500, at=now)
        enter(project, model="m", input_tokens=50, output_tokens=5, cost_micros=500, at=now)
        enter(project, kind="transcription", engine="whisper", audio_us=90_500_000, at=now)

        answer = client.get("/api/usage/").json()

        today = timezone.localdate(now).isoformat()
        assert answer["count"] == 2
        assert answer["results"][0] == {
            "date": today,
            "project": project.pk,
            "project_name": "Service line",
            "kind": "analysis",
            "engine": "chat.example",
            "model": "m",
            "calls": 2,
            "audio_seconds": 0,
            "input_tokens": 150,
            "output_tokens": 10,
            "cost": 0.002,
        }
        assert answer["results"][1]["audio_seconds"] == 90.5
        assert answer["results"][1]["cost"] is None

    def test_covers_the_days_of_the_window(self, client, alice, project):
        client.force_login(alice)
        enter(project, at=dt.datetime(2026, 3, 31, 23, 59, 59, 999999, tzinfo=dt.UTC))
        enter(project, at=dt.datetime(2026, 4, 1, tzinfo=dt.UTC))

        answer = client.get("/api/usage/?start_date=2026-03-01&end_date=2026-03-31").json()

        assert [row["date"] for row in answer["results"]] == ["2026-03-31"]

    def test_shows_only_visible_projects(self, client, alice, bob, project):
        enter(project)
        own = Project.objects.create(name="Bob's", owner=bob)
        enter(own)
        client.force_login(bob)

        assert [r["project"] for r in client.get("/api/usage/").json()["results"]] == [own.pk]
        assert client.get(f"/api/usage/?project_id={project.pk}").status_code == 404

        ProjectShare.objects.create(project=project, user=bob)
        assert client.get(f"/api/usage/?project_id={project.pk}").json()["count"] == 1

    @pytest.mark.parametrize("query", ["project_id=x", "start_date=2026-13-01", "date_range=soon"])
    def test_names_the_parameter_that_is_wrong(self, client, alice, query):
        client.force_login(alice)

        answer = client.get(f"/api/usage/?{query}")

        assert answer.status_code == 400
        assert list(answer.json()) == [query.partition("=")[0]]

    def test_asks_for_credentials(self, client):
        assert client.get("/api/usage/").status_code == 401


def fail(*_args, **_kwargs):
    raise RuntimeError


class TestHealth:
    @pytest.fixture(autouse=True)
    def _new_process(self, monkeypatch):
        monkeypatch.setattr(readiness, "readiness", readiness.Readiness(readiness.check_readiness))

    def test_is_alive_without_credentials(self, client):
        assert client.get("/healthz").json() == {"status": "ok"}

    def test_is_ready_when_everything_answers(self, client):
        answer = client.get("/readyz")

        assert answer.status_code == 200
        assert answer.json()["checks"] == {"database": "ok", "storage": "ok", "queue": "ok"}

    def test_is_ready_without_its_broker(self, client, settings):
        settings.QUEUE_URL = "redis://127.0.0.1:1/0"

        assert client.get("/readyz").json()["checks"]["queue"] == "ok"

    def test_is_not_ready_without_its_job_table(self, client, monkeypatch):
        monkeypatch.setattr(Job.objects, "exists", fail)

        answer = client.get("/readyz")

        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert answer.json() == {
            "status": "unavailable",
            "checks": {"database": "ok", "storage": "ok", "queue": "unavailable"},
        }

    def test_asks_a_bucket_and_writes_nothing_to_it(self, client, settings, monkeypatch):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, storage_url="s3://bucket")
        asked = []
        # Without save(): writing would be an error.
        monkeypatch.setattr(readiness, "default_storage", SimpleNamespace(exists=asked.append))

        assert client.get("/readyz").json()["checks"]["storage"] == "ok"
        monkeypatch.setattr(readiness, "readiness", readiness.Readiness(readiness.check_readiness))
        monkeypatch.setattr(readiness, "default_storage", SimpleNamespace(exists=fail))

        assert client.get("/readyz").json()["checks"]["storage"] == "unavailable"
        assert asked == [readiness.MISSING_FILE]

    @pytest.mark.parametrize("path", ["/healthz", "/readyz"])
    def test_is_shown_to_a_probe_that_knows_only_the_address(self, client, settings, path):
        settings.ALLOWED_HOSTS = ["calls.example.com"]

        answer = client.get(path, headers={"host": "10.9.8.7:8000"})

        assert answer.status_code == 200
        assert "10.9.8.7" not in f"{answer.content!r}{answer.headers}"
        assert answer.headers["Cache-Control"] == "no-store"
        assert client.get("/login/", headers={"host": "10.9.8.7:8000"}).status_code == 400
        assert client.post(path, headers={"host": "10.9.8.7:8000"}).status_code == 405

    def test_is_not_ready_when_recordings_cannot_be_written(self, client, settings, tmp_path):
        blocked = tmp_path / "a file, not a folder"
        blocked.write_text("")
        storages = {**settings.STORAGES}
        storages["default"] = {**storages["default"], "OPTIONS": {"location": str(blocked)}}
        settings.STORAGES = storages

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json()["checks"]["storage"] == "unavailable"
