"""The call list: filtered, searched, ordered, in pages of 25.

Rules: docs/api.md, "Call list". Empty values come last in either direction;
equal ones are told apart by id, descending.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.reports import call_query, premises, seek
from callscope.reports.call_filters import CallFilters
from callscope.reports.models import CallFact, Sentiment, Topic
from callscope.reports.snapshot import snapshot
from callscope.reports.window import Window

PAGE_SIZE = 25
ROWS_AT_ONCE = 500
PAGE_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)
LAST_PAGE = "last"


class NoSuchPage(Exception):
    """The page lies past the end, or is no page number."""


@dataclass(frozen=True, slots=True)
class CallItem:
    """One call as the list shows it."""

    id: int
    file_id: int | None
    file_name: str
    call_datetime: dt.datetime
    agent: str
    direction: str
    campaign: str
    topic: str  # the contact reason, before grouping the raw topic
    sentiment: str | None
    score_percentage: float | None
    has_critical_error: bool
    mistake_count: int | None
    missing_prompt_count: int | None
    goal_reached: bool | None


@dataclass(frozen=True, slots=True)
class CallPage:
    count: int  # calls on all pages together
    number: int
    pages: int
    items: list[CallItem]

    @property
    def next_number(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None

    @property
    def previous_number(self) -> int | None:
        return self.number - 1 if self.number > 1 else None


def find_calls(
    projects: Sequence[Project], window: Window, filters: CallFilters, page: str = "1"
) -> CallPage:
    """Return one page of the live calls; `page` is a number from 1 or "last". Raises NoSuchPage."""
    premises.ensure()
    with snapshot():
        found = seek.found(projects, window, filters)
        count = found.count()
        pages = max(1, -(-count // PAGE_SIZE))
        number = _page_number(page, pages)
        ids = found.ids((number - 1) * PAGE_SIZE, PAGE_SIZE)
        facts = CallFact.objects.defer("pack").in_bulk(ids)
        return CallPage(count, number, pages, items_of([facts[pk] for pk in ids]))


def every_call(projects: Sequence[Project], window: Window, filters: CallFilters) -> Iterator[CallItem]:
    """Yield all calls of the list in its order, as they are at one moment; for files, not for pages."""
    with snapshot():
        facts = call_query.ordered(call_query.chosen(projects, window, filters), filters)
        for some in _batched(facts.iterator(chunk_size=ROWS_AT_ONCE), ROWS_AT_ONCE):
            yield from items_of(some)


def _batched(rows: Iterable[CallFact], size: int) -> Iterator[list[CallFact]]:
    rest = iter(rows)
    while some := list(islice(rest, size)):
        yield some


def _page_number(page: str, pages: int) -> int:
    if page == LAST_PAGE:
        return pages
    if not PAGE_NUMBER.fullmatch(page) or not 1 <= int(page) <= pages:
        raise NoSuchPage
    return int(page)


def items_of(facts: Sequence[CallFact]) -> list[CallItem]:
    """Return the items of these facts, in their order."""
    calls = Call.objects.select_related("agent").in_bulk([fact.pk for fact in facts])
    topics = dict(
        Topic.objects.filter(pk__in={f.topic_id for f in facts if f.topic_id}).values_list("pk", "text")
    )
    return [
        item(calls[fact.pk], fact, topics.get(fact.topic_id or 0, "")) for fact in facts if fact.pk in calls
    ]


def item(call: Call, fact: CallFact | None, topic: str) -> CallItem:
    """Return the item of a call; without a fact, what is known before any result."""
    return CallItem(
        id=call.pk,
        file_id=call.newest_file_id,
        file_name=call.file_name,
        call_datetime=call.call_datetime,
        agent=call.agent.name if call.agent else "",
        direction=call.direction,
        campaign=call.campaign,
        topic=topic,
        sentiment=Sentiment(fact.sentiment).label if fact and fact.sentiment else None,
        score_percentage=fact.score_bp / 100 if fact and fact.score_bp is not None else None,
        has_critical_error=bool(fact and fact.critical),
        mistake_count=fact.mistakes if fact else None,
        missing_prompt_count=fact.missing_prompts if fact else None,
        goal_reached=fact.goal_reached if fact else None,
    )


def item_json(shown: CallItem) -> dict[str, Any]:
    """Return the item as the interface shows it."""
    return asdict(shown) | {"call_datetime": utc_text(shown.call_datetime)}


def utc_text(moment: dt.datetime) -> str:
    """Return a moment in ISO 8601, in UTC, such as 2026-01-05T10:00:00Z."""
    return moment.astimezone(dt.UTC).isoformat().removesuffix("+00:00") + "Z"
