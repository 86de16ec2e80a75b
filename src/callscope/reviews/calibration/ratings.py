"""What the raters of a calibration and the machine answered.

Of each rater the last submitted rating of a call counts. The machine's answers are those that the newest
rating of the call kept: what it had said when people rated. Of a call that nobody rated, once the calibration
is closed, they are those of its result now.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import BooleanField, ExpressionWrapper

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis, results_removed
from callscope.projects.models import Project
from callscope.reviews.answers import CheckedAnswer
from callscope.reviews.calibration.visibility import list_blinded_calls
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, list_criteria
from callscope.reviews.models import CalibratedCall, Calibration, CalibrationRater, Review
from callscope.reviews.results import MILLION, answer_points, score_answers

MACHINE = 0  # the place of the machine; raters are numbered from 1


@dataclass(frozen=True, slots=True)
class Given:
    """One answer of a rater, or of the machine."""

    answer: str
    points: float
    comment: str = ""
    quote: str = ""
    quote_start: float | None = None


@dataclass(slots=True)
class RatedCriterion:
    """One criterion of one call, with the answer of each rater who gave one, by place."""

    criterion: StoredCriterion
    answers: dict[int, Given] = field(default_factory=dict)


@dataclass(slots=True)
class RatedCall:
    """One call of a calibration."""

    call_id: int
    file_name: str
    criteria: list[RatedCriterion] = field(default_factory=list)
    scores: dict[int, float | None] = field(default_factory=dict)  # percentages, by place
    rated_by: set[int] = field(default_factory=set)  # people who submitted, by place; never hidden
    is_half_heard: bool = False  # its transcript is unreliable; not known while the calibration is open
    results_removed: bool = False  # by the retention: it cannot be rated

    @property
    def judged_by_machine(self) -> int:
        """How many of the criteria the machine answered."""
        return sum(MACHINE in row.answers for row in self.criteria)

    @property
    def has_doubtful_machine_score(self) -> bool:
        """Whether the score of the machine is of few criteria, or of an unreliable transcript."""
        judged = self.judged_by_machine
        return judged < len(self.criteria) and (self.is_half_heard or 2 * judged < len(self.criteria))


@dataclass(frozen=True, slots=True)
class Rater:
    """One person of a calibration, or the machine."""

    place: int
    email: str | None  # None: the machine, or a user who is gone
    is_machine: bool = False
    is_expert: bool = False


@dataclass(frozen=True, slots=True)
class Ratings:
    """Everything that was answered in a calibration, as far as `viewer` may see it."""

    raters: list[Rater]  # the machine first
    calls: list[RatedCall]


def load_ratings(calibration: Calibration, viewer: User | None) -> Ratings:
    """Read the answers. While the calibration is open: only those of the viewer, and none of the machine.

    Who has to rate a call in another calibration, which is open, sees of it only the own answers here either.
    """
    is_open = calibration.state == Calibration.State.OPEN
    people = list(CalibrationRater.objects.filter(calibration=calibration).select_related("user"))
    people.sort(key=lambda rater: rater.position)
    places = {rater.pk: number for number, rater in enumerate(people, start=1)}
    own = {rater.pk for rater in people if viewer is not None and rater.user_id == viewer.pk}
    calls = CalibratedCall.objects.filter(calibration=calibration).order_by("position")
    calls = calls.annotate(removed=ExpressionWrapper(results_removed(), BooleanField()))
    rated = {
        call_id: RatedCall(call_id, file_name, results_removed=removed)
        for call_id, file_name, removed in calls.values_list("call_id", "call__file_name", "removed")
    }
    submitted = Review.all_objects.filter(
        rater__calibration=calibration, call__in=list(rated), state=Review.State.SUBMITTED
    )
    newest: dict[tuple[int, int], Review] = {}
    for review in submitted.order_by("pk").prefetch_related("answers"):
        newest[review.call_id, places[review.rater_id or 0]] = review
    hidden = list_blinded_calls(viewer) if viewer is not None and not is_open else frozenset()
    for (call_id, place), review in sorted(newest.items(), key=lambda each: each[1].pk):
        call = rated[call_id]
        call.rated_by.add(place)
        shows_all = not is_open and call_id not in hidden
        if shows_all or review.rater_id in own:
            add_rating(call, place, review, shows_machine=shows_all)
    if not is_open:
        unrated = [call for call in rated.values() if not call.rated_by and call.call_id not in hidden]
        add_machine_answers(unrated, Project.objects.get(pk=calibration.project_id))
        note_half_heard(rated)
    raters = [
        Rater(places[each.pk], each.user.email if each.user else None, is_expert=each.is_expert)
        for each in people
    ]
    return Ratings([Rater(MACHINE, None, is_machine=True), *raters], list(rated.values()))


def add_rating(call: RatedCall, place: int, review: Review, *, shows_machine: bool) -> None:
    """Add one rating; reviews come with the newest last, whose machine answers stay."""
    call.scores[place] = None if review.score_bp is None else review.score_bp / 100
    known = {each.criterion["criterion_id"]: each for each in call.criteria}
    given = {answer.criterion_id: answer for answer in review.answers.all()}
    stored: list[StoredCriterion] = review.criteria
    for criterion in stored:
        answer = given.get(criterion["criterion_id"])
        if answer is None:
            continue
        row = known.get(criterion["criterion_id"])
        if row is None:
            row = RatedCriterion(criterion)
            call.criteria.append(row)
        row.criterion = criterion
        row.answers[place] = Given(
            answer.answer, answer.points / MILLION, answer.comment, answer.quote, answer.quote_start
        )
        row.answers.pop(MACHINE, None)
        if shows_machine:
            add_machine_answer(row)
    if shows_machine:
        score_machine(call, review.on_critical_error)


def note_half_heard(calls: Mapping[int, RatedCall]) -> None:
    """Note of which calls the transcript is unreliable."""
    live = CallAnalysis.objects.filter(is_live=True, call__in=list(calls)).order_by()
    for call_id, quality in live.values_list("call_id", "file__transcript__quality"):
        calls[call_id].is_half_heard = bool((quality or {}).get("half_heard"))


def add_machine_answers(calls: Iterable[RatedCall], project: Project) -> None:
    """Add what the live results of these calls say."""
    by_id = {call.call_id: call for call in calls}
    analyses = CallAnalysis.objects.filter(project=project, is_live=True, call__in=list(by_id))
    known = KnownCriteria(project)
    for analysis in analyses:
        call = by_id[analysis.call_id]
        call.criteria = [RatedCriterion(each) for each in list_criteria(analysis, known)]
        for row in call.criteria:
            add_machine_answer(row)
        score_machine(call, str((analysis.read_machine_copc() or {}).get("on_critical_error") or "flag"))


def add_machine_answer(row: RatedCriterion) -> None:
    machine = row.criterion["machine_answer"]
    if machine is not None:
        row.answers[MACHINE] = Given(machine, answer_points(row.criterion, machine))


def score_machine(call: RatedCall, on_critical_error: str) -> None:
    """Score the machine's answers by the rule of the newest rating, or of the result where nobody rated."""
    answers = [
        CheckedAnswer(row.criterion, row.criterion["machine_answer"], "", "", None, "")
        for row in call.criteria
        if MACHINE in row.answers and row.criterion["machine_answer"] is not None
    ]
    score = score_answers(answers, on_critical_error=on_critical_error)["score_percentage"]
    call.scores[MACHINE] = None if score is None else float(score)
