"""Which projects a question is about: the one door that every read of calls goes through.

Rules: docs/api.md, "Scope". A question names a project, a team, both or none;
what the caller cannot see answers as if it did not exist.
"""

from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser

from callscope.accounts.models import TeamMember, User
from callscope.projects.models import Project

LARGEST_ID = 2**63 - 1  # what a key column can hold; a larger number names nothing


@dataclass(frozen=True, slots=True)
class Scope:
    """The call projects that a question spans, by id."""

    projects: list[Project] = field(default_factory=list)
    is_unreachable: bool = False  # a project was named that is absent, not visible or not of type call

    @property
    def project_ids(self) -> list[int]:
        return [project.pk for project in self.projects]


def resolve(user: User | AnonymousUser, *, project_id: int | None = None, team: int | None = None) -> Scope:
    """Return the visible call projects, narrowed to the named project and team.

    A team of which the user is no member is ignored. One query, a second when
    a team is named.
    """
    if not isinstance(user, User) or not user.is_active:
        return Scope(is_unreachable=project_id is not None)
    if project_id is not None and not 0 < project_id <= LARGEST_ID:
        return Scope(is_unreachable=True)

    projects = Project.objects.visible_to(user).call_projects()
    if (
        team is not None
        and 0 < team <= LARGEST_ID
        and TeamMember.objects.filter(team=team, user=user).exists()
    ):
        projects = projects.filter(team=team)
    if project_id is not None:
        projects = projects.filter(pk=project_id)
    found = list(projects.order_by("pk"))
    return Scope(found, is_unreachable=project_id is not None and not found)
