"""Projects, who shares them, and every version of what they ask of their calls."""

from django.db import models
from django.db.models import Q

from callscope.accounts.models import Team, User
from callscope.projects import configuration


class ProjectQuerySet(models.QuerySet["Project"]):
    def call_projects(self) -> "ProjectQuerySet":
        return self.filter(type=Project.Type.CALL)


class Project(models.Model):
    """Recordings that are judged by one configuration; `config` is the document of docs/api.md."""

    class Type(models.TextChoices):
        CALL = "call"
        GENERAL = "general"

    name = models.CharField(max_length=255)
    type = models.CharField(max_length=16, choices=Type, default=Type.CALL)
    owner = models.ForeignKey(User, models.PROTECT, related_name="projects")
    team = models.ForeignKey(Team, models.PROTECT, null=True, related_name="projects")
    config = models.JSONField(default=dict)  # canonical: as projects.configuration.parse() gives it
    config_version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(type__in=["call", "general"]), name="project_type_is_known")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def configuration(self) -> configuration.Configuration:
        """The stored document, checked; shared by all who read the same content."""
        # A page asks several times, and to find what was parsed of a document takes writing it as text.
        kept: tuple[object, configuration.Configuration] | None = self.__dict__.get("_parsed")
        if kept is None or kept[0] is not self.config:
            kept = self.__dict__["_parsed"] = (self.config, configuration.parse_stored(self.config))
        return kept[1]


class ProjectShare(models.Model):
    class Role(models.TextChoices):
        VIEWER = "viewer"
        EDITOR = "editor"

    project = models.ForeignKey(Project, models.CASCADE, related_name="shares")
    user = models.ForeignKey(User, models.CASCADE, related_name="shares")
    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_share_per_project_and_user"),
            models.CheckConstraint(condition=Q(role__in=["viewer", "editor"]), name="share_role_is_known"),
        ]


class Invitation(models.Model):
    """What somebody is offered by e-mail: a project, a place in a team, or an account alone."""

    class Role(models.TextChoices):
        VIEWER = "viewer"
        EDITOR = "editor"
        MEMBER = "member"
        ADMIN = "admin"
        USER = "user"  # an account and nothing else

    class MailState(models.TextChoices):
        """What became of the mail with the link: the same whether or not an account has the e-mail."""

        UNKNOWN = "unknown"  # invited before this was kept
        NONE = "none"  # not mailed: the link was shown or printed, or the address has had enough mails
        WAITING = "waiting"
        SENT = "sent"  # the mail server took it
        FAILED = "failed"

    email = models.EmailField()
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="invitations")
    team = models.ForeignKey(Team, models.CASCADE, null=True, related_name="invitations")
    role = models.CharField(max_length=16, choices=Role)
    invited_by = models.ForeignKey(User, models.CASCADE, null=True)  # null: the operator
    creates_account = models.BooleanField(default=False)  # its link may, for somebody without one
    token_digest = models.CharField(max_length=64, unique=True)
    mail_state = models.CharField(max_length=16, choices=MailState, default=MailState.UNKNOWN)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "email"], name="one_invitation_per_project_and_email"),
            models.UniqueConstraint(fields=["team", "email"], name="one_invitation_per_team_and_email"),
            models.CheckConstraint(
                condition=Q(project__isnull=False, team__isnull=True, role__in=["viewer", "editor"])
                | Q(project__isnull=True, team__isnull=False, role__in=["member", "admin"])
                | Q(project__isnull=True, team__isnull=True, role="user"),
                name="invitation_offers_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(mail_state__in=["unknown", "none", "waiting", "sent", "failed"]),
                name="invitation_mail_state_is_known",
            ),
        ]


class ConfigVersion(models.Model):
    """A configuration as it was, so that an old result can be read with its rubric."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="config_versions")
    number = models.PositiveIntegerField()
    document = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="one_document_per_config_version")
        ]
