"""What one project asks of its calls: the editor of its configuration.

The editor holds one document, which its module reads out of the fields. The
addresses here check it, turn it into YAML and back, try it on a call, and save
it; projects.configuration alone decides what is right.
"""

from typing import Any

import yaml
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.calls.models import Call
from callscope.engines.errors import EngineUnavailable
from callscope.interfaces.web import own_projects, trial
from callscope.interfaces.web.page import page, visitor
from callscope.interfaces.web.templatetags.setup import REDACTIONS
from callscope.interfaces.web.told import told
from callscope.interfaces.web.upload_page import read_json
from callscope.projects import administration, configuration
from callscope.projects.configuration import WrongConfiguration

CALLS_TO_TRY = 100  # the newest; any other is found by its name
LARGEST_ID = 2**63 - 1


@page
@require_safe
def settings(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the editor, filled with the stored document."""
    project = own_projects.find(request, project_id)
    config = project.configuration
    calls = Call.objects.filter(project=project, newest_file__transcript__isnull=False).order_by("-pk")
    context = {
        **own_projects.surroundings(request, project, "settings"),
        "document": config.as_document(),
        "yaml": configuration.to_yaml(config),
        "version": project.config_version,
        "calls": calls.values("pk", "file_name")[:CALLS_TO_TRY],
        "redactions": REDACTIONS.items(),
    }
    response = render(request, "web/settings.html", context)
    # Going back in the browser must not bring older settings than those that were saved here.
    response["Cache-Control"] = "private, no-store"
    return response


@page
@require_POST
def check(request: HttpRequest, project_id: int) -> HttpResponse:
    """Answer {"document": …} with its errors, each with its path; nothing is stored."""
    own_projects.find(request, project_id)
    return JsonResponse(_checked(read_json(request).get("document"))[1])


@page
@require_POST
def save(request: HttpRequest, project_id: int) -> HttpResponse:
    """Store {"document": …, "version": …}; 409 when somebody else has saved since that version."""
    project = own_projects.find(request, project_id)
    own_projects.require_writer(request, project)
    asked = read_json(request)
    if asked.get("version") != project.config_version:
        detail = _("Somebody has saved other settings meanwhile. Copy yours as YAML, then reload the page.")
        return JsonResponse({"detail": detail}, status=409)
    config, answer = _checked(asked.get("document"))
    if config is None:
        return JsonResponse(answer, status=400)
    changed = administration.configure(project, config.as_document(), by=visitor(request))
    return JsonResponse(
        {
            "errors": [],
            "changed": changed,
            "version": project.config_version,
            "document": config.as_document(),
        }
    )


@page
@require_POST
def as_yaml(request: HttpRequest, project_id: int) -> HttpResponse:
    """Answer {"document": …} with its YAML, or {"yaml": "…"} with its document, and the errors of either."""
    own_projects.find(request, project_id)
    asked = read_json(request)
    text = asked.get("yaml")
    if isinstance(text, str):
        try:
            config = configuration.parse_yaml(text)
        except WrongConfiguration as error:
            return JsonResponse({"errors": _errors(error)}, status=400)
        return JsonResponse({"errors": [], "document": config.as_document()})
    config_or_none, answer = _checked(asked.get("document"))
    if config_or_none is not None:
        shown = configuration.to_yaml(config_or_none)
    else:  # unfinished settings can be copied away too
        shown = yaml.safe_dump(asked.get("document"), allow_unicode=True, sort_keys=False, width=110)
    return JsonResponse({**answer, "yaml": shown})


@page
@require_POST
def try_out(request: HttpRequest, project_id: int) -> HttpResponse:
    """Judge one call by {"document": …} and show it beside what is stored; nothing is stored."""
    project = own_projects.find(request, project_id)
    own_projects.require_writer(request, project)
    asked = read_json(request)
    config, answer = _checked(asked.get("document"))
    if config is None:
        return JsonResponse(answer, status=400)
    call = _call(project.pk, asked.get("call"))
    if call is None:
        detail = _("Choose a call of this project that has a transcript.")
        return JsonResponse({"detail": detail}, status=404)
    try:
        compared = trial.compare(call, config)
    except EngineUnavailable as error:
        return JsonResponse({"detail": told(str(error))}, status=503)
    return render(request, "web/settings/trial.html", {"trial": compared, "call": call})


def _call(project_id: int, named: Any) -> Call | None:
    """Return the call by its id or, as a text, its file name; only one whose newest file has a transcript."""
    calls = Call.objects.filter(project=project_id, newest_file__transcript__isnull=False)
    if isinstance(named, int) and not isinstance(named, bool) and 0 < named <= LARGEST_ID:
        return calls.filter(pk=named).first()
    if isinstance(named, str) and "\x00" not in named:
        return calls.filter(file_name=named.strip()[:255]).first()
    return None


def _checked(document: Any) -> tuple[configuration.Configuration | None, dict[str, Any]]:
    try:
        if document is None:
            raise WrongConfiguration([("", _("No settings were sent."))])
        return configuration.parse(document), {"errors": []}
    except WrongConfiguration as error:
        return None, {"errors": _errors(error)}


def _errors(error: WrongConfiguration) -> list[dict[str, str]]:
    return [{"path": path, "reason": told(reason)} for path, reason in error.errors]
