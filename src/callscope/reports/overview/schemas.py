"""What a report holds. Shapes and rules: docs/api.md, "Report object" and "Figures".

Every percentage is exact until it is rounded half-even to two decimals, and None
when nothing was measured. An `…_interval` holds the figure with 95 %, None where calls are
too few: see intervals.py.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from callscope.analysis.figures import percentage
from callscope.calls.namesakes import write_label
from callscope.projects.rubric_changes import RubricChange
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.missing_calls import NOTHING_REMOVED, RemovedResults
from callscope.reports.window import Window, day_of, server_zone


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
    sentiment_calls: int = 0  # with a known sentiment
    outcome_calls: int = 0  # with a known outcome
    average_score_interval: Interval = None
    weighted_compliance_interval: Interval = None
    critical_error_pct_interval: Interval = None
    negative_sentiment_pct_interval: Interval = None
    goal_reached_pct_interval: Interval = None


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """How far one figure of the headline is from the same figure of other calls."""

    figure: str  # a field of the headline
    difference: float | None  # percentage points
    difference_interval: Interval
    within_noise: bool | None  # the interval holds 0; None: calls are too few to say


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """A version within the window that changed what a criterion says."""

    version: int  # of the project's settings
    published_at: dt.datetime
    change: Literal["added", "changed"]


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
    evaluated_pct: float | None = None  # over all calls but those that are not applicable
    previous_calls: int = 0  # that carry the criterion in the window before; only pages and CSV show it
    average_pct_interval: Interval = None
    delta_pct_interval: Interval = None
    changed_in: CriterionChange | None = None  # the last one that judged calls of the window
    for_person: bool = False  # the machine's answers count nowhere until a person reviews them
    # As evaluated_pct: what readers judge by, see judge_row() in scorecard.py. None where the calls before
    # cannot be compared, as some did not record applicability.
    evaluated_pct_interval: Interval = None
    previous_evaluated_pct: float | None = None
    previous_evaluated_calls: int | None = None
    evaluated_delta_pct: float | None = None
    evaluated_delta_pct_interval: Interval = None
    # Of 100 points that the scored calls could earn; None without calls. Only pages, PDF and CSV.
    points_lost: float | None = None
    unused_change: CriterionChange | None = (
        None  # a later one, by which no call was judged; only pages and the PDF
    )
    is_critical: bool | None = None  # whether to earn nothing on it is a critical error; None: in no rubric

    @property
    def is_retired(self) -> bool:
        """Whether only results have it, and no rubric any more."""
        return self.weight_pct is None

    @property
    def is_kept_back(self) -> bool:
        """Whether its figures would tell of a call that waits for the reader's review: see kept_back."""
        return self.evaluated_pct is None and self.judged_calls > 0

    @property
    def shown_critical_errors(self) -> int | None:
        """The calls with a critical error; None, and not 0, where there could be none, or it is kept back."""
        if self.is_kept_back:
            return None
        can_be = self.is_critical and self.judged_calls
        return self.critical_errors if self.critical_errors or can_be else None

    @property
    def judged_calls(self) -> int:
        """The calls that `evaluated_pct` is taken over: all but those that are not applicable."""
        return self.calls - self.not_applicable_calls


@dataclass(frozen=True, slots=True)
class TrendBucket:
    week: dt.date  # the Monday
    calls: int
    average_score: float | None
    negative_sentiment_pct: float | None
    critical_error_pct: float | None = None  # this, the next and is_part: only pages and the PDF show them
    goal_reached_pct: float | None = None
    scored_calls: int = 0
    sentiment_calls: int = 0  # with a known sentiment
    is_part: bool = False  # a beginning or an end of the week lies outside the window, or in the future
    average_score_interval: Interval = None
    negative_sentiment_pct_interval: Interval = None
    # The average score less that of the week before; None where either has none.
    average_score_change: float | None = None
    average_score_change_interval: Interval = None
    outcome_calls: int = 0  # with a known outcome; only pages show them


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
    # What the shares are taken over, and the same in the window before; None without one.
    calls_with_reason: int = 0
    previous_calls: int | None = None
    previous_calls_with_reason: int | None = None
    projects: tuple[int, ...] = ()  # whose calls those are, most calls first; only pages show it

    @property
    def previous_pct(self) -> float | None:
        """The share in the window before; None where no call of it has a reason."""
        return percentage(self.previous_calls or 0, self.previous_calls_with_reason or 0)


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


class MeasureMean(NamedTuple):
    """The mean of a talk measure, over the calls of which it is known."""

    mean: float
    calls: int


