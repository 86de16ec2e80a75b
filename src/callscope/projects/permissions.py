"""What a person may do in a project: the only place where roles are turned into permissions.

    action                                              owner  admin  editor  viewer
    see the project, its report, calls and files          x      x      x       x
    upload a file, apply a manifest, edit call metadata   x      x      x
    delete a call (with its file), retry a failed task    x      x      x
    change the configuration, regroup contact reasons     x      x      x
    change private_transcription or redact                x      x
    share, rename, transfer or delete the project         x      x

admin is an administrator of the project's team. Nobody else sees the project;
being a superuser or a plain member of the team adds nothing. Users who are linked to an agent have no
role here: calls.own_calls says which calls views may show them. A request with an API key that is
limited to one project sees that project alone.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, Literal

from django.db.models import Q, QuerySet

from callscope.accounts.models import Team, TeamMember, User
from callscope.db import raw_sql
from callscope.projects.models import Project, ProjectQuerySet, ProjectShare

USER_PLACEHOLDER = -1  # for the user's id in SQL that is compiled once

Role = Literal["owner", "admin", "editor", "viewer"]

ROLES: tuple[Role, ...] = ("owner", "admin", "editor", "viewer")  # strongest first
WRITERS = frozenset[Role | None]({"owner", "admin", "editor"})
MANAGERS = frozenset[Role | None]({"owner", "admin"})


def visible_to(user: User) -> ProjectQuerySet:
    """Return the projects that the user owns, is a team admin of, or has a share of; of both types."""
    opened = (
        Project.objects.all()
        if user.key_project_id is None
        else Project.objects.filter(pk=user.key_project_id)
    )
    return opened.filter(
        Q(owner=user)
        | Q(pk__in=ProjectShare.objects.filter(user=user).values("project"))
        | Q(team__in=Team.objects.filter(memberships__user=user, memberships__is_admin=True))
    )


def can_write(user: User, project: Project) -> bool:
    """True if the user may change what is in the project: files, calls, metadata, configuration."""
    return get_role(user, project) in WRITERS


def can_manage(user: User, project: Project) -> bool:
    """True if the user may share, rename and delete the project itself."""
    return get_role(user, project) in MANAGERS


def can_create(user: User) -> bool:
    """True if the user may create projects: not by a key that is limited to one."""
    return user.key_project_id is None


def list_managed(user: User) -> list[int]:
    """Return the ids of the projects that the user owns or administers; two queries."""
    visible = list(visible_to(user))
    roles = get_roles(user, visible)
    return [project.pk for project in visible if roles.get(project.pk) in MANAGERS]


def list_writers(project: Project) -> list[User]:
    """Return the active users who may write in the project, ordered by e-mail; one query."""
    as_editor = ProjectShare.objects.filter(project=project, role=ProjectShare.Role.EDITOR).values("user")
    as_admin = TeamMember.objects.filter(team=project.team_id, is_admin=True).values("user")
    found = User.objects.filter(Q(pk=project.owner_id) | Q(pk__in=as_editor) | Q(pk__in=as_admin))
    return sorted(found.filter(is_active=True), key=lambda user: user.email)


def people_of(project_ids: Collection[int]) -> QuerySet[User]:
    """Return who has a role in one of the projects, also for a part of another query."""
    projects = Project.objects.filter(pk__in=project_ids)
    as_admin = TeamMember.objects.filter(team__in=projects.values("team"), is_admin=True).values("user")
    shared = ProjectShare.objects.filter(project__in=project_ids).values("user")
    return User.objects.filter(Q(pk__in=projects.values("owner")) | Q(pk__in=as_admin) | Q(pk__in=shared))


def writes_anywhere(user: User, kind: Project.Type | None = None) -> bool:
    """True if there is a project, of this kind, in which the user may write; one query."""
    sql, parameters = compile_writes_anywhere(kind)
    filled = [user.pk if each == USER_PLACEHOLDER else each for each in parameters]
    return bool(raw_sql.fetch_prepared(sql, filled))


@lru_cache(maxsize=3)
def compile_writes_anywhere(kind: Project.Type | None) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL that finds a project to write in and its parameters, the user's id a placeholder.

    Every page asks it, and compiling it takes longer than running it.
    """
    found = writable_by(User(pk=USER_PLACEHOLDER), kind).values_list("pk")[:1]
    sql, parameters = found.query.sql_with_params()
    return sql, tuple(parameters)


def writable_by(user: User, kind: Project.Type | None = None) -> ProjectQuerySet:
    """Return the projects, of this kind, in which the user may write, also for a part of another query."""
    as_editor = ProjectShare.objects.filter(user=user, role=ProjectShare.Role.EDITOR).values("project")
    as_admin = Team.objects.filter(memberships__user=user, memberships__is_admin=True)
    of_kind = Project.objects.all() if kind is None else Project.objects.filter(type=kind)
    return of_kind.filter(Q(owner=user) | Q(pk__in=as_editor) | Q(team__in=as_admin))


def writable(user: User, projects: Iterable[Project]) -> list[Project]:
    """Return those of the projects that the user may write in, in the same order; two queries at most."""
    projects = list(projects)
    roles = get_roles(user, projects)
    return [project for project in projects if roles.get(project.pk) in WRITERS]


def get_role(user: User, project: Project) -> Role | None:
    """Return the strongest role of the user, or None for a project that the user cannot see."""
    return get_roles(user, [project]).get(project.pk)


def get_roles(user: User, projects: Iterable[Project]) -> dict[int, Role]:
    """Return project id → role for those the user can see; two queries at most, however many there are."""
    projects = [each for each in projects if user.key_project_id in (None, each.pk)]
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
