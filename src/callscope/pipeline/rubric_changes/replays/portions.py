"""One portion of a job that judges many calls: a few of them, then other work has its turn.

Calls are judged outside any transaction; their answers and the job's next turn are written together, so
that a process that dies loses one portion.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet

from callscope.pipeline.models import Job, ProbedCall, ReplayedCall
from callscope.pipeline.queue import jobs
from callscope.processes import crash_points
from callscope.projects.locking import lock_project

CALLS_AT_ONCE = 25
PORTION_S = 10.0  # after which a portion ends, so that other projects have their turn

Row = TypeVar("Row", ReplayedCall, ProbedCall)


def judge_portion(
    job: Job,
    waiting: QuerySet[Row],
    field: str,
    *,
    judge: Callable[[Row], object],
    complete: Callable[[], None],
    is_stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Judge the next of the rows that wait, and store in `field` what `judge` returns for each.

    The job ends with the last of them, or once it is stopped, which is asked before each; `complete` is
    called in the same transaction. What was judged before a stop is stored.
    """
    began = time.monotonic()
    judged: list[Row] = []
    for row in waiting[:CALLS_AT_ONCE]:
        if is_stopped():
            break
        setattr(row, field, judge(row))
        judged.append(row)
        if time.monotonic() - began > PORTION_S:
            break

    with transaction.atomic():
        lock_project(job.project_id)
        is_last = waiting.count() <= len(judged) or is_stopped()
        if is_last:
            jobs.finish(job)
        else:
            jobs.continue_later(job)
        waiting.model._base_manager.bulk_update(judged, [field])
        crash_points.reach_point("result_commit")
        if is_last:
            complete()
