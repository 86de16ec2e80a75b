"""GET /api/usage/: what engines did for the visible projects, by day, project and engine."""

import datetime as dt
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import window_of
from callscope.interfaces.api.query import whole_number
from callscope.interfaces.api.views import View, visible_project
from callscope.pipeline import ledger
from callscope.pipeline.models import UsageEntry
from callscope.projects.models import Project
from callscope.reports.window import Window

MILLION = 1_000_000


class UsageRow(serializers.Serializer[Any]):
    """What one engine did for one project on one day of the server's time zone."""

    date = serializers.DateField()
    project = serializers.IntegerField()
    project_name = serializers.CharField()
    kind = serializers.ChoiceField(UsageEntry.Kind.choices)
    engine = serializers.CharField()
    model = serializers.CharField()
    calls = serializers.IntegerField(help_text="Of the engine")
    audio_seconds = serializers.FloatField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True, help_text="null where no price is known")


class Usage(serializers.Serializer[Any]):
    results = UsageRow(many=True)
    count = serializers.IntegerField()


class UsageFigures(View):
    """The usage ledger, summed."""

    @extend_schema(
        operation_id="usage_list",
        tags=["Usage"],
        summary="What engines did and what it cost, by day, project and engine",
        parameters=[call_schema.SCOPE[0], *call_schema.WINDOW],
        responses={200: Usage, **call_schema.ERRORS, 404: call_schema.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        """Return the rows in the window, newest day first; projects of both types count."""
        window = window_of(request)
        project_id = whole_number(request.query_params, "project_id")
        if project_id is None:
            projects = list(Project.objects.visible_to(self.caller))
        else:
            projects = [visible_project(self.caller, project_id)]
        rows = ledger.usage(projects, start=_start(window), end=_end(window))
        return Response({"results": [_shown(row) for row in rows], "count": len(rows)})


def _start(window: Window) -> dt.datetime | None:
    """Return the moment at which the window begins; None where the calendar begins later."""
    return _in_utc(window.start_at)


def _end(window: Window) -> dt.datetime | None:
    """Return the moment before which the window lies; None where the calendar ends sooner."""
    if window.end_at is None or window.end == dt.date.max:
        return None
    # The window shows its end in whole seconds; the last day lasts until the next begins.
    return _in_utc(window.end_at + dt.timedelta(seconds=1))


def _in_utc(moment: dt.datetime | None) -> dt.datetime | None:
    try:
        return moment.astimezone(dt.UTC) if moment else None
    except OverflowError:
        return None


def _shown(row: ledger.UsageRow) -> dict[str, Any]:
    return {
        "date": row.date.isoformat(),
        "project": row.project_id,
        "project_name": row.project_name,
        "kind": row.kind,
        "engine": row.engine,
        "model": row.model,
        "calls": row.calls,
        "audio_seconds": round(row.audio_us / MILLION, 3),
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cost": None if row.cost_micros is None else float(Decimal(row.cost_micros) / MILLION),
    }
