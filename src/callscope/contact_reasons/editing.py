"""What people change in the contact reasons of a project: names, order, which call belongs where.

Each function runs in the caller's transaction under the project's lock, records the change
(`history`) and returns the ids of the calls that are shown differently from then on.
"""

from collections.abc import Collection, Mapping
from typing import Any

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.contact_reasons import reviewed
from callscope.contact_reasons.hierarchy import remove_empty_headings
from callscope.contact_reasons.history import ReasonConflict, Recording
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.db.chunks import chunked
from callscope.db.limits import is_storable
from callscope.messages.message import Message, MessageError
from callscope.processes import crash_points
from callscope.projects.models import Project

BATCH = 2000  # rows a statement
MAX_NAME = 255
MAX_DESCRIPTION = 2000


class InvalidReason(MessageError):
    """A reason cannot be changed like this; str() is one sentence, `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


def edit_reason(reason: ContactReason, values: Mapping[str, Any], by: User | None) -> list[int]:
    """Change name, description, parent (an id or None), is_set_aside and is_pinned, those that are given.

    A name that a person gave lasts. Raises InvalidReason and ReasonConflict.
    """
    recording = Recording(reason.project, [])
    if "name" in values:
        name = _clean_name(reason.project, values["name"], besides=reason.pk)
        if name != reason.name:
            _require_open_ended(reason.project)
            reason.name, reason.renamed, reason.provisional_until = name, True, None
            reason.named_by_model = False
    if "description" in values:
        reason.description = _clean_description(values["description"])
    if "parent" in values:
        _place_under(reason, values["parent"])
    for flag in ("is_set_aside", "is_pinned"):
        if flag in values:
            setattr(reason, flag, bool(values[flag]))
    if reason.is_pinned:
        reason.provisional_until = None
    reason.save()
    remove_empty_headings(reason.project)
    return recording.store(ReasonChange.Kind.EDITED, by)


def merge_reasons(into: ContactReason, merged: Collection[ContactReason], by: User | None) -> list[int]:
    """Move all calls of some reasons into one, where they stay, and delete those reasons.

    Raises InvalidReason where `into` is among them or they are of another project.
    """
    project = into.project
    _require_open_ended(project)
    for reason in merged:
        if reason.pk == into.pk:
            raise InvalidReason("from", "reason_into_itself", value=reason.pk)
        if reason.project_id != project.pk:
            raise InvalidReason("from", "unknown_reason", value=reason.pk)
    if not merged:
        raise InvalidReason("from", "no_reasons")
    ids = [reason.pk for reason in merged]
    calls = list(CallReason.objects.filter(reason__in=ids).values_list("call_id", flat=True))
    recording = Recording(project, calls)
    _place(project, calls, into)
    reviewed.follow_merge(project, ids, into)
    if into.parent_id in ids:
        into.parent = None
        into.save(update_fields=["parent"])
    children = ContactReason.objects.filter(parent__in=ids).exclude(pk__in=[into.pk, *ids])
    children.update(parent=into if into.parent_id is None else None, is_placed=True)
    _settle(into)
    ContactReason.objects.filter(pk__in=ids).delete()
    remove_empty_headings(project)
    return recording.store(ReasonChange.Kind.MERGED, by)


def split_reason(
    reason: ContactReason, call_ids: Collection[int], name: str, by: User | None
) -> tuple[ContactReason, list[int]]:
    """Move some calls of a reason into a new one, where they stay; return it and the calls.

    Raises InvalidReason where a call is not of this reason, or none would be left in it.
    """
    project = reason.project
    _require_open_ended(project)
    name = _clean_name(project, name)
    held = set(CallReason.objects.filter(reason=reason).values_list("call_id", flat=True))
    foreign = sorted(set(call_ids) - held)
    if not call_ids:
        raise InvalidReason("call_ids", "no_calls")
    if foreign:
        raise InvalidReason("call_ids", "call_not_of_reason", value=foreign[0], reason_id=reason.pk)
    if len(set(call_ids)) == len(held):
        raise InvalidReason("call_ids", "split_takes_all", value=reason.pk)
    recording = Recording(project, call_ids)
    new = ContactReason.objects.create(project=project, name=name, renamed=True, parent_id=reason.parent_id)
    _place(project, call_ids, new)
    retired = reviewed.retire_moved(call_ids)
    _settle(reason)
    return new, recording.store(ReasonChange.Kind.SPLIT, by, retired=retired)


def move_calls(into: ContactReason, call_ids: Collection[int], by: User | None) -> list[int]:
    """Move calls of the project into a reason, where they stay. Raises InvalidReason for other calls."""
    project = into.project
    if not call_ids:
        raise InvalidReason("call_ids", "no_calls")
    known: set[int] = set()
    for chunk in chunked(sorted(set(call_ids)), BATCH):
        # Only calls in the reports have a reason.
        live = Call.objects.filter(project=project, pk__in=chunk, analyses__is_live=True)
        known.update(live.values_list("pk", flat=True))
    foreign = sorted(set(call_ids) - known)
    if foreign:
        raise InvalidReason("call_ids", "call_not_in_project", value=foreign[0], project=project.pk)
    recording = Recording(project, call_ids)
    _place(project, call_ids, into)
    retired = reviewed.retire_moved(call_ids)
    _settle(into)
    return recording.store(ReasonChange.Kind.MOVED, by, retired=retired)


def _place(project: Project, call_ids: Collection[int], reason: ContactReason) -> None:
    for chunk in chunked(sorted(set(call_ids)), BATCH):
        CallReason.objects.filter(call__in=chunk).delete()
        CallReason.objects.bulk_create(
            CallReason(call_id=call, project=project, reason=reason, is_fixed=True) for call in chunk
        )
    crash_points.reach_point("edit_calls")


def _settle(reason: ContactReason) -> None:
    """Keep a reason that a person worked on over the next regrouping. With calls it is no heading."""
    reason.provisional_until = reason.retired_at = None
    reason.is_heading = reason.is_heading and not reason.calls.exists()
    reason.save(update_fields=["provisional_until", "retired_at", "is_heading"])


def _require_open_ended(project: Project) -> None:
    """Raise ReasonConflict for predefined codes: their names stand in the settings."""
    if project.configuration.contact_reasons.mode == "predefined":
        raise ReasonConflict(Message("reasons_are_codes", value=project.pk))


def _clean_name(project: Project, text: str, *, besides: int = 0) -> str:
    name = " ".join(text.split())
    if not name or len(name) > MAX_NAME or not name.isprintable() or not is_storable(name):
        raise InvalidReason("name", "invalid_reason_name", value=name[:80], most=MAX_NAME)
    names = ContactReason.objects.filter(project=project).exclude(pk=besides).values_list("name", flat=True)
    if name.casefold() in map(str.casefold, names):
        raise InvalidReason("name", "reason_name_taken", value=name)
    return name


def _clean_description(text: str) -> str:
    text = text.strip()
    if not is_storable(text):
        raise InvalidReason("description", "unstorable_reason_text")
    if len(text) > MAX_DESCRIPTION:
        raise InvalidReason("description", "long_reason_description", most=MAX_DESCRIPTION, count=len(text))
    return text


def _place_under(reason: ContactReason, parent_id: int | None) -> None:
    """Set the parent of a reason, where both stay from then on. Raises InvalidReason."""
    if parent_id == reason.parent_id:
        return
    reason.parent = _find_parent(reason, parent_id)
    reason.is_placed, reason.provisional_until = True, None
    if reason.parent is not None:
        ContactReason.objects.filter(pk=reason.parent.pk).update(provisional_until=None)


def _find_parent(reason: ContactReason, parent_id: int | None) -> ContactReason | None:
    """Return the reason of this id; two levels at most."""
    if parent_id is None:
        return None
    parent = ContactReason.objects.filter(project=reason.project_id, pk=parent_id).first()
    if parent is None or parent.pk == reason.pk:
        raise InvalidReason("parent", "unknown_reason", value=parent_id)
    if parent.parent_id is not None or reason.children.exists():
        raise InvalidReason("parent", "reasons_too_deep", value=parent_id)
    return parent
