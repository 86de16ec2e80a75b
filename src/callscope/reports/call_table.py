"""The call list: filtered, searched, ordered, in pages of 25.

Rules: docs/api.md, "Call list". Empty values come last in either direction;
equal ones are told apart by id, descending.
"""

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.reports import call_query, call_rows, premises, seek, store
from callscope.reports.call_filters import CallFilters
from callscope.reports.call_rows import Row
from callscope.reports.carrying import Criterion
from callscope.reports.models import CallFact, Sentiment
from callscope.reports.snapshot import snapshot
from callscope.reports.window import MICROSECOND, Window, moment_of

PAGE_SIZE = 25
ROWS_AT_ONCE = 500
PAGE_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)
LAST_PAGE = "last"
MIDNIGHT_1970 = dt.datetime(1970, 1, 1)  # in UTC, as all stored moments; naive ones print faster
SENTIMENTS = {choice.value: choice.label for choice in Sentiment}


class NoSuchPage(Exception):
    """The page lies past the end, or is no page number."""


class CallItem(NamedTuple):
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
    rows: list[Row]

    @property
    def items(self) -> list[CallItem]:
        return [_item(*row) for row in self.rows]

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
    return find_page([project.pk for project in projects], window, filters, page)


def find_page(project_ids: Sequence[int], window: Window, filters: CallFilters, page: str = "1") -> CallPage:
    """Return one page of the live calls of these projects, as find_calls() does."""
    with snapshot():
        state = store.state(project_ids, window)
        if premises.are_current(state.premises):
            return _page(project_ids, window, filters, page, state)
    premises.ensure()
    with snapshot():
        return _page(project_ids, window, filters, page, store.state(project_ids, window))


def _page(
    project_ids: Sequence[int], window: Window, filters: CallFilters, page: str, state: store.State
) -> CallPage:
    found = seek.found(project_ids, window, filters, state)
    count = found.count()
    pages = max(1, -(-count // PAGE_SIZE))
    number = _page_number(page, pages)
    return CallPage(count, number, pages, found.rows((number - 1) * PAGE_SIZE, PAGE_SIZE))


def every_call(projects: Sequence[Project], window: Window, filters: CallFilters) -> Iterator[CallItem]:
    """Yield all calls of the list in its order, as they are at one moment; for files, not for pages."""
    ids = [project.pk for project in projects]
    with snapshot():
        facts = call_query.ordered(call_query.chosen(ids, window, filters), filters)
        criterion = Criterion(ids, filters.behind) if filters.behind.criterion else None
        for met in _batched(facts.values_list("pk", flat=True).iterator(chunk_size=ROWS_AT_ONCE)):
            carrying = criterion.among(met) if criterion else ()
            some = [pk for pk in met if pk in carrying] if criterion else met
            yield from (_item(*row) for row in call_rows.of_calls(some))


def _batched(ids: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(ids)
    while some := list(islice(rest, ROWS_AT_ONCE)):
        yield some


def _page_number(page: str, pages: int) -> int:
    if page == LAST_PAGE:
        return pages
    if not PAGE_NUMBER.fullmatch(page) or not 1 <= int(page) <= pages:
        raise NoSuchPage
    return int(page)


def _item(
    pk: int,
    file_id: int | None,
    file_name: str,
    at_us: int,
    agent: str | None,
    direction: str,
    campaign: str,
    topic: str | None,
    sentiment: int | None,
    score_bp: int | None,
    critical: bool | int,
    mistakes: int | None,
    missing_prompts: int | None,
    goal_reached: bool | int | None,
) -> CallItem:
    return CallItem(
        pk,
        file_id,
        file_name,
        moment_of(at_us),
        agent or "",
        direction,
        campaign,
        topic or "",
        SENTIMENTS[sentiment] if sentiment else None,
        None if score_bp is None else score_bp / 100,
        bool(critical),
        mistakes,
        missing_prompts,
        None if goal_reached is None else bool(goal_reached),
    )


def item(call: Call, fact: CallFact | None, topic: str) -> CallItem:
    """Return the item of a call; without a fact, what is known before any result."""
    shown = _item(
        call.pk,
        call.newest_file_id,
        call.file_name,
        0,
        call.agent.name if call.agent else "",
        call.direction,
        call.campaign,
        topic,
        *((f.sentiment, f.score_bp, f.critical, f.mistakes) if (f := fact) else (None, None, False, None)),
        *((fact.missing_prompts, fact.goal_reached) if fact else (None, None)),
    )
    return shown._replace(call_datetime=call.call_datetime)


def item_json(shown: CallItem) -> dict[str, Any]:
    """Return the item as the interface shows it."""
    return shown._asdict() | {"call_datetime": utc_text(shown.call_datetime)}


def rows_text(rows: Iterable[Row]) -> str:
    """Return the items of rows as a JSON array: what the API's renderer makes of them, but much faster."""
    text = f"[{','.join(map(_row_text, rows))}]"
    # These two break a line of JavaScript.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _row_text(row: Row) -> str:
    pk, file_id, file_name, at_us, agent, direction, campaign, topic, *findings = row
    sentiment, score_bp, critical, mistakes, missing_prompts, goal_reached = findings
    return (
        f'{{"id":{pk},"file_id":{NULL if file_id is None else file_id},"file_name":{quoted(file_name)},'
        f'"call_datetime":"{(MIDNIGHT_1970 + at_us * MICROSECOND).isoformat()}Z",'
        f'"agent":{quoted(agent or "")},"direction":"{direction}",'
        f'"campaign":{quoted(campaign)},"topic":{quoted(topic or "")},'
        f'"sentiment":{SENTIMENT_TEXTS[sentiment]},'
        f'"score_percentage":{NULL if score_bp is None else score_bp / 100},'
        f'"has_critical_error":{"true" if critical else "false"},'
        f'"mistake_count":{NULL if mistakes is None else mistakes},'
        f'"missing_prompt_count":{NULL if missing_prompts is None else missing_prompts},'
        f'"goal_reached":{NULL if goal_reached is None else "true" if goal_reached else "false"}}}'
    )


NULL = "null"
SENTIMENT_TEXTS = {None: NULL, 0: NULL} | {value: f'"{label}"' for value, label in SENTIMENTS.items()}
quoted = json.encoder.encode_basestring


def utc_text(moment: dt.datetime) -> str:
    """Return a moment in ISO 8601, in UTC, such as 2026-01-05T10:00:00Z."""
    return moment.astimezone(dt.UTC).isoformat().removesuffix("+00:00") + "Z"
