"""Which of the due jobs is claimed next, so that no project and no engine takes all workers.

1. The project with the fewest running jobs comes first, and within it the lowest position.
2. An engine that holds half of the workers with slow jobs leaves the next one to other work.
3. Of jobs that try a paused engine the one that was not tried comes first: a job that
   makes its engine fail must not be the only one that asks whether it works again.

Only the front of the order is looked at. Projects take turns there, so all that wait are in it.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from callscope.pipeline.models import Job
from callscope.pipeline.queue.breakers.states import Gate

WINDOW = 200  # jobs at the front of the order
SLOW_S = 10.0  # a job that runs for longer waits for its engine
WAITED_S = 0.5  # an idle worker takes a job sooner
LONG_AGO = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Running:
    """What runs now, on all workers."""

    by_project: Counter[int] = field(default_factory=Counter)
    by_needs: Counter[str] = field(default_factory=Counter)
    slow_by_needs: Counter[str] = field(default_factory=Counter)

    @property
    def crowded(self) -> Collection[str]:
        """Return the needs whose slow jobs hold at least half of the workers, with the one to be claimed."""
        total = self.by_project.total() + 1
        return {needs for needs, count in self.slow_by_needs.items() if needs and 2 * count >= total}


def load_running() -> Running:
    """Return what runs now; one query."""
    running = Running()
    is_slow = Q(claimed_at__lt=Now() - dt.timedelta(seconds=SLOW_S))
    rows = Job.objects.filter(state=Job.State.RUNNING).annotate(is_slow=is_slow)
    for project_id, needs, is_slow_one in rows.values_list("project_id", "needs", "is_slow"):
        running.by_project[project_id] += 1
        running.by_needs[needs] += 1
        if is_slow_one:
            running.slow_by_needs[needs] += 1
    return running


def order_jobs(due: QuerySet[Job], gate: Gate, *, waiting: Job | None = None) -> list[UUID]:
    """Return the ids of the front of the due jobs, the one to be claimed first.

    With `waiting`, a job that waits for its engine, only those that may run next to it: of other
    projects, or for another engine. Each project gets at most half of what that one's has.
    """
    if waiting is not None:
        due = due.filter(run_after__lte=Now() - dt.timedelta(seconds=WAITED_S))
    fields = ("pk", "project_id", "needs", "turn", "claimed_at")
    front = list(due.order_by("turn", "created_at").values_list(*fields)[:WINDOW])
    if not front:
        return []
    running = load_running()
    crowded = running.crowded

    def rank(row: tuple[UUID, int, str, int, dt.datetime | None]) -> tuple[object, ...]:
        _, project_id, needs, turn, claimed_at = row
        tried_at = (claimed_at or LONG_AGO) if needs in gate.probes else LONG_AGO
        return running.by_project[project_id], needs in crowded, tried_at, turn

    if waiting is not None:
        front = [row for row in front if _may_run_meanwhile(waiting, row[1], row[2], running)]
    return [row[0] for row in sorted(front, key=rank)]


def _may_run_meanwhile(waiting: Job, project_id: int, needs: str, running: Running) -> bool:
    if project_id == waiting.project_id:
        return needs != waiting.needs and not running.by_needs[needs]
    own = running.by_project[project_id]
    return not own or 2 * (own + 1) <= running.by_project[waiting.project_id]
