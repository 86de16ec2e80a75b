"""The calls behind one figure of a report: filters that the call list of the pages has beyond the API's.

A figure counts facts; each of these narrows facts the same way, so that a list
holds as many calls as its figure says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import models
from django.db.models import Q

from callscope.projects.models import Project
from callscope.reports.models import CallFact, Topic

FOUND = ("critical", "evaluated", "not_applicable")
SHIFTS = ("day", "night")
YES_OR_NO = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Behind:
    """Which figure's calls; the defaults leave all."""

    goal: bool | None = None  # reached or missed
    scored: bool = False
    timed: bool = False  # with a real call time
    shift: str = ""  # of SHIFTS
    topic: str = ""  # the contact reason, exactly
    criterion: str = ""  # criterion id
    found: str = ""  # of FOUND: what the criterion came to; "" for all calls that carry it

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "Behind":
        """Return the filters in a query string; unknown values choose nothing."""
        shift, found = query.get("shift", ""), query.get("found", "")
        return cls(
            goal=YES_OR_NO.get(query.get("goal", "")),
            scored=query.get("scored") == "true",
            timed=query.get("timed") == "true",
            shift=shift if shift in SHIFTS else "",
            topic=query.get("topic", "").replace("\x00", ""),
            criterion=query.get("criterion", "").replace("\x00", ""),
            found=found if found in FOUND else "",
        )

    @property
    def is_all(self) -> bool:
        return self == Behind()

    @property
    def beside_criterion(self) -> "Behind":
        """The same without its criterion."""
        return replace(self, criterion="", found="")

    def narrow(
        self, facts: "models.QuerySet[CallFact]", project_ids: Sequence[int]
    ) -> "models.QuerySet[CallFact]":
        """Return those of the facts that the figure counts; carrying.py looks for the criterion."""
        if self.goal is not None:
            facts = facts.filter(goal_reached=self.goal)
        if self.scored:
            facts = facts.filter(max_points__isnull=False)
        if self.timed:
            facts = facts.filter(hour__isnull=False)
        if self.shift:
            facts = facts.filter(_in_shift(project_ids, self.shift))
        if self.topic:
            facts = facts.filter(topic_id__in=topic_ids(project_ids, self.topic))
        return facts


def _in_shift(project_ids: Sequence[int], shift: str) -> Q:
    """Each project's calls are told by its own hours."""
    chosen = Q(pk__in=[])
    for project, hours in hours_of(project_ids, shift).items():
        chosen |= Q(project=project, hour__in=hours)
    return chosen


def hours_of(project_ids: Sequence[int], shift: str) -> dict[int, list[int]]:
    """Return project → the hours of its day or night, ascending."""
    found = {}
    for project in Project.objects.filter(pk__in=project_ids):
        hours = project.configuration.shift_hours
        start, end = hours.day_start, hours.day_end
        day = {h for h in range(24) if (start <= h < end if start < end else h >= start or h < end)}
        found[project.pk] = sorted(day if shift == "day" else set(range(24)) - day)
    return found


def topic_ids(project_ids: Sequence[int], text: str) -> list[int]:
    """Return the contact reason of this text in each of the projects."""
    return list(Topic.objects.filter(project__in=project_ids, text=text).values_list("pk", flat=True))
