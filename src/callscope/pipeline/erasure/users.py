"""Erase a user: sign-in, keys, sessions, shares and name; what the user owns goes to somebody else first."""

from django.db.models import Q

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent, Team, TeamMember, User
from callscope.accounts.services import require_another_admin
from callscope.accounts.trail.pseudonyms import list_former_emails, replace_email
from callscope.calls.models import Agent, AgentUser, Call
from callscope.db.transactions import run_in_transaction
from callscope.messages.message import Message, MessageError
from callscope.pipeline.erasure import cleaning, removal
from callscope.pipeline.erasure.receipt import Receipt
from callscope.projects.models import Project, ProjectShare


class OwnsProjects(MessageError):
    """The user owns projects, and nobody was named to take them."""


class InvalidHeir(MessageError):
    """The projects cannot go to this person."""


def list_heirs(user: User) -> list[User]:
    """Return who may change all projects of the user already, by e-mail: nobody else is let into them so."""
    projects = list(Project.objects.filter(owner=user))
    if not projects:
        return []
    people = User.objects.filter(is_active=True).exclude(pk=user.pk)
    for project in projects:
        shares = ProjectShare.objects.filter(project=project, role=ProjectShare.Role.EDITOR)
        admins = TeamMember.objects.filter(team=project.team_id, is_admin=True)
        people = people.filter(Q(pk__in=shares.values("user")) | Q(pk__in=admins.values("user")))
    return list(people.order_by("email"))


def erase_user(
    user: User,
    *,
    move_projects_to: User | None = None,
    erase_projects: bool = False,
    by: User | None = None,
) -> Receipt:
    """Erase a user; the projects go to another one, or are erased first with everything in them.

    Raises OwnsProjects, InvalidHeir, and InvalidAccount for the only admin of a team, before
    anything is written. In the audit trail the user is a number from now on.
    """
    receipt = Receipt("user")
    email = user.email
    if move_projects_to is not None and (move_projects_to.pk == user.pk or not move_projects_to.is_active):
        raise InvalidHeir(Message("invalid_heir", value=move_projects_to.email))

    if erase_projects:
        for team in Team.objects.filter(memberships__user=user).order_by("pk"):
            require_another_admin(team, user)
        for project in Project.objects.filter(owner=user).order_by("pk"):
            receipt.merge(removal.delete_project(project, by))

    def erase() -> None:
        owned = list(Project.objects.select_for_update().filter(owner=user).order_by("pk"))
        if owned and move_projects_to is None:
            raise OwnsProjects(Message("owns_projects", user=email, count=len(owned)))
        for team in Team.objects.filter(memberships__user=user).order_by("pk"):
            require_another_admin(team, user)
        receipt.counts.update(
            users=1,
            sessions=user.sessions.count(),
            api_keys=user.api_keys.count(),
            shares=ProjectShare.objects.filter(user=user).count(),
            memberships=TeamMember.objects.filter(user=user).count(),
            agent_users=AgentUser.objects.filter(email=email).delete()[0],
        )
        moved: list[AuditEvent] = []
        if move_projects_to is not None:
            moved = [_move_project(project, move_projects_to, by) for project in owned]
            _move_agents(user, move_projects_to)
        user_id, former = user.pk, list_former_emails(user)
        User.objects.filter(pk=user_id).delete()
        cleaning.request_cleaning()
        renamed = [event for each in (email, *former) for event in replace_email(each, user_id, by)]
        counts = {name: number for name, number in sorted(receipt.counts.items()) if number}
        event = audit.record(by, "user.erased", f"user {user_id}", erased=counts, projects_moved=len(moved))
        for each in (*moved, *renamed, event):
            receipt.add(each, {})

    run_in_transaction(erase)
    receipt.is_cleaned = cleaning.clean_if_due(cleaning.UNLIMITED_S)
    return receipt


def _move_project(project: Project, heir: User, by: User | None) -> AuditEvent:
    former, project.owner = project.owner_id, heir
    project.save(update_fields=["owner"])
    ProjectShare.objects.filter(project=project, user=heir).delete()
    return audit.record(by, "project.moved", f"project {project.pk}", former=former, owner=heir.pk)


def _move_agents(user: User, heir: User) -> None:
    """Give the agents of projects without a team to the new owner, who may know some of them already."""
    from callscope.reports.store import facts

    for agent in Agent.objects.select_for_update().filter(owner=user).order_by("pk"):
        known = Agent.objects.filter(owner=heir, external_id=agent.external_id)
        same = (known if agent.external_id else known.filter(name_key=agent.name_key)).first()
        if same is None:
            agent.owner = heir
            agent.save(update_fields=["owner"])
            continue
        calls = list(Call.objects.filter(agent=agent).values_list("pk", flat=True))
        Call.objects.filter(agent=agent).update(agent=same)
        AgentUser.objects.filter(agent=agent).update(agent=same)
        facts.refresh(calls)
        agent.delete()
