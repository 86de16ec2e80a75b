"""Which user an identity provider has signed in, and in which teams.

The subject decides once it is known; before, the e-mail, which the provider must call verified.
Nobody gets an account unless CALLSCOPE_OIDC_SIGN_UP names the domain or a group. The groups that
CALLSCOPE_OIDC_TEAMS names are followed at each sign-in; other teams stay as they are.
"""

import logging
from collections.abc import Collection, Mapping

from django.conf import settings
from django.db import transaction

from callscope.accounts import audit, services
from callscope.accounts.models import Identity, TeamMember, User

MAX_LENGTH = 255  # of issuer and subject
GROUP_PREFIX = "group:"

_log = logging.getLogger(__name__)


class Refused(Exception):
    """The provider has signed somebody in who may not enter; str() is for the log and names nobody."""


def is_set_up() -> bool:
    """True if people can sign in with an identity provider (CALLSCOPE_OIDC_URL)."""
    return bool(settings.ENVIRONMENT.oidc_url)


@transaction.atomic
def find_user(claims: Mapping[str, object]) -> User:
    """Return the user of these checked claims, with teams brought up to date. Raises Refused."""
    issuer, subject = str(claims["iss"]), claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_LENGTH:
        raise Refused("the subject is missing or too long")
    if claims.get("email_verified") is not True:
        raise Refused("the e-mail is not verified")
    found = claims.get(settings.ENVIRONMENT.oidc_groups_claim)
    groups = (
        frozenset(each for each in found if isinstance(each, str)) if isinstance(found, list) else frozenset()
    )
    identity = Identity.objects.filter(issuer=issuer, subject=subject).select_related("user").first()
    user = identity.user if identity else _link(issuer, subject, str(claims.get("email", "")), groups)
    if not user.is_active:
        raise Refused("the user is inactive")
    _follow_groups(user, groups)
    return user


def _link(issuer: str, subject: str, email: str, groups: Collection[str]) -> User:
    try:
        folded = services.clean_email(email)
    except services.InvalidAccount:
        raise Refused("the e-mail cannot be used") from None
    user = User.objects.filter(email=folded).first()
    if user is None:
        if not _may_sign_up(folded, groups):
            raise Refused("the e-mail has no account")
        user = services.create_user(folded)
    elif user.identities.filter(issuer=issuer).exists():
        raise Refused("the account belongs to another subject")
    Identity.objects.create(user=user, issuer=issuer, subject=subject)
    audit.record(user, "user.identity_linked", f"user {user.pk}", issuer=issuer)
    return user


def _may_sign_up(email: str, groups: Collection[str]) -> bool:
    allowed = settings.ENVIRONMENT.oidc_sign_up
    domain = email.rpartition("@")[2]
    return domain in {each.lower() for each in allowed} or any(
        GROUP_PREFIX + each in allowed for each in groups
    )


def _follow_groups(user: User, groups: Collection[str]) -> None:
    """Make the user a member or admin of the teams of these groups, and of no other team that has one."""
    as_admin: dict[int, bool] = {}  # of the teams that the user has a group of
    for group, team_id, is_admin in settings.ENVIRONMENT.oidc_teams:
        if group in groups:
            as_admin[team_id] = is_admin or as_admin.get(team_id, False)
    for team_id in sorted({each[1] for each in settings.ENVIRONMENT.oidc_teams}):
        try:
            team = services.find_team(team_id)
            member = TeamMember.objects.filter(team=team, user=user).first()
            if team_id in as_admin:
                services.add_team_member(team, user, admin=as_admin[team_id], by=user)
                services.set_team_admin(team, user, as_admin[team_id], by=user)
            elif member is not None:
                services.require_another_admin(team, user)
                services.remove_team_member(team, user, by=user)
        except services.InvalidAccount as error:
            _log.warning("A group of the identity provider was not followed: %s", error.message.code)
