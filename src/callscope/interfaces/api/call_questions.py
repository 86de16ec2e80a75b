"""GET /calls/api/custom-questions/: what each call answers to its project's questions."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import scope_of
from callscope.interfaces.api.views import View
from callscope.reports.questions import questions_json


class CustomQuestionsView(View):
    @extend_schema(
        operation_id="calls_custom_questions",
        tags=["Calls"],
        summary="The answers of each call to the custom questions",
        parameters=call_schema.SCOPE,
        responses={200: call_schema.CustomQuestions, **call_schema.ERRORS},
    )
    def get(self, request: Request) -> Response:
        return Response(questions_json(scope_of(request).projects))
