"""Replays of drafts, and history judged again. Rules: docs/api.md, "Replays"."""

from collections.abc import Container, Mapping
from dataclasses import asdict

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.errors import Conflict
from callscope.interfaces.api.serializers.replays import (
    PublishedSerializer,
    PublishSerializer,
    QueuedRescoreSerializer,
    ReplayIdSerializer,
    ReplayRequestSerializer,
    ReplaySerializer,
    WindowSerializer,
)
from callscope.interfaces.api.views.base import ApiView, get_project_or_404, require_writer
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.probes.warnings import check_steadiness
from callscope.pipeline.rubric_changes.replays import drafts, publishing, rescoring
from callscope.pipeline.rubric_changes.replays.besides_comparison import BesidesOutcome
from callscope.pipeline.rubric_changes.replays.call_changes import load_call_changes
from callscope.pipeline.rubric_changes.replays.progress import read_progress
from callscope.pipeline.rubric_changes.replays.quotes import load_changes
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.models import Project
from callscope.projects.services import ProtectedSetting
from callscope.reports.window import ALL_TIME, InvalidWindow, Window, parse_window
from callscope.reviews.calibration.visibility import list_blinded_calls


class ReplayListView(ApiView):
    """Drafts judged on past calls."""

    @extend_schema(
        operation_id="projects_replays_create",
        tags=["Rubrics"],
        request=ReplayRequestSerializer,
        responses={
            200: openapi.estimated(ReplayIdSerializer),
            202: ReplayIdSerializer,
            **openapi.error_responses(403, 404, *openapi.BODY),
        },
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Judge past calls with a draft, in the background; no report changes.

        `sample` draws that number of calls at random, `start_date` and `end_date` take all calls of a
        period; by default a hundred calls are drawn. Only calls with results and a transcript can be
        compared. The response states the cost; 200 with `estimate_only`, which queues nothing.
        """
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        form = ReplayRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        window = _parse_window(given)
        if "sample" in given and window != ALL_TIME:
            raise ValidationError({"sample": ["Choose a sample or a window of days, not both."]})
        try:
            plan = drafts.plan_replay(project, given["config"], sample=given.get("sample"), window=window)
        except drafts.InvalidReplay as error:
            raise ValidationError({error.field: [str(error)]}) from None
        if given.get("estimate_only"):
            return Response(ReplayIdSerializer({"id": None, "estimate": plan.estimate}).data)
        replay = drafts.start_replay(project, plan, by=self.caller)
        return Response(ReplayIdSerializer({"id": replay.pk, "estimate": plan.estimate}).data, status=202)


class ReplayDetailView(ApiView):
    """Progress and results of a replay."""

    @extend_schema(
        operation_id="projects_replays_read",
        tags=["Rubrics"],
        responses={200: ReplaySerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, project_id: int, replay_id: int) -> Response:
        """Return state and progress; once it is completed, scores, criteria and calls."""
        project = get_project_or_404(self.caller, project_id)
        replay = _get_replay(project, replay_id)
        found = read_progress(replay)
        blinded = list_blinded_calls(self.caller)
        rows = [row for row in found.most_changed if row["call_id"] not in blinded]
        changes = load_changes(replay, [row["call_id"] for row in rows])
        most_changed = [{**row, "criteria": changes.get(row["call_id"], [])} for row in rows]
        shown = {**asdict(found), "most_changed": most_changed, "steadiness": check_steadiness(replay)}
        if found.stopped:  # "completed" ends every wait that was written before replays could be stopped
            shown["state"] = "completed"
        if found.baseline is not None:
            shown["baseline"] = {**found.baseline, "version": replay.config_version}
        if found.besides is not None:
            shown["besides"] = _show_besides(replay, found.besides, blinded)
        return Response(ReplaySerializer(shown).data)


class ReplayPublishView(ApiView):
    """A draft becomes the configuration of its project."""

    @extend_schema(
        operation_id="projects_replays_publish",
        tags=["Rubrics"],
        request=PublishSerializer,
        responses={202: PublishedSerializer, **openapi.error_responses(403, 404, 409, *openapi.BODY)},
    )
    def post(self, request: Request, project_id: int, replay_id: int) -> Response:
        """Save the draft as a new version, and judge past calls again: from a day on, all, or none.

        409 before the replay is completed, and when other settings that calls are judged by were saved since
        it started; what was saved of working hours, targets, reviews and retention stays. `warnings` holds
        `steadiness_unknown` where a language model judges and too few calls were judged several times.
        """
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        replay = _get_replay(project, replay_id)
        form = PublishSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        warnings = ["steadiness_unknown"] if check_steadiness(replay).is_needed else []
        try:
            published = publishing.publish_draft(
                replay, by=self.caller, rescore=form.validated_data["rescore"]
            )
        except publishing.NotPublishable as error:
            raise Conflict(str(error)) from None
        except ProtectedSetting as error:
            raise PermissionDenied(str(error)) from None
        except InvalidConfiguration as error:
            raise ValidationError({"config": error.messages()}) from None
        queued = published.rescore
        answer = {
            "version": published.version,
            "rescore": None if queued is None else {"id": queued.pk, "calls": queued.calls},
            "warnings": warnings,
        }
        return Response(PublishedSerializer(answer).data, status=202)


class RescoreView(ApiView):
    """History judged again."""

    @extend_schema(
        operation_id="projects_rescore",
        tags=["Rubrics"],
        request=WindowSerializer,
        responses={202: QueuedRescoreSerializer, **openapi.error_responses(403, 404, *openapi.BODY)},
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Judge the calls of a period again with the current configuration, in the background, call by call.

        At every moment, reports count either the old or the new results of a call. Without days, all calls.
        """
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        form = WindowSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        queued = rescoring.request_rescore(project, by=self.caller, window=_parse_window(form.validated_data))
        return Response(QueuedRescoreSerializer({"id": queued.pk, "calls": queued.calls}).data, status=202)


def _show_besides(replay: Replay, besides: BesidesOutcome, hidden: Container[int]) -> dict[str, object]:
    changes = load_call_changes(replay, besides, hidden=hidden)
    kinds = [
        {
            **row,
            "changed_calls": [
                {"call_id": call_id, **change._asdict()} for call_id, change in changes[row["kind"]]
            ],
        }
        for row in besides["kinds"]
    ]
    return {**besides, "kinds": kinds}


def _parse_window(given: Mapping[str, str]) -> Window:
    days = {name: given[name] for name in ("start_date", "end_date") if name in given}
    try:
        return parse_window(days, now=timezone.now())
    except InvalidWindow as error:
        raise ValidationError({error.field: [str(error)]}) from None


def _get_replay(project: Project, replay_id: int) -> Replay:
    replay = Replay.objects.filter(project=project, pk=min(replay_id, MAX_ID)).first()
    if replay is None:
        raise Http404
    return replay
