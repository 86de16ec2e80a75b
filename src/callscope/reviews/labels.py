"""What people answered, as rows of labels: the columns that evaluation.py reads, and others."""

from collections.abc import Iterator

from django.db.models import QuerySet

from callscope.projects.models import Project
from callscope.reviews.models import Review, ReviewAnswer, ReviewFinding

SAID_COLUMNS = (
    *("answer", "machine_answer", "comment", "quote", "quote_start", "reviewer"),
    *("revision", "state", "blind", "submitted_at"),
)
LABEL_COLUMNS = ("file_name", "criterion_id", *SAID_COLUMNS)
FINDING_COLUMNS = ("file_name", "kind", "id", "description", *SAID_COLUMNS)
ROWS_AT_ONCE = 2000


def list_labels(project: Project, *, everything: bool) -> Iterator[tuple[object, ...]]:
    """Yield a row for each answer, in the order of LABEL_COLUMNS: calls by age, then revisions.

    Of the review of each call that stands, or with `everything` of every revision that is no rating.
    """
    answers = ReviewAnswer.objects.filter(review__in=_choose_reviews(project, everything=everything))
    answers = answers.select_related("review__call", "review__reviewer")
    ordered = answers.order_by("review__call_id", "review__revision", "position")
    for answer in ordered.iterator(chunk_size=ROWS_AT_ONCE):
        yield answer.review.call.file_name, answer.criterion_id, *_describe_said(answer)


def list_found(project: Project, *, everything: bool) -> Iterator[tuple[object, ...]]:
    """Yield a row for each finding, in the order of FINDING_COLUMNS, as list_labels() does for answers."""
    findings = ReviewFinding.objects.filter(review__in=_choose_reviews(project, everything=everything))
    findings = findings.select_related("review__call", "review__reviewer")
    ordered = findings.order_by("review__call_id", "review__revision", "position")
    for found in ordered.iterator(chunk_size=ROWS_AT_ONCE):
        asked = found.kind, found.item_id, found.description
        yield found.review.call.file_name, *asked, *_describe_said(found)


def _choose_reviews(project: Project, *, everything: bool) -> QuerySet[Review]:
    reviews = Review.objects.filter(project=project)
    return reviews if everything else reviews.filter(is_current=True)


def _describe_said(said: ReviewAnswer | ReviewFinding) -> tuple[object, ...]:
    """Return the values of SAID_COLUMNS."""
    review = said.review
    return (
        said.answer,
        said.machine_answer,
        said.comment,
        said.quote,
        said.quote_start,
        review.reviewer.email if review.reviewer else "",
        review.revision,
        review.state,
        "yes" if review.blind else "no",
        review.submitted_at.isoformat() if review.submitted_at else "",
    )
