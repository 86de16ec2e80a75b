"""What publishing a draft does to the average score of the report, as far as its replay can say.

A replay compares two judgments of the machine. The report holds more: results of older versions, imported
ones, and corrections by people. So calls that are scored again can move its average although the draft moves
nothing. What is expected here is of the replayed calls alone: their scores in the report today, and what
rescoring would leave there, with the answers of people that still fit (reviews.effect). Their average is not
that of the report, which has more calls; by how many points it moves is what can be said of all of them.
"""

import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, cast

from django.db.models import Count, Sum

from callscope.analysis.figures import figure_of, subtract
from callscope.analysis.models import CallAnalysis
from callscope.analysis.results.schema import Answer
from callscope.db.chunks import chunked
from callscope.pipeline.models import Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.answers import NOT_EVALUATED, Answers, ReplayedAnswers
from callscope.pipeline.rubric_changes.replays.baseline import list_versions_apart
from callscope.pipeline.rubric_changes.replays.drafts import compose_draft, find_comparable
from callscope.projects import configuration
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.store.exact_figures import ExactMean
from callscope.reports.window import ALL_TIME, Window
from callscope.reviews.answers import CheckedAnswer
from callscope.reviews.criteria import describe_criteria, digest_transcript
from callscope.reviews.effect import find_fitting_answers
from callscope.reviews.models import Review
from callscope.reviews.results import score_answers
from callscope.reviews.weak_criteria.holding import key_of, list_held
from callscope.transcription.models import Transcript

CALLS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Average:
    """The plain mean of the scores of calls, in percent; None without a scored call."""

    calls: int
    score: float | None


@dataclass(frozen=True, slots=True)
class StoredResults:
    """The scored calls of a report, and how many of them the current version did not judge."""

    report: Average
    apart: int  # judged by a version that judges otherwise, or imported
    versions: list[int]  # of these calls
    imported: int


@dataclass(frozen=True, slots=True)
class Move:
    """The mean of score afterwards minus score today, over calls that have both, with its 95 % interval."""

    calls: int
    points: float | None  # None without such a call
    low: float | None  # None under two of them
    high: float | None

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> Self:
        """Return how far scores move from the first to the second of each pair."""
        from callscope.reviews.statistics.means import mean_interval

        today, after = (_average(scores) for scores in ([one for one, _ in pairs], [two for _, two in pairs]))
        interval = mean_interval([two - one for one, two in pairs])
        low, high = (
            (None, None) if interval is None else (max(-100.0, interval.low), min(100.0, interval.high))
        )
        return cls(len(pairs), _subtract(after, today), low, high)


@dataclass(frozen=True, slots=True)
class Expected:
    """Of the replayed calls that would be scored again: their average today and afterwards."""

    calls: int
    today: Average
    draft: Average
    move: Move  # from today to the draft
    unchanged: Average | None  # scored again without the draft; None of replays of earlier releases
    by_people: int  # calls in which an answer of a person would count
    is_withheld: bool  # so few calls that the averages would show the score of one that is hidden

    @property
    def is_few(self) -> bool:
        """Return whether an average over so many calls says little."""
        return self.calls < FEW_CALLS

    @property
    def change(self) -> float | None:
        """Return by how much the average would move, over calls that have a score today and afterwards."""
        return self.move.points

    @property
    def change_by_draft(self) -> float | None:
        """Return how much of that the draft is the reason of."""
        return None if self.unchanged is None else _subtract(self.draft, self.unchanged)


class _Scoring:
    """How the answers of the machine and of a person become the score of a call by one configuration."""

    def __init__(self, project: Project, config: Configuration) -> None:
        self._criteria = describe_criteria(config)
        self._on_critical_error = config.rubric.on_critical_error
        self._people_count = config.reviews.counts == "final"
        self._held = list_held(project, config)
        self.has_rubric = bool(self._criteria)

    def find_fitting(self, review: Review) -> dict[str, Answer]:
        """Return the answers of a review whose criteria ask the same here."""
        fitting = find_fitting_answers(review, self._criteria.values())
        return {each.criterion["criterion_id"]: each.answer for each in fitting}

    def counts(self, fitting: Mapping[str, Answer]) -> bool:
        """Return whether these answers of a person would count."""
        return self._people_count and bool(fitting)

    def score(self, machine: Answers, fitting: Mapping[str, Answer]) -> float | None:
        """Return the score that counts; None where nothing is evaluated."""
        answered = {
            name: cast(Answer, answer)
            for name, answer in machine["criteria"].items()
            if answer != NOT_EVALUATED and name in self._criteria
        }
        waiting = {
            name for name in answered if name not in fitting and key_of(self._criteria[name]) in self._held
        }
        if not waiting and not self.counts(fitting):
            return machine["score"]
        combined = {**answered, **(fitting if self._people_count else {})}
        checked = [
            CheckedAnswer(self._criteria[name], answer, "", "", None, "")
            for name, answer in combined.items()
            if name not in waiting
        ]
        score = score_answers(checked, on_critical_error=self._on_critical_error)["score_percentage"]
        return None if score is None else float(score)


