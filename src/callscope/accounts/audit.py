"""The audit trail: who did what to what, kept after both are gone."""

from typing import Any

from callscope.accounts.models import AuditEvent, User

MAX_SUBJECT_LENGTH = 255


def record(actor: User | None, action: str, subject: str, **detail: Any) -> AuditEvent:
    """Write one event, in the caller's transaction; `actor` None is the operator at the command line.

    `action` reads like "project.deleted", `subject` like "project 7"; `detail`
    holds JSON values and never a password, a key or a recording's words.
    """
    return AuditEvent.objects.create(
        actor=actor, action=action, subject=subject[:MAX_SUBJECT_LENGTH], detail=detail
    )
