"""Blind reviews as pairs of answers: what the machine had said, and what a person said without seeing it.

After a review the answers of the machine are shown. So of each person the first blind review of
a call counts, as long as it is not withdrawn, none before it was without blindness, and the person had not
read the results on a page; ratings count once
their calibration is closed.

A person answers only some of the mistakes, prompts, goal and sentiment; what is left out is no answer.
A mistake or prompt that the settings do not name is asked because the machine found it, which is not blind.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import get_args

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from callscope.analysis.results.schema import Answer
from callscope.projects.models import Project
from callscope.reviews.agreement.measures import KINDS, AnswerPair, Circumstances, FindingPair
from callscope.reviews.criteria import KnownCriteria, StoredCriterion
from callscope.reviews.findings import list_asked
from callscope.reviews.models import Calibration, Review, ReviewAnswer, ReviewFinding
from callscope.reviews.reading_records import ResultsRead

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
    """Return the ids of these reviews, of each person and call the first alone.

    None of a person who had seen the machine's answers to the call: on a page, or in an earlier revision, one
    that was not blind, or that was submitted and withdrawn.
    """
    chosen: dict[tuple[int, int], int] = {}
    seen = Review.all_objects.filter(
        Q(blind=False) | Q(state=Review.State.WITHDRAWN, submitted_at__isnull=False),
        call=OuterRef("call"),
        reviewer=OuterRef("reviewer"),
        revision__lt=OuterRef("revision"),
    )
    read = ResultsRead.objects.filter(
        call=OuterRef("call"), user=OuterRef("reviewer"), read_at__lt=OuterRef("submitted_at")
    )
    rows = (
        reviews.exclude(Exists(seen) | Exists(read))
        .order_by("call_id", "revision")
        .values_list("pk", "call_id", "reviewer_id")
    )
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
                *("review__project_id", "review_id", "criterion_id", "machine_answer", "answer"),
                *("review__call_id", "review__call__call_datetime", "review__config_version"),
                "review__engine",
            )
        )
        retired = {row[1] for row in rows if (row[0], row[2]) not in names}
        names = load_stored_names(sorted(retired)) | names  # the rubric of today names what it still has
        for project, _review, criterion, machine, person, call, moment, version, engine in rows:
            section, name = names.get((project, criterion), ("", criterion))
            month = f"{timezone.localtime(moment, timezone.get_default_timezone()):%Y-%m}"
            pairs.append(
                AnswerPair(
                    call,
                    criterion,
                    name,
                    ANSWERS[machine],
                    ANSWERS[person],
                    Circumstances(section, month, project, version, engine),
                )
            )
    return pairs


def load_finding_pairs(project_ids: Sequence[int], review_ids: Sequence[int]) -> list[FindingPair]:
    """Return the pairs of what these reviews answer beyond criteria, as far as the settings asked for it."""
    known = {each.pk: KnownCriteria(each) for each in Project.objects.filter(pk__in=project_ids)}
    asked: dict[tuple[int, int | None], dict[tuple[str, str], str]] = {}
    pairs = []
    for start in range(0, len(review_ids), AT_ONCE):
        chunk = review_ids[start : start + AT_ONCE]
        answered = ReviewFinding.objects.filter(review__in=chunk, kind__in=KINDS).exclude(machine_answer="")
        rows = answered.order_by("review", "position")
        for project, version, call, kind, item, description, machine, person in rows.values_list(
            *("review__project_id", "review__config_version", "review__call_id"),
            *("kind", "item_id", "description", "machine_answer", "answer"),
        ):
            for number in (version, None):
                if (project, number) not in asked:
                    asked[project, number] = list_asked(known[project].configuration_of(number))
            if item and (kind, item) not in asked[project, version]:
                continue
            # The settings of today name what they still have.
            name = asked[project, None].get((kind, item), description) if item else ""
            pairs.append(FindingPair(call, kind, item, name, machine, person))
    return pairs


def load_rubric_names(project_ids: Sequence[int]) -> dict[tuple[int, str], tuple[str, str]]:
    """Return section and name in the rubrics as they are now, by project and criterion."""
    projects: Iterable[Project] = Project.objects.filter(pk__in=project_ids)
    return {
        (project.pk, criterion.id): (section.name, criterion.name)
        for project in projects
        for section, criterion in project.configuration.rubric.criteria()
    }


def load_stored_names(review_ids: Sequence[int]) -> dict[tuple[int, str], tuple[str, str]]:
    """Return section and name that reviews keep of criteria; the newest review decides."""
    rows = Review.all_objects.filter(pk__in=review_ids).order_by("pk").values_list("project_id", "criteria")
    names: dict[tuple[int, str], tuple[str, str]] = {}
    for project, criteria in rows:
        stored: list[StoredCriterion] = criteria  # type: ignore[assignment]  # as the field gives it
        names |= {(project, each["criterion_id"]): (each["section"], each["name"]) for each in stored}
    return names
