"""The lint in the editor of a project's settings."""

from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from callscope.analysis.lint.finding import Finding
from callscope.analysis.lint.lint import count_errors, lint_document
from callscope.calls.models import Call
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import signed_in_page
from callscope.interfaces.web.request_data import read_json
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.projects.configuration import InvalidConfiguration


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding in the language of the page, with its calls by name."""

    severity: str
    path: str
    text: str
    calls: list[Call] = field(default_factory=list)


@signed_in_page
@require_POST
def lint(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show what misleads in {"document": …}; nothing is stored."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    document = read_json(request).get("document")
    try:
        if document is None:
            raise InvalidConfiguration([("", Message("no_settings"))])
        findings = lint_document(document, project)
    except InvalidConfiguration as error:
        errors = [{"path": path, "reason": translate(reason)} for path, reason in error.errors]
        return JsonResponse({"errors": errors}, status=400)
    context = {"findings": _show(project.pk, findings), "errors": count_errors(findings)}
    return render(request, "web/settings/lint.html", context)


def _show(project_id: int, findings: list[Finding]) -> list[ShownFinding]:
    ids = {call_id for finding in findings for call_id in finding.calls}
    calls = Call.objects.filter(project=project_id).in_bulk(ids)
    return [
        ShownFinding(
            finding.severity,
            finding.path,
            translate(finding.message),
            [calls[pk] for pk in finding.calls if pk in calls],
        )
        for finding in findings
    ]
