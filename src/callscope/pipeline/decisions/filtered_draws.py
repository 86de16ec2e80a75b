"""Draw calls to review among those that filters of the call list leave.

The filters are stored with the draw, so those that hold words are left out: what was said in a call,
who called, campaigns. All others are read as the call list reads them, with its errors; what the list
would ignore is refused, because a draw of all calls would look like the one that was asked for.
"""

from collections.abc import Mapping
from dataclasses import replace

from callscope.accounts.models import User
from callscope.db.limits import is_storable
from callscope.projects.models import Project
from callscope.reports.call_list.drilldown import YES_OR_NO, DrilldownFilter
from callscope.reports.call_list.filters import DIRECTIONS, MAX_SHOWN, SENTIMENTS, CallFilters, InvalidFilter
from callscope.reports.call_list.listing import find_call_ids
from callscope.reviews.models import ReviewSample
from callscope.reviews.sampling.draw import InvalidSample, SamplePlan, draw_sample

CLOSED = {  # filters with few values, all of which a draw may name
    "sentiment": tuple(SENTIMENTS),
    "direction": tuple(DIRECTIONS),
    **dict.fromkeys(("goal", "critical", "mistakes", "missed_prompts", "reviewed"), tuple(YES_OR_NO)),
}
OPEN = (
    "agent",
    "min_score",
    "max_score",
    "min_length",
    "max_length",
    "criterion",
    "result",
    "tracker",
    "reason",
)
LONGEST = 64  # characters of a value: those of an id
FILTERS = (*CLOSED, *OPEN)


def draw_filtered(project: Project, plan: SamplePlan, by: User | None) -> ReviewSample:
    """Draw and store a sample among the calls that the plan's filters leave. Raises InvalidSample."""
    filters = check_filters(plan.filters)
    return draw_sample(project, replace(plan, filters=filters), by, among=find_filtered(project, filters))


def check_filters(sent: Mapping[str, object]) -> dict[str, str]:
    """Return the filters as they are stored, without blank ones. Raises InvalidSample."""
    filters = {}
    for name, value in sent.items():
        if name not in FILTERS:
            allowed = ", ".join(FILTERS)
            raise InvalidSample("filters", "unknown_draw_filter", value=name[:MAX_SHOWN], allowed=allowed)
        text = str(value).lower() if isinstance(value, bool) else str(value).strip()
        shown: dict[str, object] = {"value": text[:MAX_SHOWN], "name": name}
        is_text = isinstance(value, str | int | float) and is_storable(text) and len(text) <= LONGEST
        if not is_text:
            raise InvalidSample("filters", "unreadable_draw_filter", most=LONGEST, **shown)
        if text and text not in CLOSED.get(name, (text,)):
            raise InvalidSample("filters", "invalid_draw_filter", allowed=", ".join(CLOSED[name]), **shown)
        if text:
            filters[name] = text
    _parse(filters)
    return filters


def find_filtered(project: Project, filters: Mapping[str, str]) -> frozenset[int] | None:
    """Return the calls that checked filters leave; None for all."""
    return frozenset(find_call_ids([project.pk], _parse(filters))) if filters else None


def _parse(filters: Mapping[str, str]) -> CallFilters:
    try:
        asked = CallFilters.from_query(filters)
    except InvalidFilter as error:
        raise InvalidSample("filters", error.message.code, **error.message.params) from None
    goal = DrilldownFilter.from_query({"goal": filters.get("goal", "")})
    return replace(asked, drilldown=replace(asked.drilldown, goal=goal.goal))
