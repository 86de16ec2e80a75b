"""The call list: filtered, searched, ordered, in pages of 25, and the agents to filter it by.

Rules: docs/api.md, "Call list". Empty values come last in either direction;
equal ones follow by id, descending.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from callscope.calls.namesakes import label_names
from callscope.db import raw_sql
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reports.call_list import queryset
from callscope.reports.call_list.call_rows import CallItem, item_of_row, read_rows
from callscope.reports.call_list.criterion_filter import CriterionFilter
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.pagination import ListingWithTail, open_listing
from callscope.reports.call_list.snippets import add_snippets
from callscope.reports.models import CallFact
from callscope.reports.store import reader, version
from callscope.reports.window import ALL_TIME, Window

PAGE_SIZE = 25
ROWS_AT_ONCE = 500  # databases bound the parameters of one statement
PAGE_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)
LAST_PAGE = "last"


class NoSuchPage(Exception):
    """The page lies past the end, or is no page number."""


@dataclass(frozen=True, slots=True)
class CallPage:
    count: int  # calls on all pages together
    number: int
    pages: int
    items: list[CallItem]
    agents: dict[int, str] = field(default_factory=dict)  # as the page shows them, by call

    @property
    def next_number(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None

    @property
    def previous_number(self) -> int | None:
        return self.number - 1 if self.number > 1 else None


class ListedAgent(NamedTuple):
    """An agent to choose."""

    id: int
    name: str
    external_id: str  # the client's own id; "" where only the name is known
    label: str  # the name, with what tells the agent apart from others of the list


def find_calls(
    projects: Sequence[Project],
    window: Window,
    filters: CallFilters,
    page: str = "1",
    page_size: int | None = None,
) -> CallPage:
    """Return one page of the live calls; `page` is a number from 1 or "last". Raises NoSuchPage.

    A page has PAGE_SIZE calls unless `page_size` says otherwise.
    """
    return find_page([project.pk for project in projects], window, filters, page, page_size)


def find_page(
    project_ids: Sequence[int],
    window: Window,
    filters: CallFilters,
    page: str = "1",
    page_size: int | None = None,
) -> CallPage:
    """Return one page of the live calls of these projects, as find_calls() does."""
    with snapshot():
        state = reader.read_fingerprint(project_ids, window)
        if version.is_current(state.version):
            return _read_page(project_ids, window, filters, page, page_size or PAGE_SIZE, state)
    version.ensure_current()
    with snapshot():
        state = reader.read_fingerprint(project_ids, window)
        return _read_page(project_ids, window, filters, page, page_size or PAGE_SIZE, state)


def _read_page(
    project_ids: Sequence[int],
    window: Window,
    filters: CallFilters,
    page: str,
    page_size: int,
    state: reader.StoreFingerprint,
) -> CallPage:
    listing = open_listing(project_ids, window, filters, state)
    if filters.blinded and not filters.asks_for_answers:
        listing = ListingWithTail(listing, find_blinded(project_ids, window, filters))
    count = listing.count()
    pages = max(1, -(-count // page_size))
    if page == LAST_PAGE:
        number = pages
    elif PAGE_NUMBER.fullmatch(page) and 1 <= int(page) <= pages:
        number = int(page)
    else:
        raise NoSuchPage
    rows = listing.rows((number - 1) * page_size, page_size)
    items = [item_of_row(row) for row in rows]
    if filters.transcript:
        items = add_snippets(items, filters.transcript)
    named = {row.id: (row.agent_id, row.agent or "", row.external_id or "") for row in rows if row.agent_id}
    labels = label_names(named.values())
    agents = {call_id: labels[agent_id] for call_id, (agent_id, _name, _external_id) in named.items()}
    return CallPage(count, number, pages, items, agents)


def iterate_calls(projects: Sequence[Project], window: Window, filters: CallFilters) -> Iterator[CallItem]:
    """Yield all calls of the list in its order, as they are at one moment; for files, not for pages."""
    project_ids = [project.pk for project in projects]
    with snapshot(may_pause=True):
        facts = queryset.order_calls(queryset.select_calls(project_ids, window, filters), filters.order)
        criterion = (
            CriterionFilter(project_ids, filters.drilldown) if filters.drilldown.judged_criterion else None
        )
        ids = facts.values_list("pk", flat=True).iterator(chunk_size=ROWS_AT_ONCE)
        while chunk := list(islice(ids, ROWS_AT_ONCE)):
            selected = criterion.select_ids(chunk) if criterion else chunk
            yield from map(item_of_row, read_rows([pk for pk in chunk if pk in selected]))
        if filters.blinded and not filters.asks_for_answers:
            yield from map(item_of_row, read_rows(find_blinded(project_ids, window, filters)))


def find_blinded(project_ids: Sequence[int], window: Window, filters: CallFilters) -> list[int]:
    """Return which calls the list may say nothing of, whatever came out of them; the higher id first.

    They are those of `filters.blinded` that meet all filters but the ones that ask for answers.
    """
    if not filters.blinded:
        return []
    others = replace(filters.without_answers, blinded=())
    facts = queryset.select_calls(project_ids, window, others).filter(pk__in=filters.blinded)
    ids = list(facts.order_by("-pk").values_list("pk", flat=True))
    if others.drilldown.judged_criterion:
        having = CriterionFilter(project_ids, others.drilldown).select_ids(ids)
        ids = [pk for pk in ids if pk in having]
    return ids


def find_call_ids(project_ids: Sequence[int], filters: CallFilters) -> list[int]:
    """Return the calls of the whole history that the filters leave."""
    with snapshot():
        facts = queryset.select_calls(project_ids, ALL_TIME, filters)
        ids = list(facts.values_list("pk", flat=True))
        if not filters.drilldown.judged_criterion:
            return ids
        criterion = CriterionFilter(project_ids, filters.drilldown)
        starts = range(0, len(ids), ROWS_AT_ONCE)
        return [pk for n in starts for pk in criterion.select_ids(ids[n : n + ROWS_AT_ONCE])]


def find_items(projects: Sequence[Project], call_ids: Sequence[int]) -> list[CallItem]:
    """Return these calls as the list shows them, in its order of ids; only those of the projects."""
    with snapshot():
        facts = CallFact.objects.filter(project__in=[project.pk for project in projects], pk__in=call_ids)
        return [
            item_of_row(row) for row in read_rows(list(facts.order_by("-pk").values_list("pk", flat=True)))
        ]


def list_agents(projects: Sequence[Project], *, most: int) -> list[ListedAgent]:
    """Return the agents of these projects' live calls, by name; at most `most`.

    The register of a team or owner also holds the agents of projects that the caller
    may not see, so it is never shown as a whole.
    """
    with snapshot():
        totals = reader.read_aggregates([project.pk for project in projects], ALL_TIME, ("agents",))
        ids = [row[0] for row in totals.rows("agents")]
        agents: list[tuple[str, int, str, str]] = []
        for start in range(0, len(ids), ROWS_AT_ONCE):
            chunk = ids[start : start + ROWS_AT_ONCE]
            places = ", ".join(["%s"] * len(chunk))
            columns = "name_key, id, name, external_id"
            statement = f"SELECT {columns} FROM calls_agent WHERE id IN ({places})"  # noqa: S608
            agents += [(key, pk, name, own) for key, pk, name, own in raw_sql.fetch_rows(statement, chunk)]
    labels = label_names(agent[1:] for agent in agents)
    return [ListedAgent(pk, name, own, labels[pk]) for _key, pk, name, own in sorted(agents)[:most]]
