"""The scores that reviews give today: by the criteria, the rule and the words of the results that are live.

A review keeps the score that it was given with. Next to scores of the machine it has to follow the same rule.
"""

from collections.abc import Collection
from typing import NamedTuple

from callscope.analysis.figures import percentage
from callscope.analysis.models import CallAnalysis
from callscope.db.chunks import chunked
from callscope.projects.models import Project
from callscope.reviews.criteria import KnownCriteria, digest_transcript, list_criteria
from callscope.reviews.effect import score_review
from callscope.reviews.models import Review
from callscope.reviews.results import to_hundredths, to_millionths
from callscope.transcription.models import Transcript

REVIEWS_AT_ONCE = 200  # the results of their calls are read together


class TodaysScore(NamedTuple):
    """The score of a review by the criteria and the rule of today."""

    percentage: float | None  # not rounded, of the answers that fit
    answered: int  # how many these are
    asked: int  # criteria
    is_whole: bool  # no answer of the machine would count next to them


def read_todays_scores(project: Project, review_ids: Collection[int]) -> dict[int, TodaysScore]:
    """Return the scores of those of these reviews of which an answer still fits."""
    known, scores = KnownCriteria(project), dict[int, TodaysScore]()
    for chunk in chunked(sorted(review_ids), REVIEWS_AT_ONCE):
        reviews = list(Review.all_objects.filter(pk__in=chunk).prefetch_related("answers"))
        calls = {each.call_id for each in reviews}
        live = {each.call_id: each for each in CallAnalysis.objects.filter(call__in=calls, is_live=True)}
        # Of the current review alone it is noted whether it fits the words of today.
        former = [each.call_id for each in reviews if not each.is_current]
        files = [each.file_id for call_id, each in live.items() if call_id in former]
        said = {each.file_id: digest_transcript(each) for each in Transcript.objects.filter(file__in=files)}
        for review in reviews:
            analysis, scored = live.get(review.call_id), None
            if analysis is not None and has_same_words(review, said.get(analysis.file_id, "")):
                scored = score_review(review, analysis, list_criteria(analysis, known))
            if scored is not None:
                found = exact_score(
                    to_hundredths(scored.result["score_percentage"]),
                    to_millionths(scored.result["total_points"]),
                    to_millionths(scored.result["max_possible_points"]),
                )
                answered = len(scored.result["criterion_scores"])
                scores[review.pk] = TodaysScore(found, answered, scored.asked, scored.is_whole)
    return scores


def has_same_words(review: Review, digest: str) -> bool:
    """Return whether a review is of the words with this digest; "": retention has removed them.

    As effect.fits_words, without a query for each review and without a row that is written.
    """
    return not review.is_outdated if review.is_current else digest in ("", review.transcript_digest)


def exact_score(score_bp: int | None, points: int | None, most: int | None) -> float | None:
    """Return the percentage, not rounded; 0 where a critical error zeroes the score."""
    return percentage(points or 0 if score_bp else 0, most or 0)
