"""What a run has lost, and what it has made twice: every table that a file leaves a trace in is counted."""

import datetime as dt
from collections import Counter
from pathlib import Path

from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls import erasure
from callscope.calls.models import BytesToErase, Call, UploadedFile
from callscope.pipeline.models import Job, UsageEntry
from callscope.reports.store.verify import find_discrepancies
from callscope.transcription.models import Transcript
from tests.crash.crash_run import CrashRun
from tests.crash.forked_run import ForkedRun

Run = CrashRun | ForkedRun


def find_lost(run: Run) -> list[str]:
    """Return a sentence for everything that was promised and is not there."""
    kept = dict(UploadedFile.objects.filter(project=run.project).values_list("original_filename", "pk"))
    lost = [f"{name} has no row" for name in run.names if name not in kept and name not in run.erased]
    lost += [f"{name} is erased and has a row" for name in run.erased if name in kept]
    files = list(kept.values())
    judged = {"is_live": True, "copc_state": AnalysisState.COMPLETED}
    for model, condition in ((Transcript, {}), (CallAnalysis, judged)):
        have = set(model.objects.filter(file__in=files, **condition).values_list("file_id", flat=True))
        lost += [f"file {pk} has no {model.__name__}" for pk in files if pk not in have]
    unfinished = Job.objects.exclude(state=Job.State.DONE)
    lost += [f"job {job.pk} ({job.kind}) is {job.state}: {job.error}" for job in unfinished]
    for each in CallAnalysis.objects.filter(file__in=files):
        scores = (each.copc or {}).get("criterion_scores", [])
        if [score["score"] for score in scores] != [10]:
            lost.append(f"file {each.file_id} is judged {scores}")
    lost += [f"the report differs from its facts: {each}" for each in find_discrepancies()]
    return lost


def find_doubles(run: Run) -> list[str]:
    """Return a sentence for everything that is there more than once."""
    doubles = []
    counted = {
        "file": UploadedFile.objects.filter(project=run.project).values_list("original_filename"),
        "call": Call.objects.filter(project=run.project).values_list("file_name"),
        "transcript": Transcript.objects.values_list("file_id"),
        "analysis": CallAnalysis.objects.values_list("file_id"),
        "finished job": Job.objects.exclude(kind="regroup").values_list("kind", "subject_id"),
        "usage entry": UsageEntry.objects.filter(file__isnull=False).values_list("kind", "file_id"),
        "upload in the audit trail": AuditEvent.objects.filter(
            action__in=("file.uploaded", "file.replaced")
        ).values_list("subject"),
    }
    for what, rows in counted.items():
        doubles += [f"{n} × {what} {row}" for row, n in Counter(rows).items() if n > 1]
    entries = UsageEntry.objects.exclude(kind=UsageEntry.Kind.NAMING).count()
    doubles += [f"{entries} usage entries for {run.steps} steps"] if entries > run.steps else []
    return doubles


def find_stray_bytes(run: Run, recordings: Path) -> list[str]:
    """Return the stored files that no row names, once a day has passed and what crashes left is erased."""
    while erasure.erase_stale(now=timezone.now() + dt.timedelta(days=2)):
        pass
    rows = UploadedFile.objects.values_list("storage_key", "playback_key")
    named = {key for pair in rows for key in pair if key}
    stored = {str(path.relative_to(recordings)) for path in recordings.rglob("*") if path.is_file()}
    marked = BytesToErase.objects.count()
    return [*sorted(named ^ stored), *([f"{marked} markers"] if marked else [])]


def assert_nothing_lost_or_double(run: Run, recordings: Path) -> None:
    # Said here: pytest explains assertions of test modules alone.
    wrong = [*find_lost(run), *find_doubles(run), *find_stray_bytes(run, recordings)]
    assert not wrong, wrong
    calls = sum(run.engines.calls.values())
    named = UsageEntry.objects.filter(kind=UsageEntry.Kind.NAMING)
    assert UsageEntry.objects.count() - named.count() == run.steps
    assert named.count() <= run.engines.namings
    assert run.steps <= calls <= run.steps + run.deaths
