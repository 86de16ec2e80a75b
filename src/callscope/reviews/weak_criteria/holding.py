"""The criteria of a project whose answers of the machine count nowhere until a person answers.

A criterion is known by its id and its question: one that asks something else since then counts again,
until it is measured itself. Its rule and its points are not in the question: other ones alone change nothing.
"""

from typing import TypedDict

from callscope.calls.models import Call
from callscope.db import raw_sql
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.reviews.criteria import StoredCriterion
from callscope.reviews.models import HeldCriteria


class HeldCriterion(TypedDict):
    """One criterion that waits, and why."""

    criterion_id: str
    question: str  # of reviews.criteria.StoredCriterion
    n: int
    kappa: float | None
    kappa_high: float | None


def list_held(project: Project, config: Configuration) -> frozenset[tuple[str, str]]:
    """Return id and question of the criteria that wait; none where the project lets the machine count."""
    if config.reviews.weak_criteria != "ask_a_person":
        return frozenset()
    return frozenset(key_of(each) for each in read_held([project.pk]).get(project.pk, []))


def key_of(criterion: HeldCriterion | StoredCriterion) -> tuple[str, str]:
    """Return what a criterion is known by here."""
    return criterion["criterion_id"], criterion.get("question", "")


def has_held(project: Project) -> bool:
    """Return whether criteria of the project may wait."""
    return HeldCriteria.objects.filter(project=project).exists()


def list_holding(call_ids: list[int]) -> list[int]:
    """Return the projects of these calls in which criteria may wait."""
    projects = Call.objects.filter(pk__in=call_ids).values("project")
    return list(HeldCriteria.objects.filter(project__in=projects).values_list("project_id", flat=True))


def read_held(project_ids: list[int]) -> dict[int, list[HeldCriterion]]:
    """Return the criteria that wait, by project."""
    if not raw_sql.fetch_prepared("SELECT 1 FROM reviews_heldcriteria LIMIT 1", []):  # nobody has them
        return {}
    rows = HeldCriteria.objects.filter(project__in=project_ids).values_list("project_id", "criteria")
    return dict(rows)
