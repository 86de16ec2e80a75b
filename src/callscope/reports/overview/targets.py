"""The targets of projects for their figures, and whether a figure meets its own."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from callscope.analysis.figures import round_to, subtract
from callscope.projects.models import Project
from callscope.reports.models import CallFact
from callscope.reports.overview.intervals import Interval
from callscope.reports.window import Window

LESS_IS_BETTER = ("critical_error_pct", "negative_sentiment_pct")
DEFAULT_TARGET = 80.0  # percent, of the score of one call where a project sets none
NEAR = 10.0  # points below its target at most
Band = Literal["on_target", "near", "below", "within_noise"]
WriteNumber = Callable[[float, int], str]  # a number and its decimals
Targets = dict[str, float]  # figure of the headline, or "criterion:" and an id → percent


def find_targets(projects: Sequence[Project]) -> Targets:
    """Return the targets in percent that all of these projects share; those that differ are left out."""
    found: list[Targets] = [read_targets(project.config) for project in projects]
    if not found:
        return {}
    return {name: value for name, value in found[0].items() if all(each.get(name) == value for each in found)}


def list_called(projects: Sequence[Project], window: Window) -> list[Project]:
    """Return those of the projects that have calls in the window, or all of them where none has."""
    if len(projects) < 2:
        return list(projects)
    first, last = window.days
    calls = CallFact.objects.filter(project=OuterRef("pk"), day__gte=first, day__lte=last)
    wanted = Project.objects.filter(Exists(calls), pk__in=[project.pk for project in projects])
    called = set(wanted.values_list("pk", flat=True))
    return [project for project in projects if project.pk in called] or list(projects)


def find_band(score: float, target: float | None) -> Band:
    """Return how the score of one call stands to its target, or to DEFAULT_TARGET where there is none."""
    missing = (DEFAULT_TARGET if target is None else target) - score
    return "on_target" if missing <= 0 else "near" if missing <= NEAR else "below"


def find_average_band(average: float | None, interval: Interval, target: float | None) -> Band | None:
    """Return how an average score stands to the target that a project sets; None where it sets none.

    Where chance could put the average on the other side of its target, that is all that is said.
    """
    if average is None or target is None:
        return None
    return "within_noise" if may_be_chance(interval, target) else find_band(average, target)


def may_be_chance(interval: Interval, target: float) -> bool:
    """Return whether the interval of a figure has its target inside."""
    return interval is not None and interval[0] < target < interval[1]


def describe_target(
    name: str,
    value: float | None,
    interval: Interval,
    targets: Targets,
    write: WriteNumber,
    *,
    is_disputed: bool = False,
) -> str:
    """Return "Target 85 %: missed by 2.4 points" in the active language; "" without target or value.

    Of a value that people dispute it is not said whether it meets its target.
    """
    target = targets.get(name)
    if target is None or value is None:
        return ""
    sides = (target, value) if name in LESS_IS_BETTER else (value, target)
    by = subtract(*sides)
    names = {"target": write(target, 0 if target == round(target) else 1), "by": write(abs(by), 1)}
    if is_disputed:
        return _("Target %(target)s %%") % names
    is_noise = may_be_chance(interval, target)
    if round_to(by, 1) >= 0:
        met = _("Target %(target)s %%: met by %(by)s points, within the margin of error")
        return (met if is_noise else _("Target %(target)s %%: met")) % names
    if is_noise:
        return _("Target %(target)s %%: missed by %(by)s points, within the margin of error") % names
    return _("Target %(target)s %%: missed by %(by)s points") % names


def read_score_target(config: dict[str, Any]) -> float | None:
    """Return the target of a project for its average score; None where it sets none."""
    target = config.get("targets", {}).get("average_score")
    return None if target is None else float(target)


def read_targets(config: dict[str, Any]) -> Targets:
    # The stored documents, not parsed: a scope may hold hundreds of projects.
    found = dict(config.get("targets", {}))
    for section in config.get("rubric", {}).get("sections", []):
        for criterion in section.get("criteria", []):
            found[f"criterion:{criterion['id']}"] = criterion.get("target_pct")
    return {name: float(value) for name, value in found.items() if value is not None}
