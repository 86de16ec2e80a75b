"""The call list as an address: its filters, orders and pages, shared by the calls page and the call page."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.interfaces.web.page import with_query
from callscope.interfaces.web.question import Question
from callscope.interfaces.web.told import told
from callscope.reports.call_filters import DEFAULT_ORDERING, CallFilters, InvalidFilter
from callscope.reports.call_table import PAGE_SIZE, CallPage
from callscope.reports.drilldown import Behind

# Filters with a control of their own, and those that only a figure of the report leads to.
CONTROLS = ("search", "agent", "sentiment", "direction", "goal", "critical")
FIGURES = ("topic", "criterion", "found", "shift", "scored", "timed")
FILTERS = (*CONTROLS, *FIGURES)
SENTIMENTS = (
    ("negative", gettext_lazy("Negative")),
    ("neutral", gettext_lazy("Neutral")),
    ("positive", gettext_lazy("Positive")),
)
DIRECTIONS = (("inbound", gettext_lazy("Inbound")), ("outbound", gettext_lazy("Outbound")))
GOALS = (("true", gettext_lazy("Reached")), ("false", gettext_lazy("Missed")))
ORDERS = (
    ("-call_datetime", gettext_lazy("Newest first")),
    ("call_datetime", gettext_lazy("Oldest first")),
    ("score_percentage", gettext_lazy("Lowest score first")),
    ("-score_percentage", gettext_lazy("Highest score first")),
    ("-mistake_count", gettext_lazy("Most mistakes first")),
    ("agent__name", gettext_lazy("By agent")),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address says beyond scope and window."""

    filters: CallFilters
    query: dict[str, str]  # filters and order as they stand in the address, only the filled ones
    page: str
    problem: str = ""  # a sentence, when a filter is refused

    @property
    def controls(self) -> dict[str, str]:
        return self.query

    @property
    def hidden(self) -> dict[str, str]:
        """What the form of filters has no control for."""
        return {name: value for name, value in self.query.items() if name in FIGURES}

    @property
    def is_filtered(self) -> bool:
        return any(name in self.query for name in FILTERS)

    choices = {"sentiment": SENTIMENTS, "direction": DIRECTIONS, "goal": GOALS}


def read(request: HttpRequest) -> Asked:
    """Return the filters, the order and the page in the address."""
    query = {name: value for name in (*FILTERS, "ordering") if (value := request.GET.get(name, "").strip())}
    page = request.GET.get("page") or "1"
    try:
        filters = CallFilters.from_query(query)
    except InvalidFilter as error:
        return Asked(CallFilters(), query, page, _("A filter cannot be used: %s") % told(error.message))
    behind = Behind.from_query(query)
    return Asked(
        CallFilters(**{name: getattr(filters, name) for name in _PLAIN}, behind=behind),
        query,
        page,
    )


_PLAIN = tuple(name for name in CallFilters.__dataclass_fields__ if name != "behind")


@dataclass(frozen=True, slots=True)
class Head:
    """One column: its name, and where a click on it leads ("" for columns that cannot be sorted by)."""

    name: str
    label: str | Promise
    is_number: bool = False
    url: str = ""
    sort: str = ""  # ascending or descending, when the list is in this order


# Name, label, is a number, field to sort by, and the first direction of a click.
COLUMNS: tuple[tuple[str, Any, bool, str, str], ...] = (
    ("when", gettext_lazy("Time"), False, "call_datetime", "-"),
    ("file", gettext_lazy("Call"), False, "", ""),
    ("agent", gettext_lazy("Agent"), False, "agent__name", ""),
    ("topic", gettext_lazy("Contact reason"), False, "", ""),
    ("sentiment", gettext_lazy("Sentiment"), False, "", ""),
    ("goal", gettext_lazy("Goal"), False, "", ""),
    ("score", gettext_lazy("Score"), True, "score_percentage", ""),
    ("critical", gettext_lazy("Critical"), False, "", ""),
    ("mistakes", gettext_lazy("Mistakes"), True, "mistake_count", "-"),
    ("missed", gettext_lazy("Missed prompts"), True, "", ""),
)


def heads(question: Question, asked: Asked) -> list[Head]:
    """Return the columns with their sort links; a second click turns the order round."""
    current = asked.filters.ordering
    found = []
    for name, label, is_number, order, first in COLUMNS:
        if not order:
            found.append(Head(name, label, is_number))
            continue
        sort = {order: "ascending", f"-{order}": "descending"}.get(current, "")
        wanted = f"{first}{order}" if not sort else order if sort == "descending" else f"-{order}"
        found.append(Head(name, label, is_number, _url(question, asked, ordering=wanted), sort))
    return found


def orders(asked: Asked) -> list[dict[str, Any]]:
    """Return the orders for the list to choose from, which phones show in place of heads."""
    return [
        {
            "value": "" if value == DEFAULT_ORDERING else value,
            "label": label,
            "is_current": value == asked.filters.ordering,
        }
        for value, label in ORDERS
    ]


def chips(question: Question, asked: Asked) -> list[dict[str, str]]:
    """Return what a figure of the report chose, in words, each with the address without it."""
    behind = asked.filters.behind
    found = []
    if behind.topic:
        found.append((_("Reason: %s") % behind.topic, {"topic": None}))
    if behind.criterion:
        name = _criterion_name(question, behind.criterion)
        words = {
            "critical": _("Critical error in: %s"),
            "evaluated": _("Evaluated: %s"),
            "not_applicable": _("Not applicable: %s"),
        }
        found.append((words.get(behind.found, _("Criterion: %s")) % name, {"criterion": None, "found": None}))
    if behind.shift:
        found.append((_("Day shift") if behind.shift == "day" else _("Night shift"), {"shift": None}))
    if behind.scored:
        found.append((_("Scored"), {"scored": None}))
    if behind.timed:
        found.append((_("With call time"), {"timed": None}))
    return [{"label": label, "url": _url(question, asked, **without)} for label, without in found]


def pager(found: CallPage, question: Question, asked: Asked) -> dict[str, Any]:
    def to(number: int | None) -> str:
        return _url(question, asked, page=number if number and number > 1 else None) if number else ""

    first = (found.number - 1) * PAGE_SIZE + 1
    return {
        "first": first if found.count else 0,
        "last": first + len(found.items) - 1 if found.count else 0,
        "previous_url": to(found.previous_number),
        "next_url": to(found.next_number),
        "first_url": to(1) if found.number > 2 else "",
        "last_url": to(found.pages) if found.pages - found.number > 1 else "",
    }


def _url(question: Question, asked: Asked, **changes: Any) -> str:
    return with_query(reverse("web:calls"), {**question.query, **asked.query, **changes})


def _criterion_name(question: Question, criterion_id: str) -> str:
    for project in question.projects:
        for _section, criterion in project.configuration.rubric.criteria():
            if criterion.id == criterion_id:
                return criterion.name
    return criterion_id
