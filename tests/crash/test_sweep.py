"""A process dies in the middle of a retention sweep: the next completes it, and nothing is half erased."""

import datetime as dt
import os

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent
from callscope.analysis.models import CallAnalysis
from callscope.calls import erasure
from callscope.calls.models import BytesToErase, Call, UploadedFile
from callscope.pipeline.erasure import retention
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.reports.store import verify
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.crash.forked_run import SWEEPING, ForkedRun
from tests.pipeline.conftest import RUBRIC, accept, configure

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
OLD, DAYS = 7, 30  # files that are due, in portions of two; days that a project keeps them


@pytest.fixture
def run(transactional_db, project, monkeypatch):
    """A project with files that are due, one that is not, and a sweep that waits for a worker."""
    monkeypatch.setattr(retention, "FILES_AT_ONCE", 2)
    monkeypatch.setattr(regrouping, "QUIET_S", 0.0)
    configure(project, RUBRIC)
    files = [accept(project, name=f"old-{number}.srt") for number in range(OLD)]
    kept = accept(project, name="kept.srt")
    run_due_jobs()
    old = UploadedFile.objects.filter(pk__in=[file.pk for file in files])
    old.update(created_at=timezone.now() - dt.timedelta(days=DAYS + 10))
    days = {"recordings_days": DAYS, "transcripts_days": DAYS, "results_days": DAYS}
    configure(project, {**RUBRIC, "retention": days})
    jobs.enqueue(Job.Kind.RETENTION, project, project.pk)
    run = ForkedRun(project, "", None)
    run.kept = kept
    return run


def find_half_erased(project) -> list[str]:
    """Return the files of which one part is gone and another is not, and bytes that nobody knows of."""
    found = []
    marked = set(BytesToErase.objects.values_list("storage_key", flat=True))
    for file in UploadedFile.objects.filter(project=project):
        parts = {
            "call": file.call_id is not None,
            "transcript": Transcript.objects.filter(file=file).exists(),
            "results": CallAnalysis.objects.filter(file=file, completed_at__isnull=False).exists(),
            "bytes": bool(file.storage_key) and default_storage.exists(file.storage_key),
        }
        if len(set(parts.values())) > 1:
            found.append(f"{file.original_filename}: {parts}")
    named = set(UploadedFile.objects.values_list("storage_key", flat=True))
    unknown = set(default_storage.listdir("")[1]) - named - marked
    return found + [f"bytes of nobody: {key}" for key in sorted(unknown)]


class TestDeathInASweep:
    @pytest.mark.parametrize("point", SWEEPING)
    def test_is_made_good_by_the_next(self, run, point):
        run._fork(run_due_jobs, die_at=point)
        left = UploadedFile.objects.filter(project=run.project).count()
        half = find_half_erased(run.project)
        problems = audit.verify_chain().problems

        run.work()
        erasure.erase_stale(now=timezone.now() + 2 * erasure.STALE)

        assert (half, problems) == ([], [])
        assert left == (OLD + 1 if point == "sweep_rows" else OLD - 1)
        remaining = UploadedFile.objects.get(project=run.project)
        assert remaining.pk == run.kept.pk
        assert Call.objects.filter(project=run.project).count() == 1
        assert find_half_erased(run.project) == []
        assert default_storage.listdir("")[1] == [remaining.storage_key]
        assert not BytesToErase.objects.exists()
        assert verify.find_discrepancies() == []
        assert audit.verify_chain().problems == []
        events = AuditEvent.objects.filter(action=retention.ACTION)
        assert sum(event.detail["erased"]["files"] for event in events) == OLD
