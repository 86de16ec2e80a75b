"""The events that a person may see, newest first, by kind, person, project and day.

Owners see the events of the projects they manage; of an event about several projects they see
their own. Administrators of the instance see all: events hold no content.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from django.db.models import Q, QuerySet

from callscope.accounts.models import AuditEvent, AuditEventProject

Kind = Literal["sign_ins", "refusals", "reads", "exports", "engines", "erasures", "operation", "changes"]

ACTIONS: dict[Kind, tuple[str, ...]] = {
    "sign_ins": ("user.signed_in", "user.signed_out", "sign_in.failed", "sign_in.locked", "password.refused"),
    "refusals": ("access.refused", "key.refused", "sign_in.failed", "sign_in.locked", "password.refused"),
    "reads": (
        "call.read",
        "transcript.read",
        "recording.played",
        "file.read",
        "share_link.opened",
        "share_link.played",
    ),
    "exports": ("table.exported", "report.printed", "calls.exported", "audit.exported"),
    "engines": ("engine.called",),
    "erasures": (
        "file.deleted",
        "call.erased",
        "calls.erased",
        "caller.erased",
        "agent.erased",
        "project.deleted",
        "user.erased",
        "retention.applied",
        "audit.cut",
    ),
    "operation": ("backup.created", "backup.restored", "calls.imported"),
    "changes": (),  # all others
}
KINDS: tuple[Kind, ...] = tuple(ACTIONS)


@dataclass(frozen=True, slots=True)
class AuditFilters:
    """What a page asks for; None stands for everything."""

    kind: Kind | None = None
    actor_id: int | None = None
    project_id: int | None = None
    start_at: dt.datetime | None = None
    end_at: dt.datetime | None = None  # not included


def find_events(managed: Iterable[int] | None, filters: AuditFilters) -> QuerySet[AuditEvent]:
    """Return the events of these projects, newest first; None stands for every event of the instance."""
    events = AuditEvent.objects.filter(number__isnull=False).order_by("-number")
    rows = AuditEventProject.objects.all()
    if managed is not None:
        rows = rows.filter(project_id__in=list(managed))
    if filters.project_id is not None:
        rows = rows.filter(project_id=filters.project_id)
    if managed is not None or filters.project_id is not None:
        events = events.filter(pk__in=rows.values("event"))
    if filters.kind == "changes":
        events = events.exclude(action__in=[name for names in ACTIONS.values() for name in names])
    elif filters.kind is not None:
        events = events.filter(action__in=ACTIONS[filters.kind])
    if filters.actor_id is not None:
        # What was refused before anybody was signed in has no actor, but may name the user.
        about = Q(actor__isnull=True, subject=f"user {filters.actor_id}")
        events = events.filter(Q(actor=filters.actor_id) | about)
    if filters.start_at is not None:
        events = events.filter(at__gte=filters.start_at)
    if filters.end_at is not None:
        events = events.filter(at__lt=filters.end_at)
    return events


def hide_other_projects(events: Iterable[AuditEvent], managed: Iterable[int] | None) -> Iterator[AuditEvent]:
    """Yield the events as managers of these projects may see them; they are not to be saved."""
    known = None if managed is None else set(managed)
    for event in events:
        if known is not None and "projects" in event.detail:
            event.detail = {
                **event.detail,
                "projects": [each for each in event.detail["projects"] if each in known],
            }
        yield event
