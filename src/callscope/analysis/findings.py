"""What an analysis finds, before it is stored: answers out of a closed set, and the quotes behind them."""

from dataclasses import dataclass, field
from typing import Any, Literal

Answer = Literal["met", "partly", "not_met", "not_applicable"]
ANSWERS: tuple[Answer, ...] = ("met", "partly", "not_met", "not_applicable")

COPC = "calls_analysis_copc"
NO_PROTOCOL = "calls_analysis_no_protocol"
CUSTOM_QUESTIONS = "calls_analysis_custom_questions"
INSIGHTS = "calls_analysis_insights"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the transcript, checked: `text` stands in the segment that starts at `start_s`."""

    text: str
    start_s: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """One criterion judged. Without an answer it is not evaluated, and `reason` says why."""

    criterion_id: str
    answer: Answer | None
    justification: str = ""
    quote: Quote | None = None
    verified: bool = True  # False: the analyser gave a quote that does not stand in the transcript
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EngineUse:
    """What one engine was asked, for the usage ledger."""

    engine: str
    model: str
    input_tokens: int
    output_tokens: int
    cost_micros: int | None  # millionths of the currency unit; None: not priced


@dataclass(slots=True)
class Findings:
    """The stored results of one transcript; None where an analysis is not enabled or failed."""

    copc: dict[str, Any] | None = None
    no_protocol: dict[str, Any] | None = None
    custom_questions: dict[str, Any] | None = None
    insights: dict[str, Any] | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)  # analysis type → sentence
    usage: list[EngineUse] = field(default_factory=list)
