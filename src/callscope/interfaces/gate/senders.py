"""Find out who sends a body, before it is read: whose live key or session comes with it.

Only the gate's shares of threads depend on the answer. What a sender may do is decided
again behind the gate, at every request.
"""

import hashlib
import re
import threading
import time

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from callscope.accounts import keys, sessions
from callscope.interfaces.gate.body_shares import Environ

REMEMBERED_S = 30.0  # senders of many small bodies are asked for once in a while
MOST_REMEMBERED = 4096

_remembered: dict[bytes, tuple[float, int]] = {}
_lock = threading.Lock()


def find_user(environ: Environ) -> int | None:
    """Return the id of the user whose live key or session comes along; None for everybody else.

    None, too, while the database cannot be asked: a sender is a stranger until it can.
    """
    credentials = _read_credentials(environ)
    if credentials is None:
        return None
    digest = hashlib.sha256("\n".join(credentials).encode()).digest()
    until_s, user_id = _remembered.get(digest, (0.0, 0))
    if time.monotonic() < until_s:
        return user_id
    found = _ask_database(*credentials)
    if found is not None:
        with _lock:
            if len(_remembered) >= MOST_REMEMBERED:
                _remembered.clear()
            _remembered[digest] = time.monotonic() + REMEMBERED_S, found
    return found


def _read_credentials(environ: Environ) -> tuple[str, str] | None:
    """Return what kind of credentials come along, and the text of them."""
    header = environ.get("HTTP_AUTHORIZATION")
    if header is not None:  # a session counts for nothing next to it
        return ("key", header) if keys.KEY_HEADER.fullmatch(header) else None
    cookie = re.search(
        rf"(?:^|; ?)(?:__Host-)?{settings.SESSION_COOKIE_NAME}=([a-z0-9]{{32}})(?:;|$)",
        environ.get("HTTP_COOKIE", ""),
    )
    return ("session", cookie[1]) if cookie else None


def _ask_database(kind: str, credentials: str) -> int | None:
    try:
        if not connection.in_atomic_block:  # as in a test
            # As Django does before a request: a broken one is opened again.
            connection.close_if_unusable_or_obsolete()
        now = timezone.now()
        if kind == "session":
            return sessions.find_user_id(credentials, now=now)
        match = keys.KEY_HEADER.fullmatch(credentials)
        owner = keys.find_owner(match["prefix"], match["key"], now=now) if match else None
        return owner.pk if owner is not None and owner.is_active else None
    except Error:
        return None
