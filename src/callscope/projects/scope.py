"""Resolve `project_id` and `team` of a request to the call projects that it spans.

Every read of calls passes here, so that nobody reads more than permissions.visible_to allows.
Rules: docs/api.md, "Scope". What the caller cannot see answers as if it did not exist.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser

from callscope.accounts.models import Team, TeamMember, User
from callscope.db import raw_sql
from callscope.db.limits import MAX_ID
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.projects.permissions import USER_PLACEHOLDER

# Placeholders for the ids of team and project in the SQL that is compiled once.
TEAM_PLACEHOLDER, PROJECT_PLACEHOLDER = -2, -3


class ProjectRef(NamedTuple):
    """The three columns of a project that lists and choices need."""

    pk: int
    name: str
    team_id: int | None


class Scope:
    """The call projects that a request spans, in the order of their ids."""

    def __init__(self, project_refs: Sequence[ProjectRef] = (), *, project_not_found: bool = False) -> None:
        self.project_refs = list(project_refs)
        # True if the request names a project that is absent, not visible or not of type call.
        self.project_not_found = project_not_found

    @classmethod
    def of(cls, projects: Sequence[Project]) -> "Scope":
        """Return the scope of projects that were read already."""
        found = cls([ProjectRef(project.pk, project.name, project.team_id) for project in projects])
        found.projects = list(projects)
        return found

    @cached_property
    def project_ids(self) -> list[int]:
        return [project.pk for project in self.project_refs]

    @cached_property
    def projects(self) -> list[Project]:
        """The whole rows. Read only where configurations are needed: they are large."""
        return list(Project.objects.filter(pk__in=self.project_ids).order_by("pk"))


def resolve_scope(
    user: User | AnonymousUser, *, project_id: int | None = None, team: int | None = None
) -> Scope:
    """Return the visible call projects, narrowed to the given project and team.

    A team of which the user is no member is ignored. Costs one query, and a
    second one with a team.
    """
    if not isinstance(user, User) or not user.is_active:
        return Scope(project_not_found=project_id is not None)
    if project_id is not None and not 0 < project_id <= MAX_ID:
        return Scope(project_not_found=True)
    if user.key_project_id is not None:
        if project_id not in (None, user.key_project_id):
            return Scope(project_not_found=True)
        project_id = user.key_project_id
    if team is not None and not (
        0 < team <= MAX_ID and TeamMember.objects.filter(team=team, user=user).exists()
    ):
        team = None
    values = {USER_PLACEHOLDER: user.pk, TEAM_PLACEHOLDER: team, PROJECT_PLACEHOLDER: project_id}
    sql, parameters = compile_scope_query(team is not None, project_id is not None)
    rows = raw_sql.fetch_prepared(sql, [values.get(parameter, parameter) for parameter in parameters])
    refs = [ProjectRef(*row) for row in rows]
    return Scope(refs, project_not_found=project_id is not None and not refs)


def visible_project_refs(user: User | AnonymousUser) -> list[ProjectRef]:
    """Return every call project that the user can see, by id."""
    return resolve_scope(user).project_refs


@lru_cache(maxsize=4)
def compile_scope_query(by_team: bool, by_project: bool) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL of the visibility rule and its parameters, some of them placeholders."""
    # Compiling the queryset takes longer than running it, and every request of a list needs it.
    projects = permissions.visible_to(User(pk=USER_PLACEHOLDER)).call_projects()
    if by_team:
        projects = projects.filter(team=Team(pk=TEAM_PLACEHOLDER))
    if by_project:
        projects = projects.filter(pk=PROJECT_PLACEHOLDER)
    sql, parameters = projects.order_by("pk").values_list("pk", "name", "team").query.sql_with_params()
    return sql, tuple(parameters)
