"""Find the project of a page and require a permission in it: the web's door to projects.permissions."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from callscope.db.limits import MAX_ID
from callscope.interfaces.web.decorators import current_user
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.templatetags.formatting import day
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.projects.scope import ProjectRef

ROLE_NAMES = {
    "owner": pgettext_lazy("role", "Owner"),
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


def tell_apart(projects: Iterable[ProjectRef | Project]) -> list[ProjectRef]:
    """Return the projects to choose from, in the same order; equal names say what is different.

    That is the team, else the owner, else the day on which the project was created, else its number.
    """
    choices = [ProjectRef(each.pk, each.name, each.team_id) for each in projects]
    same: dict[str, list[int]] = {}
    for each in choices:
        same.setdefault(each.name.casefold(), []).append(each.pk)
    groups = [group for group in same.values() if len(group) > 1]
    if not groups:
        return choices
    found = Project.objects.select_related("owner", "team").in_bulk([pk for group in groups for pk in group])
    apart = {pk: words for group in groups for pk, words in _find_difference(group, found).items()}
    return [
        each._replace(name=f"{each.name} · {apart[each.pk]}") if each.pk in apart else each
        for each in choices
    ]


def _find_difference(group: Collection[int], found: Mapping[int, Project]) -> dict[int, str]:
    """Return in words what is different in each of these projects, as far as they are still there."""
    projects = [found[pk] for pk in group if pk in found]
    for words in (
        [each.team.name if each.team else _("No team") for each in projects],
        [each.owner.email for each in projects],
        [day(timezone.localdate(each.created_at)) for each in projects],
    ):
        if len(set(words)) == len(projects):
            return {each.pk: said for each, said in zip(projects, words, strict=True)}
    return {each.pk: _("no. %(number)s") % {"number": each.pk} for each in projects}


def find_namesake(request: HttpRequest, name: str) -> Project | None:
    """Return a project of this name that the visitor sees, an own one first."""
    folded = " ".join(name.split()).casefold()
    same = [each for each in list_projects(request) if each.name.casefold() == folded]
    return min(same, key=lambda each: each.owner_id != current_user(request).pk, default=None)


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
