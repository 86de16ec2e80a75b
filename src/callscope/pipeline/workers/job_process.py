"""The process that runs the stages of one worker, one job after the other.

It is a process of its own so that a stage that hangs, leaks or crashes in native
code can be killed while the worker goes on. The worker writes one line per job,
"<job id> <token>", or COMPACT, and reads one line back when the work is over. All
results go to the database, fenced by the token; the pipe carries no data.
"""

import contextlib
import logging
import os
import signal
import sys
import time
import uuid
from typing import TYPE_CHECKING, TextIO

from callscope.processes import crash_points, death_signal
from callscope.processes.loading import rest_collector

if TYPE_CHECKING:
    from callscope.pipeline.models import Job

COMPACT = "compact"  # sent instead of a job: compact the report store
READY, DONE = "ready", "done"
DATABASE_PAUSE_S = 2.0  # between two tries to give a job back

logger = logging.getLogger(__name__)


def main() -> None:
    """Run jobs until the worker closes the pipe."""
    death_signal.die_with_parent(int(sys.argv[1]), with_signal=signal.SIGKILL)
    # A terminal sends Ctrl-C to the whole process group; only the worker decides what happens to a job.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    # Libraries print to stdout whenever they like; from here on that goes to stderr.
    os.dup2(2, 1)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
    with rest_collector():
        import django

        django.setup()
    _reply(replies, READY)
    for line in sys.stdin:
        _handle(line.split())
        crash_points.reach_point("reply")
        _reply(replies, DONE)


def _reply(replies: TextIO, word: str) -> None:
    # A broken pipe means that the worker is gone, and with it the reader.
    with contextlib.suppress(BrokenPipeError):
        replies.write(word + "\n")
        replies.flush()


def _handle(words: list[str]) -> None:
    """Run the job, unless its claim is over already, or compact the report store."""
    from django.db import Error, close_old_connections

    from callscope.db.trouble import passes_by_itself
    from callscope.pipeline.workers import maintenance, stages

    close_old_connections()
    if words == [COMPACT]:
        maintenance.compact()
        return
    job_id, token = (uuid.UUID(word) for word in words)
    try:
        if job := _find_claimed(job_id, token):
            stages.run_stage(job)
    except Error as error:
        if not passes_by_itself(error):
            raise
        logger.warning("Job %s waits for the database: %s", job_id, error)
        _give_back(job_id, token)


def _find_claimed(job_id: uuid.UUID, token: uuid.UUID) -> "Job | None":
    from callscope.pipeline.models import Job

    running = Job.objects.filter(pk=job_id, token=token, state=Job.State.RUNNING)
    return running.select_related("project").first()


def _give_back(job_id: uuid.UUID, token: uuid.UUID) -> None:
    """Requeue the job as if it had not been claimed, as soon as the database takes it.

    The claim may be over by then: another worker's sweep has requeued the job.
    """
    from django.db import Error, connection

    from callscope.messages.message import Message
    from callscope.pipeline.queue import jobs

    while True:
        connection.close()
        time.sleep(DATABASE_PAUSE_S)
        with contextlib.suppress(Error):
            if job := _find_claimed(job_id, token):
                with contextlib.suppress(jobs.LostLease):
                    jobs.postpone(job, str(Message("server_trouble")), pause_s=0)
            return


if __name__ == "__main__":
    main()
