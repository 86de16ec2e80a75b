"""Blind reviews as pairs of answers: what the machine had said, and what a person said without seeing it.

After a review the answers of the machine are shown. So of each person the first blind review of
a call counts, as long as it is not withdrawn; ratings count once their calibration is closed.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import get_args

from django.db.models import QuerySet

from callscope.analysis.results.schema import Answer
from callscope.projects.models import Project
from callscope.reviews.agreement.measures import AnswerPair
from callscope.reviews.criteria import StoredCriterion
from callscope.reviews.models import Calibration, Review, ReviewAnswer

AT_ONCE = 500
ANSWERS: dict[str, Answer] = {answer: answer for answer in get_args(Answer)}


def load_blind_pairs(
    project_ids: Sequence[int], *, first: dt.datetime | None, after: dt.datetime | None
) -> list[AnswerPair]:
    """Return the pairs of the calls from `first` to before `after`; None leaves that side open."""
    reviews = filter_days(list_blind_reviews(project_ids), first=first, after=after)
    return load_pairs(project_ids, choose_first(reviews))


def filter_days(
    reviews: QuerySet[Review], *, first: dt.datetime | None, after: dt.datetime | None
) -> QuerySet[Review]:
    """Return the reviews of calls from `first` to before `after`; None leaves that side open."""
    if first is not None:
        reviews = reviews.filter(call__call_datetime__gte=first)
    if after is not None:
        reviews = reviews.filter(call__call_datetime__lt=after)
    return reviews


def list_blind_reviews(project_ids: Sequence[int]) -> QuerySet[Review]:
    """Return the blind reviews and ratings that agreement may be measured on."""
    reviews = Review.all_objects.filter(project__in=project_ids, state=Review.State.SUBMITTED, blind=True)
    return reviews.exclude(rater__calibration__state=Calibration.State.OPEN)


def choose_first(reviews: QuerySet[Review]) -> list[int]:
    """Return the ids of these reviews, of each person and call the first alone."""
    chosen: dict[tuple[int, int], int] = {}
    rows = reviews.order_by("call_id", "revision").values_list("pk", "call_id", "reviewer_id")
    for review_id, call_id, reviewer_id in rows:
        # Nobody knows which of the users who are gone wrote what: each of their reviews counts.
        chosen.setdefault((call_id, -review_id if reviewer_id is None else reviewer_id), review_id)
    return sorted(chosen.values())


def load_pairs(project_ids: Sequence[int], review_ids: Sequence[int]) -> list[AnswerPair]:
    """Return the pairs of these reviews, those of criteria that the machine had evaluated."""
    names = load_rubric_names(project_ids)
    pairs = []
    for start in range(0, len(review_ids), AT_ONCE):
        chunk = review_ids[start : start + AT_ONCE]
        answers = ReviewAnswer.objects.filter(review__in=chunk).exclude(machine_answer="")
        rows = list(
            answers.order_by("review_id", "position").values_list(
                "review__project_id",
                "review__call_id",
                "review_id",
                "criterion_id",
                "machine_answer",
                "answer",
            )
        )
        retired = {row[2] for row in rows if (row[0], row[3]) not in names}
        names = load_stored_names(sorted(retired)) | names  # the rubric of today names what it still has
        pairs += [
            AnswerPair(
                call, criterion, names.get((project, criterion), criterion), ANSWERS[machine], ANSWERS[person]
            )
            for project, call, _review, criterion, machine, person in rows
        ]
    return pairs


def load_rubric_names(project_ids: Sequence[int]) -> dict[tuple[int, str], str]:
    """Return the names in the rubrics as they are now, by project and criterion."""
    projects: Iterable[Project] = Project.objects.filter(pk__in=project_ids)
    return {
        (project.pk, criterion.id): criterion.name
        for project in projects
        for _, criterion in project.configuration.rubric.criteria()
    }


def load_stored_names(review_ids: Sequence[int]) -> dict[tuple[int, str], str]:
    """Return the names that reviews keep of criteria; the newest review decides."""
    rows = Review.all_objects.filter(pk__in=review_ids).order_by("pk").values_list("project_id", "criteria")
    names: dict[tuple[int, str], str] = {}
    for project, criteria in rows:
        stored: list[StoredCriterion] = criteria  # type: ignore[assignment]  # as the field gives it
        names |= {(project, each["criterion_id"]): each["name"] for each in stored}
    return names
