"""The calls of a list as one query: right for any filter and order, slow at the far end of a long list."""

from collections.abc import Sequence

from django.db import connection, models
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Collate

from callscope.calls.models import Agent
from callscope.reports import search
from callscope.reports.call_filters import CallFilters
from callscope.reports.models import CallFact
from callscope.reports.window import Window

ORDER_COLUMNS = {"call_datetime": "at_us", "score_percentage": "score_bp", "mistake_count": "mistakes"}


def chosen(project_ids: Sequence[int], window: Window, filters: CallFilters) -> "models.QuerySet[CallFact]":
    """Return the facts of the calls that the filters leave."""
    return narrowed(project_ids, window, filters, search.matching(filters.search) if filters.search else None)


def narrowed(
    project_ids: Sequence[int], window: Window, filters: CallFilters, matches: search.Matches | None
) -> "models.QuerySet[CallFact]":
    """Return the facts of the calls that the filters leave, where `matches` is what the search has found."""
    facts = CallFact.objects.filter(project__in=project_ids)
    first, last = window.days
    if window.start is not None:
        facts = facts.filter(day__gte=first)
    if window.end is not None:
        facts = facts.filter(day__lte=last)
    facts = matching(facts, filters)
    if matches is not None:
        facts = facts.filter(pk__in=matches)
    return filters.behind.narrow(facts, project_ids)


def all_over(project_ids: Sequence[int], window: Window, filters: CallFilters) -> "models.QuerySet[CallFact]":
    """Return what narrowed() does without a search, read in the order of the table and not by an index.

    Where many calls are looked at, an index would have them read one by one from all over the table.
    """
    first, last = window.days
    facts = CallFact.objects.annotate(of_project=F("project_id") + 0, on_day=F("day") + 0).filter(
        of_project__in=project_ids, on_day__gte=first, on_day__lte=last
    )
    return filters.behind.narrow(matching(facts, filters), project_ids)


def matching(facts: "models.QuerySet[CallFact]", filters: CallFilters) -> "models.QuerySet[CallFact]":
    """Narrow facts by agent, sentiment, direction and critical error."""
    if filters.agent is not None:
        facts = facts.filter(agent_id=filters.agent)
    if filters.without_agent:
        facts = facts.filter(agent_id=None)
    if filters.sentiment is not None:
        facts = facts.filter(sentiment=filters.sentiment)
    if filters.direction is not None:
        facts = facts.filter(direction=filters.direction)
    if filters.critical:
        facts = facts.filter(critical=True)
    return facts


def ordered(facts: "models.QuerySet[CallFact]", filters: CallFilters) -> "models.QuerySet[CallFact]":
    """Bring the facts into the order of the list: empty values last, then the higher id first."""
    if filters.order_field == "agent__name":
        names = Agent.objects.filter(pk=OuterRef("agent_id")).values("name_key")
        facts = facts.annotate(agent_key=_by_code_point(Subquery(names)))
        key = F("agent_key")
    else:
        key = F(ORDER_COLUMNS[filters.order_field])
    order = key.desc(nulls_last=True) if filters.descending else key.asc(nulls_last=True)
    return facts.defer("pack").order_by(order, "-pk")


def _by_code_point(expression: Subquery) -> Subquery | Collate:
    """Compare texts by code point; SQLite does so by itself."""
    return Collate(expression, "C") if connection.vendor == "postgresql" else expression
