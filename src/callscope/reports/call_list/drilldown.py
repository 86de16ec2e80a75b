"""Drill-down: the calls that one figure of a report counts.

The pages have these filters beyond the API's. A figure counts facts; each filter here
chooses facts the same way, so that a list holds as many calls as its figure says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from callscope.projects.models import Project
from callscope.reports.call_list.conditions import Condition, Operator, ProjectHours
from callscope.reports.models import Topic

OUTCOMES = ("critical", "evaluated", "not_applicable")
SHIFTS = ("day", "night")
YES_OR_NO = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class DrilldownFilter:
    """Which figure's calls; the defaults choose all."""

    goal: bool | None = None  # reached or missed
    scored: bool = False
    timed: bool = False  # with a real call time
    shift: str = ""  # of SHIFTS
    topic: str = ""  # the contact reason, exactly
    criterion: str = ""  # criterion id
    outcome: str = ""  # of OUTCOMES: what the criterion came to; "" for all calls that carry it

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "DrilldownFilter":
        """Return the filters in a query string; unknown values choose nothing."""
        shift, outcome = query.get("shift", ""), query.get("found", "")
        return cls(
            goal=YES_OR_NO.get(query.get("goal", "")),
            scored=query.get("scored") == "true",
            timed=query.get("timed") == "true",
            shift=shift if shift in SHIFTS else "",
            topic=query.get("topic", "").replace("\x00", ""),
            criterion=query.get("criterion", "").replace("\x00", ""),
            outcome=outcome if outcome in OUTCOMES else "",
        )

    @property
    def is_all(self) -> bool:
        return self == DrilldownFilter()

    @property
    def without_criterion(self) -> "DrilldownFilter":
        """The same without its criterion."""
        return replace(self, criterion="", outcome="")

    def conditions(self, project_ids: Sequence[int]) -> tuple[Condition, ...]:
        """Return what the figure asks of a call of these projects, all but the criterion."""
        conditions = []
        if self.goal is not None:
            conditions.append(Condition("goal_reached", Operator.EQUALS, self.goal))
        if self.scored:
            conditions.append(Condition("max_points", Operator.NOT_NULL))
        if self.timed:
            conditions.append(Condition("hour", Operator.NOT_NULL))
        if self.shift:
            hours = shift_hours_by_project(project_ids, self.shift)
            conditions.append(Condition("hour", Operator.IN_HOURS_OF_PROJECT, hours))
        if self.topic:
            topics = Topic.objects.filter(project__in=project_ids, text=self.topic)
            conditions.append(Condition("topic_id", Operator.IN, tuple(topics.values_list("pk", flat=True))))
        return tuple(conditions)


def shift_hours_by_project(project_ids: Sequence[int], shift: str) -> ProjectHours:
    """Return (project, the hours of its day or night, ascending) for each of the projects."""
    hours_by_project = []
    for project in Project.objects.filter(pk__in=project_ids):
        day = project.configuration.shift_hours
        hours = tuple(hour for hour in range(24) if day.contains(hour) == (shift == "day"))
        hours_by_project.append((project.pk, hours))
    return tuple(hours_by_project)
