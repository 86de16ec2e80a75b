"""`callscope retention run`: what it counts, removes and prints."""

import datetime as dt

import pytest
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Call, UploadedFile


@pytest.fixture
def calls(callscope, project, tmp_path):
    """Two imported calls: one of last year, one of today."""
    file = tmp_path / "calls.jsonl"
    old = (timezone.now() - dt.timedelta(days=300)).isoformat()
    file.write_text(
        f'{{"file_name": "zqjx-a", "uploaded_at": "{old}", "topic": "zqjx"}}\n'
        '{"file_name": "b", "topic": "bill"}\n'
    )
    assert callscope.json("calls", "import", project.pk, file)["created"] == 2
    settings = tmp_path / "settings.yaml"
    settings.write_text("retention: {results_days: 200, transcripts_days: 30}\n")
    callscope.json("project", "configure", project.pk, settings)
    return project


class TestRun:
    def test_counts_first_and_changes_nothing(self, callscope, calls):
        found = callscope.json("retention", "run", "--dry-run")

        assert found == {
            "dry_run": True,
            "projects": [
                {"project": calls.pk, "recordings": 0, "transcripts": 1, "results": 1, "calls": 1}
                | {"reviews": 0, "notes": 0, "appeals": 0}
            ],
            "audit_events_due": 0,
        }
        assert UploadedFile.objects.count() == 2
        said = callscope("retention", "run", "--dry-run").stdout
        assert "results of 1 calls, 0 reviews, texts of 0 notes and 0 appeals; 1 calls as a whole." in said

    def test_prints_a_receipt_that_names_nobody(self, callscope, calls):
        receipt = callscope.json("retention", "run", "--project", calls.pk)

        assert receipt["what"] == "retention"
        assert (receipt["erased"]["calls"], receipt["erased"]["topics"]) == (1, 1)
        assert receipt["chain_hash"] == AuditEvent.objects.get(action="retention.applied").digest
        assert "zqjx" not in str(receipt)
        assert [call.file_name for call in Call.objects.all()] == ["b"]
        assert callscope.json("retention", "run")["erased"]["calls"] == 0

    def test_cuts_the_audit_trail_by_the_setting(self, callscope, calls, settings):
        settings.AUDIT_DAYS = 30
        AuditEvent.objects.all().delete()
        # Not written by the chain, so that it looks changed.
        AuditEvent.objects.create(
            at=timezone.now() - dt.timedelta(days=90), action="a", subject="b", number=1
        )
        assert callscope.json("retention", "run", "--dry-run")["audit_events_due"] == 1

        result = callscope("retention", "run")

        assert result.exit_code == 1
        assert "The audit trail was changed" in result.stderr
        assert AuditEvent.objects.filter(number=1).exists()

    def test_of_an_unknown_project_is_refused(self, callscope, project):
        result = callscope("retention", "run", "--project", 99999999)

        assert result.exit_code == 1
        assert "No project has the id 99999999." in result.stderr