def count_stored(project: Project, window: Window = ALL_TIME) -> StoredResults:
    """Return what the report of a project holds today of the calls of a window."""
    first, last = window.days
    live = CallAnalysis.objects.filter(
        project=project,
        is_live=True,
        call__fact__max_points__isnull=False,
        call__fact__day__gte=first,
        call__fact__day__lte=last,
    )
    rows = live.order_by().values_list("config_version", "call__fact__max_points")
    mean, by_version = ExactMean(), dict[int | None, int]()
    for version, maximum, calls, points in rows.annotate(Count("pk"), Sum("call__fact__counted_points")):
        mean.add(maximum, int(points), calls)
        by_version[version] = by_version.get(version, 0) + calls
    imported = by_version.pop(None, 0)
    apart = list_versions_apart(project, by_version)
    return StoredResults(
        Average(mean.calls, mean.percent()),
        imported + sum(by_version[version] for version in apart),
        apart,
        imported,
    )


def expect_scores(
    replay: Replay, project: Project, *, window: Window = ALL_TIME, hidden: Collection[int] = ()
) -> Expected:
    """Return the averages of the replayed calls of a window today and once they are scored again.

    Reads all judgments of the replay, without a word of a call, a portion at a time. `hidden` are calls
    whose results the visitor must not know.
    """
    draft = _Scoring(project, configuration.parse(compose_draft(replay, project), is_stored=True))
    unchanged = _Scoring(project, project.configuration)
    reviews = _read_fitting_reviews(replay)
    today, after, before, pairs = ExactMean(), list[float](), list[float](), list[tuple[float, float]]()
    calls = by_people = 0
    is_compared, has_hidden = True, False
    for call_id, answers, points, maximum in _read_rows(replay, project, window):
        calls += 1
        has_hidden = has_hidden or call_id in hidden
        is_compared = is_compared and "is_judged_again" in answers
        if maximum is not None:
            today.add(maximum, points, 1)
        stored = None if maximum is None else points / maximum * 100
        review = reviews.get(call_id)
        fitting = {} if review is None else draft.find_fitting(review)
        by_people += draft.counts(fitting)
        expected = _score(draft, answers["after"], fitting, stored)
        after += _as_list(expected)
        pairs += [] if stored is None or expected is None else [(stored, expected)]
        fitting = {} if review is None else unchanged.find_fitting(review)
        before += _as_list(_score(unchanged, answers["before"], fitting, stored))
    return Expected(
        calls,
        Average(today.calls, today.percent()),
        _average(after),
        Move.of(pairs),
        _average(before) if is_compared else None,
        by_people,
        is_withheld=has_hidden and calls < FEW_CALLS,
    )


def _score(
    scoring: _Scoring, machine: Answers | None, fitting: Mapping[str, Answer], stored: float | None
) -> float | None:
    """Return the score after rescoring; a call that cannot be judged keeps its former one."""
    if machine is not None:
        return scoring.score(machine, fitting)
    return stored if scoring.has_rubric else None


def _read_rows(
    replay: Replay, project: Project, window: Window
) -> Iterator[tuple[int, ReplayedAnswers, int, int | None]]:
    """Yield the judged calls that can be scored again, with their points in the report."""
    judged = ReplayedCall.objects.filter(replay=replay, answers__isnull=False)
    rows = judged.filter(call__in=find_comparable(project, window).values("call")).values_list(
        "call", "answers", "call__fact__counted_points", "call__fact__max_points"
    )
    return cast(
        Iterator[tuple[int, ReplayedAnswers, int, int | None]], rows.iterator(chunk_size=CALLS_AT_ONCE)
    )


def _read_fitting_reviews(replay: Replay) -> dict[int, Review]:
    """Return the current review of each replayed call, of which some answer could fit its words."""
    current = Review.objects.filter(
        project=replay.project_id,
        is_current=True,
        call__in=ReplayedCall.objects.filter(replay=replay).values("call"),
    ).prefetch_related("answers")
    reviews = {review.call_id: review for review in current}
    # Nothing of these fits today: of other words nothing ever will, of other criteria it may.
    outdated = [call_id for call_id, review in reviews.items() if review.is_outdated]
    for chunk in chunked(outdated, CALLS_AT_ONCE):
        live = Transcript.objects.filter(file__analysis__call__in=chunk, file__analysis__is_live=True)
        digests = {each.file.call_id: digest_transcript(each) for each in live.select_related("file")}
        for call_id in chunk:
            if digests.get(call_id) != reviews[call_id].transcript_digest:
                del reviews[call_id]
    return reviews


def _average(scores: Iterable[float]) -> Average:
    found = list(scores)
    return Average(len(found), figure_of(statistics.fmean(found)) if found else None)


def _as_list(score: float | None) -> list[float]:
    return [] if score is None else [score]


def _subtract(one: Average, other: Average) -> float | None:
    return None if one.score is None or other.score is None else subtract(one.score, other.score)
