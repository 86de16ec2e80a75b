"""Return jobs whose worker is gone, and ring again for what a broker lost. Every worker sweeps."""

import datetime as dt
import logging

from django.db import transaction
from django.utils import timezone

from callscope.pipeline import doorbell, jobs, stages
from callscope.pipeline.models import Job

logger = logging.getLogger(__name__)

MAX_RINGS = 50  # of one sweep: enough to get going, too few to flood a broker
OVERDUE_S = 300.0  # a job that waits this long is rung for even while the workers are busy


def sweep() -> int:
    """Return lost jobs to the queue, or fail those that took too many workers with them."""
    lost = jobs.lost()
    for job in lost:
        logger.warning("The worker of job %s (%s %s) is gone.", job.pk, job.kind, job.subject_id)
        try:
            with transaction.atomic():
                if job.interruptions >= jobs.MAX_INTERRUPTIONS:
                    stages.give_up(job, f"The work was interrupted {job.interruptions + 1} times.")
                else:
                    jobs.interrupted(job)
        except jobs.LostLease:
            logger.info("Job %s was ended or returned by another worker.", job.pk)
    return len(lost)


def ring_again(*, is_idle: bool) -> int:
    """Ring for jobs that wait although a worker is idle, and for those that wait far too long.

    An idle worker has emptied its broker queue, so a job that still waits lost its
    ring, or has come out of a pause.
    """
    now = timezone.now()
    since = now if is_idle else now - dt.timedelta(seconds=OVERDUE_S)
    waiting = Job.objects.filter(state=Job.State.QUEUED, run_after__lte=since).order_by("turn", "created_at")
    return sum(doorbell.ring(job) for job in waiting[:MAX_RINGS])
