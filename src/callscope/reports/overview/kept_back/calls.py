"""The calls that wait for a reader's blind review or rating, and which figures would give them away."""

import datetime as dt
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from callscope.projects.models import Project
from callscope.reports.models import CallFact
from callscope.reports.window import Window, find_week

# Over so many calls a figure is shown, unless all of them wait. Five is the smallest cell that statistics
# usually publish, and the fewest calls that have an interval here.
LEAST_CALLS = 5

Key = TypeVar("Key", bound=Hashable)


class KeptCall(NamedTuple):
    """A call that waits, and what places it in a report."""

    call: int
    project: int
    agent: int | None
    day: int
    hour: int | None  # None where no real call time is known

    @property
    def week(self) -> dt.date:
        return find_week(self.day)

    @property
    def weekday(self) -> int:
        return (self.day - 1) % 7


@dataclass(frozen=True, slots=True)
class KeptBack:
    """Calls that wait, of all that a figure may be taken over."""

    calls: tuple[KeptCall, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.calls)

    def hides(self, calls: int) -> bool:
        """Return whether a figure over so many calls, these among them, is left out.

        It is over few calls of which half or more wait: what it says is mostly what they were given. With
        fewer, a small team whose manager reviews a few calls would have no figures at all.
        """
        return bool(self.calls) and calls < LEAST_CALLS and 2 * len(self.calls) >= calls

    def hides_group(self, calls: int) -> bool:
        """Return whether figures over a group of so many calls are left out: also where all of it waits."""
        return self.hides(calls) or (bool(self.calls) and len(self.calls) >= calls)

    def where(self, holds: Callable[[KeptCall], bool]) -> "KeptBack":
        return KeptBack(tuple(call for call in self.calls if holds(call)))

    def within(self, window: Window | None) -> "KeptBack":
        """Return those of a window; none without one."""
        if window is None:
            return NOTHING_KEPT
        first, last = window.days
        return self.where(lambda call: first <= call.day <= last)

    def group(self, key: Callable[[KeptCall], Key]) -> dict[Key, "KeptBack"]:
        """Return them by what places them."""
        found: dict[Key, list[KeptCall]] = {}
        for call in self.calls:
            found.setdefault(key(call), []).append(call)
        return {each: KeptBack(tuple(calls)) for each, calls in found.items()}


NOTHING_KEPT = KeptBack()


def find_kept_back(
    projects: Sequence[Project], call_ids: Collection[int], agent_id: int | None = None
) -> KeptBack:
    """Return those of the calls that a report of these projects counts; one query where there are any."""
    if not call_ids:
        return NOTHING_KEPT
    facts = CallFact.objects.filter(project__in=[project.pk for project in projects], call__in=call_ids)
    if agent_id is not None:
        facts = facts.filter(agent_id=agent_id)
    rows = facts.order_by("call").values_list("call", "project", "agent_id", "day", "hour")
    return KeptBack(tuple(KeptCall(*row) for row in rows))
