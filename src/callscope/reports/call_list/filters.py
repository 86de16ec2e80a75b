"""Filters of the call list, as they stand in an address.

Rules: docs/api.md, "Call list". Unknown sentiments, directions and orders are ignored. An
agent that is neither a number nor "none" is refused, and so are scores, results and ids
that nothing can have.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import NamedTuple

from callscope.messages.message import Message, MessageError
from callscope.reports.call_list.conditions import Condition, Operator, TextSought
from callscope.reports.call_list.drilldown import RESULTS, DrilldownFilter
from callscope.reports.models import DirectionCode, Sentiment

INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
MAX_ID_DIGITS = 18  # every such number fits the databases' 64 bits
NO_SUCH_AGENT = -1
NO_SUCH_REASON = -1
SCORE = re.compile(r"[0-9]{1,9}(\.[0-9]{0,9})?", re.ASCII)
MOST_SCORE = 100
IDENTIFIER = re.compile(r"[A-Za-z0-9_.:-]{1,64}", re.ASCII)  # of a tracker
LONGEST_QUERY = 500  # characters that are looked for in transcripts
LENGTH = re.compile(r"[0-9]{1,6}(\.[0-9]{0,6})?", re.ASCII)  # seconds
CLOCK = re.compile(r"[0-9]{1,4}:[0-5][0-9]", re.ASCII)  # minutes and seconds, as pages show lengths
US_PER_SECOND = 1_000_000
MAX_CAMPAIGN = 255
MAX_SHOWN = 40  # characters of a value that is refused
YES_OR_NO = {"true": True, "1": True, "false": False, "0": False}
TALK_ORDERINGS = {  # → column of the fact
    "talk_share": "talk_share_bp",
    "longest_monologue": "monologue_ms",
    "silence_seconds": "silence_ms",
    "interruptions": "interruptions",
    "speech_rate": "words_per_100_minutes",
    "hold_seconds": "hold_ms",
}
ORDERINGS = ("call_datetime", "score_percentage", "mistake_count", "agent__name", *TALK_ORDERINGS)
ANSWER_ORDERINGS = ("score_percentage", "mistake_count")  # which say what came out
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
    reviewed: bool | None = None  # a review stands, one that is not outdated
    failed: bool = False  # an analysis of the newest file
    half_heard: bool = False  # what was said is not known
    with_mistakes: bool = False  # at least one was found
    with_missed_prompts: bool = False
    campaign: str = ""  # exactly
    min_length_us: int | None = None
    max_length_us: int | None = None
    min_score_bp: int | None = None  # hundredths of a percent, as scores are shown
    max_score_bp: int | None = None
    search: str = ""
    transcript: str = ""  # words that are said in the call, phrases in quotes
    ordering: str = DEFAULT_ORDERING
    drilldown: DrilldownFilter = field(default_factory=DrilldownFilter)
    blinded: tuple[int, ...] = ()  # calls that the list must say nothing of: see blinded_to()

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "CallFilters":
        """Return the filters in a query string. Raises InvalidFilter."""
        agent = query.get("agent") or ""
        ordering = query.get("ordering") or ""
        lowest, highest = parse_scores(query.get("min_score") or "", query.get("max_score") or "")
        shortest, longest = parse_lengths(query.get("min_length") or "", query.get("max_length") or "")
        return cls(
            agent=parse_agent(agent) if agent not in ("", "none") else None,
            without_agent=agent == "none",
            sentiment=SENTIMENTS.get(query.get("sentiment") or ""),
            direction=DIRECTIONS.get(query.get("direction") or ""),
            critical=(query.get("critical") or "").lower() in ("true", "1"),
            reviewed=YES_OR_NO.get((query.get("reviewed") or "").lower()),
            failed=(query.get("failed") or "").lower() in ("true", "1"),
            half_heard=(query.get("half_heard") or "").lower() in ("true", "1"),
            with_mistakes=(query.get("mistakes") or "").lower() in ("true", "1"),
            with_missed_prompts=(query.get("missed_prompts") or "").lower() in ("true", "1"),
            campaign=(query.get("campaign") or "").replace("\x00", "")[:MAX_CAMPAIGN],
            min_length_us=shortest,
            max_length_us=longest,
            min_score_bp=lowest,
            max_score_bp=highest,
            search=query.get("search") or "",
            transcript=parse_transcript(query.get("transcript") or ""),
            ordering=ordering if ordering.removeprefix("-") in ORDERINGS else DEFAULT_ORDERING,
            drilldown=parse_drilldown(query),
        )

    def of_agent(self, agent_id: int) -> "CallFilters":
        """Return these filters for the calls of one agent alone, whichever agent they ask for."""
        asks_for_others = self.without_agent or self.agent not in (None, agent_id)
        return replace(self, agent=NO_SUCH_AGENT if asks_for_others else agent_id, without_agent=False)

    def blinded_to(self, call_ids: Collection[int]) -> "CallFilters":
        """Return these filters for somebody who rates these calls and must not learn what came out.

        Where answers are asked for, the calls are left out; where they decide the order, the calls come last.
        """
        asks = self.asks_for_answers or self.order.field in ANSWER_ORDERINGS
        return replace(self, blinded=tuple(sorted(call_ids))) if asks and call_ids else self

    @property
    def asks_for_answers(self) -> bool:
        """True if being in the list says something of the answers for a call, or of a review of it."""
        return self.without_answers != self

    @property
    def without_answers(self) -> "CallFilters":
        """The same without what asks for answers."""
        return replace(
            self,
            sentiment=None,
            critical=False,
            reviewed=None,
            with_mistakes=False,
            with_missed_prompts=False,
            min_score_bp=None,
            max_score_bp=None,
            drilldown=self.drilldown.without_answers,
        )

    def conditions(self) -> tuple[Condition, ...]:
        """Return what the filters ask of a call, without search, transcript and drill-down."""
        conditions = []
        if self.agent is not None:
            conditions.append(Condition("agent_id", Operator.EQUALS, self.agent))
        if self.without_agent:
            conditions.append(Condition("agent_id", Operator.IS_NULL))
        if self.blinded:
            conditions.append(Condition("call_id", Operator.NOT_IN, self.blinded))
        if self.sentiment is not None:
            conditions.append(Condition("sentiment", Operator.EQUALS, self.sentiment))
        if self.direction is not None:
            conditions.append(Condition("direction", Operator.EQUALS, self.direction))
        if self.critical:
            conditions.append(Condition("critical", Operator.EQUALS, True))
        if self.reviewed is not None:
            operator = Operator.IS_REVIEWED if self.reviewed else Operator.NOT_REVIEWED
            conditions.append(Condition("call_id", operator))
        if self.failed:
            conditions.append(Condition("call_id", Operator.HAS_FAILED))
        if self.half_heard:
            conditions.append(Condition("half_heard", Operator.EQUALS, True))
        if self.with_mistakes:
            conditions.append(Condition("mistakes", Operator.AT_LEAST, 1))
        if self.with_missed_prompts:
            conditions.append(Condition("missing_prompts", Operator.AT_LEAST, 1))
        if self.campaign:
            conditions.append(Condition("call_id", Operator.HAS_TEXT, TextSought("campaign", self.campaign)))
        if self.min_length_us is not None:
            conditions.append(Condition("duration_us", Operator.AT_LEAST, self.min_length_us))
        if self.max_length_us is not None:
            conditions.append(Condition("duration_us", Operator.AT_MOST, self.max_length_us))
        if self.min_score_bp is not None:
            conditions.append(Condition("score_bp", Operator.AT_LEAST, self.min_score_bp))
        if self.max_score_bp is not None:
            conditions.append(Condition("score_bp", Operator.AT_MOST, self.max_score_bp))
        return tuple(conditions)

    @property
    def has_search(self) -> bool:
        """True if calls are looked for by words, in their fields or in what was said."""
        return bool(self.search or self.transcript)

    @property
    def is_transcript_alone(self) -> bool:
        """True if calls are looked for by what was said in them, and by nothing else."""
        return bool(self.transcript and not self.search and not self.conditions() and self.drilldown.is_all)

    @property
    def order(self) -> Order:
        return Order(self.ordering.removeprefix("-"), self.ordering.startswith("-"))


def parse_agent(text: str) -> int:
    """Return the id that a query names. Raises InvalidFilter if it is no number."""
    if not INTEGER.fullmatch(text):
        raise InvalidFilter("agent", "invalid_agent", value=text[:MAX_SHOWN])
    # The sums keep calls without an agent under 0, so that a query for agent 0 must not reach them.
    return _read_id(text, NO_SUCH_AGENT)


def parse_drilldown(query: Mapping[str, str]) -> DrilldownFilter:
    """Return the filters for figures that the API has. Raises InvalidFilter."""
    criterion, result = (query.get("criterion") or "").replace("\x00", ""), query.get("result") or ""
    tracker, reason = query.get("tracker") or "", query.get("reason") or ""
    if result and result not in RESULTS:
        raise InvalidFilter("result", "invalid_result", value=result[:MAX_SHOWN], known=", ".join(RESULTS))
    if result and not criterion:
        raise InvalidFilter("result", "result_without_criterion", value=result)
    if tracker and not IDENTIFIER.fullmatch(tracker):
        raise InvalidFilter("tracker", "invalid_tracker", value=tracker[:MAX_SHOWN])
    if reason and not INTEGER.fullmatch(reason):
        raise InvalidFilter("reason", "invalid_reason", value=reason[:MAX_SHOWN])
    reason_id = _read_id(reason, NO_SUCH_REASON) if reason else None
    return DrilldownFilter(criterion=criterion, outcome=result, tracker=tracker, reason=reason_id)


def parse_transcript(text: str) -> str:
    """Return what is looked for in transcripts. Raises InvalidFilter if it is too long."""
    if len(text) > LONGEST_QUERY:
        raise InvalidFilter("transcript", "long_transcript_query", count=len(text), most=LONGEST_QUERY)
    return text.strip()


def parse_scores(lowest: str, highest: str) -> tuple[int | None, int | None]:
    """Return the scores between which calls are asked for, in hundredths of a percent; None where blank.

    Scores count as they are shown, with two decimals. Raises InvalidFilter.
    """
    for name, text in (("min_score", lowest), ("max_score", highest)):
        if text and (not SCORE.fullmatch(text) or Decimal(text) > MOST_SCORE):
            raise InvalidFilter(name, "invalid_score", value=text[:MAX_SHOWN], most=MOST_SCORE)
    if lowest and highest and Decimal(lowest) > Decimal(highest):
        raise InvalidFilter("max_score", "scores_reversed", lowest=lowest, highest=highest)
    least = int((Decimal(lowest) * 100).to_integral_value(ROUND_CEILING)) if lowest else None
    most = int((Decimal(highest) * 100).to_integral_value(ROUND_FLOOR)) if highest else None
    return least, most


def parse_lengths(shortest: str, longest: str) -> tuple[int | None, int | None]:
    """Return between which lengths calls are asked for, in microseconds; None where blank.

    Raises InvalidFilter.
    """
    for name, text in (("min_length", shortest), ("max_length", longest)):
        if text and not (LENGTH.fullmatch(text) or CLOCK.fullmatch(text)):
            raise InvalidFilter(name, "invalid_length", value=text[:MAX_SHOWN])
    least = _read_length(shortest) if shortest else None
    most = _read_length(longest) if longest else None
    if least is not None and most is not None and least > most:
        raise InvalidFilter("max_length", "lengths_reversed", shortest=shortest, longest=longest)
    return least, most


def _read_length(text: str) -> int:
    minutes, _colon, seconds = text.rpartition(":")
    return int((60 * int(minutes or 0) + Decimal(seconds)) * US_PER_SECOND)


def _read_id(text: str, unreachable: int) -> int:
    number = int(text) if len(text) <= MAX_ID_DIGITS else unreachable
    return number if number > 0 else unreachable
