"""GET /calls/api/custom-questions/: what each call answers to its project's questions."""

from itertools import chain, islice

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.call_scope import get_scope
from callscope.interfaces.api.docs import parameters
from callscope.interfaces.api.serializers import calls as call_schema
from callscope.interfaces.api.views.base import ApiView
from callscope.reports.questions.answers import iterate_answered_calls, questions_json, stream_questions

# Calls that are answered at once. More are streamed, so that memory does not grow with the project;
# the keys then come in another order, because the questions are known only at the end.
AT_ONCE = 500


class CustomQuestionsView(ApiView):
    @extend_schema(
        operation_id="calls_custom_questions",
        tags=["Calls"],
        summary="The answers of each call to the custom questions",
        parameters=parameters.SCOPE,
        responses={200: call_schema.CustomQuestionsSerializer, **parameters.ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        calls = iterate_answered_calls(get_scope(request).project_refs)
        first = list(islice(calls, AT_ONCE))
        if len(first) < AT_ONCE:
            return Response(questions_json(first))
        return StreamingHttpResponse(stream_questions(chain(first, calls)), content_type="application/json")
