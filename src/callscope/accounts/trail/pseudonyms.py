"""Take a person's e-mail out of the audit trail without breaking its chain.

The content of an event changes and its digest stays, so the events behind it still fit. An event
at the end of the chain says which contents were replaced, with the digest of each new one:
audit.verify_chain() accepts exactly these.
"""

from typing import Any

from django.db.models import Q

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent, User
from callscope.db.chunks import chunked

EMAIL_CHANGED = "user.email_changed"  # its detail: the e-mail before, and the new one
AT_ONCE = 500  # replaced contents that one event names


def list_former_emails(user: User) -> list[str]:
    """Return the e-mails that the user had before, without those that somebody has now."""
    events = AuditEvent.objects.filter(action=EMAIL_CHANGED, subject=f"user {user.pk}")
    former = {detail["former"] for detail in events.values_list("detail", flat=True)}
    return sorted(former - set(User.objects.filter(email__in=former).values_list("email", flat=True)))


def replace_email(email: str, user_id: int, by: User | None) -> list[AuditEvent]:
    """Put "user 7" in the place of an e-mail in every event; return the events that say so.

    Call it in the transaction of the erasure, before its own event: the chain is held from here.
    """
    audit.lock_head()
    replaced: list[tuple[int, str]] = []
    # A database may keep letters beyond ASCII escaped inside JSON.
    escaped = email.encode("ascii", "backslashreplace").decode().replace("\\x", "\\u00")
    naming = AuditEvent.objects.filter(Q(detail__icontains=email) | Q(detail__icontains=escaped))
    for event in naming.order_by("number").iterator(chunk_size=500):
        detail = _replace(event.detail, email, f"user {user_id}")
        if detail != event.detail and event.number is not None:
            event.detail = detail
            event.save(update_fields=["detail"])
            replaced.append((event.number, audit.digest_content(event)))
    return [
        audit.record(by, audit.PSEUDONYMIZED, f"user {user_id}", contents=dict(portion))
        for portion in chunked([(str(number), digest) for number, digest in replaced], AT_ONCE)
    ]


def _replace(value: Any, email: str, pseudonym: str) -> Any:
    """Return the value with the pseudonym for every text that is this e-mail."""
    if isinstance(value, dict):
        return {name: _replace(inner, email, pseudonym) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replace(inner, email, pseudonym) for inner in value]
    return pseudonym if isinstance(value, str) and value.lower() == email else value
