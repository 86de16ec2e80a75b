"""Tasks: try failed work again. Rules: docs/api.md, "Tasks"."""

import uuid

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.errors import Conflict
from callscope.interfaces.api.serializers.files import (
    RetriedFilesSerializer,
    RetryFailedSerializer,
    TaskSerializer,
)
from callscope.interfaces.api.views.base import ApiView, get_project_or_404, require_writer
from callscope.pipeline.files.retry_failed import ContentRemoved, TaskNotFailed, retry_failed, retry_task
from callscope.pipeline.models import Job
from callscope.projects import permissions


class RetryTaskView(ApiView):
    """Another try for a failed task."""

    @extend_schema(
        operation_id="tasks_retry",
        tags=["Files"],
        parameters=[
            OpenApiParameter(
                "task_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="The `task_id` of a file."
            )
        ],
        request=None,
        responses={202: TaskSerializer, **openapi.error_responses(403, 404, 409)},
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Queue a failed task again; 409 when it has not failed. `task_id` is in the file resource."""
        try:
            key = uuid.UUID(task_id)
        except ValueError:  # not a pattern of the path, so that only authenticated callers get this 404
            raise Http404 from None
        tasks = Job.objects.filter(project__in=permissions.visible_to(self.caller))
        job = tasks.filter(pk=key).select_related("project").first()
        if job is None:
            raise Http404
        require_writer(self.caller, job.project)
        try:
            queued = retry_task(job.pk, by=self.caller)
        except (TaskNotFailed, ContentRemoved) as error:
            raise Conflict(str(error)) from None
        except Job.DoesNotExist:
            raise Http404 from None
        return Response(
            TaskSerializer({"task_id": queued.pk, "kind": queued.kind, "state": queued.state}).data,
            status=202,
        )


class RetryFailedView(ApiView):
    """Another try for everything that failed in a project."""

    @extend_schema(
        operation_id="projects_retry_failed",
        tags=["Files"],
        request=RetryFailedSerializer,
        responses={202: RetriedFilesSerializer, **openapi.error_responses(403, 404, *openapi.BODY)},
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Queue every failed transcription and analysis again. Repeating it is harmless.

        Recordings that would fail again (`audio_too_short`, `hallucinated_transcript`) are skipped, unless
        `reason` names them. Only the newest file of a call counts.
        """
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        form = RetryFailedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        counts = retry_failed([project], reason=form.validated_data.get("reason", ""), by=self.caller)
        return Response(
            RetriedFilesSerializer(
                {
                    "retried": counts.retried,
                    "transcriptions": counts.transcriptions,
                    "analyses": counts.analyses,
                    "left": counts.left,
                }
            ).data,
            status=202,
        )
