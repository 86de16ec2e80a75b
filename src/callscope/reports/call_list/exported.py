"""What a table of all calls has beyond the list: length, caller, review, and the result of each criterion.

Rules: docs/api.md, "Report object".
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.reports.call_list.call_rows import CallItem, hide_results
from callscope.reports.call_list.criterion_answers import read_results
from callscope.reports.models import CallFact
from callscope.reviews.models import Review
from callscope.reviews.reading import HiddenCalls

ROWS_AT_ONCE = 500  # databases bound the parameters of one statement
US_PER_S = 1_000_000
LISTED = tuple(name for name in CallItem.__struct_fields__ if name not in ("file_id", "is_blinded"))
ADDED = ("duration_seconds", "caller_number", "reviewed", "results_hidden")
AGENT_ID = "agent_external_id"  # in the client's own systems; the last column of every table that has it
RATING, REVIEW = "calibration", "blind_review"  # why results are hidden from who takes the table


def list_columns(projects: Sequence[Project]) -> list[str]:
    """Return the names of the columns: of the list, the added ones, `criterion:ID` for each, the agent's id.

    The criteria are those that the rubrics of the projects have today, in their order.
    """
    return [*LISTED, *ADDED, *name_criteria(projects), AGENT_ID]


def name_criteria(projects: Sequence[Project]) -> dict[str, str]:
    """Return the columns of criteria, each with the name that the first project with it gives it."""
    return {f"criterion:{each}": name for each, name in _list_criteria(projects).items()}


def build_rows(
    items: Iterable[CallItem], projects: Sequence[Project], hidden: HiddenCalls
) -> Iterator[list[Any]]:
    """Yield the cells of each call in the order of list_columns(); `hidden` calls are without results.

    A time is a datetime in UTC without an offset, in whole seconds, as spreadsheets read it.
    """
    criteria, rest = _list_criteria(projects), iter(items)
    standing = Review.objects.filter(is_current=True, is_outdated=False)
    while chunk := list(islice(rest, ROWS_AT_ONCE)):
        ids = [item.id for item in chunk]
        said = Call.objects.filter(pk__in=ids).values_list("pk", "caller_number", "agent__external_id")
        parties = {pk: (caller, agent or "") for pk, caller, agent in said}
        lengths = dict(CallFact.objects.filter(pk__in=ids).values_list("pk", "duration_us"))
        reviewed = set(standing.filter(call__in=ids).values_list("call", flat=True))
        live = CallAnalysis.objects.filter(call__in=ids, is_live=True)
        copc: Iterable[tuple[int, Any]] = live.values_list("call", "copc")
        results = {call: read_results(each or {}) for call, each in copc}
        for item in chunk:
            is_hidden = item.id in hidden.all
            shown = hide_results(item) if is_hidden else item
            cells = [getattr(shown, name) for name in LISTED]
            if is_hidden:
                cells[LISTED.index("has_critical_error")] = None
            cells[LISTED.index("call_datetime")] = item.call_datetime.astimezone(dt.UTC).replace(
                microsecond=0, tzinfo=None
            )
            found = {} if is_hidden else results.get(item.id, {})
            caller, agent = parties.get(item.id, ("", ""))
            yield [
                *cells,
                lengths[item.id] / US_PER_S if lengths.get(item.id) else None,
                caller,
                None if is_hidden else item.id in reviewed,
                _say_why_hidden(item.id, hidden),
                *(found.get(criterion) for criterion in criteria),
                agent,
            ]


def _say_why_hidden(call_id: int, hidden: HiddenCalls) -> str:
    return RATING if call_id in hidden.to_rate else REVIEW if call_id in hidden.to_review else ""


def _list_criteria(projects: Sequence[Project]) -> dict[str, str]:
    names: dict[str, str] = {}
    for project in projects:
        for _section, each in project.configuration.rubric.criteria():
            names.setdefault(each.id, each.name)
    return names
