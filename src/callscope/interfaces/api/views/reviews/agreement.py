"""GET /calls/api/agreement/: how far machine and people agree."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.call_scope import get_scope_or_404, get_window
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers import agreement as serializers
from callscope.interfaces.api.views.base import ApiView
from callscope.reviews.agreement.blind_agreement import measure_blind_reviews
from callscope.reviews.agreement.measures import describe_agreement


class AgreementView(ApiView):
    """How far machine and people agree."""

    @extend_schema(
        operation_id="calls_agreement",
        tags=["Reviews"],
        summary="Agreement of machine and people in blind reviews, the criterion with the lowest kappa first",
        parameters=[*parameters.SCOPE, *parameters.WINDOW],
        responses={
            200: serializers.MeasuredAgreementSerializer,
            404: parameters.NOT_FOUND,
            **parameters.ERRORS,
        },
    )
    def get(self, request: Request) -> Response:
        """Return agreement, Cohen's kappa and Gwet's AC1 with intervals, by criterion, month and version."""
        scope, window = get_scope_or_404(request), get_window(request)
        first, after = window.moments
        measured = measure_blind_reviews(
            scope.project_ids,
            first=None if window.start is None else first,
            after=None if window.end is None else after,
        ).measured
        return Response(describe_agreement(measured))
