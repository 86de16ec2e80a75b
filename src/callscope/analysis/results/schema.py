"""The JSON of stored results, as models.CallAnalysis keeps it and the API shows it.

Imported results may leave out any of these keys, so readers ask with `.get()`.
"""

from typing import Literal, NotRequired, TypedDict

from callscope.analysis.conversation.talk import Talk
from callscope.transcription.schema import Quality

Answer = Literal["met", "partly", "not_met", "not_applicable"]
Sentiment = Literal["positive", "neutral", "negative"]
JsonNumber = int | float  # whole numbers are written as int


class StoredQuote(TypedDict):
    """One of several quotes."""

    group: int | None  # of the rule's all_of, counted from 0; None: of none of them
    text: str
    speaker: str | None  # None where it is not known
    start: float  # seconds


class TrackedRule(TypedDict):
    """A tracker that found something in a call."""

    id: str
    quotes: list[StoredQuote]


class CriterionScore(TypedDict):
    """One criterion that was judged."""

    criterion_id: str
    name: str
    section: str
    score: JsonNumber
    max_points: JsonNumber
    applicability: Literal["evaluated", "not_applicable"]
    answer: Answer
    is_critical_error: bool
    critical_class: str | None
    justification: str
    quote: str  # "[MM:SS] text", "" without one
    quote_start: float | None  # seconds
    verified: bool  # False: the analyzer gave a quote that is not in the transcript
    source: NotRequired[Literal["machine", "person"]]  # absent: the machine
    quotes: NotRequired[list[StoredQuote]]  # only from a rule that wants, counts or orders several things
    # How sure the machine was, as far as it knows. Results of before these were stored have neither.
    margin: NotRequired[float]  # 0 to 1, by which a likelihood of meaning passed or missed its bar
    asked_again: NotRequired[Literal[True]]  # the language model was asked for this criterion more than once


class NotEvaluated(TypedDict):
    """One criterion that nothing could be said about."""

    criterion_id: str
    name: str
    section: str
    reason: str  # a sentence
    for_person: NotRequired[bool]  # True: the machine answered, and only a person's answer counts


class Totals(TypedDict):
    """What the scores of one call add up to. The points are None where no criterion was evaluated."""

    total_points: JsonNumber | None
    max_possible_points: JsonNumber | None
    score_percentage: JsonNumber | None
    has_critical_error: bool


class CopcResult(Totals):
    """The scores of one call."""

    criterion_scores: list[CriterionScore]
    not_evaluated: list[NotEvaluated]
    rubric_version: int | None
    on_critical_error: str
    transcript_quality: NotRequired[Quality]  # only where the transcript is poor


class ListedItem(TypedDict):
    """A prompt or mistake of the configuration."""

    id: str
    description: str


class FoundItem(ListedItem):
    """A prompt or mistake that was heard, and where."""

    quote: str
    quote_start: float | None
    verified: NotRequired[bool]  # only from a language model


class NoProtocolResult(TypedDict):
    """The mistakes that were made, and the prompts that were missed and said."""

    mistakes: list[FoundItem]
    missing_prompts: list[ListedItem]
    prompts: list[FoundItem]
    transcript_quality: NotRequired[Quality]


class QuestionAnswer(TypedDict):
    """The answer to one custom question."""

    answer: str
    quotes: list[str]  # "[MM:SS] text"
    verified: NotRequired[bool]  # only from a language model


class CustomQuestionsResult(TypedDict):
    """The answers by the question's own text."""

    answers: dict[str, QuestionAnswer]
    transcript_quality: NotRequired[Quality]


class Insights(TypedDict):
    """What a call was about and how it went; None or "" where it is not known."""

    sentiment: str | None  # a Sentiment
    topic: str
    goal_reached: bool | None
    goal_quote: str
    agent_name: str
    contact_reason_code: str  # of a predefined list
    contact_reason_quote: NotRequired[str]  # only of projects with such a list, like the next one
    contact_reason_confidence: NotRequired[float]  # how sure the code is, 0 to 1
    trackers: NotRequired[list[TrackedRule]]  # only where the project has trackers
    transcript_quality: NotRequired[Quality]
    talk: NotRequired[Talk]


class Provenance(TypedDict):
    """Who judged a call, by what, and at which price."""

    engine: str
    model: str
    prompt_version: str
    rubric_version: int | None
    input_tokens: int
    output_tokens: int
    cost_micros: int | None  # millionths of the currency unit; None: not priced
    hosts: list[str]  # machines that the words were sent to
