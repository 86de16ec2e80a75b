"""Note what happens without a change: reads, exports, calls of engines, refusals.

These are many, and anybody can cause refusals, so they go through the spool, and refusals of one
kind, person and subject count together for a minute. What is noted is in the chain seconds later.
"""

import json
import logging
import sqlite3
from collections.abc import Mapping
from typing import Any

from django.db import DatabaseError
from django.utils import timezone

from callscope.accounts.models import User
from callscope.accounts.trail import spool

MINUTE_S = 60.0
SUBJECTS_A_MINUTE = 20  # that a person's refusals name one by one
OTHERS = "other subjects"
UNKNOWN = "unknown user"

logger = logging.getLogger(__name__)


def note(actor: User | None, action: str, subject: str, **detail: Any) -> None:
    """Note one event; the arguments are those of audit.record()."""
    spool.add(_encode(actor, action, subject, detail))


def note_once(actor: User | None, action: str, subject: str, *, within_s: float, **detail: Any) -> None:
    """Note an event, unless the same person did the same with the same subject less than so long ago.

    People without an account, who have `actor` None, count as one.
    """
    now = timezone.now().timestamp()
    key = f"once:{actor.pk if actor else ''}:{action}:{subject}"
    spool.add_once(key, _encode(actor, action, subject, detail), now=now, until=now + within_s)


def note_refusal(actor: User | None, action: str, subject: str, **detail: Any) -> None:
    """Count a refusal. A refusal is not refused again because it could not be noted: then it is logged."""
    now = timezone.now().timestamp()
    minute = int(now // MINUTE_S)
    prefix = f"refused:{minute}:{actor.pk if actor else ''}:"
    try:
        if spool.count_keys(prefix) >= SUBJECTS_A_MINUTE:
            subject, detail = OTHERS, {}
        event = _encode(actor, action, subject, detail)
        spool.add_counted(f"{prefix}{action}:{subject}", event, until=(minute + 1) * MINUTE_S)
    except (DatabaseError, sqlite3.Error, OSError) as error:
        logger.warning("A refusal (%s, %s) could not be noted: %s", action, subject, error)


def note_refused_sign_in(email: str, action: str) -> None:
    """Count a sign-in that was refused: by user where the e-mail is known, else all together."""
    try:
        user_id = User.objects.filter(email=email[:254]).values_list("pk", flat=True).first()
    except (DatabaseError, ValueError):
        user_id = None
    note_refusal(None, action, f"user {user_id}" if user_id else UNKNOWN)


def _encode(actor: User | None, action: str, subject: str, detail: Mapping[str, object]) -> str:
    content = {
        "at": timezone.now().isoformat(),
        "actor": actor.pk if actor else None,
        "action": action,
        "subject": subject,
        "detail": detail,
    }
    return json.dumps(content, ensure_ascii=True)
