"""Judge past calls again by the configuration of today, each in one transaction of its own.

Reports hold the old results of a call or the new ones, never half of them: a call's results, its fact
and the journal are written together by results.store_findings, as when a call is analyzed first. A job
that dies goes on behind the last call that it wrote.
"""

import datetime as dt
import time
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.private_words import engines_for_file
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.files import regrouping, results
from callscope.pipeline.ledger import engine_notes, usage
from callscope.pipeline.models import Job, Rescore
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.replays.drafts import find_comparable
from callscope.processes import crash_points
from callscope.projects.locking import get_locked_project, lock_project
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, Window, day_of
from callscope.transcription.models import Transcript

CALLS_AT_ONCE = 25
PORTION_S = 10.0


def request_rescore(
    project: Project, *, by: User, window: Window = ALL_TIME, call_ids: Sequence[int] | None = None
) -> Rescore:
    """Queue the calls of a window, or these alone, to be judged again by the configuration of today."""

    def write() -> Rescore:
        locked = get_locked_project(project.pk)
        rescore = Rescore(
            project=locked,
            start_date=window.start,
            end_date=window.end,
            call_ids=None if call_ids is None else list(call_ids),
            created_by=by,
        )
        rescore.calls = count = _find_calls(locked, rescore).count()
        rescore.save()
        jobs.enqueue(Job.Kind.RESCORE, locked, rescore.pk)
        audit.record(by, "project.rescored", f"project {project.pk}", calls=count)
        return rescore

    return run_in_transaction(write)


def find_latest_day(project: Project) -> dt.date | None:
    """Return the day of the newest call that can be judged again; None where there is none."""
    latest = find_comparable(project).aggregate(at=Max("call__call_datetime"))["at"]
    return None if latest is None else dt.date.fromordinal(day_of(latest))


def find_open_rescores(project: Project) -> list[Rescore]:
    """Return what waits or runs, oldest first; not what failed."""
    jobs_of = Job.objects.filter(kind=Job.Kind.RESCORE, project=project)
    waiting = jobs_of.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).values("subject_id")
    return list(Rescore.objects.filter(project=project, completed_at=None, pk__in=waiting).order_by("pk"))


def rescore_portion(job: Job) -> None:
    """Judge the next calls again; each is written before the next one is judged."""
    rescore = Rescore.objects.filter(pk=job.subject_id).first()
    if rescore is None:
        jobs.finish(job)
        return
    project = Project.objects.get(pk=job.project_id)
    waiting = _find_calls(project, rescore).filter(call__gt=rescore.latest_call).order_by("call")
    portion = list(waiting.values_list("call", "file")[:CALLS_AT_ONCE])
    began = time.monotonic()
    handled = 0
    for call_id, file_id in portion:
        if not _rescore_call(job, rescore, project, call_id, file_id):
            break  # other settings were saved: the next portion reads them
        handled += 1
        if time.monotonic() - began > PORTION_S:
            break

    with transaction.atomic():
        lock_project(job.project_id)
        if handled < len(portion) or len(portion) == CALLS_AT_ONCE:
            jobs.continue_later(job)
            return
        jobs.finish(job)
        Rescore.objects.filter(pk=rescore.pk).update(completed_at=timezone.now())
        regrouping.request_if_idle(project)


def _find_calls(project: Project, rescore: Rescore) -> QuerySet[CallAnalysis]:
    found = find_comparable(project, Window(rescore.start_date, rescore.end_date))
    return found if rescore.call_ids is None else found.filter(call__in=rescore.call_ids)


def _rescore_call(job: Job, rescore: Rescore, project: Project, call_id: int, file_id: int) -> bool:
    """Judge one call again and store it; return False if the settings changed meanwhile."""
    from callscope.analysis.analyze import AnalysisTooLong, Findings, analyze
    from callscope.engines.errors import BadOutput

    config, version = project.configuration, project.config_version
    transcript = Transcript.objects.select_related("file__call__agent").filter(file=file_id).first()
    found: Findings | None = None
    if transcript is not None:
        engines = engines_for_file(transcript.file, config)
        engine_notes.note_analysis(transcript.file, engines)
        try:
            found = analyze(transcript, config, engines, config_version=version)
        except (AnalysisTooLong, BadOutput):
            found = None  # the former results stay

    with transaction.atomic():
        locked = lock_project(job.project_id)
        jobs.hold(job)
        if locked is None or locked.config_version != version:
            return False
        is_live = CallAnalysis.objects.filter(file=file_id, call=call_id, is_live=True).exists()
        if transcript is not None and found is not None and is_live:
            results.store_findings(transcript.file, found, config, version=version)
            usage.record_analysis(transcript.file, found.usage)
        rescore.latest_call = call_id
        rescore.done += 1
        rescore.save(update_fields=["latest_call", "done"])
        crash_points.reach_point("result_commit")
    return True
