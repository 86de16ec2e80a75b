"""The contact reasons of projects and their history, as people read them."""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

from django.db.models import Count, Min

from callscope.analysis.models import CallAnalysis
from callscope.contact_reasons import settings_change
from callscope.contact_reasons.history import Move, ReasonState, list_touched
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.contact_reasons.settings_change import SettingsChange
from callscope.db.snapshot import snapshot
from callscope.messages.message import Message


class StateChange(TypedDict):
    """A reason before and after a change: None where it was not there."""

    id: int
    before: ReasonState | None
    after: ReasonState | None


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """One reason with its calls; `parent` is the id of the reason above it."""

    id: int
    project: int
    name: str
    description: str
    parent: int | None
    calls: int
    first_seen: dt.datetime | None  # the first call's own time; None without calls
    is_set_aside: bool
    is_pinned: bool
    named_by: str  # "person", "model" or "topic"
    is_heading: bool  # over other reasons, without calls of its own
    calls_in_all: int  # its own, and those of the reasons under it


@dataclass(frozen=True, slots=True)
class ReasonCall:
    """One call of a reason, with the topic that its analysis found ("" if none)."""

    id: int
    file_name: str
    call_datetime: dt.datetime
    topic: str


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change of a project's reasons, and whether it can be undone now."""

    id: int
    project: int
    kind: str
    made_at: dt.datetime
    made_by: str | None  # e-mail; None: a regrouping, or a user who is gone
    reasons: list[StateChange]
    moves: list[Move]
    undone_at: dt.datetime | None
    undone_by: str | None
    can_undo: bool
    settings: SettingsChange | None  # what changed in them, where reasons became codes
    obstacle: Message | None  # what has to be done before it can be undone


def list_reasons(project_ids: Collection[int], *, reason_id: int | None = None) -> list[ReasonRow]:
    """Return the reasons of projects, those with most calls (with what is under them) first, then by name.

    Reasons that only wait for their calls to come back are left out. All is of the same moment.
    """
    with snapshot():
        return _read_reasons(project_ids, reason_id)


def _read_reasons(project_ids: Collection[int], reason_id: int | None) -> list[ReasonRow]:
    reasons = ContactReason.objects.filter(project__in=project_ids)
    reasons = reasons.filter(retired_at=None) if reason_id is None else reasons.filter(pk=reason_id)
    placed = CallReason.objects.filter(reason__in=reasons).order_by()
    counted = placed.values_list("reason_id").annotate(calls=Count("pk"), first=Min("call__call_datetime"))
    figures = {pk: (calls, first) for pk, calls, first in counted}
    below: Counter[int] = Counter()
    under = CallReason.objects.filter(reason__parent__in=reasons).order_by().values_list("reason__parent_id")
    below.update(dict(under.annotate(calls=Count("pk"))))
    rows = [
        ReasonRow(
            id=reason.pk,
            project=reason.project_id,
            name=reason.name,
            description=reason.description,
            parent=reason.parent_id,
            calls=figures.get(reason.pk, (0, None))[0],
            first_seen=figures.get(reason.pk, (0, None))[1],
            is_set_aside=reason.is_set_aside,
            is_pinned=reason.is_pinned,
            named_by="person" if reason.renamed else "model" if reason.named_by_model else "topic",
            is_heading=reason.is_heading,
            calls_in_all=figures.get(reason.pk, (0, None))[0] + below[reason.pk],
        )
        for reason in reasons
    ]
    return sorted(rows, key=lambda row: (-row.calls_in_all, row.name.casefold(), row.id))


def list_calls(reason_id: int, *, first: int, count: int) -> list[ReasonCall]:
    """Return `count` calls of a reason from the `first` on, counted from 0; the newest come first."""
    placed = CallReason.objects.filter(reason=reason_id).order_by("-call__call_datetime", "-call_id")
    rows = list(
        placed.values_list("call_id", "call__file_name", "call__call_datetime")[first : first + count]
    )
    analyses = CallAnalysis.objects.filter(call__in=[row[0] for row in rows], is_live=True)
    found: Iterable[tuple[int, Any]] = analyses.values_list("call_id", "insights")
    topics = {call: str((insights or {}).get("topic") or "") for call, insights in found}
    return [ReasonCall(pk, name, moment, topics.get(pk, "")) for pk, name, moment in rows]


def find_reason_name(project_ids: Collection[int], reason_id: int) -> str:
    """Return the name of a reason of these projects; "" if they have none with that id."""
    reasons = ContactReason.objects.filter(pk=reason_id, project__in=project_ids)
    return reasons.values_list("name", flat=True).first() or ""


def list_history(
    project_ids: Collection[int], *, before: int | None = None, most: int = 100
) -> list[ChangeRow]:
    """Return the newest changes first: at most `most`, and only those numbered below `before`."""
    with snapshot():
        return _read_history(project_ids, before, most)


def _read_history(project_ids: Collection[int], before: int | None, most: int) -> list[ChangeRow]:
    changes = ReasonChange.objects.filter(project__in=project_ids).defer("rows_before", "calls_before")
    has_data = set(
        ReasonChange.objects.filter(project__in=project_ids, rows_before__isnull=False).values_list(
            "pk", flat=True
        )
    )
    rows: list[ChangeRow] = []
    for change, later in _find_later(
        changes.select_related("project", "made_by", "undone_by").order_by("-id")
    ):
        if before is not None and change.pk >= before:
            continue
        settings: SettingsChange | None = change.summary.get("settings")
        is_kept = change.undone_at is None and change.pk in has_data
        obstacle = _find_obstacle(change, settings, later) if is_kept else None
        rows.append(
            ChangeRow(
                id=change.pk,
                project=change.project_id,
                kind=change.kind,
                made_at=change.made_at,
                made_by=change.made_by.email if change.made_by else None,
                reasons=change.summary["reasons"],
                moves=change.summary["moves"],
                undone_at=change.undone_at,
                undone_by=change.undone_by.email if change.undone_by else None,
                can_undo=is_kept and not later and obstacle is None,
                settings=settings,
                obstacle=obstacle,
            )
        )
        if len(rows) == most:
            break
    return rows


def _find_obstacle(change: ReasonChange, settings: SettingsChange | None, later: int) -> Message | None:
    """Return why a change cannot be undone now, in the words with which undoing it would be refused."""
    if later:
        return Message("change_followed", value=change.pk, later=later)
    if settings and not settings_change.is_standing(change.project, settings):
        return Message("codes_changed_since", value=change.pk, version=settings["version_after"])
    return None


def _find_later(newest_first: Any) -> Iterator[tuple[ReasonChange, int]]:
    """Yield each change, and the latest one that has to be undone before it; 0 if there is none.

    It touched the same reasons, or both changed the codes in the settings.
    """
    touched: dict[int, int] = {}
    coded = 0
    for change in newest_first.iterator(chunk_size=200):
        own, has_codes = list_touched(change), bool(change.summary.get("settings"))
        yield change, max(*(touched.get(each, 0) for each in own), coded if has_codes else 0, 0)
        if change.undone_at is None:
            for each in own:
                touched.setdefault(each, change.pk)
            coded = coded or (change.pk if has_codes else 0)
