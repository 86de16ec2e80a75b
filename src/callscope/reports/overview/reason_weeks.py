"""How many calls each contact reason has in each of the twelve weeks up to a window's end.

They are read for the part of the report that shows them alone, and reach back beyond the window.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from callscope.analysis.figures import percentage
from callscope.db.chunks import chunked
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reports.models import Topic
from callscope.reports.overview.loader import IDS_AT_ONCE
from callscope.reports.store import reader, version
from callscope.reports.window import Window, day_of, find_week, is_part_of_week, list_weekdays

WEEKS = 12
MANY_DAYS = 27  # from the first of four weeks to the last


@dataclass(frozen=True, slots=True)
class ReasonWeeks:
    """How many calls each reason has by week, and how many have any; each list has an entry for each week."""

    mondays: list[dt.date]
    with_reason: list[int]
    by_text: dict[str, list[int]]
    parts: list[int]  # places of weeks of which only a part is counted or has passed

    def list_calls(self, text: str) -> list[int]:
        """Return the calls of a reason by week."""
        return self.by_text.get(text) or [0] * len(self.mondays)

    def list_shares(self, text: str) -> list[float | None]:
        """Return the share of a reason by week, in percent; None where no call has any reason."""
        return [percentage(a, b) for a, b in zip(self.list_calls(text), self.with_reason, strict=True)]


def count_reason_weeks(
    projects: Sequence[Project], window: Window, agent_id: int | None = None
) -> ReasonWeeks:
    """Return the weeks up to the one that holds the last day of the window, or today if that is earlier.

    With `agent_id`, of the calls that this agent has in one project.
    """
    today = day_of(timezone.now())
    last = min(window.days[1], today)
    first = max(find_week(last).toordinal() - 7 * (WEEKS - 1), 1)
    mondays = [dt.date.fromordinal(day) for day in range(first, last + 1, 7)]
    found = ReasonWeeks(mondays, [0] * len(mondays), {}, [])
    if not projects:
        return found
    version.ensure_current()
    span = Window(mondays[0], dt.date.fromordinal(last))
    with snapshot():
        weeks = reader.read_weeks([project.pk for project in projects], span, ("topics", "days"), agent_id)
        topics = {topic for sums in weeks.values() for topic, _ in sums.rows("topics")}
        texts: dict[int, str] = {}
        for chunk in chunked(sorted(topics), IDS_AT_ONCE):
            texts.update(Topic.objects.filter(pk__in=chunk).values_list("pk", "text"))
    for monday, sums in weeks.items():
        place = (monday - first) // 7
        for topic, calls in sums.rows("topics"):
            if topic in texts:
                found.by_text.setdefault(texts[topic], [0] * len(mondays))[place] += calls
                found.with_reason[place] += calls
    days = (day for sums in weeks.values() for day in sums.table("days")[:, 0].tolist())
    # The rest of the report goes by the days of the window; few of them do not show on which nobody calls.
    since = window.days[0] if last - window.days[0] >= MANY_DAYS else first
    weekdays = list_weekdays(day for day in days if since <= day)
    for place, each in enumerate(mondays):
        if is_part_of_week(each.toordinal(), first, last, weekdays, today=today):
            found.parts.append(place)
    return found
