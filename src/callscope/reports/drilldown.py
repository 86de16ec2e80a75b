"""The calls behind one figure of a report: filters that the call list of the pages has beyond the API's.

A figure counts facts; each of these narrows facts the same way, so that a list
holds as many calls as its figure says.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Substr

from callscope.projects.models import Project
from callscope.reports.models import CallFact, CriterionSeen, Topic
from callscope.reports.packing import CRITICAL_ERROR, ENTRY, EVALUATED, NOT_APPLICABLE

FLAGS = {"critical": CRITICAL_ERROR, "evaluated": EVALUATED, "not_applicable": NOT_APPLICABLE}
ALL_FLAGS = CRITICAL_ERROR | EVALUATED | NOT_APPLICABLE
SHIFTS = ("day", "night")
YES_OR_NO = {"true": True, "false": False}
MAX_CRITERIA = 400  # more distinct criteria than this are looked for in none


@dataclass(frozen=True, slots=True)
class Behind:
    """Which figure's calls; the defaults leave all."""

    goal: bool | None = None  # reached or missed
    scored: bool = False
    timed: bool = False  # with a real call time
    shift: str = ""  # of SHIFTS
    topic: str = ""  # the contact reason, exactly
    criterion: str = ""  # criterion id
    found: str = ""  # of FLAGS: what the criterion came to; "" for all calls that carry it

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
            found=found if found in FLAGS else "",
        )

    @property
    def is_all(self) -> bool:
        return self == Behind()

    def narrow(
        self, facts: "models.QuerySet[CallFact]", projects: Sequence[Project]
    ) -> "models.QuerySet[CallFact]":
        """Return those of the facts that the figure counts."""
        if self.goal is not None:
            facts = facts.filter(goal_reached=self.goal)
        if self.scored:
            facts = facts.filter(max_points__isnull=False)
        if self.timed:
            facts = facts.filter(hour__isnull=False)
        if self.shift:
            facts = facts.filter(_in_shift(projects, self.shift))
        if self.topic:
            topics = Topic.objects.filter(project__in=[p.pk for p in projects], text=self.topic)
            facts = facts.filter(topic_id__in=list(topics.values_list("pk", flat=True)))
        if self.criterion:
            facts = _carrying(facts, [p.pk for p in projects], self.criterion, self.found)
        return facts


def _in_shift(projects: Sequence[Project], shift: str) -> Q:
    """Each project's calls are told by its own hours."""
    chosen = Q(pk__in=[])
    for project in projects:
        hours = project.configuration.shift_hours
        start, end = hours.day_start, hours.day_end
        day = {h for h in range(24) if (start <= h < end if start < end else h >= start or h < end)}
        wanted = day if shift == "day" else set(range(24)) - day
        chosen |= Q(project=project.pk, hour__in=sorted(wanted))
    return chosen


def _carrying(
    facts: "models.QuerySet[CallFact]", project_ids: list[int], criterion: str, found: str
) -> "models.QuerySet[CallFact]":
    """Look into the packs where they lie: entry after entry, by their bytes."""
    seen = CriterionSeen.objects.filter(project__in=project_ids)
    wanted = list(seen.filter(criterion_id=criterion).values_list("pk", flat=True))
    longest = seen.count()
    if not wanted or longest > MAX_CRITERIA:
        return facts.none()
    at = ENTRY.fields["criterion"][1], ENTRY.fields["flags"][1]  # type: ignore[index]
    chosen = Q(pk__in=[])
    annotations: dict[str, Substr] = {}
    for index in range(longest):
        start = index * ENTRY.itemsize
        annotations[f"criterion_{index}"] = _bytes(start + at[0], 4)
        here = Q(**{f"criterion_{index}__in": [struct.pack("<I", pk) for pk in wanted]})
        if found:
            annotations[f"flags_{index}"] = _bytes(start + at[1], 1)
            here &= Q(**{f"flags_{index}__in": list(_bytes_with(FLAGS[found]))})
        chosen |= here
    return facts.alias(**annotations).filter(chosen)


def _bytes(offset: int, length: int) -> Substr:
    return Substr("pack", Value(offset + 1), Value(length), output_field=models.BinaryField())


def _bytes_with(flag: int) -> Iterator[bytes]:
    return (bytes([flags]) for flags in range(ALL_FLAGS + 1) if flags & flag)
