"""The upload page: many files and a manifest, their progress, and why one failed.

The page's module sends each file to POST /api/files/, as any client would; the
views here answer which names the project has and how far their files are.
"""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.accounts.trail.notes import note
from callscope.analysis.models import CallAnalysis, is_unfinished
from callscope.calls.fields import FIELDS, MANIFEST_COLUMNS, REQUIRED_COLUMNS
from callscope.calls.models import Call, ManifestRow, UploadedFile
from callscope.calls.names import clean_file_name
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.downloads import csv_export
from callscope.interfaces.web.preferences import PROJECT_COOKIE
from callscope.interfaces.web.presenters.file_status import FileState
from callscope.interfaces.web.request_data import parse_id, read_json
from callscope.messages.message import Message
from callscope.messages.translation import MAX_SENTENCE, recognize, translate, translate_stored
from callscope.pipeline.queue.breakers.waits import find_waits
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reports.window import zone_name

MAX_NAMES = 500  # a question of the module
MAX_SENTENCES = 100
MAX_TEMPLATE_ROWS = 10_000  # of a manifest to fill in; a spreadsheet is for fewer


@signed_in_page
@require_safe
def upload(request: HttpRequest) -> HttpResponse:
    """Show where files are dropped; without a project in the address, see choose_project()."""
    projects = project_access.list_projects(request)
    writable = permissions.writable(current_user(request), projects)
    asked = request.GET.get("project_id", "")
    if asked:
        project: Project | None = project_access.get_project_or_404(request, parse_id(asked))
    else:
        project = choose_project(request, writable, projects)
    may_write = project in writable
    api = f"{reverse('web:home')}api/"
    others = [name for name in MANIFEST_COLUMNS if name not in REQUIRED_COLUMNS]
    context = {
        "required_columns": format_html_join(", ", "<code>{}</code>", ((name,) for name in REQUIRED_COLUMNS)),
        "other_columns": format_html_join(", ", "<code>{}</code>", ((name,) for name in others)),
        "known_columns": ", ".join(MANIFEST_COLUMNS),
        "zone": zone_name(),
        "project": project,
        "projects": project_access.tell_apart(projects),
        "is_call_project": bool(project and project.type == Project.Type.CALL),
        "may_write": may_write,
        "viewer_notice": project_access.viewer_notice(project) if project and not may_write else "",
        "max_upload_mb": settings.ENVIRONMENT.max_upload_mb,
        "api": api,
        "status_url": f"{reverse('web:home')}calls/api/analysis-status/",
    }
    return render(request, "web/upload.html", context)


def choose_project(request: HttpRequest, writable: list[Project], projects: list[Project]) -> Project | None:
    """Return the project used last, or the only one that can be changed; of several none is guessed.

    Recordings in another project are judged by another rubric and seen by other people.
    """
    remembered = parse_id(request.COOKIES.get(PROJECT_COOKIE, ""))
    used = next((project for project in writable if project.pk == remembered), None)
    if used is not None or len(writable) > 1:
        return used
    return max(writable or projects, key=lambda p: p.pk, default=None)


@signed_in_page
@require_POST
def states(request: HttpRequest) -> HttpResponse:
    """Answer {"project": id, "names": […]} with the state of the newest file of each name that is there.

    With {"kept": […]} also with those of the names of a manifest whose files are still to come.
    """
    asked = read_json(request)
    names, kept, project_id = asked.get("names"), asked.get("kept", []), asked.get("project")
    if (
        not (isinstance(names, list) and isinstance(kept, list))
        or max(len(names), len(kept)) > MAX_NAMES
        or not all(isinstance(name, str) for name in (*names, *kept))
        or not isinstance(project_id, int)
    ):
        return JsonResponse({"detail": _("The question could not be read.")}, status=400)
    project = project_access.get_project_or_404(request, project_id)
    cleaned = {name: clean_file_name(name) for name in names}
    stored_names = set(cleaned.values()) - {""}
    files = UploadedFile.objects.filter(project=project).order_by("pk")
    if project.type == Project.Type.CALL:  # found through the calls, whose names are indexed
        files = files.filter(newest_of__project=project, newest_of__file_name__in=stored_names)
    else:
        files = files.filter(original_filename__in=stored_names)
    found = {state.file.original_filename: state for state in list_states(list(files))}
    answer: dict[str, object] = {
        "files": {name: found[stored].as_json() for name, stored in cleaned.items() if stored in found}
    }
    if kept:
        rows = ManifestRow.objects.filter(project=project, file_name__in=kept)
        waiting = set(rows.values_list("file_name", flat=True))
        answer["kept"] = [name for name in kept if name in waiting]
    return JsonResponse(answer)


@signed_in_page
@require_safe
def manifest_template(request: HttpRequest, project_id: int) -> HttpResponseBase:
    """Answer a manifest to fill in: its head, and a row for each call that has no time of its own yet."""
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    untimed = Call.objects.filter(project=project, call_datetime_source=Call.DatetimeSource.UPLOAD_TIME)
    names = untimed.order_by("pk").values_list("file_name", flat=True)[:MAX_TEMPLATE_ROWS]
    note(current_user(request), "table.exported", "manifest", projects=[project.pk])
    empty = [""] * (len(MANIFEST_COLUMNS) - 1)
    return csv_export.download("callscope-manifest.csv", MANIFEST_COLUMNS, ([name, *empty] for name in names))


@signed_in_page
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
    return JsonResponse({"sentences": [_say_on_page(text) for text in said]})


def _say_on_page(text: str) -> str:
    """Return the sentence in the language of the page; with the allowed values after an unknown one.

    The API keeps the shorter sentence, which clients know.
    """
    row = recognize(text) if len(text) <= MAX_SENTENCE else None
    reason = row.params.get("reason") if row else None
    field = FIELDS.get(reason.params.get("field", "")) if isinstance(reason, Message) else None
    if not row or not isinstance(reason, Message) or not field or reason.code != "unknown_choice":
        return translate_stored(text)
    allowed = Message("unknown_choice_of", **reason.params, allowed=", ".join(field.choices))
    return translate(Message(row.code, **{**row.params, "reason": allowed}))


def list_states(files: list[UploadedFile]) -> list[FileState]:
    """Return the states of these files, in their order."""
    analyses = {a.file_id: a for a in CallAnalysis.objects.filter(file__in=[f.pk for f in files])}
    unfinished = [file.pk for file in files if is_unfinished(file, analyses.get(file.pk))]
    waits = find_waits(unfinished) if unfinished else {}
    return [FileState.of(file, analyses.get(file.pk), waits.get(file.pk)) for file in files]
