"""Which criteria of a project are weak: measured on all its blind reviews, as the agreement page does.

Answers to a criterion that asked something else then are measured apart.
"""

from django.db.models import Count, Max

from callscope.projects.models import Project
from callscope.reviews.agreement.blind_pairs import ANSWERS, AT_ONCE, choose_first, list_blind_reviews
from callscope.reviews.agreement.measures import AnswerPair, measure_agreement
from callscope.reviews.criteria import StoredCriterion
from callscope.reviews.models import Review
from callscope.reviews.weak_criteria.holding import HeldCriterion


def describe_reviews(project: Project) -> str:
    """Return a text that is another one once other reviews are measured."""
    counted = list_blind_reviews([project.pk]).aggregate(
        reviews=Count("pk"), latest=Max("submitted_at"), changed=Max("pk")
    )
    return f"by question: {counted['reviews']} {counted['changed']} {counted['latest']}"


def find_weak(project: Project) -> list[HeldCriterion]:
    """Return the criteria on which machine and people surely agree too little, in the order of their ids."""
    measured = measure_agreement(_load_pairs(project))
    return sorted(
        (
            {
                "criterion_id": each.criterion_id,
                "question": each.name,
                "n": each.agreement.n,
                "kappa": each.agreement.kappa,
                "kappa_high": each.agreement.kappa_high,
            }
            for each in measured.criteria
            if each.agreement.is_weak
        ),
        key=lambda row: (row["criterion_id"], row["question"]),
    )


def _load_pairs(project: Project) -> list[AnswerPair]:
    """Return the pairs of the blind reviews, each named by what the criterion asked."""
    chosen = choose_first(list_blind_reviews([project.pk]))
    pairs = []
    for start in range(0, len(chosen), AT_ONCE):
        reviews = Review.all_objects.filter(pk__in=chosen[start : start + AT_ONCE])
        for review in reviews.order_by("pk").prefetch_related("answers"):
            stored: list[StoredCriterion] = review.criteria
            asked = {each["criterion_id"]: each.get("question", "") for each in stored}
            pairs += [
                AnswerPair(
                    review.call_id,
                    answer.criterion_id,
                    asked[answer.criterion_id],
                    ANSWERS[answer.machine_answer],
                    ANSWERS[answer.answer],
                )
                for answer in review.answers.all()
                if answer.machine_answer and asked.get(answer.criterion_id)
            ]
    return pairs
