"""Plans that draw calls to review every week. Rules: docs/api.md, "Samples"."""

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
from callscope.interfaces.api.serializers.reviewing import samples as serializers
from callscope.interfaces.api.views.base import ApiView, find_writable_project, require_writer
from callscope.pipeline.decisions.filtered_draws import check_filters
from callscope.projects import permissions
from callscope.reviews.models import SamplingPlan
from callscope.reviews.sampling.draw import InvalidSample
from callscope.reviews.sampling.plans import NewPlan, create_plan, describe_plan, end_plan, list_plans


class PlanListView(ApiView):
    """The plans of the projects that the caller can edit."""

    @extend_schema(
        operation_id="sampling_plans_list",
        tags=["Reviews"],
        summary="The weekly plans of the projects in scope that you can edit, also ended ones; newest first",
        parameters=parameters.SCOPE,
        responses={
            200: serializers.PlanSerializer(many=True),
            404: parameters.NOT_FOUND,
            **parameters.ERRORS,
        },
    )
    def get(self, request: Request) -> Response:
        writable = permissions.writable(self.caller, get_scope(request).projects)
        return Response(serializers.PlanSerializer(list_plans(writable, with_ended=True), many=True).data)

    @extend_schema(
        operation_id="sampling_plans_create",
        tags=["Reviews"],
        request=serializers.NewPlanSerializer,
        responses={201: serializers.PlanSerializer, **openapi.error_responses(*openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Draw calls to review every Monday from those of the previous week.

        Send either `per_agent` or `share_pct`. The first draw is next Monday, from this week's calls.
        """
        form = serializers.NewPlanSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given: Any = form.validated_data
        project = find_writable_project(self.caller, given["project_id"])
        try:
            new = NewPlan(
                per_agent=given.get("per_agent"),
                share_pct=given.get("share_pct"),
                reviewers=given["reviewers"],
                uncertain_pct=given["uncertain_pct"],
                filters=check_filters(given["filters"]),
                due_days=given["due_days"],
                seed=given.get("seed"),
            )
            plan = create_plan(project, new, self.caller, today=timezone.localdate())
        except InvalidSample as error:
            raise ValidationError({error.field: [str(error)]}) from None
        return Response(serializers.PlanSerializer(describe_plan(plan)).data, status=201)


class PlanDetailView(ApiView):
    """One plan."""

    @extend_schema(
        operation_id="sampling_plans_end",
        tags=["Reviews"],
        summary="End a plan; it and its draws are kept, and repeating it is harmless",
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, plan_id: int) -> Response:
        visible = SamplingPlan.objects.filter(project__in=permissions.visible_to(self.caller))
        plan = visible.select_related("project").filter(pk=min(plan_id, MAX_ID)).first()
        if plan is None:
            raise Http404
        require_writer(self.caller, plan.project)
        end_plan(plan, self.caller)
        return Response(status=204)
