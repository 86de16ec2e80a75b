"""Projects, who shares them, and every version of what they ask of their calls."""

from django.db import models
from django.db.models import Q

from callscope.accounts.models import Team, User
from callscope.projects import configuration


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: User) -> "ProjectQuerySet":
        """Own projects, projects shared with the user, and all of teams the user administers.

        Source: interface.md's visibility rule. Every read goes through here.
        """
        return self.filter(
            Q(owner=user)
            | Q(pk__in=ProjectShare.objects.filter(user=user).values("project"))
            | Q(team__in=Team.objects.filter(memberships__user=user, memberships__is_admin=True))
        )

    def writable_by(self, user: User) -> "ProjectQuerySet":
        """The visible projects in which the user is more than a viewer."""
        return self.filter(
            Q(owner=user)
            | Q(
                pk__in=ProjectShare.objects.filter(user=user, role=ProjectShare.Role.EDITOR).values("project")
            )
            | Q(team__in=Team.objects.filter(memberships__user=user, memberships__is_admin=True))
        )

    def call_projects(self) -> "ProjectQuerySet":
        return self.filter(type=Project.Type.CALL)


class Project(models.Model):
    """A collection of recordings judged alike; `config` is the document of docs/api.md."""

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
        """The stored document, checked; costs a parse at each access."""
        return configuration.parse(self.config)


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


class ConfigVersion(models.Model):
    """A configuration as it stood, so that an old result can be read beside its rubric."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="config_versions")
    number = models.PositiveIntegerField()
    document = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="one_document_per_config_version")
        ]
