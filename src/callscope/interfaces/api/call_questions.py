"""GET /calls/api/custom-questions/: what each call answers to its project's questions."""

from itertools import chain, islice

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api import call_schema
from callscope.interfaces.api.call_scope import scope_of
from callscope.interfaces.api.views import View
from callscope.reports.questions import answered_calls, questions_json, questions_text

AT_ONCE = 500  # calls; more are sent piece by piece, so that memory stays flat


class CustomQuestionsView(View):
    @extend_schema(
        operation_id="calls_custom_questions",
        tags=["Calls"],
        summary="The answers of each call to the custom questions",
        parameters=call_schema.SCOPE,
        responses={200: call_schema.CustomQuestions, **call_schema.ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        calls = answered_calls(scope_of(request).named)
        first = list(islice(calls, AT_ONCE))
        if len(first) < AT_ONCE:
            return Response(questions_json(first))
        return StreamingHttpResponse(questions_text(chain(first, calls)), content_type="application/json")
