"""Move a project into a team, into another one, or out of teams.

Agents belong to a team, or to an owner without one: those of the project's calls become agents of the new
place, where one with the same id, or without ids the same name, may be known already. Who has the project
shared keeps it; admins of the former team see it no longer, those of the new one do.
"""

from callscope.accounts import audit
from callscope.accounts.models import Team, User
from callscope.calls import agents
from callscope.calls.agents import AgentResolver
from callscope.calls.models import Agent, AgentUser, Call
from callscope.db.transactions import run_in_transaction
from callscope.projects import permissions
from callscope.projects.locking import get_locked_project
from callscope.projects.models import Project
from callscope.reviews.placements.agents import follow_heir, list_named


class MayNotMove(Exception):
    """The person may not bring the project to this place."""


def list_places(user: User, project: Project) -> list[Team | None]:
    """Return where the user may move the project: teams that the user administers, and None for no team.

    Out of all teams only its owner takes a project: anybody else would lose it by that.
    """
    if not permissions.can_manage(user, project):
        return []
    led = Team.objects.filter(memberships__user=user, memberships__is_admin=True).order_by("name", "pk")
    places: list[Team | None] = [team for team in led if team.pk != project.team_id]
    return places + [None] * (project.team_id is not None and project.owner_id == user.pk)


def move_project(project_id: int, team_id: int | None, by: User) -> Project:
    """Move the project, and return it. Raises MayNotMove."""

    def move() -> Project:
        project = get_locked_project(project_id)
        places = {place.pk if place else None: place for place in list_places(by, project)}
        if team_id not in places:
            raise MayNotMove
        former = Project(team_id=project.team_id, owner_id=project.owner_id)
        project.team = places[team_id]
        project.save(update_fields=["team"])
        move_agents(project)
        agents.forget_unused(former)
        audit.record(
            by, "project.team_changed", f"project {project.pk}", former=former.team_id, new=project.team_id
        )
        return project

    return run_in_transaction(move)


def move_agents(project: Project) -> None:
    """Give the calls of the project, and the users of its agents, agents of the place where it is now."""
    from callscope.reports.store import facts

    resolver = AgentResolver(project)
    moved: list[int] = []
    place = {"team_id": project.team_id} if project.team_id else {"owner_id": project.owner_id}
    of_calls = Call.objects.filter(project=project, agent__isnull=False).values("agent")
    named = Agent.objects.filter(pk__in=of_calls) | Agent.objects.filter(pk__in=list_named(project.pk))
    for agent in named.order_by("pk"):
        known = (
            Agent.objects.filter(**place, external_id=agent.external_id).first()
            if agent.external_id
            else None
        )
        heir = known or resolver.resolve(agent.external_id, agent.name)
        calls = Call.objects.filter(project=project, agent=agent)
        moved += calls.values_list("pk", flat=True)
        calls.update(agent=heir)
        follow_heir(project.pk, agent, heir)
        AgentUser.objects.filter(project=project, agent=agent).update(agent=heir)
    facts.refresh(moved)
