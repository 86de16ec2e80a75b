"""Users, teams, API keys and the audit trail.

An e-mail is stored lower-cased, so that one person is one row on every database.
"""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
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
    """A credential that acts as its owner; only a hash of it is stored."""

    user = models.ForeignKey(User, models.CASCADE, related_name="api_keys")
    objects: ClassVar[ApiKeyManager] = ApiKeyManager()

    class Meta(AbstractAPIKey.Meta):
        abstract = False
        verbose_name = "API key"


class AuditEvent(models.Model):
    """One thing that somebody did, kept after its subject is gone."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(User, models.SET_NULL, null=True)
    action = models.CharField(max_length=64)  # such as "project.deleted"
    subject = models.CharField(max_length=255)  # such as "project 7"
    detail = models.JSONField(default=dict)
