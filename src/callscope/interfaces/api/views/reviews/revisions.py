"""Reviews of a call: list, make, change, submit, withdraw. Rules: docs/api.md, "Reviews"."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.calls.models import Call
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.errors import Conflict
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers import reviews as serializers
from callscope.interfaces.api.views.base import ApiView, require_writer
from callscope.pipeline.decisions import review_edits
from callscope.projects import permissions
from callscope.reviews import listing
from callscope.reviews.answers import InvalidReview
from callscope.reviews.calibration.visibility import reviews_visible_to
from callscope.reviews.models import Review
from callscope.reviews.revisions import ReviewConflict

ERRORS = openapi.error_responses(404, 409, *openapi.BODY)


class ReviewListView(ApiView):
    """The reviews of one call."""

    @extend_schema(
        operation_id="reviews_list",
        tags=["Reviews"],
        summary="All revisions of the review of a call, newest first, for editors of the project",
        parameters=[openapi.PAGE],
        responses={200: openapi.paginated(serializers.ReviewSerializer), **openapi.error_responses(404)},
    )
    def get(self, request: Request, call_id: int) -> Response:
        call = _get_writable_call(self, call_id)
        reviews = reviews_visible_to(self.caller).filter(call=call)
        reviews = reviews.select_related("reviewer", "rater__calibration")
        reviews = reviews.prefetch_related(*listing.SHOWN_WITH)
        pages = StandardPagination()
        page = pages.paginate_queryset(reviews.order_by("-revision"), request, view=self)
        rows = serializers.ReviewSerializer(listing.list_reviews(page or []), many=True).data
        return pages.get_paginated_response(rows)

    @extend_schema(
        operation_id="reviews_create",
        tags=["Reviews"],
        request=serializers.ReviewInputSerializer,
        responses={201: serializers.ReviewSerializer, **ERRORS},
    )
    def post(self, request: Request, call_id: int) -> Response:
        """Make the next revision: a draft, or submitted at once; then it names every criterion of the call.

        `findings` are optional: what the machine says stands for mistakes, prompts, goal and sentiment that
        are left out; `agent` and `contact_reason` say where the call belongs, where it stands elsewhere. 400
        names an unknown criterion, finding, agent or reason, an answer that it does not allow, and a
        quote that does not stand in the transcript. 409: the call has no scores. In an open calibration of
        the call it is a rating, if you are one of its raters: blind, seen by nobody else, and without effect.
        """
        call = _get_writable_call(self, call_id)
        form = serializers.ReviewInputSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with _errors_as_answers():
            review = review_edits.create_review(call.pk, form.read_review(), self.caller)
        return Response(_serialize(review), status=201)


class ReviewDetailView(ApiView):
    """One revision."""

    @extend_schema(
        operation_id="reviews_change",
        tags=["Reviews"],
        request=serializers.ReviewInputSerializer,
        responses={200: serializers.ReviewSerializer, **ERRORS},
    )
    def patch(self, request: Request, review_id: int) -> Response:
        """Change or submit a draft; `criteria` replaces all its answers, `findings` all its findings.

        `agent` or `contact_reason` null removes that answer. 409: it is not a draft.
        """
        review = _get_writable_review(self, review_id)
        form = serializers.ReviewInputSerializer(data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        with _errors_as_answers():
            changed = review_edits.change_review(review.pk, form.read_review(), self.caller)
        return Response(_serialize(changed))

    @extend_schema(
        operation_id="reviews_withdraw",
        tags=["Reviews"],
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, review_id: int) -> Response:
        """Withdraw the review; it is kept but no longer counts."""
        review = _get_writable_review(self, review_id)
        with _errors_as_answers():
            review_edits.withdraw_review(review.pk, self.caller)
        return Response(status=204)


def _get_writable_call(view: ApiView, call_id: int) -> Call:
    """Return the call; Http404 when it does not exist or is not visible, PermissionDenied for viewers."""
    visible = Call.objects.filter(project__in=permissions.visible_to(view.caller)).select_related("project")
    call = visible.filter(pk=call_id).first() if call_id <= MAX_ID else None
    if call is None:
        raise Http404
    require_writer(view.caller, call.project)
    return call


def _get_writable_review(view: ApiView, review_id: int) -> Review:
    visible = reviews_visible_to(view.caller).filter(project__in=permissions.visible_to(view.caller))
    review = visible.select_related("project").filter(pk=review_id).first() if review_id <= MAX_ID else None
    if review is None:
        raise Http404
    require_writer(view.caller, review.project)
    return review


@contextmanager
def _errors_as_answers() -> Iterator[None]:
    """Turn what a change may raise into 400, 404 and 409."""
    try:
        yield
    except InvalidReview as error:
        raise ValidationError({error.field: [str(error)]}) from None
    except ReviewConflict as error:
        raise Conflict(str(error)) from None
    except (Call.DoesNotExist, Review.DoesNotExist):  # gone since it was looked up
        raise Http404 from None


def _serialize(review: Review) -> Any:
    return serializers.ReviewSerializer(listing.describe_review(review)).data
