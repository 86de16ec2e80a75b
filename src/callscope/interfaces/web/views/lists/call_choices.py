"""The long lists of the filters of calls, for a page that was painted without them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from callscope.interfaces.web.decorators import signed_in_page
from callscope.interfaces.web.presenters.list_choices import build_long_lists
from callscope.interfaces.web.report_request import parse_report_request


@signed_in_page
def call_choices(request: HttpRequest) -> HttpResponse:
    """Answer the agents and contact reasons of the projects in scope, each list for its field."""
    report_request = parse_report_request(request, narrows=True)
    lists = build_long_lists(report_request, {}, may_wait=False)
    return render(request, "web/calls/choices.html", {"long_lists": lists})
