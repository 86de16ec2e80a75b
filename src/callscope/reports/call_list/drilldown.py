"""Drill-down: the calls that one figure of a report counts.

A figure counts facts; each filter here chooses facts the same way, so that a list holds as
many calls as its figure says. The API has some of them (filters.py reads those), the pages all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from callscope.contact_reasons.models import ContactReason
from callscope.projects.models import Project
from callscope.reports.call_list.conditions import Condition, MarkSought, Operator, ProjectHours
from callscope.reports.models import Topic
from callscope.reports.store import marks

JUDGED = "judged"  # all but those that are not applicable: what the figures of a criterion are taken over
OUTCOMES = ("critical", JUDGED, "evaluated", "not_applicable")
# What a criterion came to, as the API asks for it. Together they are all calls that name the criterion.
MET, PARTLY, NOT_MET, NOT_EVALUATED = "met", "partly", "not_met", "not_evaluated"
RESULTS = (MET, PARTLY, NOT_MET, "not_applicable", NOT_EVALUATED)
SHIFTS = ("day", "night")
YES_OR_NO = {"true": True, "false": False}
WEEKDAYS = {str(number): number for number in range(7)}
HOURS = {str(number): number for number in range(24)}


@dataclass(frozen=True, slots=True)
class DrilldownFilter:
    """Which figure's calls; the defaults choose all."""

    goal: bool | None = None  # reached or missed
    scored: bool = False
    timed: bool = False  # with a real call time
    shift: str = ""  # of SHIFTS
    weekday: int | None = None  # of the server's day, 0 for Monday
    hour: int | None = None  # of a real call time, in the server's day
    topic: str = ""  # the contact reason, exactly
    criterion: str = ""  # criterion id
    outcome: str = ""  # of OUTCOMES or RESULTS: what it came to; "" for all calls that carry it
    tracker: str = ""  # id of a tracker that holds in the call
    mistake: str = ""  # id of a mistake that was made in the call
    prompt: str = ""  # id of a prompt that was missed in the call
    reason: int | None = None  # id of the contact reason that the call counts for

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "DrilldownFilter":
        """Return the filters in a query string; unknown values choose nothing."""
        shift, outcome = query.get("shift", ""), query.get("found", "")
        return cls(
            goal=YES_OR_NO.get(query.get("goal", "")),
            scored=query.get("scored") == "true",
            timed=query.get("timed") == "true",
            shift=shift if shift in SHIFTS else "",
            weekday=WEEKDAYS.get(query.get("weekday", "")),
            hour=HOURS.get(query.get("hour", "")),
            topic=query.get("topic", "").replace("\x00", ""),
            criterion=query.get("criterion", "").replace("\x00", ""),
            outcome=outcome if outcome in OUTCOMES else "",
            mistake=query.get("mistake", "").replace("\x00", ""),
            prompt=query.get("prompt", "").replace("\x00", ""),
        )

    def joined_with(self, asked: "DrilldownFilter") -> "DrilldownFilter":
        """Return these filters with what the API has too from `asked`."""
        outcome = self.outcome or asked.outcome
        return replace(self, outcome=outcome, tracker=asked.tracker, reason=asked.reason)

    @property
    def judged_criterion(self) -> str:
        """The criterion that is looked for among those that a call was judged by; "" for none."""
        return "" if self.outcome == NOT_EVALUATED else self.criterion

    @property
    def is_all(self) -> bool:
        return self == DrilldownFilter()

    @property
    def without_criterion(self) -> "DrilldownFilter":
        """The same without its criterion."""
        return replace(self, criterion="", outcome="")

    @property
    def without_answers(self) -> "DrilldownFilter":
        """The same without what asks for an answer. A criterion without an outcome asks for none."""
        criterion = "" if self.outcome else self.criterion
        return replace(self, goal=None, criterion=criterion, outcome="", mistake="", prompt="")

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
        if self.weekday is not None:
            conditions.append(Condition("day", Operator.ON_WEEKDAY, self.weekday))
        if self.hour is not None:
            conditions.append(Condition("hour", Operator.EQUALS, self.hour))
        if self.topic:
            topics = Topic.objects.filter(project__in=project_ids, text=self.topic)
            conditions.append(Condition("topic_id", Operator.IN, tuple(topics.values_list("pk", flat=True))))
        if self.reason is not None:
            topic_ids = find_reason_topics(project_ids, self.reason)
            conditions.append(Condition("topic_id", Operator.IN, topic_ids))
        sought_ids = {
            marks.TRACKER: self.tracker,
            marks.MISTAKE: self.mistake,
            marks.MISSED_PROMPT: self.prompt,
        }
        wanted = [(kind, key) for kind, key in sought_ids.items() if key]
        if self.criterion and self.outcome == NOT_EVALUATED:
            wanted.append((marks.NOT_EVALUATED, self.criterion))
        for kind, key in wanted:
            sought = MarkSought(tuple(project_ids), kind, key)
            conditions.append(Condition("call_id", Operator.HAS_MARK, sought))
        return tuple(conditions)


def find_reason_topics(project_ids: Sequence[int], reason_id: int) -> tuple[int, ...]:
    """Return the topics under which the reports count the calls of a reason of these projects.

    Those of a heading are the topics of the reasons under it.
    """
    reason = ContactReason.objects.filter(pk=reason_id, project__in=project_ids).first()
    if reason is None:
        return ()
    names = [reason.name]
    if reason.is_heading:
        names += reason.children.filter(is_set_aside=False).values_list("name", flat=True)
    topics = Topic.objects.filter(project=reason.project_id, text__in=names)
    return tuple(topics.values_list("pk", flat=True))


def shift_hours_by_project(project_ids: Sequence[int], shift: str) -> ProjectHours:
    """Return (project, the hours of its day or night, ascending) for each of the projects."""
    hours_by_project = []
    for project in Project.objects.filter(pk__in=project_ids):
        day = project.configuration.shift_hours
        hours = tuple(hour for hour in range(24) if day.contains(hour) == (shift == "day"))
        hours_by_project.append((project.pk, hours))
    return tuple(hours_by_project)
