"""Let the machine's answers to weak criteria wait for a person, and count again once they are not weak.

The set of a project is measured when its reviews change. Its calls follow in portions, each in a
transaction of its own, so that the reports stay exact at every moment; what is settled otherwise in
the meantime, by a review or an analysis, follows the new set at once.
"""

import time

from django.db.models import Q
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.db.transactions import run_in_transaction
from callscope.projects.locking import lock_project
from callscope.projects.models import Project
from callscope.reviews import effect
from callscope.reviews.models import HeldCriteria
from callscope.reviews.weak_criteria import measuring
from callscope.reviews.weak_criteria.holding import key_of

CALLS_AT_ONCE = 200
MEASURE_S = 60.0  # how often a process looks for projects whose reviews have changed

_measure_at = 0.0


def hold_weak_criteria(until: float) -> None:
    """Measure what is due, then bring calls in line until that moment of time.monotonic()."""
    global _measure_at
    if time.monotonic() >= _measure_at:
        _measure_at = time.monotonic() + MEASURE_S
        measure_projects()
    while time.monotonic() < until and settle_next():
        pass


def measure_projects() -> None:
    """Measure the projects that ask a person, or did before."""
    asking = Q(config__reviews__weak_criteria="ask_a_person") | Q(held_criteria__isnull=False)
    for project in Project.objects.filter(asking).order_by("pk"):
        measure_project(project)


def measure_project(project: Project) -> None:
    """Measure again where the reviews have changed; calls follow if the set of criteria is another one."""
    row = HeldCriteria.objects.filter(project=project).first()
    of = measuring.describe_reviews(project) if _asks_a_person(project) else ""
    if row is not None and row.measured_of == of:
        return
    weak = measuring.find_weak(project) if of else []

    def store() -> None:
        locked = lock_project(project.pk)
        if locked is None or _asks_a_person(locked) != bool(of):
            return  # it is measured again soon
        row = HeldCriteria.objects.filter(project=locked).first() or HeldCriteria(project=locked)
        if {key_of(each) for each in row.criteria} != {key_of(each) for each in weak} or not of:
            row.next_call = 0
        row.criteria, row.measured_of, row.measured_at = weak, of, timezone.now()
        row.save()

    run_in_transaction(store)


def settle_next() -> bool:
    """Bring the next portion of calls in line; return False where none is left."""
    project_id = (
        HeldCriteria.objects.filter(next_call__isnull=False).values_list("project_id", flat=True).first()
    )
    if project_id is None:
        return False

    def settle() -> None:
        from callscope.reports.store import facts

        if lock_project(project_id) is None:
            return
        row = HeldCriteria.objects.filter(project=project_id, next_call__isnull=False).first()
        if row is None or row.next_call is None:
            return
        live = CallAnalysis.objects.filter(project=project_id, is_live=True, call__gte=row.next_call)
        calls = list(live.order_by("call_id").values_list("call_id", flat=True)[:CALLS_AT_ONCE])
        effect.settle_calls(calls)
        facts.refresh(calls)
        if len(calls) == CALLS_AT_ONCE:
            row.next_call = calls[-1] + 1
            row.save(update_fields=["next_call"])
        elif row.measured_of:
            row.next_call = None
            row.save(update_fields=["next_call"])
        else:
            row.delete()  # the project lets the machine count again

    run_in_transaction(settle)
    return True


def _asks_a_person(project: Project) -> bool:
    return project.configuration.reviews.weak_criteria == "ask_a_person"
