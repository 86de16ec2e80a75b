"""The events that a person may see, newest first, by kind, person, project, call and day.

Owners see the events of the projects they manage; of an event about several projects they see
their own. Administrators of the instance see all: events hold no content.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from django.db.models import Exists, OuterRef, Q, QuerySet

from callscope.accounts.models import AuditEvent, AuditEventProject, User

Kind = Literal[
    "sign_ins",
    "refusals",
    "reads",
    "exports",
    "engines",
    "erasures",
    "operation",
    "changes",
    "settings",
    "reviews",
    "people",
    "sharing",
    "others",
]

CHANGES: tuple[Kind, ...] = (
    "changes",
    "settings",
    "reviews",
    "people",
    "sharing",
    "others",
)  # all, and parts
SHARES = (
    "project.shared",
    "project.unshared",
    "project.left",
    "invitation.created",
    "invitation.accepted",
    "invitation.declined",
    "invitation.withdrawn",
)
# An action may be of several kinds.
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
    "changes": (),  # all that are of no kind above
    "settings": (
        "project.created",
        "project.configured",
        "project.renamed",
        "project.replayed",
        "project.replay_stopped",
        "project.probed",
        "project.probe_stopped",
        "project.rescored",
        "organization.logo_set",
        "organization.named",
    ),
    "reviews": (
        "review.created",
        "review.changed",
        "review.submitted",
        "review.withdrawn",
        "review.acknowledged",
        "appeal.filed",
        "appeal.accepted",
        "appeal.refused",
        "appeal.withdrawn",
        "calibration.opened",
        "calibration.closed",
        "calibration.settled",
        "sample.drawn",
        "sample.withdrawn",
        "sampling_plan.created",
        "sampling_plan.changed",
        "sampling_plan.ended",
        "note.created",
        "note.changed",
        "note.removed",
    ),
    "people": (
        *SHARES,
        "project.moved",
        "project.team_changed",
        "agent.linked",
        "agent.unlinked",
        "key.created",
        "key.revoked",
        "team.admin_set",
        "team.created",
        "team.deleted",
        "team.member_added",
        "team.member_removed",
        "team.renamed",
        "user.activated",
        "user.created",
        "user.deactivated",
        "user.email_changed",
        "user.identity_linked",
        "user.password_changed",
        "user.password_link_sent",
        "user.password_reset",
        "user.password_set",
        "user.quota_set",
        "user.recovery_code_used",
        "user.recovery_codes_made",
        "user.second_factor_added",
        "user.second_factor_removed",
        "audit.pseudonymized",
    ),
    "sharing": (
        *SHARES,
        "share_link.created",
        "share_link.opened",
        "share_link.played",
        "share_link.revoked",
        "report_mail.started",
        "report_mail.ended",
        "report.mailed",
    ),
    "others": (),  # all that are of no kind at all: calls, files and contact reasons
}
KINDS: tuple[Kind, ...] = tuple(ACTIONS)


@dataclass(frozen=True, slots=True)
class AuditFilters:
    """What a page asks for; None stands for everything."""

    kind: Kind | None = None
    actor_ids: Collection[int] | None = None  # who did it; of nobody there is nothing
    project_id: int | None = None
    call_id: int | None = None
    file_ids: Collection[int] = ()  # of that call
    start_at: dt.datetime | None = None
    end_at: dt.datetime | None = None  # not included


def find_events(managed: Iterable[int] | None, filters: AuditFilters) -> QuerySet[AuditEvent]:
    """Return the events of these projects, newest first; None stands for every event of the instance."""
    events = AuditEvent.objects.filter(number__isnull=False).order_by("-number")
    if managed is not None or filters.project_id is not None:
        events = events.filter(pk__in=_rows_of(managed, filters.project_id).values("event"))
    if filters.kind in ("changes", "others"):
        parts = CHANGES if filters.kind == "changes" else ()
        named = [name for kind, names in ACTIONS.items() if kind not in parts for name in names]
        events = events.exclude(action__in=named)
    elif filters.kind is not None:
        events = events.filter(action__in=ACTIONS[filters.kind])
    if filters.actor_ids is not None:
        # What was refused before anybody was signed in has no actor, but may name the user.
        about = Q(actor__isnull=True, subject__in=[f"user {each}" for each in filters.actor_ids])
        events = events.filter(Q(actor__in=filters.actor_ids) | about)
    if filters.call_id is not None:
        subjects = [f"call {filters.call_id}", *(f"file {each}" for each in filters.file_ids)]
        events = events.filter(Q(subject__in=subjects) | Q(detail__call=filters.call_id))
    if filters.start_at is not None:
        events = events.filter(at__gte=filters.start_at)
    if filters.end_at is not None:
        events = events.filter(at__lt=filters.end_at)
    return events


def find_actors(managed: Iterable[int] | None) -> dict[int, str]:
    """Return id → e-mail of the users who did something in these projects; None: of all users.

    Who was erased is in neither.
    """
    if managed is None:
        return dict(User.objects.values_list("pk", "email"))
    # A user at a time, by the index of actors, is done at the first event found: sorting out all is slow.
    seen = Exists(_rows_of(managed).filter(event=OuterRef("pk")))
    acted = Exists(AuditEvent.objects.filter(seen, actor=OuterRef("pk"), number__isnull=False))
    return dict(User.objects.filter(acted).values_list("pk", "email"))


def _rows_of(managed: Iterable[int] | None, project_id: int | None = None) -> QuerySet[AuditEventProject]:
    rows = AuditEventProject.objects.all()
    if managed is not None:
        rows = rows.filter(project_id__in=list(managed))
    return rows if project_id is None else rows.filter(project_id=project_id)


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
