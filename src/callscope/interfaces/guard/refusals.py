"""Note in the audit trail whom a door turned away, and from which project's door.

A 404 is a refusal where the thing exists and the visitor may not know it. One that names
nothing is a mistyped address. Refusals are counted by the minute, see accounts/trail/notes.py.
"""

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note_refusal
from callscope.calls.models import Call, UploadedFile
from callscope.db.limits import MAX_ID
from callscope.projects import permissions
from callscope.projects.models import Project

STATUSES = (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)

logger = logging.getLogger(__name__)


class Target(NamedTuple):
    """What a request asked for."""

    subject: str  # such as "call 7"
    project: Project


class NoteRefusals:
    """Middleware around everything that can refuse: sessions, CSRF tokens, keys, roles."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code in STATUSES:
            try:
                note_refused_request(request, response.status_code)
            except Error as error:
                logger.warning("A refusal could not be noted: %s", error)
        return response


def note_refused_request(request: HttpRequest, status: int) -> None:
    """Note the refusal of a signed-in user, or of a key that nobody has."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        if status == HTTPStatus.FORBIDDEN and getattr(request, "uses_api_key", False):
            note_refusal(None, "key.refused", "key")
        return
    target = find_target(request)
    method = request.method or ""
    if target is None:
        if status == HTTPStatus.FORBIDDEN:
            note_refusal(user, "access.refused", "page", status=status, method=method)
        return
    if status == HTTPStatus.NOT_FOUND and permissions.get_role(user, target.project) is not None:
        return
    note_refusal(
        user, "access.refused", target.subject, project=target.project.pk, status=status, method=method
    )


def find_target(request: HttpRequest) -> Target | None:
    """Return the thing that the address names, with its project; None where there is none."""
    match = request.resolver_match
    named = dict(match.kwargs) if match else {}
    asked = request.GET.get("project_id", "") or request.GET.get("project", "")
    if "project_id" not in named and asked.isascii() and asked.isdigit():
        named.setdefault("project_id", int(asked[:19]))
    for kind, key in (("call", "call_id"), ("file", "file_id"), ("project", "project_id")):
        number = named.get(key)
        if not isinstance(number, int) or not 0 < number <= MAX_ID:
            continue
        project = _find_project(kind, number)
        return Target(f"{kind} {number}", project) if project else None
    return None


def _find_project(kind: str, number: int) -> Project | None:
    if kind == "call":
        call = Call.objects.select_related("project").filter(pk=number).first()
        return call.project if call else None
    if kind == "file":
        file = UploadedFile.objects.select_related("project").filter(pk=number).first()
        return file.project if file else None
    return Project.objects.filter(pk=number).first()
