"""Take reviews, or the words in them, away with what they were about: retention and erasure ask for it."""

from collections.abc import Collection

from callscope.calls.models import UploadedFile
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.criteria import digest_transcript
from callscope.reviews.models import Review, ReviewAnswer, ReviewFinding
from callscope.reviews.note_records import CoachingNote
from callscope.transcription.models import Transcript


def move_reviews(file: UploadedFile, to: UploadedFile) -> None:
    """Give the reviews of a file that goes to another file of the call, if the same was said in it."""
    digest = digest_transcript(Transcript.objects.filter(file=to).first())
    if digest:
        Review.all_objects.filter(file=file, transcript_digest=digest).update(file=to)


def remove_reviews(file_ids: Collection[int]) -> int:
    """Delete the reviews that were made of these files, with their answers; return how many."""
    return Review.all_objects.filter(file__in=file_ids).delete()[1].get("reviews.Review", 0)


def remove_words(file_ids: Collection[int]) -> None:
    """Take quotes, comments and notes out of the reviews of these files: they may repeat what was said.

    Answers and points stay.
    """
    answers = ReviewAnswer.objects.filter(review__file__in=file_ids)
    answers.update(quote="", quote_start=None, comment="")
    findings = ReviewFinding.objects.filter(review__file__in=file_ids)
    findings.update(quote="", quote_start=None, comment="")
    Review.all_objects.filter(file__in=file_ids).update(comment="")
    notes = CoachingNote.objects.filter(call__files__in=file_ids)
    CoachingNote.objects.filter(pk__in=list(notes.values_list("pk", flat=True))).update(text="")
    appeals = Appeal.objects.filter(call__files__in=file_ids)
    Appeal.objects.filter(pk__in=list(appeals.values_list("pk", flat=True))).update(
        reason="", decision_reason=""
    )
