"""The calls page: every analysed call in a table, filtered, searched, sorted and paged by its address."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from callscope.interfaces.web.page import page, show
from callscope.interfaces.web.question import ask


@page
def calls(request: HttpRequest) -> HttpResponse:
    question = ask(request)
    here = reverse("web:calls")
    context = {"question": question, "presets": question.presets(here), "here": here}
    return show(request, "web/report.html", "web/report/body.html", context)
