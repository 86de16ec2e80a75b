"""What a report holds. Shapes and rules: docs/api.md, "Report object" and "Figures".

Every percentage is exact until it is rounded half-even to two decimals, and None
when nothing was measured.
"""

import datetime as dt
from dataclasses import dataclass, field

from callscope.reports.window import Window


@dataclass(frozen=True, slots=True)
class Headline:
    total_calls: int
    analyzed_hours: float
    average_score: float | None  # plain mean of call scores
    weighted_compliance: float | None  # points over possible points, percent
    scored_calls: int
    critical_error_pct: float | None  # of scored calls
    negative_sentiment_pct: float | None  # of calls with a sentiment
    goal_reached_pct: float | None  # of calls with a known outcome
    calls_with_metadata: int  # whose time came by API or manifest
    sentiment_calls: int = 0  # with a known sentiment; this and the next: only pages and the PDF show them
    outcome_calls: int = 0  # with a known outcome


@dataclass(frozen=True, slots=True)
class ScorecardRow:
    criterion_id: str
    name: str
    section: str
    weight_pct: float | None
    average_pct: float | None  # includes not-applicable calls, which earn full points
    previous_pct: float | None
    delta_pct: float | None
    critical_errors: int
    calls: int
    evaluated_calls: int
    not_applicable_calls: int
    evaluated_pct: float | None = (
        None  # the average over evaluated calls alone; this and the next: only pages and the PDF show it
    )
    previous_calls: int = 0  # that carry the criterion in the window before


@dataclass(frozen=True, slots=True)
class TrendBucket:
    week: dt.date  # the Monday
    calls: int
    average_score: float | None
    negative_sentiment_pct: float | None
    critical_error_pct: float | None = None  # this and the others below: only pages and the PDF show them
    goal_reached_pct: float | None = None
    scored_calls: int = 0
    sentiment_calls: int = 0  # with a known sentiment
    is_part: bool = False  # a beginning or an end of the week lies outside the window, or in the future


@dataclass(frozen=True, slots=True)
class ContactReasonRow:
    topic: str  # "" in the trailing row that holds everything else
    calls: int
    volume_pct: float  # of the calls that have a topic
    other_topics: int | None = None  # only in the trailing row: how many topics it holds
    reason_id: int | None = None  # None: a raw topic, a reason of several projects, or the trailing row
    change_pct: float | None = None  # this and the next two: see course.py
    is_new: bool = False
    course: str | None = None


@dataclass(frozen=True, slots=True)
class TrackerWeek:
    week: dt.date  # the Monday
    calls: int


@dataclass(frozen=True, slots=True)
class TrackerRow:
    """A tracker of a project in scope, and the calls of the window in which it holds."""

    id: str
    name: str
    calls: int
    weeks: list[TrackerWeek]  # those of the trend


@dataclass(frozen=True, slots=True)
class AgentRow:
    agent: str
    agent_id: int
    calls: int
    average_score: float | None
    critical_error_pct: float | None
    negative_sentiment_pct: float | None
    goal_reached_pct: float | None
    scored_calls: int = 0  # this and the next two: only pages and the PDF show them
    sentiment_calls: int = 0  # with a known sentiment
    outcome_calls: int = 0  # with a known outcome


@dataclass(frozen=True, slots=True)
class ShiftRow:
    shift: str  # day or night
    headline: Headline


@dataclass(frozen=True, slots=True)
class ShiftHours:
    """The hours of the day shift; both None when the projects in scope differ, or no project is in scope."""

    day_start: int | None
    day_end: int | None


@dataclass(frozen=True, slots=True)
class CopcRates:
    """Accuracy by class of error, percent.

    Critical: scored calls without such an error over scored calls, None where no criterion
    of a rubric looks for one. Non-critical: criteria that are not critical and earned full
    points, over those evaluated.
    """

    customer_critical_accuracy_pct: float | None
    business_critical_accuracy_pct: float | None
    compliance_critical_accuracy_pct: float | None
    non_critical_accuracy_pct: float | None
    scored_calls: int = 0  # that the first three are shares of; this and the next: only pages and the PDF
    plain_answers: int = 0  # criteria that are not critical and were evaluated, over all calls


@dataclass(frozen=True, slots=True)
class ReviewFigures:
    """What people say about the machine's answers, over the reviewed calls of the window."""

    reviewed_calls: int
    corrected_calls: int  # on which a person gave another answer than the machine somewhere
    agreement_pct: float | None  # of the answers that both gave
    appeals: int = 0
    appeals_accepted: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    window: Window
    total_calls_all_time: int
    headline: Headline
    scorecard: list[ScorecardRow]
    trend: list[TrendBucket]
    contact_reasons: list[ContactReasonRow]
    agents: list[AgentRow]
    shifts: list[ShiftRow]
    shift_hours: ShiftHours
    copc_rates: CopcRates
    previous_headline: Headline | None = None  # of the window before; only pages and the PDF show it
    failed_calls: int = 0  # in the window, of whose newest file an analysis failed; not all are in the report
    trackers: list[TrackerRow] = field(default_factory=list)
    half_heard_calls: int = 0  # in the window; see coverage.py; only pages and the PDF show it
    reviews: ReviewFigures = ReviewFigures(0, 0, None)
