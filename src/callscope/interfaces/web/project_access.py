"""Find the project of a page and require a permission in it: the web's door to projects.permissions."""

from typing import NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.db.limits import MAX_ID
from callscope.interfaces.web.decorators import current_user
from callscope.interfaces.web.page_context import TemplateContext
from callscope.projects import permissions
from callscope.projects.models import Project

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


def list_projects(request: HttpRequest) -> list[Project]:
    """Return every project that the visitor can see, by name."""
    found = permissions.visible_to(current_user(request)).select_related("owner", "team")
    return sorted(found, key=lambda project: (project.name.casefold(), project.pk))


def name_shared_with_others(request: HttpRequest, project: Project) -> str:
    """Return a warning where the visitor sees another project of the same name; else ""."""
    name = project.name.casefold()
    others = [
        each for each in list_projects(request) if each.pk != project.pk and each.name.casefold() == name
    ]
    return (
        _("There is another project with this name. Rename one of them to tell them apart.") if others else ""
    )


def get_project_or_404(request: HttpRequest, project_id: int) -> Project:
    """Return the project; Http404 when it does not exist or is not visible."""
    projects = permissions.visible_to(current_user(request)).select_related("owner", "team")
    project = projects.filter(pk=min(project_id, MAX_ID)).first()
    if project is None:
        raise Http404
    return project


def require_writer(request: HttpRequest, project: Project) -> None:
    """Raise PermissionDenied unless the visitor may change what is in the project."""
    if not permissions.can_write(current_user(request), project):
        raise PermissionDenied(viewer_notice(project))


def require_manager(request: HttpRequest, project: Project) -> None:
    """Raise PermissionDenied unless the visitor may share, rename and delete the project."""
    if not permissions.can_manage(current_user(request), project):
        raise PermissionDenied(manager_notice(project))


def manager_notice(project: Project) -> str:
    """Return who can share, rename and delete the project, and change what protects people."""
    return _("Only the owner of the project and admins of its team can do this. The owner is %(owner)s.") % {
        "owner": project.owner.email
    }


def viewer_notice(project: Project) -> str:
    """Return why the visitor cannot change the project, and who can help."""
    return _("You can see this project but not change it. Ask %(owner)s for the role of editor.") % {
        "owner": project.owner.email
    }


class Tab(NamedTuple):
    label: str
    url: str
    is_current: bool


def project_context(request: HttpRequest, project: Project, current_tab: str) -> TemplateContext:
    """Return what every page of one project shows: its name, the visitor's role, the tabs."""
    role = permissions.get_role(current_user(request), project)
    tabs = [
        ("settings", _("Settings")),
        ("versions", _("Versions")),
        ("probes", _("Probes")),
        ("reasons", _("Contact reasons")),
        ("reviews", _("Reviews")),
        ("files", _("Files")),
        ("people", _("People")),
    ]
    if project.type != Project.Type.CALL:  # transcripts alone are not judged
        tabs = [tab for tab in tabs if tab[0] not in ("reasons", "reviews", "probes")]
    return {
        "project": project,
        "role": role,
        "role_name": ROLE_NAMES.get(role or "", ""),
        "may_write": role in permissions.WRITERS,
        "may_manage": role in permissions.MANAGERS,
        "viewer_notice": "" if role in permissions.WRITERS else viewer_notice(project),
        "tabs": [
            Tab(label, reverse(f"web:project-{name}", args=[project.pk]), name == current_tab)
            for name, label in tabs
        ],
    }
