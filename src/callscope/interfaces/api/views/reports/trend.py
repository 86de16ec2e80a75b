"""GET /calls/api/report/trend/: one figure of the calls in scope, by week."""

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers.figure_trend import FigureTrendSerializer
from callscope.interfaces.api.views.base import ApiView
from callscope.interfaces.api.views.reports.maps import get_counted
from callscope.reports.overview.figure_trend.figures import UnknownFigure, find_figure
from callscope.reports.overview.figure_trend.weeks import build_figure_trend, figure_trend_json


class FigureTrendView(ApiView):
    @extend_schema(
        operation_id="calls_report_trend",
        tags=["Reports"],
        summary="One figure by week, with the previous period",
        parameters=[*parameters.SCOPE, *parameters.WINDOW, *parameters.TREND],
        responses={200: FigureTrendSerializer, **parameters.ERRORS, 404: parameters.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        projects, window, agent_id = get_counted(request)
        try:
            figure = find_figure(request.query_params.get("figure", ""), projects)
        except UnknownFigure as error:
            raise ValidationError({"figure": [str(error.message)]}) from None
        answer = request.query_params.get("answer", "")
        return Response(
            figure_trend_json(build_figure_trend(projects, window, figure, answer=answer, agent_id=agent_id))
        )
