"""Who is asking: an API key or a session.

Rules: docs/api.md, "Authentication". The key comes first, so that a header that
is not one live key is refused even where a good session cookie comes along.
"""

import re

from django.contrib.auth import SESSION_KEY, get_user_model
from django.utils import timezone
from rest_framework import authentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from callscope.accounts import keys
from callscope.accounts.models import User

# Exactly one space, both halves. Checked before the database sees a byte of the header.
KEY_HEADER = re.compile(r"Api-Key (?P<key>(?P<prefix>[A-Za-z0-9]{8})\.[A-Za-z0-9]{32})")
REFUSED = (
    "The Authorization header is not one valid, live API key. "
    'Send "Api-Key <prefix>.<secret>" with exactly one space after "Api-Key".'
)
INACTIVE = "This user is inactive."


class ApiKeyAuthentication(authentication.BaseAuthentication):
    """`Authorization: Api-Key <prefix>.<secret>`; the request then acts as the key's owner."""

    def authenticate(self, request: Request) -> tuple[User, str] | None:
        """Return the owner and the key's prefix; None without the header.

        Raises PermissionDenied for every header that is not one live key of an active user.
        """
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        match = KEY_HEADER.fullmatch(header)
        if not match:
            raise PermissionDenied(REFUSED)
        owner = keys.owner_of(match["prefix"], match["key"], now=timezone.now())
        if owner is None:
            raise PermissionDenied(REFUSED)
        if not owner.is_active:
            raise PermissionDenied(INACTIVE)
        return owner, match["prefix"]

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme for the 401 of a request without credentials."""
        return "Api-Key"


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session cookie; unsafe methods need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        """Return the signed-in user; None without a session.

        Raises PermissionDenied for a session of a user who has become inactive,
        and for an unsafe method without CSRF token.
        """
        found: tuple[User, None] | None = super().authenticate(request)
        if found is None:
            self._refuse_inactive(request)
        return found

    def _refuse_inactive(self, request: Request) -> None:
        """Tell an inactive user from nobody: Django's backend drops both to anonymous."""
        session = getattr(request._request, "session", None)
        user_id = session.get(SESSION_KEY) if session is not None else None
        if user_id is not None and get_user_model().objects.filter(pk=user_id, is_active=False).exists():
            raise PermissionDenied(INACTIVE)
