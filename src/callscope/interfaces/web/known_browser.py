"""Remember in a browser who signed in with it, so that wrong passwords from elsewhere do not count there."""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from callscope.accounts.sign_in_limits import KNOWN_FOR, fold_email, name_origin

COOKIE = "callscope_browser"
SALT = "callscope.browser"


def find_origin(request: HttpRequest, email: str) -> str:
    """Return what counts as one origin of passwords for this e-mail: the known browser, or the address."""
    try:
        value = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KNOWN_FOR)
        token, mark = value["token"], value["mark"]
    except (signing.BadSignature, KeyError, TypeError):
        return name_origin(request.META.get("REMOTE_ADDR", ""))
    if not constant_time_compare(mark, _mark(email)):
        return name_origin(request.META.get("REMOTE_ADDR", ""))
    return f"browser {token}"


def remember(response: HttpResponse, email: str) -> str:
    """Set the cookie of a browser that has signed in; return its origin."""
    token = secrets.token_urlsafe(16)
    value = signing.dumps({"token": token, "mark": _mark(email)}, salt=SALT)
    response.set_cookie(
        COOKIE,
        value,
        max_age=KNOWN_FOR,
        path=settings.SESSION_COOKIE_PATH,
        httponly=True,
        samesite="Lax",
    )
    return f"browser {token}"


def _mark(email: str) -> str:
    """Return what tells one e-mail from another without naming it."""
    return salted_hmac(SALT, fold_email(email), algorithm="sha256").hexdigest()
