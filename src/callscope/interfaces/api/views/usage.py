"""GET /api/usage/: what engines did for the visible projects, by day, project and engine."""

import datetime as dt

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.call_scope import get_window
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.query_params import parse_integer
from callscope.interfaces.api.serializers.usage import UsageSerializer
from callscope.interfaces.api.views.base import ApiView, get_project_or_404
from callscope.pipeline.ledger import usage
from callscope.projects import permissions


class UsageView(ApiView):
    """The usage ledger, summed."""

    @extend_schema(
        operation_id="usage_list",
        tags=["Usage"],
        summary="Engine usage and cost by day, project and engine",
        parameters=[parameters.SCOPE[0], *parameters.WINDOW],
        responses={200: UsageSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        """Return the rows of the period, newest day first; projects of both types count."""
        window = get_window(request)
        project_id = parse_integer(request.query_params, "project_id")
        if project_id is None:
            projects = list(permissions.visible_to(self.caller))
        else:
            projects = [get_project_or_404(self.caller, project_id)]
        rows = usage.daily_usage(projects, start=_to_utc(window.start_at), end=_to_utc(window.until))
        return Response(UsageSerializer({"results": rows, "count": len(rows)}).data)


def _to_utc(moment: dt.datetime | None) -> dt.datetime | None:
    """Return the moment in UTC; None where the calendar begins later or ends sooner."""
    try:
        return moment.astimezone(dt.UTC) if moment else None
    except OverflowError:
        return None