@dataclass(frozen=True, slots=True)
class AgentRow:
    agent: str
    agent_id: int
    calls: int
    average_score: float | None
    critical_error_pct: float | None
    negative_sentiment_pct: float | None
    goal_reached_pct: float | None
    scored_calls: int = 0
    sentiment_calls: int = 0  # with a known sentiment
    outcome_calls: int = 0  # with a known outcome
    average_score_interval: Interval = None
    critical_error_pct_interval: Interval = None
    negative_sentiment_pct_interval: Interval = None
    goal_reached_pct_interval: Interval = None
    # The average score less that of all other scored calls of the window.
    average_score_difference: float | None = None
    average_score_difference_interval: Interval = None
    talk: Mapping[str, MeasureMean] | None = None  # None: nothing is known of any call; see talk_means.py
    # In the window before, and how far the average score is from it; only pages and CSV show them.
    previous_average_score: float | None = None
    previous_scored_calls: int | None = None  # None where a side of the window is open
    average_score_change: float | None = None
    average_score_change_interval: Interval = None
    external_id: str = ""  # the client's own id; "" where only the name is known
    place: str | None = None  # of one whose name another agent of the report has, too: see find_places()

    @property
    def label(self) -> str:
        """Return the name, with what tells the agent apart from others of the name."""
        return write_label(self.agent, self.external_id, self.place)


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project next to the others of a report, with fields named as in Headline and AgentRow."""

    project_id: int
    name: str
    total_calls: int
    scored_calls: int
    outcome_calls: int
    average_score: float | None
    average_score_interval: Interval
    target: float | None  # of its average score; None where it sets none
    previous_average_score: float | None
    previous_scored_calls: int | None  # None where a side of the window is open
    average_score_change: float | None
    average_score_change_interval: Interval
    critical_error_pct: float | None
    critical_error_pct_interval: Interval
    goal_reached_pct: float | None
    goal_reached_pct_interval: Interval


@dataclass(frozen=True, slots=True)
class ShiftRow:
    shift: str  # day or night
    headline: Headline


@dataclass(frozen=True, slots=True)
class ShiftHours:
    """The hours of the day shift; both None when the projects in scope differ, or no project is in scope."""

    day_start: int | None
    day_end: int | None

    @property
    def ends_next_day(self) -> bool:
        """Return whether a day goes on after midnight."""
        return self.day_start is not None and self.day_end is not None and 0 < self.day_end < self.day_start


@dataclass(frozen=True, slots=True)
class CopcRates:
    """Accuracy by class of error, percent.

    Critical: scored calls without such an error over scored calls, both of the projects whose
    rubric looks for one; None where none does. Non-critical: criteria that are not critical and
    earned full points, over those evaluated.
    """

    customer_critical_accuracy_pct: float | None
    business_critical_accuracy_pct: float | None
    compliance_critical_accuracy_pct: float | None
    non_critical_accuracy_pct: float | None
    # What each is a share of, only on pages and in the PDF: scored calls of the projects that look for such
    # an error, None where none does, then the evaluated criteria that are not critical, over all calls.
    customer_critical_calls: int | None = None
    business_critical_calls: int | None = None
    compliance_critical_calls: int | None = None
    plain_answers: int = 0
    scored_calls: int = 0  # of all projects


@dataclass(frozen=True, slots=True)
class ReviewFigures:
    """What people say about the machine's answers, over the reviewed calls of the window."""

    reviewed_calls: int
    corrected_calls: int  # on which a person gave another answer than the machine somewhere
    agreement_pct: float | None  # of the answers that both gave
    appeals: int = 0
    appeals_accepted: int = 0
    # The average score of all scored calls as people would give it, estimated from calls drawn at random.
    true_score: float | None = None
    true_score_interval: Interval = None
    sampled_calls: int = 0  # drawn at random and reviewed
    sampled_score: float | None = None  # the average of these calls by people
    sampled_machine_score: float | None = None  # and by the machine
    # The average that counts, where there is an estimate; only pages and the PDF use this and the next.
    counted_score: float | None = None
    outdated_samples: int = 0  # drawn and reviewed, but not by the criteria that count today


@dataclass(frozen=True, slots=True)
class ReasonGroupRow:
    """The contact reasons under one heading, or under none: together, and how many have calls."""

    reason_id: int | None  # of the heading; None: reasons under no heading
    name: str  # "" of those under no heading
    calls: int
    volume_pct: float  # of the calls that have a topic
    reasons: int


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
    changes: list[FigureDifference] = field(default_factory=list)  # since the window before
    shift_differences: list[FigureDifference] = field(default_factory=list)  # day less night
    failed_calls: int = 0  # in the window, of whose newest file an analysis failed; not all are in the report
    removed_results: RemovedResults = NOTHING_REMOVED  # calls that are missing for it; not in the interface
    trackers: list[TrackerRow] = field(default_factory=list)
    undrawn_calls: int = 0  # in weeks after the current one, which are left out of the trend of pages and PDF
    waiting_calls: int = 0  # for the reader's review, where figures are left out for them: see kept_back
    zeroed_calls: int = 0  # in the window, 0 with a critical error; only pages and the PDF show it
    half_heard_calls: int = 0  # in the window; see coverage.py; only pages and the PDF show it
    half_heard_by_people: int = 0  # of them, those whose score comes from answers of people alone
    reviews: ReviewFigures = ReviewFigures(0, 0, None)
    rubric_changes: list[RubricChange] = field(default_factory=list)  # within the window, earliest first
    judged_changes: list[RubricChange] = field(default_factory=list)  # till the last that judged
    used_changes: list[RubricChange] = field(default_factory=list)  # whose rubric judged calls
    judged_calls: int = 0  # scored calls that the last of these judged
    previous_judged_calls: int = 0  # of the window before
    judged_from: int | None = None  # an ordinal; from that day on it judged all: find_judged_from()
    reason_groups: list[ReasonGroupRow] = field(default_factory=list)  # none where no reason has a heading
    projects: list[ProjectRow] = field(default_factory=list)  # of several, where asked for

    @property
    def parting_change(self) -> RubricChange | None:
        """The last change of one project, where its version judged some of the calls and not all."""
        is_one = len({change.project_id for change in self.judged_changes}) == 1
        is_part = 0 < self.judged_calls < self.headline.scored_calls
        return self.judged_changes[-1] if is_one and is_part else None

    @property
    def marked_changes(self) -> list[RubricChange]:
        """The changes that part the weeks, the last one from the day on from which it judged all calls.

        None where all calls were scored again by the last version.
        """
        if self.judged_calls >= self.headline.scored_calls:
            return []
        if self.judged_from is None:
            return self.used_changes
        *before, last = self.used_changes
        day = dt.date.fromordinal(self.judged_from)
        earlier = [change for change in before if day_of(change.published_at) < self.judged_from]
        return [*earlier, replace(last, published_at=dt.datetime.combine(day, dt.time(12), server_zone()))]
