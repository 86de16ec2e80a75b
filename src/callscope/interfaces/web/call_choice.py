"""The calls that a person ticked in the list, and the list to go back to."""

from typing import NamedTuple

from django.http import Http404, HttpRequest
from django.urls import reverse

from callscope.calls.models import Call
from callscope.interfaces.web.decorators import current_user
from callscope.interfaces.web.presenters.call_list import FILTERS
from callscope.interfaces.web.query_string import (
    EVERYTHING,
    SCOPE_PARAMETERS,
    WINDOW_PARAMETERS,
    with_query,
)
from callscope.interfaces.web.report_request import WHOLE_NUMBER
from callscope.messages.message import Message, MessageError
from callscope.projects import permissions
from callscope.projects.models import Project

MOST_CHOSEN = 100  # as many as the longest page holds
BACK = "back_"  # before the names of the parameters of the list in the form


class ChosenCalls(NamedTuple):
    """The ticked calls of one project."""

    project: Project
    call_ids: list[int]


class InvalidChoice(MessageError):
    """Nothing was chosen, or too much."""


def read_choice(request: HttpRequest) -> list[ChosenCalls]:
    """Return the ticked calls by project. Raises InvalidChoice; Http404 where one is not visible."""
    texts = set(request.POST.getlist("call"))
    if not texts:
        raise InvalidChoice(Message("no_calls_chosen"))
    if len(texts) > MOST_CHOSEN:
        raise InvalidChoice(Message("too_many_chosen", most=MOST_CHOSEN, count=len(texts)))
    if not all(WHOLE_NUMBER.fullmatch(text) for text in texts):
        raise Http404
    projects = {project.pk: project for project in permissions.visible_to(current_user(request))}
    ids = {int(text) for text in texts}
    calls = Call.objects.filter(pk__in=ids, project__in=projects).order_by("pk")
    chosen: dict[int, list[int]] = {}
    for call_id, project_id in calls.values_list("pk", "project_id"):
        chosen.setdefault(project_id, []).append(call_id)
    if sum(map(len, chosen.values())) < len(ids):
        raise Http404
    return [ChosenCalls(projects[pk], call_ids) for pk, call_ids in sorted(chosen.items())]


def list_url(request: HttpRequest, *, without_page: bool = False) -> str:
    """Return the address of the list that the form came from: only its own parameters are taken."""
    names = [*SCOPE_PARAMETERS, *WINDOW_PARAMETERS, *FILTERS, "ordering", "page_size"]
    names += [] if without_page else ["page"]
    query = {name: request.POST.get(BACK + name, "") for name in names}
    return with_query(reverse("web:calls"), query, blank=EVERYTHING)
