"""Create and change users, teams and API keys, each with its audit event.

`by` is the user who asks, None the operator at the command line.
"""

import datetime
from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import ApiKey, Team, TeamMember, User
from callscope.db.limits import MAX_ID, is_storable
from callscope.messages.message import Message, MessageError

MAX_EMAIL_LENGTH = 254  # of the column, and of RFC 5321
MAX_TEAM_NAME_LENGTH = 255
MAX_KEY_NAME_LENGTH = 50
MAX_QUOTA_MINUTES = 10_000_000  # about 19 years of audio
US_PER_MINUTE = 60_000_000


class InvalidAccount(MessageError):
    """An account cannot be created or changed like this; str() is one sentence, `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


class NoSuchAccount(InvalidAccount):
    """The user, team or key that was named does not exist."""


def find_user(email: str) -> User:
    """Return the user with this e-mail. Raises NoSuchAccount."""
    folded = email.strip().lower()
    user = User.objects.filter(email=folded).first() if is_storable(folded) else None
    if user is None:
        raise NoSuchAccount("email", "unknown_email", value=_shown(email))
    return user


def find_team(team_id: int) -> Team:
    """Return the team with this id. Raises NoSuchAccount."""
    team = Team.objects.filter(pk=team_id).first() if 0 < team_id <= MAX_ID else None
    if team is None:
        raise NoSuchAccount("team", "unknown_team", value=_shown(team_id))
    return team


def create_user(
    email: str, password: str | None = None, *, superuser: bool = False, by: User | None = None
) -> User:
    """Create a user; without a password the user can only be reached by API keys. Raises InvalidAccount."""
    folded = clean_email(email)
    if password is not None:
        _require_password(password)
    # The unique column decides and not a query before: two requests at once would both find nothing.
    try:
        with transaction.atomic():
            user = User.objects.create_user(folded, password, is_superuser=superuser)
            audit.record(by, "user.created", f"user {user.pk}", email=folded, superuser=superuser)
    except IntegrityError:
        raise InvalidAccount("email", "email_taken", value=folded) from None
    return user


def clean_email(email: str) -> str:
    """Return the e-mail as it is stored. Raises InvalidAccount."""
    folded = email.strip().lower()
    try:
        # Within quotes an address may have signs that end a line of a mail, its subject too.
        if not is_storable(folded) or not folded.isprintable() or len(folded) > MAX_EMAIL_LENGTH:
            raise ValidationError("")
        validate_email(folded)
    except ValidationError:
        raise InvalidAccount("email", "invalid_email", value=_shown(email)) from None
    return folded


@transaction.atomic
def set_password(user: User, password: str, *, by: User | None = None, is_reset: bool = False) -> None:
    """Give the user a new password and end all sessions; keys stay valid. Raises InvalidAccount.

    `is_reset`: a link that was sent to the user's e-mail stood in for the old one.
    """
    _require_password(password)
    user.set_password(password)
    user.save(update_fields=["password"])
    user.sessions.all().delete()
    audit.record(by, "user.password_reset" if is_reset else "user.password_set", f"user {user.pk}")


@transaction.atomic
def end_sessions(user: User, *, by: User | None = None) -> int:
    """Sign the user out everywhere; return how many sessions ended. Keys stay valid."""
    ended: int = user.sessions.all().delete()[0]
    audit.record(by, "user.signed_out", f"user {user.pk}", sessions=ended)
    return ended


@transaction.atomic
def set_user_active(user: User, active: bool, *, by: User | None = None) -> None:
    """Activate or deactivate the user; effective at once: sessions and keys are checked at each request."""
    if user.is_active != active:
        user.is_active = active
        user.save(update_fields=["is_active"])
        audit.record(
            by, "user.activated" if active else "user.deactivated", f"user {user.pk}", email=user.email
        )


def deactivate_user(user: User, *, by: User | None = None) -> None:
    """Lock the user out; what the user owns stays."""
    set_user_active(user, False, by=by)


@transaction.atomic
def set_trial_quota(user: User, minutes: Decimal | int | None, *, by: User | None = None) -> None:
    """Allow the user so many minutes of audio in all; None lifts the limit. Raises InvalidAccount."""
    if minutes is None:
        quota_us = None
    else:
        exact = Decimal(minutes)
        if not exact.is_finite() or not 0 <= exact <= MAX_QUOTA_MINUTES:
            raise InvalidAccount("minutes", "invalid_quota", value=_shown(minutes), most=MAX_QUOTA_MINUTES)
        quota_us = int(exact * US_PER_MINUTE)
    former_us, user.trial_quota_us = user.trial_quota_us, quota_us
    user.save(update_fields=["trial_quota_us"])
    audit.record(
        by,
        "user.quota_set",
        f"user {user.pk}",
        former=None if former_us is None else str(Decimal(former_us) / US_PER_MINUTE),
        minutes=None if minutes is None else str(minutes),
    )


@transaction.atomic
def create_team(name: str, *, admin: User, by: User | None = None) -> Team:
    """Create a team with its first admin. Names need not be unique. Raises InvalidAccount."""
    team = Team.objects.create(name=_clean_name(name, "team", MAX_TEAM_NAME_LENGTH))
    TeamMember.objects.create(team=team, user=admin, is_admin=True)
    audit.record(by, "team.created", f"team {team.pk}", name=team.name, admin=admin.email)
    return team


@transaction.atomic
def rename_team(team: Team, name: str, *, by: User | None = None) -> None:
    """Give the team another name. Raises InvalidAccount."""
    former, team.name = team.name, _clean_name(name, "team", MAX_TEAM_NAME_LENGTH)
    if team.name != former:
        team.save(update_fields=["name"])
        audit.record(by, "team.renamed", f"team {team.pk}", former=former, name=team.name)


@transaction.atomic
def delete_team(team: Team, *, by: User | None = None) -> None:
    """Delete a team with its memberships and invitations. Raises InvalidAccount for one with projects."""
    # A project that moves in meanwhile waits for this row, and then finds no team.
    Team.objects.select_for_update().get(pk=team.pk)
    subject = f"team {team.pk}"
    try:
        team.delete()
    except ProtectedError:
        raise InvalidAccount("team", "team_with_projects", value=team.pk) from None
    audit.record(by, "team.deleted", subject, name=team.name)


@transaction.atomic
def add_team_member(team: Team, user: User, *, admin: bool = False, by: User | None = None) -> TeamMember:
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
def set_team_admin(team: Team, user: User, admin: bool, *, by: User | None = None) -> None:
    """Make a member an admin, or an admin a member. Raises InvalidAccount, also for a team's only admin."""
    member = TeamMember.objects.filter(team=team, user=user).first()
    if member is None:
        raise InvalidAccount("user", "not_in_team", user=user.email, value=team.pk)
    if member.is_admin == admin:
        return
    if not admin:
        require_another_admin(team, user)
    member.is_admin = admin
    member.save(update_fields=["is_admin"])
    audit.record(by, "team.admin_set", f"team {team.pk}", user=user.email, admin=admin)


