"""Make, configure, share and delete projects, each with its audit event.

`by` is who asks, None the operator at the command line. Whether somebody may
ask is decided before, by projects.access.
"""

from typing import Any

from django.db import transaction

from callscope.accounts import audit
from callscope.accounts.models import Team, TeamMember, User
from callscope.projects import configuration
from callscope.projects.models import ConfigVersion, Project, ProjectShare

MAX_NAME_LENGTH = 255
LARGEST_ID = 2**63 - 1  # what a key column can hold


class WrongProject(Exception):
    """A project cannot be made or changed so; str() is one sentence, `field` says where."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class NoSuchProject(WrongProject):
    """The project that was named does not exist."""


def find_project(project_id: int) -> Project:
    """Return the project with this id, whoever owns it. Raises NoSuchProject."""
    project = Project.objects.filter(pk=project_id).first() if 0 < project_id <= LARGEST_ID else None
    if project is None:
        raise NoSuchProject("project", f"No project has the id {str(project_id)[:80]}.")
    return project


@transaction.atomic
def create_project(
    owner: User,
    name: str,
    type: str = Project.Type.CALL,
    team: Team | None = None,
    document: Any = None,
    by: User | None = None,
) -> Project:
    """Create a project with the configuration in `document` (None: all defaults).

    Raises WrongProject for the name, type or team, and WrongConfiguration.
    """
    config = configuration.parse(document)
    if type not in Project.Type.values:
        raise WrongProject(
            "type", f'"{type[:80]}" is not a project type. Allowed: {", ".join(Project.Type.values)}.'
        )
    if team is not None and by is not None and not TeamMember.objects.filter(team=team, user=by).exists():
        raise WrongProject("team", f"You are not a member of team {team.pk}.")
    project = Project.objects.create(
        name=clean_name(name), type=type, owner=owner, team=team, config=config.as_document()
    )
    ConfigVersion.objects.create(project=project, number=1, document=project.config, created_by=by)
    audit.record(by, "project.created", _subject(project), name=project.name, owner=owner.email)
    return project


@transaction.atomic
def configure(project: Project, document: Any, by: User | None = None) -> bool:
    """Replace the whole configuration; return False when it says the same as before.

    Earlier versions stay, so that an old result can be read beside its rubric.
    Raises WrongConfiguration before anything is written.
    """
    config = configuration.parse(document).as_document()
    locked = Project.objects.select_for_update().get(pk=project.pk)
    if config == locked.config:
        return False
    project.config = config
    project.config_version = locked.config_version + 1
    project.save(update_fields=["config", "config_version"])
    ConfigVersion.objects.create(
        project=project, number=project.config_version, document=config, created_by=by
    )
    audit.record(by, "project.configured", _subject(project), version=project.config_version)
    return True


@transaction.atomic
def rename(project: Project, name: str, by: User | None = None) -> None:
    """Give the project another name. Raises WrongProject."""
    former, project.name = project.name, clean_name(name)
    if project.name != former:
        project.save(update_fields=["name"])
        audit.record(by, "project.renamed", _subject(project), former=former, name=project.name)


@transaction.atomic
def share(
    project: Project, user: User, role: str = ProjectShare.Role.VIEWER, by: User | None = None
) -> ProjectShare:
    """Let the user in as viewer or editor; a second share changes the role. Raises WrongProject."""
    if role not in ProjectShare.Role.values:
        raise WrongProject(
            "role", f'"{role[:80]}" is not a role. Allowed: {", ".join(ProjectShare.Role.values)}.'
        )
    if user.pk == project.owner_id:
        raise WrongProject("user", f"{user.email} owns project {project.pk} already.")
    shared, _ = ProjectShare.objects.update_or_create(project=project, user=user, defaults={"role": role})
    audit.record(by, "project.shared", _subject(project), user=user.email, role=role)
    return shared


@transaction.atomic
def unshare(project: Project, user: User, by: User | None = None) -> None:
    """Take a share back. Raises WrongProject for somebody it was not shared with."""
    deleted, _ = ProjectShare.objects.filter(project=project, user=user).delete()
    if not deleted:
        raise WrongProject("user", f"Project {project.pk} is not shared with {user.email}.")
    audit.record(by, "project.unshared", _subject(project), user=user.email)


@transaction.atomic
def delete_project(project: Project, by: User | None = None) -> None:
    """Delete the project's rows and everything that hangs on them; the audit trail remembers it.

    pipeline.removal.delete_project does this and removes the recordings too.
    """
    subject, name, owner = _subject(project), project.name, project.owner.email
    project.delete()
    audit.record(by, "project.deleted", subject, name=name, owner=owner)


def clean_name(value: str) -> str:
    """Return the name with its spaces collapsed. Raises WrongProject."""
    name = " ".join(value.split())
    if not name:
        raise WrongProject("name", "The name of a project must not be blank.")
    if len(name) > MAX_NAME_LENGTH:
        raise WrongProject(
            "name", f"The name of a project must have at most {MAX_NAME_LENGTH} characters, not {len(name)}."
        )
    if "\x00" in name or any(0xD800 <= ord(c) <= 0xDFFF for c in name):
        raise WrongProject("name", "The name holds characters that cannot be stored.")
    return name


def _subject(project: Project) -> str:
    return f"project {project.pk}"
