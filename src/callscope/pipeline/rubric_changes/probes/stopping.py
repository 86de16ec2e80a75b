"""Stop a probe: what was judged so far is kept and compared, and nothing more is asked of the judge.

A stopped probe is a completed one whose outcome says after how many calls it stopped. Its job is not taken
from a worker that is judging: that one looks before each call, and adds what it judged meanwhile.
"""

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.models import Job, Probe
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.probes.judging import complete
from callscope.pipeline.rubric_changes.probes.progress import is_open
from callscope.projects.locking import get_locked_project


def stop_probe(probe: Probe, *, by: User | None) -> bool:
    """Stop a probe and return True; False where it had ended before. `by` is None for an operator."""

    def write() -> bool:
        get_locked_project(probe.project_id)
        locked = Probe.objects.select_for_update(of=("self",)).get(pk=probe.pk)
        if not is_open(locked):
            return False
        jobs.cancel_queued(Job.Kind.PROBE, locked.pk)
        complete(locked)
        subject = f"project {locked.project_id}"
        audit.record(by, "project.probe_stopped", subject, kind=locked.kind, probe=locked.pk)
        return True

    return run_in_transaction(write)
