"""Who is signed in where, and when that ends: after a while of silence, at the latest half a day on.

CALLSCOPE_SESSION_IDLE_MINUTES and CALLSCOPE_SESSION_HOURS say how long. The table holds hashes of the
keys that browsers send: who reads it, or a backup of the disk, can sign in as nobody.
"""

import datetime as dt
import hashlib

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import CreateError, UpdateError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from callscope.accounts.models import Session, User
from callscope.db.transactions import write_unless_busy

NOTE_EVERY_S = 60.0  # that a session is in use; a write at each request would cost more than most pages


class SessionStore(db.SessionStore):
    """Django's sessions in the database, under hashed keys and with an end that no request moves."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """Return the model of our table."""
        return Session

    def _get_session_from_db(self) -> Session | None:
        now = timezone.now()
        row = live_sessions(now=now).filter(session_key=hash_key(self.session_key or "")).first()
        if row is None:
            self._session_key = None
        elif (now - row.latest_at).total_seconds() >= NOTE_EVERY_S:
            write_unless_busy(lambda: Session.objects.filter(pk=row.pk).update(latest_at=now))
        return row

    def exists(self, session_key: str) -> bool:
        """Return whether there is a session with this key, live or not."""
        return Session.objects.filter(session_key=hash_key(session_key)).exists()

    def save(self, must_create: bool = False) -> None:
        """Store what the session holds. Raises CreateError for a taken key, UpdateError for an ended one."""
        if self.session_key is None:
            self.create()
            return
        # A new session has nothing to load, but may have been given something.
        data = dict(getattr(self, "_session_cache", {}) if must_create else self.items())
        fields = {"session_data": self.encode(data), "user_id": data.get(SESSION_KEY)}
        key, now = hash_key(self.session_key), timezone.now()
        if not must_create:
            if not Session.objects.filter(session_key=key).update(latest_at=now, **fields):
                raise UpdateError
            return
        end = now + dt.timedelta(seconds=settings.SESSION_COOKIE_AGE)
        try:
            with transaction.atomic():
                Session.objects.create(
                    session_key=key, created_at=now, latest_at=now, expire_date=end, **fields
                )
        except IntegrityError:
            raise CreateError from None

    def delete(self, session_key: str | None = None) -> None:
        """End this session, or the one with this key."""
        key = session_key or self.session_key
        if key:
            Session.objects.filter(session_key=hash_key(key)).delete()


def hash_key(session_key: str) -> str:
    """Return what the table holds in place of a key, which is random enough to need no salt."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:40]


def live_sessions(*, now: dt.datetime) -> QuerySet[Session]:
    """Return the sessions that still count."""
    used_since = now - dt.timedelta(minutes=settings.ENVIRONMENT.session_idle_minutes)
    return Session.objects.filter(expire_date__gt=now, latest_at__gt=used_since)


def find_user_id(session_key: str, *, now: dt.datetime) -> int | None:
    """Return whose live session this is; None where it is nobody's, or of a user who is deactivated."""
    live = live_sessions(now=now).filter(session_key=hash_key(session_key), user__is_active=True)
    user_id: int | None = live.values_list("user_id", flat=True).first()
    return user_id


def list_sessions(user: User, *, now: dt.datetime) -> list[Session]:
    """Return the user's live sessions, the one used latest first."""
    return list(live_sessions(now=now).filter(user=user).order_by("-latest_at", "session_key"))


def end_session(user: User, pk: str) -> bool:
    """End the user's session of this row; False if there is none."""
    return bool(Session.objects.filter(user=user, pk=pk).delete()[0])


def end_other_sessions(user: User, session_key: str) -> None:
    """End all sessions of the user but the one with this key."""
    Session.objects.filter(user=user).exclude(pk=hash_key(session_key)).delete()


def describe_session(session_key: str, *, address: str, browser: str) -> None:
    """Note where a session began, for its user to know it again."""
    Session.objects.filter(session_key=hash_key(session_key)).update(
        address=address[:45], browser=name_browser(browser)
    )


def forget_ended(*, now: dt.datetime) -> int:
    """Delete the sessions that have ended; return how many."""
    live = live_sessions(now=now).values("pk")
    return Session.objects.exclude(pk__in=live).delete()[0]


# The first that occurs counts: most browsers also name those before them.
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = {
    "iPhone": "iPhone", "iPad": "iPad", "Android": "Android", "Windows": "Windows", "Mac OS": "macOS",
    "Linux": "Linux",
}  # fmt: skip


def name_browser(user_agent: str) -> str:
    """Return such as "Firefox, Linux"; "" for what is neither known as browser nor as system."""
    named = [
        next((name for sign, name in names.items() if sign in user_agent), "")
        for names in (BROWSERS, SYSTEMS)
    ]
    return ", ".join(filter(None, named))
