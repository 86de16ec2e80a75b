"""Stop a replay: what was judged so far is kept and compared, and nothing more is judged.

A stopped replay is a completed one whose outcome says after how many calls it stopped, as a stopped probe is.
Its job is not taken from a worker that is judging: that one looks before each call, and adds what it judged
meanwhile (`progress.is_stopping`). The draft of a stopped replay is not published: it is replayed again
first.
"""

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.models import Job, Replay
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.replays.judging import complete
from callscope.pipeline.rubric_changes.replays.progress import is_open
from callscope.projects.locking import get_locked_project


def stop_replay(replay: Replay, *, by: User) -> bool:
    """Stop a replay and return True; False where it had ended before."""

    def write() -> bool:
        get_locked_project(replay.project_id)
        locked = Replay.objects.select_for_update(of=("self",)).get(pk=replay.pk)
        if not is_open(locked):
            return False
        jobs.cancel_queued(Job.Kind.REPLAY, locked.pk)
        complete(locked)
        audit.record(by, "project.replay_stopped", f"project {locked.project_id}", replay=locked.pk)
        return True

    return run_in_transaction(write)
