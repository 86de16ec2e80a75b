"""Tasks: try failed work again. Rules: docs/api.md, "Tasks"."""

import uuid
from typing import Any

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api import openapi
from callscope.interfaces.api.errors import Conflict
from callscope.interfaces.api.views import View, require_writer
from callscope.pipeline.models import Job
from callscope.pipeline.retry import NotFailed, retry
from callscope.projects.models import Project


class Task(serializers.Serializer[Any]):
    """Work that was queued again."""

    task_id = serializers.UUIDField()
    kind = serializers.ChoiceField(Job.Kind.choices)
    state = serializers.ChoiceField(Job.State.choices)


class RetryTask(View):
    """Another try for a failed task."""

    @extend_schema(
        operation_id="tasks_retry",
        tags=["Files"],
        parameters=[
            OpenApiParameter("task_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="From a file.")
        ],
        request=None,
        responses={202: Task, **openapi.errors(403, 404, 409)},
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Queue a failed task again; 409 when it has not failed. `task_id` stands in the file resource."""
        visible = Project.objects.visible_to(self.caller)
        named = Job.objects.filter(pk=_uuid(task_id), project__in=visible)
        job = named.select_related("project").first()
        if job is None:
            raise Http404
        require_writer(self.caller, job.project)
        try:
            queued = retry(job.pk)
        except NotFailed as error:
            raise Conflict(str(error)) from None
        except Job.DoesNotExist:
            raise Http404 from None
        return Response(
            Task({"task_id": queued.pk, "kind": queued.kind, "state": queued.state}).data, status=202
        )


def _uuid(text: str) -> uuid.UUID:
    """Return the id. A text that is none names no task, but only who may ask is told so."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise Http404 from None
