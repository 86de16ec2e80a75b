"""What an analysis finds, before it is stored: answers out of a closed set, and the quotes that show them."""

from dataclasses import dataclass, field

from callscope.analysis.results.schema import (
    Answer,
    CopcResult,
    CustomQuestionsResult,
    Insights,
    NoProtocolResult,
    Provenance,
)

ANSWERS: tuple[Answer, ...] = ("met", "partly", "not_met", "not_applicable")

COPC = "calls_analysis_copc"
NO_PROTOCOL = "calls_analysis_no_protocol"
CUSTOM_QUESTIONS = "calls_analysis_custom_questions"
INSIGHTS = "calls_analysis_insights"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the transcript, checked: `text` is from the segment that starts at `start_s`."""

    text: str
    start_s: float


@dataclass(frozen=True, slots=True)
class PartQuote:
    """The quote of one part of a rule: of a group, counted from 0, or of what belongs to none."""

    group: int | None
    quote: Quote
    speaker: str  # "" where it is not known


@dataclass(frozen=True, slots=True)
class Judgment:
    """One criterion judged. Without an answer it is not evaluated, and `reason` says why."""

    criterion_id: str
    answer: Answer | None
    justification: str = ""
    quote: Quote | None = None
    verified: bool = True  # False: the analyzer gave a quote that is not in the transcript
    reason: str = ""
    quotes: tuple[PartQuote, ...] = ()  # of a rule that wants, counts or orders several things
    margin: float | None = None  # PhraseMatch.margin of the match by meaning that decided
    asked_again: bool = False  # the analyzer had to be asked more than once


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

    copc: CopcResult | None = None
    no_protocol: NoProtocolResult | None = None
    custom_questions: CustomQuestionsResult | None = None
    insights: Insights | None = None
    provenance: Provenance | None = None
    errors: dict[str, str] = field(default_factory=dict)  # analysis type → sentence
    usage: list[EngineUse] = field(default_factory=list)
