"""Samples of calls to review: draw one, read them. Rules: docs/api.md, "Samples"."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.db.limits import MAX_ID
from callscope.interfaces.api.call_scope import get_scope
from callscope.interfaces.api.docs import openapi, parameters
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers.reviewing import samples as serializers
from callscope.interfaces.api.views.base import ApiView, find_writable_project, require_writer
from callscope.pipeline.decisions.filtered_draws import draw_filtered
from callscope.projects import permissions
from callscope.reports.window import InvalidWindow, parse_window
from callscope.reviews.models import ReviewSample
from callscope.reviews.sampling.draw import InvalidSample, SamplePlan
from callscope.reviews.sampling.listing import list_sampled_calls
from callscope.reviews.sampling.withdrawing import withdraw_sample


class SampleListView(ApiView):
    """The samples of the projects that the caller can edit."""

    @extend_schema(
        operation_id="review_samples_list",
        tags=["Reviews"],
        summary="The samples of the projects in scope that you can edit, newest first",
        parameters=[*parameters.SCOPE, openapi.PAGE],
        responses={
            200: openapi.paginated(serializers.SampleSummarySerializer),
            404: parameters.NOT_FOUND,
            **parameters.ERRORS,
        },
    )
    def get(self, request: Request) -> Response:
        writable = permissions.writable(self.caller, get_scope(request).projects)
        samples = ReviewSample.objects.filter(project__in=writable).select_related("created_by")
        pages = StandardPagination()
        page = pages.paginate_queryset(samples.order_by("-pk"), request, view=self)
        rows = serializers.SampleSummarySerializer([_summarize(each) for each in page or []], many=True).data
        return pages.get_paginated_response(rows)

    @extend_schema(
        operation_id="review_samples_draw",
        tags=["Reviews"],
        request=serializers.NewSampleSerializer,
        responses={201: serializers.SampleSerializer, **openapi.error_responses(*openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Draw calls to review, a number per agent, and split them evenly between the reviewers.

        The same seed draws the same calls from the same candidates. 400 names what cannot be drawn.
        """
        form = serializers.NewSampleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given: Any = form.validated_data
        project = find_writable_project(self.caller, given["project_id"])
        try:
            sample = draw_filtered(project, read_plan(given), self.caller)
        except InvalidSample as error:
            raise ValidationError({error.field: [str(error)]}) from None
        return Response(_serialize(sample), status=201)


class SampleDetailView(ApiView):
    """One sample."""

    @extend_schema(
        operation_id="review_samples_read",
        tags=["Reviews"],
        summary="One sample with its calls, for editors of the project",
        responses={200: serializers.SampleSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, sample_id: int) -> Response:
        return Response(_serialize(self._find(sample_id)))

    @extend_schema(
        operation_id="review_samples_withdraw",
        tags=["Reviews"],
        summary="Take the calls that nobody has begun to review out of a sample; reviews are kept",
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, sample_id: int) -> Response:
        withdraw_sample(self._find(sample_id), self.caller)
        return Response(status=204)

    def _find(self, sample_id: int) -> ReviewSample:
        visible = ReviewSample.objects.filter(project__in=permissions.visible_to(self.caller))
        sample = visible.select_related("project").filter(pk=min(sample_id, MAX_ID)).first()
        if sample is None:
            raise Http404
        require_writer(self.caller, sample.project)
        return sample


def read_plan(given: Any) -> SamplePlan:
    """Return what a request asks to draw. Raises ValidationError for a day."""
    days = {name: given.get(name) or "" for name in ("start_date", "end_date")}
    try:
        window = parse_window(days, now=timezone.now())
    except InvalidWindow as error:
        raise ValidationError({error.field: [str(error.message)]}) from None
    try:
        due = parse_window({"end_date": given.get("due") or ""}, now=timezone.now()).end
    except InvalidWindow as error:
        raise ValidationError({"due": [str(error.message)]}) from None
    first, after = window.moments
    return SamplePlan(
        per_agent=given["per_agent"],
        reviewers=given["reviewers"],
        uncertain_pct=given["uncertain_pct"],
        filters=given["filters"],
        seed=given.get("seed"),
        first_day=window.start,
        last_day=window.end,
        first=None if window.start is None else first,
        after=None if window.end is None else after,
        due=due,
        leave_out_drawn=given["leave_out_drawn"],
    )


def _summarize(sample: ReviewSample) -> dict[str, object]:
    return {
        "id": sample.pk,
        "project_id": sample.project_id,
        "seed": sample.seed,
        "per_agent": sample.per_agent,
        "share_pct": sample.share_pct,
        "plan_id": sample.plan_id,
        "uncertain_pct": sample.uncertain_pct,
        "filters": sample.filters,
        "start_date": sample.first_day,
        "end_date": sample.last_day,
        "due": sample.due,
        "candidates": sample.candidates,
        "left_out": sample.left_out,
        "withdrawn": sample.withdrawn,
        "created_at": sample.created_at,
        "created_by": sample.created_by.email if sample.created_by else None,
    }


def _serialize(sample: ReviewSample) -> Any:
    row = _summarize(sample) | {"calls": list_sampled_calls(sample)}
    return serializers.SampleSerializer(row).data
