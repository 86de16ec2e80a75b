"""The agent's own view: which calls a user sees in a project without having a role in it.

projects.permissions knows nothing of these users, so everything is closed to them, new routes included.
A view that shows them something asks here which calls are theirs, and reads those alone. People with a
role in the project keep it: for them this module finds nothing.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import TeamMember, User
from callscope.accounts.sign_in_limits import fold_email
from callscope.calls.models import Agent, AgentUser, Call, ReviewedAgent
from callscope.db import raw_sql
from callscope.db.limits import MAX_ID
from callscope.projects import permissions
from callscope.projects.locking import get_locked_project
from callscope.projects.models import Project
from callscope.projects.services import InvalidProject

ROLE = "agent"  # as a project shows it to them


class InvalidLink(InvalidProject):
    """Nobody can be linked like this."""


class OwnCalls(NamedTuple):
    """All calls that one agent has in one project."""

    project: Project
    agent_id: int

    def list_users(self) -> QuerySet[User]:
        """Return the people who are linked to the agent."""
        links = AgentUser.objects.filter(project=self.project, agent=self.agent_id)
        return User.objects.filter(email__in=links.values("email"))


def find_own_calls(
    user: User | AnonymousUser, *, project_id: int | None = None, team: int | None = None
) -> OwnCalls | None:
    """Return the calls that the user sees as an agent; None for users with a wider role, or no link.

    Calls of several projects are never added up: without a project, the first one that the user is
    linked in counts, and only for users who see no call project by a role.
    """
    if not isinstance(user, User):
        return None
    if not is_linked(user):
        return None
    links = _links_of(user)
    if project_id is not None:
        links = links.filter(project=project_id) if 0 < project_id <= MAX_ID else links.none()
    elif permissions.visible_to(user).call_projects().exists():
        return None
    if team is not None and 0 < team <= MAX_ID and TeamMember.objects.filter(team=team, user=user).exists():
        links = links.filter(project__team=team)
    link = links.select_related("project").order_by("project").first()
    return None if link is None else OwnCalls(link.project, link.agent_id)


def find_all_there_is(user: User | AnonymousUser) -> OwnCalls | None:
    """Return the own calls of a user who sees nothing else; None where there is a project or more to see."""
    own = None if user.is_superuser else find_own_calls(user)
    is_all = own is not None and isinstance(user, User) and not permissions.visible_to(user).exists()
    return own if is_all else None


def find_own_call(user: User, call_id: int) -> OwnCalls | None:
    """Return the user's own calls if this is one of them; None for any other call, existing or not."""
    if not is_linked(user):
        return None
    places = Call.objects.filter(pk=call_id, agent__isnull=False).values_list("project", "agent")
    place = places.first() if 0 < call_id <= MAX_ID else None
    own = find_own_calls(user, project_id=place[0]) if place is not None else None
    return own if own is not None and place is not None and own.agent_id == place[1] else None


def linked_projects(user: User) -> QuerySet[Project]:
    """Return the projects in which the user sees own calls and nothing else."""
    return Project.objects.filter(pk__in=_links_of(user).values("project"))


def is_own_call(user: User, call: Call) -> bool:
    """Return whether the user is linked to the agent of the call, whatever else the user may see."""
    if call.agent_id is None or not is_linked(user):
        return False
    return AgentUser.objects.filter(email=user.email, project=call.project_id, agent=call.agent_id).exists()


def list_users_of_call(call: Call) -> QuerySet[User]:
    """Return the people who are linked to the agent of the call."""
    links = AgentUser.objects.filter(project=call.project_id, agent=call.agent_id)
    return User.objects.filter(is_active=True, email__in=links.values("email")).order_by("email")


def link_user(project: Project, email: str, agent: Agent, by: User | None = None) -> AgentUser:
    """Link an e-mail to an agent with calls in the project; a second link moves it. Call in a transaction."""
    get_locked_project(project.pk)
    if not Call.objects.filter(project=project, agent=agent).exists():
        raise InvalidLink("agent_id", "no_agent_of_project", value=agent.pk)
    former = find_link(project, email)
    link, _ = AgentUser.objects.update_or_create(
        project=project,
        email=fold_email(email),
        defaults={"agent": agent, "created_at": timezone.now(), "created_by": by},
    )
    moved = {} if former is None or former.agent_id == agent.pk else {"former_agent": former.agent_id}
    audit.record(by, "agent.linked", f"project {project.pk}", user=link.email, agent=agent.pk, **moved)
    return link


def find_link(project: Project, email: str) -> AgentUser | None:
    """Return the link of an e-mail in the project, with its agent."""
    links = AgentUser.objects.filter(project=project, email=fold_email(email))
    return links.select_related("agent").first()


def unlink_user(link: AgentUser, by: User | None = None) -> None:
    """Remove a link. Call in a transaction."""
    link.delete()
    audit.record(by, "agent.unlinked", f"project {link.project_id}", user=link.email, agent=link.agent_id)


def forget_links(project: Project) -> int:
    """Remove the links to agents who have no call in the project any more, and return how many."""
    with_calls = Call.objects.filter(project=project, agent__isnull=False).values("agent")
    # A call that a review has given to somebody else may come back.
    with_lost = ReviewedAgent.objects.filter(call__project=project, agent__isnull=False).values("agent")
    links = AgentUser.objects.filter(project=project)
    return links.exclude(agent__in=with_calls).exclude(agent__in=with_lost).delete()[0]


def find_agent(project: Project, agent_id: int | str) -> Agent:
    """Return an agent with calls in the project, by our number or, as text, by the client's own id.

    Raises InvalidLink, with the same words for an agent of another project and for none.
    """
    # The register of a team or owner also holds the agents of projects that the caller may not see.
    agents = Agent.objects.filter(pk__in=Call.objects.filter(project=project).values("agent"))
    if isinstance(agent_id, int):
        found = agents.filter(pk=agent_id).first() if 0 < agent_id <= MAX_ID else None
    else:
        found = agents.filter(external_id=agent_id).first() if agent_id else None
    if found is None:
        raise InvalidLink("agent_id", "no_agent_of_project", value=str(agent_id)[:64])
    return found


def is_linked(user: User) -> bool:
    """Return whether the user is linked to an agent anywhere: nearly nobody is, and every page asks."""
    sql, _parameters = compile_links()
    return user.is_active and bool(raw_sql.fetch_prepared(sql, [user.email]))


@lru_cache(maxsize=1)
def compile_links() -> tuple[str, tuple[Any, ...]]:
    """Return the SQL that finds a link of an e-mail, which compiling takes longer than running."""
    sql, parameters = AgentUser.objects.filter(email="").values_list("pk")[:1].query.sql_with_params()
    return sql, tuple(parameters)


def _links_of(user: User) -> QuerySet[AgentUser]:
    if not is_linked(user):
        return AgentUser.objects.none()
    links = AgentUser.objects.filter(email=user.email, project__type=Project.Type.CALL)
    if user.key_project_id is not None:
        links = links.filter(project=user.key_project_id)
    return links.exclude(project__in=permissions.visible_to(user))
