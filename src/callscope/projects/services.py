"""Create, configure, share and delete projects, each with its audit event.

`by` is the user who asks, None the operator at the command line. Callers check
projects.permissions first.
"""

from typing import Any

from django.db import transaction

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent, Team, TeamMember, User
from callscope.db.limits import MAX_ID, is_storable
from callscope.messages.message import Message, MessageError
from callscope.projects import configuration, permissions
from callscope.projects.models import ConfigVersion, Project, ProjectShare

MAX_NAME_LENGTH = 255
# Settings that decide what is kept and where it goes.
PROTECTING = ("private_transcription", "redact", "retention")


class InvalidProject(MessageError):
    """A project cannot be created or changed like this; str() is one sentence, `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


class ProtectedSetting(MessageError):
    """Only managers may change the settings that protect people."""


class NoSuchProject(InvalidProject):
    """The project that was named does not exist."""


def find_project(project_id: int) -> Project:
    """Return the project with this id, of any owner. Raises NoSuchProject."""
    project = Project.objects.filter(pk=project_id).first() if 0 < project_id <= MAX_ID else None
    if project is None:
        raise NoSuchProject("project", "unknown_project", value=str(project_id)[:80])
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

    Raises InvalidProject for the name, type or team, and InvalidConfiguration.
    """
    config = configuration.parse(document)
    if type not in Project.Type.values:
        raise InvalidProject(
            "type", "unknown_project_type", value=type[:80], allowed=", ".join(Project.Type.values)
        )
    if team is not None and by is not None and not TeamMember.objects.filter(team=team, user=by).exists():
        raise InvalidProject("team", "you_not_in_team", value=team.pk)
    project = Project.objects.create(
        name=clean_name(name), type=type, owner=owner, team=team, config=config.as_document()
    )
    ConfigVersion.objects.create(project=project, number=1, document=project.config, created_by=by)
    audit.record(by, "project.created", _subject(project), name=project.name, owner=owner.email)
    return project


@transaction.atomic
def configure_project(
    project: Project, document: Any, by: User | None = None, *, restored: int | None = None
) -> bool:
    """Replace the whole configuration; return False when it says the same as before.

    `restored` is the version that it comes from, for the audit trail.

    Earlier versions stay, so that an old result can be read with its rubric.
    Raises InvalidConfiguration, and ProtectedSetting where `by` is no manager, before anything is written.
    """
    config = configuration.parse(document).as_document()
    # Locked, so that two editors who save at once get two version numbers.
    locked = Project.objects.select_for_update().get(pk=project.pk)
    former = locked.configuration.as_document()
    if config == former:
        return False
    # The versions hold both values of every setting; those that protect people are named here too.
    protecting = {
        name: {"former": former.get(name), "new": config.get(name)}
        for name in PROTECTING
        if former.get(name) != config.get(name)
    }
    if protecting and by is not None and not permissions.can_manage(by, locked):
        path, owner = " and ".join(protecting), locked.owner.email
        raise ProtectedSetting(Message("protected_setting", value=project.pk, path=path, owner=owner))
    _keep_version(locked)
    project.config = config
    project.config_version = locked.config_version + 1
    project.save(update_fields=["config", "config_version"])
    ConfigVersion.objects.create(
        project=project, number=project.config_version, document=config, created_by=by
    )
    changed = sorted(name for name in former.keys() | config.keys() if former.get(name) != config.get(name))
    audit.record(
        by,
        "project.configured",
        _subject(project),
        former=locked.config_version,
        version=project.config_version,
        changed=changed,
        **({} if restored is None else {"restored": restored}),
        **protecting,
    )
    return True


def _keep_version(project: Project) -> None:
    """Store the current version where it is not: that of a project which no service created."""
    _, is_new = ConfigVersion.objects.get_or_create(
        project=project, number=project.config_version, defaults={"document": project.config}
    )
    if is_new:
        ConfigVersion.objects.filter(project=project, number=project.config_version).update(
            created_at=project.created_at
        )


@transaction.atomic
def rename_project(project: Project, name: str, by: User | None = None) -> bool:
    """Give the project another name; return False where it has it already. Raises InvalidProject."""
    former, project.name = project.name, clean_name(name)
    if project.name == former:
        return False
    project.save(update_fields=["name"])
    audit.record(by, "project.renamed", _subject(project), former=former, name=project.name)
    return True


@transaction.atomic
def share_project(
    project: Project, user: User, role: str = ProjectShare.Role.VIEWER, by: User | None = None
) -> ProjectShare:
    """Share the project as viewer or editor; a second share changes the role. Raises InvalidProject."""
    if role not in ProjectShare.Role.values:
        raise InvalidProject(
            "role", "unknown_role", value=role[:80], allowed=", ".join(ProjectShare.Role.values)
        )
    if user.pk == project.owner_id:
        raise InvalidProject("user", "already_owner", user=user.email, value=project.pk)
    former = ProjectShare.objects.filter(project=project, user=user).values_list("role", flat=True).first()
    shared, _ = ProjectShare.objects.update_or_create(project=project, user=user, defaults={"role": role})
    audit.record(by, "project.shared", _subject(project), user=user.email, role=role, former=former)
    return shared


@transaction.atomic
def unshare_project(project: Project, user: User, by: User | None = None) -> None:
    """Remove a share, somebody else's or one's own. Raises InvalidProject for somebody without one.

    The owner has none: a project is left by giving it to somebody else first.
    """
    deleted, _ = ProjectShare.objects.filter(project=project, user=user).delete()
    if not deleted:
        raise InvalidProject("user", "not_shared", value=project.pk, user=user.email)
    if by is not None and by.pk == user.pk:
        audit.record(by, "project.left", _subject(project))
    else:
        audit.record(by, "project.unshared", _subject(project), user=user.email)


@transaction.atomic
def delete_project(project: Project, by: User | None = None, **detail: Any) -> AuditEvent:
    """Delete the project's rows and everything that hangs on them; return the event that remembers it.

    pipeline.erasure.removal.delete_project does this and removes the recordings too.
    """
    subject, name, owner = _subject(project), project.name, project.owner.email
    project.delete()
    return audit.record(by, "project.deleted", subject, name=name, owner=owner, **detail)


def clean_name(value: str) -> str:
    """Return the name with its spaces collapsed. Raises InvalidProject."""
    name = " ".join(value.split())
    if not name:
        raise InvalidProject("name", "blank_project_name")
    if len(name) > MAX_NAME_LENGTH:
        raise InvalidProject("name", "long_project_name", most=MAX_NAME_LENGTH, count=len(name))
    if not is_storable(name):
        raise InvalidProject("name", "unstorable_project_name")
    return name


def _subject(project: Project) -> str:
    return f"project {project.pk}"
