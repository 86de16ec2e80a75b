"""Ring for a job: with CALLSCOPE_QUEUE_URL, a broker wakes a worker on any machine.

A ring carries the id of a job and nothing else, and nothing depends on it: one
that is lost is rung again by the sweep, one that comes twice finds no job left.
Without a broker this module does nothing, because workers poll the job table.
"""

import logging

from django.conf import settings
from django.db import transaction

from callscope.pipeline.models import Job

logger = logging.getLogger(__name__)


def is_used() -> bool:
    return bool(settings.ENVIRONMENT.queue_url)


def ring_on_commit(job: Job) -> None:
    """Ring when the transaction that wrote the job has committed; a rollback rings nothing."""
    if is_used():
        transaction.on_commit(lambda: ring(job), robust=True)


def ring(job: Job) -> bool:
    """Send the id of the job to its queue; False when the broker cannot be reached."""
    from callscope.pipeline import celery_app

    try:
        celery_app.send(str(job.pk), queue=job.queue)
    except celery_app.UNREACHABLE as error:
        logger.warning("The broker did not take job %s (%s). The sweep will ring again.", job.pk, error)
        return False
    return True


def knock() -> None:
    """Raise what the broker answers unless it can be reached now."""
    from callscope.pipeline import celery_app

    celery_app.check()
