"""Which projects a question is about: the one door that every read of calls goes through.

Rules: docs/api.md, "Scope". A question names a project, a team, both or none;
what the caller cannot see answers as if it did not exist.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db import connection

from callscope.accounts.models import Team, TeamMember, User
from callscope.projects.models import Project

LARGEST_ID = 2**63 - 1  # what a key column can hold; a larger number names nothing
# Stand for the user, the team and the project in the statement that is compiled once.
A_USER, A_TEAM, A_PROJECT = -1, -2, -3


class Named(NamedTuple):
    """A project as much as a list to choose from needs of it."""

    pk: int
    name: str
    team_id: int | None


class Scope:
    """The call projects that a question spans, in the order of their ids."""

    def __init__(self, named: Sequence[Named] = (), *, is_unreachable: bool = False) -> None:
        self.named = list(named)
        # A project was named that is absent, not visible or not of type call.
        self.is_unreachable = is_unreachable

    @cached_property
    def project_ids(self) -> list[int]:
        return [project.pk for project in self.named]

    @cached_property
    def projects(self) -> list[Project]:
        """The projects with all that they hold; most questions need the ids alone."""
        return list(Project.objects.filter(pk__in=self.project_ids).order_by("pk"))


def resolve(user: User | AnonymousUser, *, project_id: int | None = None, team: int | None = None) -> Scope:
    """Return the visible call projects, narrowed to the named project and team.

    A team of which the user is no member is ignored. One query, a second when
    a team is named.
    """
    if not isinstance(user, User) or not user.is_active:
        return Scope(is_unreachable=project_id is not None)
    if project_id is not None and not 0 < project_id <= LARGEST_ID:
        return Scope(is_unreachable=True)
    if team is not None and not (
        0 < team <= LARGEST_ID and TeamMember.objects.filter(team=team, user=user).exists()
    ):
        team = None
    asked = {A_USER: user.pk, A_TEAM: team, A_PROJECT: project_id}
    statement, parameters = _statement(team is not None, project_id is not None)
    with connection.cursor() as cursor:
        cursor.execute(statement, [asked.get(value, value) for value in parameters])
        found = [Named(*row) for row in cursor.fetchall()]
    return Scope(found, is_unreachable=project_id is not None and not found)


def named(user: User | AnonymousUser) -> list[Named]:
    """Return every call project that the user sees, by id."""
    return resolve(user).named


@lru_cache(maxsize=4)
def _statement(in_team: bool, is_named: bool) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL of the visibility rule with its parameters: making it takes longer than running it."""
    projects = Project.objects.visible_to(User(pk=A_USER)).call_projects()
    if in_team:
        projects = projects.filter(team=Team(pk=A_TEAM))
    if is_named:
        projects = projects.filter(pk=A_PROJECT)
    statement, parameters = projects.order_by("pk").values_list("pk", "name", "team").query.sql_with_params()
    return statement, tuple(parameters)
