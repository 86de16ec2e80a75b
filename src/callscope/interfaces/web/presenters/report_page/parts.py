"""The parts of the report: each is a page with an address of its own."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from callscope.interfaces.web.query_string import EVERYTHING, with_query

Part = Literal["overview", "criteria", "agents", "reasons", "trend"]
PARTS: tuple[Part, ...] = get_args(Part)
LABELS = {
    "overview": gettext_lazy("Overview"),
    "criteria": gettext_lazy("Criteria"),
    "agents": gettext_lazy("Agents"),
    "reasons": gettext_lazy("Reasons"),
    "trend": gettext_lazy("Trend"),
}


class PartLink(NamedTuple):
    label: str | Promise
    url: str
    is_current: bool


def find_address(part: Part) -> str:
    """Return the address of a part, without a query."""
    return reverse("web:report" if part == "overview" else f"web:report-{part}")


def build_address(part: Part, query: Mapping[str, object]) -> str:
    """Return the address of a part for these projects and days, also where that is all of them."""
    return with_query(find_address(part), query, blank=EVERYTHING)


def list_parts(current: Part, query: dict[str, str], *, of_one_agent: bool = False) -> list[PartLink]:
    """Return the parts in order, with the projects and days of the report.

    `of_one_agent`: without agents, whom a report of one would not compare.
    """
    shown = [part for part in PARTS if not (of_one_agent and part == "agents")]
    return [PartLink(LABELS[part], build_address(part, query), part == current) for part in shown]
