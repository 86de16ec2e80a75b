"""The upload page: many files and a manifest, their progress, and why one failed.

The page's module sends each file to POST /api/files/, as any client would; the
addresses here tell it which names the project has and how far their files are.
"""

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import RawPostDataException
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.calls.names import clean_file_name
from callscope.interfaces.web import own_projects
from callscope.interfaces.web.file_states import FileState
from callscope.interfaces.web.page import page, visitor
from callscope.interfaces.web.told import told
from callscope.projects import access
from callscope.projects.models import Project

MAX_NAMES = 500  # a question of the module
MAX_SENTENCES = 500


@page
@require_safe
def upload(request: HttpRequest) -> HttpResponse:
    """Show where files are dropped; without a project in the address, for the newest that can be changed."""
    projects = own_projects.visible(request)
    roles = access.roles_of(visitor(request), projects)
    asked = request.GET.get("project_id", "")
    if asked:
        project: Project | None = own_projects.find(request, whole_number(asked))
    else:
        writable = [p for p in projects if access.may_write(roles.get(p.pk))]
        project = max(writable or projects, key=lambda p: p.pk, default=None)
    may_write = project is not None and access.may_write(roles.get(project.pk))
    api = f"{reverse('web:home')}api/"
    context = {
        "project": project,
        "projects": projects,
        "is_call_project": bool(project and project.type == Project.Type.CALL),
        "may_write": may_write,
        "viewer_notice": own_projects.viewer_notice(project) if project and not may_write else "",
        "max_upload_mb": settings.ENVIRONMENT.max_upload_mb,
        "api": api,
        "status_url": f"{reverse('web:home')}calls/api/analysis-status/",
    }
    return render(request, "web/upload.html", context)


@page
@require_POST
def states(request: HttpRequest) -> HttpResponse:
    """Answer {"project": id, "names": […]} with the state of the newest file of each name that is there."""
    asked = read_json(request)
    names, project_id = asked.get("names"), asked.get("project")
    if (
        not isinstance(names, list)
        or len(names) > MAX_NAMES
        or not all(isinstance(name, str) for name in names)
        or not isinstance(project_id, int)
    ):
        return JsonResponse({"detail": _("The question could not be read.")}, status=400)
    project = own_projects.find(request, project_id)
    cleaned = {name: clean_file_name(name) for name in names}
    found = _newest(project, set(cleaned.values()) - {""})
    return JsonResponse(
        {"files": {name: found[kept].as_json() for name, kept in cleaned.items() if kept in found}}
    )


@page
@require_POST
def sentences(request: HttpRequest) -> HttpResponse:
    """Answer {"sentences": […]}, which the API said, with the same in the language of the page."""
    said = read_json(request).get("sentences")
    if (
        not isinstance(said, list)
        or len(said) > MAX_SENTENCES
        or not all(isinstance(text, str) for text in said)
    ):
        return JsonResponse({"detail": _("The question could not be read.")}, status=400)
    return JsonResponse({"sentences": [told(text) for text in said]})


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the object in the body; an empty one when there is none, or a form instead."""
    try:
        asked = json.loads(request.body)
    except (ValueError, RecursionError, RawPostDataException):
        return {}
    return asked if isinstance(asked, dict) else {}


def states_of(files: list[UploadedFile]) -> list[FileState]:
    """Return the states of these files, in their order."""
    analyses = {a.file_id: a for a in CallAnalysis.objects.filter(file__in=[f.pk for f in files])}
    return [FileState.of(file, analyses.get(file.pk)) for file in files]


def _newest(project: Project, names: set[str]) -> dict[str, FileState]:
    files = UploadedFile.objects.filter(project=project).order_by("pk")
    if project.type == Project.Type.CALL:  # found through the calls, whose names are indexed
        files = files.filter(newest_of__project=project, newest_of__file_name__in=names)
    else:
        files = files.filter(original_filename__in=names)
    return {state.file.original_filename: state for state in states_of(list(files))}


def whole_number(text: str) -> int:
    """Return the number; -1, which names nothing, for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1
