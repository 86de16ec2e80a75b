"""Probes of steadiness and fairness. Rules: docs/api.md, "Steadiness" and "Fairness probes"."""

from functools import partial
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers import probes as serializers
from callscope.interfaces.api.views.base import ApiView, get_project_or_404, require_writer
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.probes.progress import (
    Progress,
    list_probes,
    read_agreement,
    read_progress,
    read_states,
)
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.models import Project
from callscope.reviews.calibration.visibility import list_blinded_calls

QUEUED = {
    200: openapi.estimated(serializers.QueuedProbeSerializer),
    202: serializers.QueuedProbeSerializer,
    **openapi.error_responses(403, 404, *openapi.BODY),
}
LISTED = {200: openapi.paginated(serializers.ProbeSerializer), **openapi.error_responses(404)}
document_list = partial(extend_schema, tags=["Rubrics"], parameters=[openapi.PAGE], responses=LISTED)
document_start = partial(extend_schema, tags=["Rubrics"], responses=QUEUED)


class ProbeListView(ApiView):
    """What both kinds have in common."""

    kind: Probe.Kind

    def list(self, request: Request, project_id: int) -> Response:
        project = get_project_or_404(self.caller, project_id)
        pages = StandardPagination()
        ids = (
            Probe.objects.filter(project=project, kind=self.kind).order_by("-pk").values_list("pk", flat=True)
        )
        chosen: Any = pages.paginate_queryset(ids, request, view=self)
        page = list_probes(project, self.kind, ids=list(chosen or []))
        context = {"states": read_states(page)}
        return pages.get_paginated_response(
            serializers.ProbeSerializer(page, many=True, context=context).data
        )

    def start(self, request: Request, project_id: int) -> Response:
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        is_steadiness = self.kind == Probe.Kind.STEADINESS
        form = (
            serializers.SteadinessRequestSerializer(data=request.data)
            if is_steadiness
            else serializers.FairnessRequestSerializer(data=request.data)
        )
        form.is_valid(raise_exception=True)
        given = dict(form.validated_data)
        is_estimate = given.pop("estimate_only", False)
        document = given.pop("config", None)
        try:
            plan = (
                requests.plan_steadiness(project, document, **given)
                if is_steadiness
                else requests.plan_fairness(project, document, **given)
            )
        except InvalidConfiguration as error:
            raise ValidationError({"config": error.messages()}) from None
        except requests.InvalidProbe as error:
            raise ValidationError({error.field: [str(error)]}) from None
        probe = None if is_estimate else requests.request_probe(project, plan, by=self.caller)
        answer = {"id": probe.pk if probe else None, "estimate": plan.estimate}
        return Response(serializers.QueuedProbeSerializer(answer).data, status=200 if is_estimate else 202)


class SteadinessListView(ProbeListView):
    """Calls judged several times by the same settings."""

    kind = Probe.Kind.STEADINESS

    @document_list(operation_id="projects_steadiness_list")
    def get(self, request: Request, project_id: int) -> Response:
        """List the probes of a project, newest first."""
        return self.list(request, project_id)

    @document_start(
        operation_id="projects_steadiness_create", request=serializers.SteadinessRequestSerializer
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Judge calls several times, in the background; no report changes. The response states the cost.

        `sample` calls (default 50) are drawn at random and judged `repetitions` times (default 3), with
        `config` or the current settings. 200 with `estimate_only`, which queues nothing.
        """
        return self.start(request, project_id)


class SteadinessDetailView(ApiView):
    """How steady answers are."""

    @extend_schema(
        operation_id="projects_steadiness_read",
        tags=["Rubrics"],
        responses={200: serializers.SteadinessSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, project_id: int, steadiness_id: int) -> Response:
        """Return the progress of the probe; once it is completed, flips by criterion with their intervals."""
        project = get_project_or_404(self.caller, project_id)
        found = read_progress(_get_probe(project, Probe.Kind.STEADINESS, steadiness_id))
        outcome = found.steadiness
        agreements = read_agreement(project) if outcome else {}
        criteria = []
        for row in outcome["criteria"] if outcome else []:
            agreement = agreements.get(row["criterion_id"])
            criteria.append(
                {
                    **row,
                    "kappa": agreement and agreement.kappa,
                    "kappa_low": agreement and agreement.kappa_low,
                    "kappa_high": agreement and agreement.kappa_high,
                    "reviewed": agreement.n if agreement else 0,
                }
            )
        blinded = list_blinded_calls(self.caller)
        answer = {
            **_describe(found),
            "calls": outcome["calls"] if outcome else None,
            "repetitions": len(found.probe.variants),
            "score_spread": outcome["score_spread"] if outcome else None,
            "overall": outcome["overall"] if outcome else None,
            "criteria": criteria,
            "flipped": [row for row in outcome["flipped"] if row["call_id"] not in blinded]
            if outcome
            else [],
        }
        return Response(serializers.SteadinessSerializer(answer).data)


class FairnessListView(ProbeListView):
    """Copies of calls, as other people would have said the same."""

    kind = Probe.Kind.FAIRNESS

    @document_list(operation_id="projects_fairness_probes_list")
    def get(self, request: Request, project_id: int) -> Response:
        """List the probes of a project, newest first."""
        return self.list(request, project_id)

    @document_start(
        operation_id="projects_fairness_probes_create", request=serializers.FairnessRequestSerializer
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Judge calls and copies of them, in the background; no report changes. The response states the cost.

        `sample` calls (default 30) are drawn at random. Each gets a copy for each of the `groups` (default:
        all): names, titles and pronouns of other people, another dialect, another order of facts. Phrases
        of the settings are not changed. 200 with `estimate_only`, which queues nothing.
        """
        return self.start(request, project_id)


class FairnessDetailView(ApiView):
    """How answers change when other people say the same."""

    @extend_schema(
        operation_id="projects_fairness_probes_read",
        tags=["Rubrics"],
        responses={200: serializers.FairnessSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, project_id: int, fairness_id: int) -> Response:
        """Return the progress of the probe; once it is completed, flips and score shifts by group."""
        project = get_project_or_404(self.caller, project_id)
        found = read_progress(_get_probe(project, Probe.Kind.FAIRNESS, fairness_id))
        outcome = found.fairness
        blinded = list_blinded_calls(self.caller)
        answer = {
            **_describe(found),
            "calls": outcome["calls"] if outcome else None,
            "groups": outcome["groups"] if outcome else [],
            "moved": [row for row in outcome["moved"] if row["call_id"] not in blinded] if outcome else [],
        }
        return Response(serializers.FairnessSerializer(answer).data)


def _describe(found: Progress) -> dict[str, object]:
    return {
        "id": found.probe.pk,
        "state": found.state,
        "judgments": found.judgments,
        "done": found.done,
        "engine": found.probe.engine,
        "config_version": found.probe.config_version,
        "estimate": found.estimate,
    }


def _get_probe(project: Project, kind: str, probe_id: int) -> Probe:
    probe = Probe.objects.filter(project=project, kind=kind, pk=min(probe_id, MAX_ID)).first()
    if probe is None:
        raise Http404
    return probe
