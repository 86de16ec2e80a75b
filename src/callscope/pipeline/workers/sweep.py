"""Requeue jobs whose worker is gone. Every worker sweeps."""

import logging

from django.conf import settings
from django.db import transaction

from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.workers import stages
from callscope.processes import log_formats

logger = logging.getLogger(__name__)

MAX_EXPIRED = 100  # per sweep: other work has its turn


def requeue_abandoned() -> int:
    """Requeue jobs whose worker is gone, or fail those that outlived too many workers; return how many."""
    abandoned = jobs.find_abandoned()
    for job in abandoned:
        file = job.subject_id if job.kind in stages.ABOUT_A_FILE else None
        with log_formats.note(job=str(job.pk), kind=job.kind, file=file, project=job.project_id):
            _requeue_or_fail(job)
    return len(abandoned)


def _requeue_or_fail(job: Job) -> None:
    what = f"job {job.pk} ({job.kind} {job.subject_id})"
    try:
        with transaction.atomic():
            if job.interruptions >= jobs.MAX_INTERRUPTIONS:
                stages.fail_job(job, f"The work was interrupted {job.interruptions + 1} times.")
                outcome = f"it failed after {job.interruptions + 1} interruptions"
            else:
                jobs.requeue_interrupted(job)
                outcome = "it is queued again"
    except jobs.LostLease:
        logger.info("Job %s was finished or requeued by another worker.", job.pk)
    else:
        logger.warning("The worker of %s is gone; %s.", what, outcome)


def fail_expired() -> int:
    """Fail jobs whose engine has not worked for as long as work may wait; return how many."""
    count = 0
    while count < MAX_EXPIRED:
        with transaction.atomic():
            job = jobs.claim_expired(settings.ENGINE_PATIENCE)
            if job is None:
                return count
            stages.give_up_waiting(job)
        count += 1
    return count
