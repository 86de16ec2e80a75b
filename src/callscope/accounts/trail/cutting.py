"""Cut old events off the audit trail, so that what stays can still be verified.

A cut says in an event of its own up to which number it goes, and the digest of that event: from there
the rest of the chain is verified. Only whole stretches from the beginning are cut, up to the last
event before the first one that is young enough. What is cut is verified before.
"""

import datetime as dt

from django.conf import settings

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent, User
from callscope.db.transactions import run_in_transaction

EVENTS_AT_ONCE = 1000  # removed in one transaction
EVERY = dt.timedelta(days=1)


class DamagedTrail(Exception):
    """The events to be cut are not what was written; nothing is cut, so that they can be looked at."""


def cut_if_due(*, now: dt.datetime) -> int:
    """Cut by CALLSCOPE_AUDIT_DAYS where the latest cut is a day old; return how many events went.

    Also removes what an earlier cut was kept from removing. Raises DamagedTrail.
    """
    cut_lately = AuditEvent.objects.filter(action=audit.CUT, at__gt=now - EVERY).exists()
    if settings.AUDIT_DAYS is not None and not cut_lately:
        cut_events(settings.AUDIT_DAYS, now=now)
    return remove_cut_events()


def count_due_events(days: int, *, now: dt.datetime) -> int:
    """Return how many events a cut would remove now."""
    return _find_end(days, now) - audit.find_cut().number


def cut_events(days: int, *, now: dt.datetime, by: User | None = None) -> AuditEvent | None:
    """Cut the events that are older than so many days; return the event that says so, None without any.

    The events themselves go with remove_cut_events(). Raises DamagedTrail.
    """
    end = _find_end(days, now)
    if end <= audit.find_cut().number:
        return None
    problems = audit.verify_chain(until=end).problems
    if problems:
        raise DamagedTrail(problems[0])

    def cut() -> AuditEvent | None:
        audit.lock_head()
        start = audit.find_cut().number
        if end <= start:  # another process was faster
            return None
        digest = AuditEvent.objects.values_list("digest", flat=True).get(number=end)
        return audit.record(
            by, audit.CUT, "instance", through=end, digest=digest, events=end - start, days=days
        )

    return run_in_transaction(cut)


def remove_cut_events() -> int:
    """Remove the events up to the latest cut, in portions; return how many."""
    end, removed = audit.find_cut().number, 0
    while True:
        portion = list(
            AuditEvent.objects.filter(number__lte=end)
            .order_by("number")
            .values_list("pk", flat=True)[:EVENTS_AT_ONCE]
        )
        if not portion:
            return removed
        run_in_transaction(lambda portion=portion: AuditEvent.objects.filter(pk__in=portion).delete())  # type: ignore[misc]
        removed += len(portion)


def _find_end(days: int, now: dt.datetime) -> int:
    """Return the number of the last event before the first one that stays."""
    # By number and not by time alone: notes are chained some seconds after they were made.
    since = now - dt.timedelta(days=days)
    young = AuditEvent.objects.filter(at__gte=since, number__isnull=False).order_by("number")
    first = young.values_list("number", flat=True).first()
    if first is not None:
        return max(first - 1, audit.find_cut().number)
    last = (
        AuditEvent.objects.filter(number__isnull=False).order_by("-number").values_list("number", flat=True)
    )
    return last.first() or 0