def require_another_admin(team: Team, user: User) -> None:
    """Raise InvalidAccount if nobody would be left to look after the team without this user.

    Holds the team's row, so call it in the transaction of the change.
    """
    Team.objects.select_for_update().get(pk=team.pk)
    admins = TeamMember.objects.filter(team=team, is_admin=True)
    if admins.filter(user=user).exists() and not admins.exclude(user=user).exists():
        raise InvalidAccount("user", "only_admin", user=user.email, value=team.pk)


@transaction.atomic
def remove_team_member(team: Team, user: User, *, by: User | None = None) -> None:
    """Remove the user from the team. Raises InvalidAccount for one who is not in it."""
    deleted, _ = TeamMember.objects.filter(team=team, user=user).delete()
    if not deleted:
        raise InvalidAccount("user", "not_in_team", user=user.email, value=team.pk)
    audit.record(by, "team.member_removed", f"team {team.pk}", user=user.email)


@transaction.atomic
def create_key(
    user: User,
    *,
    name: str = "",
    expires_at: datetime.datetime | None = None,
    scope: str = ApiKey.Scope.WRITE,
    project_id: int | None = None,
    by: User | None = None,
) -> tuple[ApiKey, str]:
    """Return (key row, plaintext); the plaintext is stored nowhere. Raises InvalidAccount.

    `project_id` limits the key to one project, which callers know to be visible to the user.
    """
    if scope not in ApiKey.Scope.values:
        raise InvalidAccount(
            "scope", "unknown_key_scope", value=_shown(scope), allowed=", ".join(ApiKey.Scope.values)
        )
    if expires_at is not None and expires_at <= timezone.now():
        raise InvalidAccount("expires", "past_expiry", value=expires_at.date())
    shown_name = _clean_name(name, "key", MAX_KEY_NAME_LENGTH) if name.strip() else "key"
    key, plaintext = ApiKey.objects.create_key(
        name=shown_name, user=user, expiry_date=expires_at, scope=scope, project_id=project_id
    )
    assert isinstance(key, ApiKey)
    audit.record(
        by, "key.created", f"key {key.prefix}", user=user.email, scope=scope, only_project=project_id
    )
    return key, plaintext


@transaction.atomic
def revoke_key(prefix: str, *, owner: User | None = None, by: User | None = None) -> ApiKey:
    """Revoke the key with this prefix permanently; only a key of `owner`, if given. Raises NoSuchAccount."""
    keys = list_keys(owner).filter(prefix=prefix) if is_storable(prefix) else ApiKey.objects.none()
    key = keys.first()
    if key is None:
        raise NoSuchAccount("prefix", "unknown_key", value=_shown(prefix))
    if not key.revoked:
        key.revoked = True
        key.save(update_fields=["revoked"])
        audit.record(by, "key.revoked", f"key {key.prefix}", user=key.user.email)
    return key


def list_keys(user: User | None = None) -> QuerySet[ApiKey]:
    """Return the keys of the user, or all, oldest first; revoked and expired ones too."""
    keys = ApiKey.objects.select_related("user").order_by("created", "prefix")
    return keys.filter(user=user) if user is not None else keys


def _require_password(password: str) -> None:
    if not password:
        raise InvalidAccount("password", "empty_password")
    if not is_storable(password):
        raise InvalidAccount("password", "unstorable_password")


def _clean_name(value: str, what: str, longest: int) -> str:
    name = " ".join(value.split())
    if not name:
        raise InvalidAccount("name", f"blank_{what}_name")
    if len(name) > longest:
        raise InvalidAccount("name", f"long_{what}_name", most=longest, count=len(name))
    if not is_storable(name):
        raise InvalidAccount("name", "unstorable_name", value=_shown(name))
    return name


def _shown(value: object) -> str:
    return str(value)[:80].encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
