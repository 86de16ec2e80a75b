"""Calibrations: open one, read it, close it, settle its answers. Rules: docs/api.md, "Calibrations"."""

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
from callscope.interfaces.api.errors import Conflict
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers.reviewing import calibrations as serializers
from callscope.interfaces.api.views.base import ApiView, find_writable_project, require_writer
from callscope.pipeline.decisions import calibration_edits
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reports.window import InvalidWindow, parse_window
from callscope.reviews.answers import InvalidReview
from callscope.reviews.calibration.listing import describe_calibration, summarize_calibrations
from callscope.reviews.calibration.sessions import CalibrationConflict, CalibrationPlan, InvalidCalibration
from callscope.reviews.models import Calibration
from callscope.reviews.revisions import ReviewConflict


class CalibrationListView(ApiView):
    """The calibrations of the projects that the caller can edit."""

    @extend_schema(
        operation_id="calibrations_list",
        tags=["Reviews"],
        summary="The calibrations of the projects in scope that you can edit, newest first",
        parameters=[*parameters.SCOPE, openapi.PAGE],
        responses={
            200: openapi.paginated(serializers.CalibrationSummarySerializer),
            404: parameters.NOT_FOUND,
            **parameters.ERRORS,
        },
    )
    def get(self, request: Request) -> Response:
        writable = permissions.writable(self.caller, get_scope(request).projects)
        found = Calibration.objects.filter(project__in=writable).select_related("created_by")
        pages = StandardPagination()
        page = pages.paginate_queryset(found.order_by("-pk"), request, view=self)
        rows = serializers.CalibrationSummarySerializer(summarize_calibrations(page or []), many=True).data
        return pages.get_paginated_response(rows)

    @extend_schema(
        operation_id="calibrations_open",
        tags=["Reviews"],
        request=serializers.NewCalibrationSerializer,
        responses={201: serializers.CalibrationSerializer, **openapi.error_responses(*openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Open a calibration: its raters review these calls, each blind; the machine is one more rater.

        While it is open, a review that a rater sends of one of the calls is a rating: nobody else sees it,
        and it counts nowhere. 400 names what cannot be calibrated.
        """
        form = serializers.NewCalibrationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given: Any = form.validated_data
        project = find_writable_project(self.caller, given["project_id"])
        try:
            due = parse_window({"end_date": given.get("due") or ""}, now=timezone.now()).end
        except InvalidWindow as error:
            raise ValidationError({"due": [str(error.message)]}) from None
        plan = CalibrationPlan(given["call_ids"], given["raters"], given.get("expert") or "", due)
        try:
            calibration = calibration_edits.open_calibration(project.pk, plan, self.caller)
        except InvalidCalibration as error:
            raise ValidationError({error.field: [str(error)]}) from None
        except Project.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        return Response(_serialize(calibration, self), status=201)


class CalibrationDetailView(ApiView):
    """One calibration."""

    @extend_schema(
        operation_id="calibrations_read",
        tags=["Reviews"],
        summary="One calibration; while it is open, with only your own answers",
        responses={200: serializers.CalibrationSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, calibration_id: int) -> Response:
        return Response(_serialize(_get_writable(self, calibration_id), self))


class CalibrationCloseView(ApiView):
    """Close a calibration."""

    @extend_schema(
        operation_id="calibrations_close",
        tags=["Reviews"],
        request=None,
        responses={200: serializers.CalibrationSerializer, **openapi.error_responses(404)},
    )
    def post(self, request: Request, calibration_id: int) -> Response:
        """Close the calibration: all editors of the project see all answers. Repeating it is harmless."""
        found = _get_writable(self, calibration_id)
        try:
            calibration = calibration_edits.close_calibration(found.pk, self.caller)
        except Calibration.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        return Response(_serialize(calibration, self))


class CalibrationSettleView(ApiView):
    """Settle the answers of a closed calibration."""

    @extend_schema(
        operation_id="calibrations_settle",
        tags=["Reviews"],
        request=serializers.SettlementSerializer,
        responses={
            200: serializers.CalibrationSerializer,
            **openapi.error_responses(404, 409, *openapi.BODY),
        },
    )
    def post(self, request: Request, calibration_id: int) -> Response:
        """Make the answers of a closed calibration the reviews of its rated calls.

        Where `answers` names none, the expert's answer counts, else that of the majority. 400: an answer is
        missing, or not allowed. 409: the calibration is open, or already settled.
        """
        found = _get_writable(self, calibration_id)
        form = serializers.SettlementSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given: Any = form.validated_data
        chosen = {(each["call_id"], each["criterion_id"]): each["answer"] for each in given["answers"]}
        try:
            calibration = calibration_edits.settle_calibration(found.pk, chosen, self.caller)
        except (InvalidCalibration, InvalidReview) as error:
            field = error.field if isinstance(error, InvalidCalibration) else "answers"
            raise ValidationError({field: [str(error)]}) from None
        except (CalibrationConflict, ReviewConflict) as error:
            raise Conflict(str(error)) from None
        except Calibration.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        return Response(_serialize(calibration, self))


def _get_writable(view: ApiView, calibration_id: int) -> Calibration:
    """Return the calibration; Http404 when it is not visible, PermissionDenied for viewers."""
    visible = Calibration.objects.filter(project__in=permissions.visible_to(view.caller))
    found = visible.select_related("project").filter(pk=min(calibration_id, MAX_ID)).first()
    if found is None:
        raise Http404
    require_writer(view.caller, found.project)
    return found


def _serialize(calibration: Calibration, view: ApiView) -> Any:
    return serializers.CalibrationSerializer(describe_calibration(calibration, view.caller)).data
