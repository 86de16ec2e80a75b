"""Make and change users, teams and API keys, each with its audit event.

The commands and the pages call these; `by` is who asks, None the operator at
the command line.
"""

import datetime
from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import ApiKey, Team, TeamMember, User

MAX_EMAIL_LENGTH = 254  # of the column, and of RFC 5321
MAX_TEAM_NAME_LENGTH = 255
MAX_KEY_NAME_LENGTH = 50
MAX_QUOTA_MINUTES = 10_000_000  # about 19 years of audio
US_PER_MINUTE = 60_000_000
LARGEST_ID = 2**63 - 1  # what a key column can hold


class WrongAccount(Exception):
    """An account cannot be made or changed so; str() is one sentence, `field` says where."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class NoSuchAccount(WrongAccount):
    """The user, team or key that was named does not exist."""


def find_user(email: str) -> User:
    """Return the user with this e-mail. Raises NoSuchAccount."""
    folded = email.strip().lower()
    user = User.objects.filter(email=folded).first() if _is_storable(folded) else None
    if user is None:
        raise NoSuchAccount("email", f'No user has the e-mail "{_shown(email)}".')
    return user


def find_team(team_id: int) -> Team:
    """Return the team with this id. Raises NoSuchAccount."""
    team = Team.objects.filter(pk=team_id).first() if 0 < team_id <= LARGEST_ID else None
    if team is None:
        raise NoSuchAccount("team", f"No team has the id {_shown(team_id)}.")
    return team


def create_user(
    email: str, password: str | None = None, *, superuser: bool = False, by: User | None = None
) -> User:
    """Create a user; without a password only API keys open the door. Raises WrongAccount."""
    folded = email.strip().lower()
    try:
        if not _is_storable(folded) or len(folded) > MAX_EMAIL_LENGTH:
            raise ValidationError("")
        validate_email(folded)
    except ValidationError:
        raise WrongAccount(
            "email", f'"{_shown(email)}" is not an e-mail address such as ana@example.com.'
        ) from None
    if password is not None and not password:
        raise WrongAccount("password", "The password is empty.")
    if password is not None and not _is_storable(password):
        raise WrongAccount("password", "The password holds characters that cannot be stored.")
    try:
        with transaction.atomic():
            user = User.objects.create_user(folded, password, is_superuser=superuser)
            audit.record(by, "user.created", f"user {user.pk}", email=folded, superuser=superuser)
    except IntegrityError:
        raise WrongAccount("email", f'A user with the e-mail "{folded}" exists already.') from None
    return user


@transaction.atomic
def set_active(user: User, active: bool, *, by: User | None = None) -> None:
    """Close or open every door to the user: sessions and keys are checked at each request."""
    if user.is_active != active:
        user.is_active = active
        user.save(update_fields=["is_active"])
        audit.record(
            by, "user.activated" if active else "user.deactivated", f"user {user.pk}", email=user.email
        )


def deactivate(user: User, *, by: User | None = None) -> None:
    """Lock the user out; what the user owns stays."""
    set_active(user, False, by=by)


@transaction.atomic
def set_quota(user: User, minutes: Decimal | int | None, *, by: User | None = None) -> None:
    """Allow the user so many minutes of audio in all; None lifts the limit. Raises WrongAccount."""
    if minutes is None:
        quota_us = None
    else:
        exact = Decimal(minutes)
        if not exact.is_finite() or not 0 <= exact <= MAX_QUOTA_MINUTES:
            raise WrongAccount(
                "minutes",
                f'"{_shown(minutes)}" is not a quota. Allowed: 0 to {MAX_QUOTA_MINUTES} minutes, or none.',
            )
        quota_us = int(exact * US_PER_MINUTE)
    user.trial_quota_us = quota_us
    user.save(update_fields=["trial_quota_us"])
    audit.record(by, "user.quota_set", f"user {user.pk}", minutes=None if minutes is None else str(minutes))


@transaction.atomic
def create_team(name: str, *, admin: User, by: User | None = None) -> Team:
    """Create a team with its first admin. Names need not be unique. Raises WrongAccount."""
    team = Team.objects.create(name=_clean_name(name, "team", MAX_TEAM_NAME_LENGTH))
    TeamMember.objects.create(team=team, user=admin, is_admin=True)
    audit.record(by, "team.created", f"team {team.pk}", name=team.name, admin=admin.email)
    return team


@transaction.atomic
def add_member(team: Team, user: User, *, admin: bool = False, by: User | None = None) -> TeamMember:
    """Make the user a member; a member can be made admin so, but no admin is demoted."""
    member, created = TeamMember.objects.get_or_create(team=team, user=user, defaults={"is_admin": admin})
    if admin and not member.is_admin:
        member.is_admin = True
        member.save(update_fields=["is_admin"])
    elif not created:
        return member
    audit.record(by, "team.member_added", f"team {team.pk}", user=user.email, admin=admin)
    return member


@transaction.atomic
def set_admin(team: Team, user: User, admin: bool, *, by: User | None = None) -> None:
    """Make a member an admin, or an admin a member. Raises WrongAccount, also for a team's only admin."""
    member = TeamMember.objects.filter(team=team, user=user).first()
    if member is None:
        raise WrongAccount("user", f"{user.email} is not a member of team {team.pk}.")
    if member.is_admin == admin:
        return
    if not admin:
        require_another_admin(team, user)
    member.is_admin = admin
    member.save(update_fields=["is_admin"])
    audit.record(by, "team.admin_set", f"team {team.pk}", user=user.email, admin=admin)


