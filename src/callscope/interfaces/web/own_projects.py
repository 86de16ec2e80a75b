"""Which projects a page for setting up is about, and what the visitor may do in them."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.interfaces.web.page import visitor
from callscope.projects import access
from callscope.projects.models import Project

LARGEST_ID = 2**63 - 1  # what a key column can hold
ROLE_NAMES = {
    "owner": gettext_lazy("Owner"),
    "admin": gettext_lazy("Team admin"),
    "editor": gettext_lazy("Editor"),
    "viewer": gettext_lazy("Viewer"),
}
TYPE_NAMES = {
    Project.Type.CALL: gettext_lazy("Calls"),
    Project.Type.GENERAL: gettext_lazy("Transcripts only"),
}


def visible(request: HttpRequest) -> list[Project]:
    """Return every project that the visitor can see, by name."""
    found = Project.objects.visible_to(visitor(request)).select_related("owner", "team")
    return sorted(found, key=lambda project: (project.name.casefold(), project.pk))


def find(request: HttpRequest, project_id: int) -> Project:
    """Return the project; Http404 when it does not exist or is not visible."""
    projects = Project.objects.visible_to(visitor(request)).select_related("owner", "team")
    project = projects.filter(pk=min(project_id, LARGEST_ID)).first()
    if project is None:
        raise Http404
    return project


def require_writer(request: HttpRequest, project: Project) -> None:
    """Raise PermissionDenied unless the visitor may change what is in the project."""
    if not access.may_write(access.role_of(visitor(request), project)):
        raise PermissionDenied(viewer_notice(project))


def require_manager(request: HttpRequest, project: Project) -> None:
    """Raise PermissionDenied unless the visitor may share, rename and delete the project."""
    if not access.may_manage(access.role_of(visitor(request), project)):
        raise PermissionDenied(
            _("Only the owner of the project and admins of its team can do this. The owner is %(owner)s.")
            % {"owner": project.owner.email}
        )


def viewer_notice(project: Project) -> str:
    """Say why the visitor cannot change the project, and who can help."""
    return _("You can see this project but not change it. Ask %(owner)s for the role of editor.") % {
        "owner": project.owner.email
    }


def surroundings(request: HttpRequest, project: Project, here: str) -> dict[str, Any]:
    """Return what every page of one project shows: its name, the visitor's role, the tabs."""
    role = access.role_of(visitor(request), project)
    tabs = [
        ("settings", _("Settings")),
        ("files", _("Files")),
        ("people", _("People")),
    ]
    return {
        "project": project,
        "role": role,
        "role_name": ROLE_NAMES.get(role or "", ""),
        "may_write": access.may_write(role),
        "may_manage": access.may_manage(role),
        "viewer_notice": "" if access.may_write(role) else viewer_notice(project),
        "tabs": [
            {
                "label": label,
                "url": reverse(f"web:project-{name}", args=[project.pk]),
                "is_current": name == here,
            }
            for name, label in tabs
        ],
    }
