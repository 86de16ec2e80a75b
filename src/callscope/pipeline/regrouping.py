"""When the contact reasons of a project are grouped anew.

On request, and by itself when calls with new topics have come in and the project
has nothing open any more. At most one regrouping of a project is under way;
while its row exists, the interface shows `reclustering`. Only open-ended
projects are regrouped: predefined codes classify each call on arrival.
"""

import datetime as dt
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.contact_reasons.models import ContactReason, Regrouping
from callscope.pipeline import jobs
from callscope.pipeline.models import Job
from callscope.projects.models import Project

SETTLE_S = 2.0  # uploads come in rows: wait a moment for the next one
MIN_CHANGE = 0.1  # share of a project's calls that came since; below, those that found a group stay in it
# Regrouping by itself takes at most this share of a worker's time, however often a project falls quiet.
MAX_SHARE = 0.2


def is_open_ended(project: Project) -> bool:
    if project.type != Project.Type.CALL:
        return False
    return project.configuration.contact_reasons.mode == "open_ended"


def request_regrouping(projects: Iterable[Project]) -> list[int]:
    """Queue a regrouping of every open-ended project among these; return their ids.

    A project whose regrouping is already asked for or under way keeps that one.
    """
    queued = []
    for project in projects:
        if is_open_ended(project):
            with transaction.atomic():
                _request(project)
            queued.append(project.pk)
    return queued


def request_when_quiet(project: Project) -> None:
    """Queue a regrouping if nothing is open in the project and enough came in since the last one.

    Call it last in the transaction that ends a job: the lock on the project makes
    two workers that end their jobs at the same time see each other.
    """
    if not is_open_ended(project):
        return
    Project.objects.select_for_update(no_key=True).filter(pk=project.pk).first()
    if Job.objects.filter(project=project, state__in=jobs.OPEN).exists():
        return
    latest = _latest_finished(project)
    if _is_worth_it(project, latest.claimed_at if latest else None):
        _request(project, delay_s=max(SETTLE_S, _duration_s(latest) / MAX_SHARE))


def finish(job: Job) -> None:
    """Set a regrouping to done and take the flag down. Raises LostLease."""
    with transaction.atomic():
        jobs.finish(job)
        forget(job.project)


def forget(project: Project) -> None:
    """Take the flag down, after success or failure."""
    Regrouping.objects.filter(project=project).delete()


def _request(project: Project, *, delay_s: float = 0.0) -> None:
    Regrouping.objects.get_or_create(project=project, defaults={"requested_at": timezone.now()})
    job = jobs.enqueue(Job.Kind.REGROUP, project, project.pk, delay_s=delay_s)
    if not delay_s and job.attempts == 0 and job.state == Job.State.QUEUED:
        Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(run_after=timezone.now())


def _latest_finished(project: Project) -> Job | None:
    done = Job.objects.filter(kind=Job.Kind.REGROUP, subject_id=project.pk, state=Job.State.DONE)
    return done.order_by("-claimed_at").first()


def _is_worth_it(project: Project, since: dt.datetime | None) -> bool:
    """Return whether calls wait for a reason, or so many came that the groups may look different."""
    live = CallAnalysis.objects.filter(project=project, is_live=True)
    came = live if since is None else live.filter(completed_at__gt=since)
    if came.filter(call__reason__isnull=True).exists():
        return True
    young = ContactReason.objects.filter(project=project, provisional_until__gt=timezone.now())
    if came.exists() and young.exists():
        return True
    return came.exists() and came.count() >= live.count() * MIN_CHANGE


def _duration_s(job: Job | None) -> float:
    if job is None or job.claimed_at is None or job.finished_at is None:
        return 0.0
    return (job.finished_at - job.claimed_at).total_seconds()