def require_another_admin(team: Team, user: User) -> None:
    """Raise WrongAccount if nobody would be left to look after the team without this user.

    Holds the team's row, so call it in the transaction of the change.
    """
    Team.objects.select_for_update().get(pk=team.pk)
    admins = TeamMember.objects.filter(team=team, is_admin=True)
    if admins.filter(user=user).exists() and not admins.exclude(user=user).exists():
        raise WrongAccount(
            "user", f"{user.email} is the only admin of team {team.pk}. Make another one first."
        )


@transaction.atomic
def remove_member(team: Team, user: User, *, by: User | None = None) -> None:
    """Take the user out of the team. Raises WrongAccount for one who is not in it."""
    deleted, _ = TeamMember.objects.filter(team=team, user=user).delete()
    if not deleted:
        raise WrongAccount("user", f"{user.email} is not a member of team {team.pk}.")
    audit.record(by, "team.member_removed", f"team {team.pk}", user=user.email)


@transaction.atomic
def create_key(
    user: User, *, name: str = "", expires_at: datetime.datetime | None = None, by: User | None = None
) -> tuple[ApiKey, str]:
    """Return (key row, plaintext); the plaintext is stored nowhere. Raises WrongAccount."""
    if expires_at is not None and expires_at <= timezone.now():
        raise WrongAccount("expires", f"{expires_at.date()} is past. The key would never be valid.")
    shown_name = _clean_name(name, "key", MAX_KEY_NAME_LENGTH) if name.strip() else "key"
    key, plaintext = ApiKey.objects.create_key(name=shown_name, user=user, expiry_date=expires_at)
    assert isinstance(key, ApiKey)
    audit.record(by, "key.created", f"key {key.prefix}", user=user.email)
    return key, plaintext


@transaction.atomic
def revoke_key(prefix: str, *, owner: User | None = None, by: User | None = None) -> ApiKey:
    """Make the key with this prefix worthless for ever; of `owner` only, if given. Raises NoSuchAccount."""
    keys = list_keys(owner).filter(prefix=prefix) if _is_storable(prefix) else ApiKey.objects.none()
    key = keys.first()
    if key is None:
        raise NoSuchAccount("prefix", f'No key has the prefix "{_shown(prefix)}".')
    if not key.revoked:
        key.revoked = True
        key.save(update_fields=["revoked"])
        audit.record(by, "key.revoked", f"key {key.prefix}", user=key.user.email)
    return key


def list_keys(user: User | None = None) -> QuerySet[ApiKey]:
    """Return the keys of the user, or all, oldest first; revoked and expired ones too."""
    keys = ApiKey.objects.select_related("user").order_by("created", "prefix")
    return keys.filter(user=user) if user is not None else keys


def _clean_name(value: str, what: str, longest: int) -> str:
    name = " ".join(value.split())
    if not name:
        raise WrongAccount("name", f"The name of a {what} must not be blank.")
    if len(name) > longest:
        raise WrongAccount(
            "name", f"The name of a {what} must have at most {longest} characters, not {len(name)}."
        )
    if not _is_storable(name):
        raise WrongAccount("name", f'The name "{_shown(name)}" holds characters that cannot be stored.')
    return name


def _is_storable(text: str) -> bool:
    """PostgreSQL keeps no NUL, UTF-8 no lone surrogate."""
    return "\x00" not in text and not any(0xD800 <= ord(c) <= 0xDFFF for c in text)


def _shown(value: object) -> str:
    return str(value)[:80].encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
