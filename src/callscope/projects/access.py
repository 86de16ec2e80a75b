"""What a person may do in a project.

owner, admin (of the project's team), editor and viewer, strongest first. A
viewer reads; an editor also uploads, describes, configures, regroups and
deletes files; an owner or admin also shares, renames and deletes the project.
"""

from collections.abc import Iterable
from typing import Literal

from callscope.accounts.models import TeamMember, User
from callscope.projects.models import Project, ProjectShare

Role = Literal["owner", "admin", "editor", "viewer"]


def role_of(user: User, project: Project) -> Role | None:
    """Return the strongest role of the user, or None for a project that the user cannot see."""
    return roles_of(user, [project]).get(project.pk)


def roles_of(user: User, projects: Iterable[Project]) -> dict[int, Role]:
    """Return project id → role for those the user can see; two queries at most, however many there are."""
    projects = list(projects)
    roles: dict[int, Role] = {}
    if any(p.owner_id != user.pk for p in projects):
        administered = set(
            TeamMember.objects.filter(user=user, is_admin=True).values_list("team", flat=True)
            if any(p.team_id for p in projects)
            else []
        )
        shared = dict(
            ProjectShare.objects.filter(user=user, project__in=projects).values_list("project", "role")
        )
    else:
        administered, shared = set(), {}
    for project in projects:
        if project.owner_id == user.pk:
            roles[project.pk] = "owner"
        elif project.team_id in administered:
            roles[project.pk] = "admin"
        elif project.pk in shared:
            roles[project.pk] = "editor" if shared[project.pk] == ProjectShare.Role.EDITOR else "viewer"
    return roles


def may_write(role: Role | None) -> bool:
    """Whether the role may change what is in the project: files, metadata, configuration."""
    return role in ("owner", "admin", "editor")


def may_manage(role: Role | None) -> bool:
    """Whether the role may share, rename and delete the project itself."""
    return role in ("owner", "admin")
