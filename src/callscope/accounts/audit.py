"""The audit trail: who did what to what, kept after both are gone, as a chain of hashes.

Each event carries a digest of its own content and of the digest before it, so that an event which
is edited, removed or moved breaks every digest from there on. The head, the last digest, says
whether events are missing at the end; kept elsewhere, it also shows that a chain was rewritten.
Nothing here names customers, files or what was said.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from django.utils import timezone

from callscope.accounts.models import AuditEvent, AuditEventProject, AuditHead, User
from callscope.db.snapshot import snapshot
from callscope.db.transactions import run_in_transaction

MAX_SUBJECT_LENGTH = 255
MAX_BREAKS = 20  # that verify_chain() names; the first one says where to look
PSEUDONYMIZED = "audit.pseudonymized"  # says which contents were replaced, see trail/pseudonyms.py
CUT = "audit.cut"  # says up to which event old ones were removed, see trail/cutting.py
COLUMNS = ("number", "at", "actor_id", "action", "subject", "detail", "digest")


class EventContent(TypedDict):
    """What the digest of an event covers, besides the digest before it."""

    action: str
    actor: int | None
    at: str  # ISO 8601 in UTC, with microseconds
    detail: dict[str, object]
    number: int | None
    subject: str


class EventJson(EventContent):
    """A line of an export."""

    previous: str
    digest: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has no place in the chain yet."""

    at: dt.datetime
    actor_id: int | None
    action: str
    subject: str
    detail: dict[str, Any]


class Checkpoint(NamedTuple):
    """The last event that was cut off: the chain is verified from its digest on."""

    number: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What a check of the whole chain found."""

    events: int
    head: str  # the digest of the last event; "" in an empty chain
    problems: list[str]  # sentences; none if the chain is whole


def record(actor: User | None, action: str, subject: str, **detail: Any) -> AuditEvent:
    """Append one event, in the caller's transaction; `actor` None is the operator at the command line.

    `action` reads like "project.deleted", `subject` like "project 7"; `detail` holds texts, whole
    numbers, booleans and lists of them, and never a password, a key, a recording's words or the
    name of a file or a customer. Call it last: other writers wait from here to the commit.
    """

    draft = Draft(timezone.now(), actor.pk if actor else None, action, subject, detail)
    return run_in_transaction(lambda: append_events(lock_head(), [draft])[0])


def lock_head() -> AuditHead:
    """Return the head, held until the caller's transaction ends: writers take turns."""
    return AuditHead.objects.select_for_update().get_or_create(pk=1)[0]


def append_events(head: AuditHead, drafts: Iterable[Draft]) -> list[AuditEvent]:
    """Append events behind the head, which the caller has locked, and save it."""
    events = []
    for draft in drafts:
        event = AuditEvent(
            at=draft.at,
            actor_id=draft.actor_id,
            action=draft.action,
            subject=draft.subject[:MAX_SUBJECT_LENGTH],
            detail=draft.detail,
            number=head.number + 1,
        )
        event.digest = compute_digest(head.digest, event)
        head.number, head.digest = head.number + 1, event.digest
        events.append(event)
    created = AuditEvent.objects.bulk_create(events)
    AuditEventProject.objects.bulk_create(
        AuditEventProject(event=event, project_id=project_id)
        for event in created
        for project_id in sorted(find_projects(event.subject, event.detail))
    )
    head.save()
    return created


def find_projects(subject: str, detail: Mapping[str, Any]) -> set[int]:
    """Return the ids of the projects that an event is about, as its content names them."""
    kind, _, number = subject.partition(" ")
    named = [detail.get("project"), *detail.get("projects", [])]
    if kind == "project" and number.isdigit():
        named.append(int(number))
    return {each for each in named if isinstance(each, int)}


def event_json(event: AuditEvent, previous: str) -> EventJson:
    """Return an event as `callscope audit export` writes it; `previous` is the digest before it."""
    return {**_content_of(event), "previous": previous, "digest": event.digest}


def compute_digest(previous: str, event: AuditEvent) -> str:
    """Return the SHA-256 of the digest before this event and of its content as canonical JSON."""
    text = json.dumps(_content_of(event), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()


def digest_content(event: AuditEvent) -> str:
    """Return the SHA-256 of an event's content alone, by which a replaced content is known."""
    return compute_digest("", event)


def _content_of(event: AuditEvent) -> EventContent:
    return {
        "action": event.action,
        "actor": event.actor_id,
        "at": event.at.astimezone(dt.UTC).isoformat(timespec="microseconds"),
        "detail": event.detail,
        "number": event.number,
        "subject": event.subject,
    }


def find_cut() -> Checkpoint:
    """Return where old events were cut off; number 0 and no digest if none were."""
    events = AuditEvent.objects.filter(action=CUT, number__isnull=False).order_by("-number")
    detail = events.values_list("detail", flat=True).first()
    return Checkpoint(detail["through"], detail["digest"]) if detail else Checkpoint()


def iterate_events() -> Iterator[AuditEvent]:
    """Yield all events behind the latest cut in the order of the chain; those outside it come last."""
    events = AuditEvent.objects.only(*COLUMNS).order_by("number")
    yield from events.filter(number__gt=find_cut().number).iterator(chunk_size=2000)
    yield from AuditEvent.objects.filter(number__isnull=True).order_by("pk").iterator(chunk_size=2000)


def verify_chain(expected_head: str = "", *, until: int | None = None) -> ChainReport:
    """Recompute every digest behind the latest cut, or up to the event of the number `until`.

    An `expected_head`, one that was kept elsewhere, must still be in the chain or be the digest at which
    old events were cut off.
    """
    problems: list[str] = []
    with snapshot():
        last, previous = cut = find_cut()
        is_expected_found = expected_head in ("", cut.digest)
        replaced = _read_replaced_contents()
        for event in iterate_events():
            if until is not None and event.number is not None and event.number > until:
                return ChainReport(until - cut.number, previous, problems[:MAX_BREAKS])
            if event.number is None:
                problems.append(f"Event {event.pk} was inserted outside the chain.")
                continue
            if event.number != last + 1:
                problems.append(f"Events {last + 1} to {event.number - 1} are missing.")
            elif compute_digest(previous, event) != event.digest and replaced.get(
                str(event.number)
            ) != digest_content(event):
                problems.append(f"Event {event.number} is not what was written, or was moved.")
            previous, last = event.digest, event.number
            is_expected_found = is_expected_found or event.digest == expected_head
        head = AuditHead.objects.filter(pk=1).first() or AuditHead()
        events = AuditEvent.objects.exclude(number__lte=cut.number).count()
    if head.number > last:
        problems.append(f"Events {last + 1} to {head.number} are missing at the end.")
    elif (head.number, head.digest) != (last, previous):
        problems.append(f"The head names event {head.number}, the chain ends with event {last}.")
    if not is_expected_found:
        problems.append("The head that was kept elsewhere is not in the chain.")
    return ChainReport(events, previous, problems[:MAX_BREAKS])


def _read_replaced_contents() -> dict[str, str]:
    """Return number → digest of the contents that were replaced when a user was erased."""
    replaced: dict[str, str] = {}
    for detail in (
        AuditEvent.objects.filter(action=PSEUDONYMIZED, number__isnull=False)
        .order_by("number")
        .values_list("detail", flat=True)
    ):
        replaced.update(detail["contents"])
    return replaced
