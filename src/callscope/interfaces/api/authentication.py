"""Authenticate the caller: an API key or a session.

Rules: docs/api.md, "Authentication". The key comes first, so that a header that
is not one live key is refused even where a good session cookie comes along.
"""

from django.contrib.auth import SESSION_KEY
from django.utils import timezone
from rest_framework import authentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from callscope.accounts import keys, second_factor_policy
from callscope.accounts.models import User

REFUSED = (
    "The Authorization header is not one valid, live API key. "
    'Send "Api-Key <prefix>.<secret>" with exactly one space after "Api-Key".'
)
READ_ONLY = "The scope of this API key is read: it may send GET, HEAD and OPTIONS, not {method}."
NO_SECOND_FACTOR = "This server asks for a second factor, and this session has shown none. Open any page."
INACTIVE = "This user is inactive."


class ApiKeyAuthentication(authentication.BaseAuthentication):
    """`Authorization: Api-Key <prefix>.<secret>`; the request then acts as the key's owner."""

    def authenticate(self, request: Request) -> tuple[User, str] | None:
        """Return the owner and the key's prefix; None without the header.

        Raises PermissionDenied for every header that is not one live key of an active user, and
        for a key of scope read that is to change something.
        """
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        match = keys.KEY_HEADER.fullmatch(header)
        if not match:
            raise PermissionDenied(REFUSED)
        owner = keys.find_owner(match["prefix"], match["key"], now=timezone.now())
        if owner is None:
            raise PermissionDenied(REFUSED)
        if not owner.is_active:
            raise PermissionDenied(INACTIVE)
        if owner.key_is_read_only and request.method not in SAFE_METHODS:
            raise PermissionDenied(READ_ONLY.format(method=request.method))
        return owner, match["prefix"]

    def authenticate_header(self, request: Request) -> str:
        """Return the scheme for the 401 of a request without credentials."""
        return "Api-Key"


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session cookie; unsafe methods need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        """Return the signed-in user; None without a session.

        Raises PermissionDenied for a session of a user who has become inactive or still
        owes a second factor, and for an unsafe method without CSRF token.
        """
        authenticated: tuple[User, None] | None = super().authenticate(request)
        if authenticated is None:
            # Django's backend makes an inactive user anonymous; here that is a 403 and not a 401.
            session = getattr(request._request, "session", None)
            user_id = session.get(SESSION_KEY) if session is not None else None
            if user_id is not None and User.objects.filter(pk=user_id, is_active=False).exists():
                raise PermissionDenied(INACTIVE)
        elif second_factor_policy.is_missing(request._request.session):
            raise PermissionDenied(NO_SECOND_FACTOR)
        return authenticated
