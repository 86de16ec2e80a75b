"""Filters of the call list, as they stand in an address.

Rules: docs/api.md, "Call list". Unknown sentiments, directions and orders are
ignored; an agent that is neither a number nor "none" is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from callscope.reports.drilldown import Behind
from callscope.reports.models import DirectionCode, Sentiment

INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
MAX_ID_DIGITS = 18  # every such number fits the databases' 64 bits
NO_SUCH_AGENT = -1
ORDERINGS = ("call_datetime", "score_percentage", "mistake_count", "agent__name")
DEFAULT_ORDERING = "-call_datetime"
SENTIMENTS = {choice.label: choice.value for choice in Sentiment}
DIRECTIONS = {choice.label: choice.value for choice in DirectionCode if choice.value}


class InvalidFilter(Exception):
    """A filter that is refused; `field` names it, `message` is a sentence."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class CallFilters:
    """Which calls, in which order. The defaults choose all, the newest first."""

    agent: int | None = None
    without_agent: bool = False
    sentiment: int | None = None  # models.Sentiment
    direction: int | None = None  # models.DirectionCode
    critical: bool = False
    search: str = ""
    ordering: str = DEFAULT_ORDERING
    behind: Behind = field(default_factory=Behind)  # a figure of the report; only the pages ask for it

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "CallFilters":
        """Return the filters in a query string. Raises InvalidFilter."""
        agent = query.get("agent") or ""
        ordering = query.get("ordering") or ""
        return cls(
            agent=_agent_id(agent) if agent not in ("", "none") else None,
            without_agent=agent == "none",
            sentiment=SENTIMENTS.get(query.get("sentiment") or ""),
            direction=DIRECTIONS.get(query.get("direction") or ""),
            critical=(query.get("critical") or "").lower() in ("true", "1"),
            search=query.get("search") or "",
            ordering=ordering if ordering.removeprefix("-") in ORDERINGS else DEFAULT_ORDERING,
        )

    @property
    def choose_calls(self) -> bool:
        """Whether any filter but the search is set."""
        named = (self.agent, self.sentiment, self.direction)
        return any(value is not None for value in named) or self.without_agent or self.critical

    @property
    def order_field(self) -> str:
        return self.ordering.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.ordering.startswith("-")


def _agent_id(text: str) -> int:
    if not INTEGER.fullmatch(text):
        raise InvalidFilter("agent", f'"{text[:40]}" is neither an agent id nor "none".')
    agent = int(text) if len(text) <= MAX_ID_DIGITS else NO_SUCH_AGENT
    return agent if agent > 0 else NO_SUCH_AGENT  # the sums keep calls without an agent under 0
