"""The process that runs the stages of one worker, one job after the other.

It is a process of its own so that a stage that hangs, leaks or crashes in
foreign code can be ended while the worker goes on. The worker writes one line
a job, "<job id> <token>", and gets one line back when the stage is over. All
results go to the database, fenced by the token; the pipe carries no data.
"""

import contextlib
import os
import signal
import sys
import uuid
from typing import TextIO

from callscope.pipeline import parental_bond

FOLD = "fold"  # the order to tidy the report store while there is nothing else to do
OVER = "over"


def main() -> None:
    """Run jobs until the worker closes the pipe."""
    parental_bond.end_with_parent(int(sys.argv[1]), with_signal=signal.SIGKILL)
    # A terminal sends Ctrl-C to the whole group; it is the worker that decides what happens to a job.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = _keep_standard_output_for_answers()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
    import django

    django.setup()
    _say(answers, "ready")
    for line in sys.stdin:
        _obey(line.split())
        _say(answers, OVER)


def _keep_standard_output_for_answers() -> TextIO:
    """Return the pipe to the worker; whatever libraries print goes to stderr from here on."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    return answers


def _say(answers: TextIO, word: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # the worker is gone, and with it whoever would listen
        answers.write(word + "\n")
        answers.flush()


def _obey(words: list[str]) -> None:
    from django.db import close_old_connections

    from callscope.pipeline import stages, tidying
    from callscope.pipeline.models import Job

    close_old_connections()
    if words == [FOLD]:
        tidying.fold()
        return
    job_id, token = (uuid.UUID(word) for word in words)
    job = (
        Job.objects.select_related("project").filter(pk=job_id, token=token, state=Job.State.RUNNING).first()
    )
    if job is not None:
        stages.run(job)


if __name__ == "__main__":
    main()
