"""Users, teams, API keys, sessions, counters of sign-ins and the audit trail.

An e-mail is stored lower-cased, so that one person is one row on every database.
"""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from rest_framework_api_key.models import AbstractAPIKey, APIKeyManager


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user who signs in by e-mail; without a password only keys open the door."""
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person who signs in, and the owner of API keys."""

    email = models.EmailField(unique=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    language = models.CharField(max_length=5, blank=True, default="")  # of the pages; "" follows the browser
    trial_quota_us = models.BigIntegerField(null=True)  # microseconds of audio; null: no limit
    trial_used_us = models.BigIntegerField(default=0)

    # What the API key of a request leaves of the owner's rights; keys.py sets them, nothing stores them here.
    key_is_read_only = False
    key_project_id: int | None = None  # None: all projects

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()

    def __str__(self) -> str:
        return self.email


class Team(models.Model):
    name = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)
    members = models.ManyToManyField(User, through="TeamMember", related_name="teams")

    def __str__(self) -> str:
        return self.name


class Organization(models.Model):
    """Whose server this is, as pages and PDFs show it; one row, absent where nothing was set."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    name = models.CharField(max_length=80, blank=True, default="")
    logo = models.BinaryField(default=b"")  # PNG, drawn by organization.py; b"" for none
    logo_digest = models.CharField(max_length=16, blank=True, default="")  # of the logo

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_organization")]


class TeamMember(models.Model):
    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    is_admin = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="one_membership_per_team_and_user")
        ]


class ApiKeyManager(APIKeyManager):
    """The library's manager: makes keys and checks them against their hashes."""


class ApiKey(AbstractAPIKey):
    """A credential that acts as its owner, within its scope; only a hash of it is stored."""

    class Scope(models.TextChoices):
        READ = "read"  # GET, HEAD and OPTIONS alone
        WRITE = "write"

    user = models.ForeignKey(User, models.CASCADE, related_name="api_keys")
    scope = models.CharField(max_length=8, choices=Scope, default=Scope.WRITE)
    # The id of the one project that it opens, null for all. No foreign key: once that project
    # is deleted, the key must open nothing, not everything.
    project_id = models.BigIntegerField(null=True)
    used_at = models.DateTimeField(null=True)  # the latest request, to about a minute
    objects: ClassVar[ApiKeyManager] = ApiKeyManager()

    class Meta(AbstractAPIKey.Meta):
        abstract = False
        verbose_name = "API key"
        constraints = [
            models.CheckConstraint(condition=models.Q(scope__in=["read", "write"]), name="known_key_scope")
        ]


class Identity(models.Model):
    """Who a user is at the identity provider; `subject` never changes there, an e-mail may."""

    user = models.ForeignKey(User, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="one_user_per_identity"),
            models.UniqueConstraint(fields=["issuer", "user"], name="one_identity_per_user_and_issuer"),
        ]


class SecondFactor(models.Model):
    """The app that shows a user's codes at the sign-in; counts once a code of it was confirmed."""

    user = models.OneToOneField(User, models.CASCADE, related_name="second_factor")
    secret = models.CharField(max_length=255)  # encrypted, see second_factor.py
    confirmed_at = models.DateTimeField(null=True)
    last_step = models.BigIntegerField(default=0)  # the 30 seconds of the newest code that was taken


class RecoveryCode(models.Model):
    """Opens the sign-in once in place of a code; `digest` is a hash."""

    user = models.ForeignKey(User, models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "digest"], name="recovery_code_once")]


class AuditEvent(models.Model):
    """One thing that somebody did, kept after its subject is gone; audit.py alone writes these rows."""

    at = models.DateTimeField(db_index=True)
    # The number of a user stays when the user goes, because it is part of the digest.
    actor = models.ForeignKey(User, models.DO_NOTHING, null=True, db_constraint=False)
    action = models.CharField(max_length=64)  # such as "project.deleted"
    subject = models.CharField(max_length=255)  # such as "project 7"
    detail = models.JSONField(default=dict)
    number = models.BigIntegerField(null=True, unique=True)  # place in the chain, from 1 without gaps
    digest = models.CharField(max_length=64, blank=True, default="")  # of this event and the digest before it


class AuditEventProject(models.Model):
    """A project that an event is about, as its content says; makes the events of a project quick to find."""

    event = models.ForeignKey(AuditEvent, models.CASCADE, related_name="projects")
    project_id = models.BigIntegerField()  # no foreign key: the events stay when the project goes

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project_id", "event"], name="one_row_per_project_and_event")
        ]


class AuditQueue(models.Model):
    """A note that waits to be chained; empty on SQLite, where trail/spool.py keeps these tables in a file."""

    event = models.TextField()  # JSON


class AuditFold(models.Model):
    """Notes of one key that count together until a moment."""

    key = models.CharField(max_length=400, primary_key=True)
    until = models.FloatField(db_index=True)  # seconds since 1970
    count = models.BigIntegerField()
    event = models.TextField()  # JSON; "": the first was queued, and the others of its time are left out


class AuditHead(models.Model):
    """The last event of the chain; one row, whose lock puts concurrent writers in a line."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    number = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True, default="")
    spool_file = models.CharField(max_length=32, blank=True, default="")  # the file the last notes came from
    spool_place = models.BigIntegerField(default=0)  # of the last of them in it

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_audit_head")]


class Session(AbstractBaseSession):
    """One browser in which somebody is signed in; `session_key` is a hash, see sessions.py."""

    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="sessions")  # null: nobody yet
    created_at = models.DateTimeField()
    latest_at = models.DateTimeField(db_index=True)  # the latest request, to about a minute
    address = models.CharField(max_length=45, default="")
    browser = models.CharField(max_length=40, default="")  # such as "Firefox, Linux"


class SignInCounter(models.Model):
    """How many wrong passwords came of late for one e-mail, from one origin, or for both together."""

    key = models.CharField(max_length=64, primary_key=True)  # a keyed hash, see sign_in_limits.py
    level = models.FloatField(default=0.0)  # at `counted_at`; falls with time
    counted_at = models.DateTimeField(db_index=True)
    wait_until = models.DateTimeField(null=True)
    known_at = models.DateTimeField(null=True)  # the latest sign-in of this e-mail from this origin
