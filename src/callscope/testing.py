"""Help for tests of programs that build on Callscope. Nothing in the product imports this module."""

from collections.abc import Collection

from callscope.pipeline.queue import jobs
from callscope.pipeline.workers import stages
from callscope.pipeline.workers.worker import claim_and_start


def run_due_jobs(queues: Collection[str] = jobs.QUEUES) -> int:
    """Run every job that is due, in the calling process, and return how many ran.

    Jobs that these jobs enqueue run as well. There is no lease and no deadline,
    and jobs that wait for a retry are left alone.
    """
    count = 0
    while (job := claim_and_start(queues)) is not None:
        stages.run_stage(job)
        count += 1
    return count
