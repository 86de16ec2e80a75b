"""What people answered, as rows of labels: the columns that evaluation.py reads, and others."""

from collections.abc import Iterator

from callscope.projects.models import Project
from callscope.reviews.models import Review, ReviewAnswer

LABEL_COLUMNS = (
    *("file_name", "criterion_id", "answer", "machine_answer", "comment", "quote", "quote_start", "reviewer"),
    *("revision", "state", "blind", "submitted_at"),
)
ROWS_AT_ONCE = 2000


def list_labels(project: Project, *, everything: bool) -> Iterator[tuple[object, ...]]:
    """Yield a row for each answer, in the order of LABEL_COLUMNS: calls by age, then revisions.

    Of the review of each call that stands, or with `everything` of every revision that is no rating.
    """
    reviews = Review.objects.filter(project=project)
    if not everything:
        reviews = reviews.filter(is_current=True)
    answers = ReviewAnswer.objects.filter(review__in=reviews).select_related(
        "review__call", "review__reviewer"
    )
    ordered = answers.order_by("review__call_id", "review__revision", "position")
    for answer in ordered.iterator(chunk_size=ROWS_AT_ONCE):
        review = answer.review
        yield (
            review.call.file_name,
            answer.criterion_id,
            answer.answer,
            answer.machine_answer,
            answer.comment,
            answer.quote,
            answer.quote_start,
            review.reviewer.email if review.reviewer else "",
            review.revision,
            review.state,
            "yes" if review.blind else "no",
            review.submitted_at.isoformat() if review.submitted_at else "",
        )
