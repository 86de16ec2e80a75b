"""Transfer a project to another owner.

The former owner stays as an editor. Agents of a project without a team belong to its owner, so those of its
calls become agents of the new one. Open invitations that only the former owner's right kept valid go on in
the name of the new one. API keys act as their owners, so those of both follow the new roles at once.
"""

from django.db.models import QuerySet

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.calls import agents
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.decisions.team_moves import move_agents
from callscope.projects import permissions
from callscope.projects.locking import get_locked_project
from callscope.projects.models import Invitation, Project, ProjectShare
from callscope.projects.services import InvalidProject


class MayNotTransfer(Exception):
    """The person may not give the project to somebody else."""


def list_heirs(project: Project) -> QuerySet[User]:
    """Return who may become the owner: active people who see the project already, by e-mail."""
    people = permissions.people_of([project.pk]).filter(is_active=True)
    return people.exclude(pk=project.owner_id).order_by("email")


def transfer_project(project_id: int, heir: User, by: User | None = None) -> Project:
    """Make somebody the owner of the project, and return it.

    `by` None is the operator, who may choose any active user; the others choose among list_heirs(). Raises
    MayNotTransfer, and InvalidProject for somebody who cannot become the owner.
    """

    def change_owner() -> Project:
        project = get_locked_project(project_id)
        if by is not None and not permissions.can_manage(by, project):
            raise MayNotTransfer
        if heir.pk == project.owner_id:
            raise InvalidProject("owner", "already_owner", user=heir.email, value=project.pk)
        chosen = User.objects.filter(pk=heir.pk, is_active=True) if by is None else list_heirs(project)
        if not chosen.filter(pk=heir.pk).exists():
            raise InvalidProject("owner", "invalid_owner", value=heir.email)
        former = project.owner
        ProjectShare.objects.filter(project=project, user=heir).delete()
        project.owner = heir
        project.save(update_fields=["owner"])
        ProjectShare.objects.create(project=project, user=former, role=ProjectShare.Role.EDITOR)
        if not permissions.can_manage(former, project):
            Invitation.objects.filter(project=project, invited_by=former).update(invited_by=heir)
        if project.team_id is None:
            move_agents(project)
            agents.forget_unused(Project(owner=former))
        audit.record(by, "project.moved", f"project {project.pk}", former=former.email, owner=heir.email)
        return project

    return run_in_transaction(change_owner)
