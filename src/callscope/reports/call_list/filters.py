"""Filters of the call list, as they stand in an address.

Rules: docs/api.md, "Call list". Unknown sentiments, directions and orders are
ignored; an agent that is neither a number nor "none" is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from callscope.messages.message import Message, MessageError
from callscope.reports.call_list.conditions import Condition, Operator
from callscope.reports.call_list.drilldown import DrilldownFilter
from callscope.reports.models import DirectionCode, Sentiment

INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
MAX_ID_DIGITS = 18  # every such number fits the databases' 64 bits
NO_SUCH_AGENT = -1
ORDERINGS = ("call_datetime", "score_percentage", "mistake_count", "agent__name")
DEFAULT_ORDERING = "-call_datetime"
SENTIMENTS = {choice.label: choice.value for choice in Sentiment}
DIRECTIONS = {choice.label: choice.value for choice in DirectionCode if choice.value}


class InvalidFilter(MessageError):
    """A filter that is refused; `field` names it."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


class Order(NamedTuple):
    """By which field the list is sorted; empty values come last in either direction."""

    field: str  # of ORDERINGS
    descending: bool


@dataclass(frozen=True, slots=True)
class CallFilters:
    """Which calls, in which order. The defaults choose all, the newest first."""

    agent: int | None = None
    without_agent: bool = False
    sentiment: int | None = None  # models.Sentiment
    direction: int | None = None  # models.DirectionCode
    critical: bool = False
    failed: bool = False  # an analysis of the newest file
    search: str = ""
    ordering: str = DEFAULT_ORDERING
    drilldown: DrilldownFilter = field(default_factory=DrilldownFilter)  # only the pages ask for one

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "CallFilters":
        """Return the filters in a query string. Raises InvalidFilter."""
        agent = query.get("agent") or ""
        ordering = query.get("ordering") or ""
        return cls(
            agent=parse_agent(agent) if agent not in ("", "none") else None,
            without_agent=agent == "none",
            sentiment=SENTIMENTS.get(query.get("sentiment") or ""),
            direction=DIRECTIONS.get(query.get("direction") or ""),
            critical=(query.get("critical") or "").lower() in ("true", "1"),
            failed=(query.get("failed") or "").lower() in ("true", "1"),
            search=query.get("search") or "",
            ordering=ordering if ordering.removeprefix("-") in ORDERINGS else DEFAULT_ORDERING,
        )

    def conditions(self) -> tuple[Condition, ...]:
        """Return what the filters ask of a call, without the search and the drill-down."""
        conditions = []
        if self.agent is not None:
            conditions.append(Condition("agent_id", Operator.EQUALS, self.agent))
        if self.without_agent:
            conditions.append(Condition("agent_id", Operator.IS_NULL))
        if self.sentiment is not None:
            conditions.append(Condition("sentiment", Operator.EQUALS, self.sentiment))
        if self.direction is not None:
            conditions.append(Condition("direction", Operator.EQUALS, self.direction))
        if self.critical:
            conditions.append(Condition("critical", Operator.EQUALS, True))
        if self.failed:
            conditions.append(Condition("call_id", Operator.HAS_FAILED))
        return tuple(conditions)

    @property
    def order(self) -> Order:
        return Order(self.ordering.removeprefix("-"), self.ordering.startswith("-"))


def parse_agent(text: str) -> int:
    """Return the id that a query names. Raises InvalidFilter if it is no number."""
    if not INTEGER.fullmatch(text):
        raise InvalidFilter("agent", "invalid_agent", value=text[:40])
    agent = int(text) if len(text) <= MAX_ID_DIGITS else NO_SUCH_AGENT
    # The sums keep calls without an agent under 0, so that a query for agent 0 must not reach them.
    return agent if agent > 0 else NO_SUCH_AGENT
