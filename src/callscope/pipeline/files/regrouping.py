"""When the contact reasons of a project are grouped again.

On request, and automatically when enough calls came in and the project has no open
job. At most one regrouping of a project is under way; its row is the flag that the
interface shows as `reclustering`. Only open-ended projects are regrouped, because
predefined codes classify each call on arrival.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.private_words import engines_for_projects
from callscope.contact_reasons.models import CallReason, ContactReason, Regrouping
from callscope.db import clock
from callscope.pipeline.ledger import engine_notes
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.projects.locking import lock_project
from callscope.projects.models import Project
from callscope.reports.models import CallFact

if TYPE_CHECKING:  # which bring numpy along
    from callscope.contact_reasons.grouping import RegroupingPlan
    from callscope.contact_reasons.wording import Wording

QUIET_S = 2.0  # uploads come in series, so wait a moment for the next one
MIN_CHANGE = 0.1  # share of a project's calls that are new; with fewer, the groups stay as they are
# Automatic regrouping takes at most this share of a worker's time, however often a project falls idle.
MAX_SHARE = 0.2
KINDS_THAT_CHANGE_NO_CALL = (Job.Kind.REPLAY, Job.Kind.PROBE, Job.Kind.MAIL)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What another regrouping of a project has to go by."""

    latest_at: dt.datetime | None  # when the last one began that came to its end; None: there was none
    calls: int  # with results
    new_calls: int  # of them those that are newer than the last regrouping
    waiting_calls: int  # new ones of which a topic is known, but no contact reason
    is_under_way: bool  # one is requested or running


def is_open_ended(project: Project) -> bool:
    """Return True if the project's contact reasons are groups of topics."""
    if project.type != Project.Type.CALL:
        return False
    return project.configuration.contact_reasons.mode == "open_ended"


def find_outlook(project: Project) -> Outlook:
    """Return what another regrouping of the project has to go by."""
    latest = _find_latest(project)
    live = CallAnalysis.objects.filter(project=project, is_live=True)
    new = live.filter(completed_at__gt=latest.claimed_at) if latest else live
    has_reason = Exists(CallReason.objects.filter(call=OuterRef("pk")))
    # Only new ones are looked at one by one: a page must not read every call of a large project.
    waiting = CallFact.objects.filter(~has_reason, call__in=new.values("call"), topic__isnull=False)
    return Outlook(
        latest_at=latest.claimed_at if latest else None,
        calls=live.count(),
        new_calls=new.count(),
        waiting_calls=waiting.count(),
        is_under_way=Regrouping.objects.filter(project=project).exists(),
    )


def request_regrouping(projects: Iterable[Project], by: User | None = None) -> list[int]:
    """Enqueue a regrouping of every open-ended project among these; return their ids.

    A project whose regrouping is already queued keeps that one. One that is running may have read the
    calls before the request, so it is followed by one more, however many requests come.
    """
    queued = []
    for project in projects:
        if is_open_ended(project):
            with transaction.atomic():
                # With this lock the end of a running one sees the request, or the request sees the end.
                lock_project(project.pk)
                _request_one_more(project, _enqueue(project))
                audit.record(by, "project.regrouped", f"project {project.pk}")
            queued.append(project.pk)
    return queued


def request_if_idle(project: Project) -> None:
    """Enqueue a regrouping if the project has no open job and enough new calls since the last one.

    Call it last in the transaction that ends a job.
    """
    if not is_open_ended(project):
        return
    # Two workers may end the last two jobs at the same time: with this lock one of them sees the other's.
    lock_project(project.pk)
    still_open = Job.objects.filter(project=project, state__in=jobs.OPEN_STATES)
    if still_open.exclude(kind__in=KINDS_THAT_CHANGE_NO_CALL).exists():
        return
    latest = _find_latest(project)
    if not _has_changed_enough(project, latest.claimed_at if latest else None):
        return
    duration_s = 0.0
    if latest is not None and latest.claimed_at is not None and latest.finished_at is not None:
        duration_s = (latest.finished_at - latest.claimed_at).total_seconds()
    _enqueue(project, delay_s=max(QUIET_S, duration_s / MAX_SHARE))


def _find_latest(project: Project) -> Job | None:
    """Return the regrouping of the project that began last, of those that came to their end."""
    done = Job.objects.filter(kind=Job.Kind.REGROUP, subject_id=project.pk, state=Job.State.DONE)
    return done.order_by("-claimed_at").first()


def name_reasons(plan: "RegroupingPlan") -> "Wording":
    """Return the plan with names for its new groups by the project's language model, where it has one.

    A private project has its own or none. Groups that a model named before keep that name, unasked.
    """
    from callscope.contact_reasons import wording

    plan = wording.keep_wordings(plan)
    project = Project.objects.get(pk=plan.project_id)  # it may have become private since
    engines = engines_for_projects(project)
    if engines.llm is None or not wording.needs_wording(plan):
        return wording.Wording(plan)
    engine_notes.note_naming(project, engines)
    return wording.word_names(plan, project, engines.llm, engines.embedder)


def finish_regrouping(job: Job) -> None:
    """Set a regrouping job to done; then clear the flag, or enqueue one more. Raise LostLease."""
    with transaction.atomic():
        jobs.finish(job)
        follow_up(job)


def follow_up(job: Job) -> None:
    """After the end of a regrouping enqueue one more if it was requested meanwhile; else clear the flag."""
    flag = Regrouping.objects.filter(project=job.project)
    if job.claimed_at is not None and flag.filter(requested_at__gt=job.claimed_at).exists():
        _enqueue(job.project)
    else:
        flag.delete()


def repeat_regrouping(project: Project) -> None:
    """Enqueue another regrouping of a project whose last one came to nothing."""
    _enqueue(project)


def _request_one_more(project: Project, job: Job) -> None:
    """Note a request that came while the job ran: as later than its claim, whatever the clocks say."""
    if job.state == Job.State.RUNNING and job.claimed_at is not None:
        moment = max(clock.read_now(), job.claimed_at + dt.timedelta(microseconds=1))
        Regrouping.objects.filter(project=project).update(requested_at=moment)


def _enqueue(project: Project, *, delay_s: float = 0.0) -> Job:
    Regrouping.objects.get_or_create(project=project, defaults={"requested_at": clock.read_now()})
    job = jobs.enqueue(Job.Kind.REGROUP, project, project.pk, delay_s=delay_s)
    if not delay_s and job.attempts == 0 and job.state == Job.State.QUEUED:
        Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(run_after=Now())
    return job


def _has_changed_enough(project: Project, since: dt.datetime | None) -> bool:
    """Return True if calls have no reason yet, or so many are new that the groups may change."""
    live = CallAnalysis.objects.filter(project=project, is_live=True)
    new = live if since is None else live.filter(completed_at__gt=since)
    if not new.exists():
        return False
    if new.filter(call__reason__isnull=True).exists():
        return True
    if ContactReason.objects.filter(project=project, provisional_until__gt=timezone.now()).exists():
        return True
    return new.count() >= live.count() * MIN_CHANGE
