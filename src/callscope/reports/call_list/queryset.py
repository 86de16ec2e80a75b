"""The calls of a list as one query: right for any filter and order, slow at the far end of a long list."""

from collections.abc import Sequence

from django.db import connection, models
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Collate

from callscope.calls.models import Agent
from callscope.reports.call_list.conditions import to_queries
from callscope.reports.call_list.filters import TALK_ORDERINGS, CallFilters, Order
from callscope.reports.models import CallFact
from callscope.reports.search import call_texts, spoken_words
from callscope.reports.window import Window

ORDER_COLUMNS = {
    "call_datetime": "at_us",
    "score_percentage": "score_bp",
    "mistake_count": "mistakes",
    **TALK_ORDERINGS,
}


def select_calls(
    project_ids: Sequence[int], window: Window, filters: CallFilters
) -> "models.QuerySet[CallFact]":
    """Return the facts of the calls that the filters leave, whatever criterion they name."""
    return filter_calls(project_ids, window, filters, find_matches(filters))


def find_matches(filters: CallFilters) -> call_texts.Matches | None:
    """Return the calls that search and transcript find, each where it is asked for; None where neither is."""
    found: list[call_texts.Matches] = []
    if filters.search:
        found.append(call_texts.find_matching_calls(filters.search))
    if filters.transcript:
        found.append(spoken_words.find_calls_saying(filters.transcript))
    if len(found) < 2:
        return found[0] if found else None
    # What names its calls first: the other is asked for those alone.
    first, second = sorted(found, key=lambda each: not isinstance(each, list))
    if isinstance(second, list):
        return sorted(set(first) & set(second))
    return list(second.filter(pk__in=first)) if isinstance(first, list) else first.filter(pk__in=second)


def filter_calls(
    project_ids: Sequence[int], window: Window, filters: CallFilters, matches: call_texts.Matches | None
) -> "models.QuerySet[CallFact]":
    """Return what select_calls() does, where `matches` is what the search has found."""
    first, last = window.days
    conditions = (*filters.conditions(), *filters.drilldown.conditions(project_ids))
    asked = [Q(project__in=project_ids), *to_queries(conditions)]  # a filter() for each costs 0.1 ms
    if window.start is not None:
        asked.append(Q(day__gte=first))
    if window.end is not None:
        asked.append(Q(day__lte=last))
    if matches is not None:
        asked.append(Q(pk__in=matches))
    return CallFact.objects.filter(*asked)


def scan_calls(
    project_ids: Sequence[int], window: Window, filters: CallFilters
) -> "models.QuerySet[CallFact]":
    """Return what select_calls() does without a search, read in the order of the table and not by an index.

    Where many calls are looked at, an index would have them read one by one from all over the table.
    """
    first, last = window.days
    # Neither database uses an index for a column that something is added to.
    facts = CallFact.objects.annotate(of_project=F("project_id") + 0, on_day=F("day") + 0)
    facts = facts.filter(of_project__in=project_ids, on_day__gte=first, on_day__lte=last)
    conditions = (*filters.conditions(), *filters.drilldown.conditions(project_ids))
    return facts.filter(*to_queries(conditions))


def order_calls(facts: "models.QuerySet[CallFact]", order: Order) -> "models.QuerySet[CallFact]":
    """Sort the facts as the list does: empty values last, then the higher id first."""
    if order.field == "agent__name":
        name: Subquery | Collate = Subquery(Agent.objects.filter(pk=OuterRef("agent_id")).values("name_key"))
        if connection.vendor == "postgresql":  # SQLite compares texts by code point of its own accord
            name = Collate(name, "C")
        facts = facts.annotate(agent_key=name)
    key = F("agent_key" if order.field == "agent__name" else ORDER_COLUMNS[order.field])
    sort = key.desc(nulls_last=True) if order.descending else key.asc(nulls_last=True)
    return facts.defer("pack").order_by(sort, "-pk")
