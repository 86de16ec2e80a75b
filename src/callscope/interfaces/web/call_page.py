"""One call: its recording, transcript, findings and where they come from."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from callscope.interfaces.web.page import page, visitor
from callscope.projects import scope
from callscope.reports.call_detail import find_call


@page
def call(request: HttpRequest, call_id: int) -> HttpResponse:
    detail = find_call(scope.resolve(visitor(request)).projects, call_id)
    if detail is None:
        raise Http404
    return render(request, "web/call.html", {"detail": detail})
