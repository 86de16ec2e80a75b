"""Take back what was drawn by mistake: the calls that nobody has begun to review."""

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.reviews.models import Review, ReviewSample, SampledCall
from callscope.reviews.sampling.work_list import open_calls


def find_unbegun(sample: ReviewSample) -> QuerySet[SampledCall]:
    """Return the calls of the draw of which the reviewer has neither a review since nor a draft."""
    draft = Review.objects.filter(
        call=OuterRef("call"), reviewer=OuterRef("reviewer"), state=Review.State.DRAFT
    )
    return open_calls().filter(~Exists(draft), sample=sample)


def withdraw_sample(sample: ReviewSample, by: User) -> int:
    """Take the calls that nobody has begun out of the draw and return how many; reviews stay."""
    with transaction.atomic():
        ids = list(find_unbegun(sample).values_list("pk", flat=True))
        if not ids:
            return 0
        ReviewSample.objects.select_for_update().get(pk=sample.pk)  # of two people, one withdraws each call
        calls, _ = SampledCall.objects.filter(pk__in=ids).delete()
        if not calls:
            return 0
        ReviewSample.objects.filter(pk=sample.pk).update(withdrawn=F("withdrawn") + calls)
        audit.record(by, "sample.withdrawn", f"sample {sample.pk}", project=sample.project_id, calls=calls)
    return calls
