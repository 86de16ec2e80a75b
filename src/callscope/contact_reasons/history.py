"""Every change of a project's reasons, recorded so that it can be read and undone.

Use `Recording` around the change: it reads the reasons and places before and after, and stores the
difference. undo_change() puts back what was there. A change under a later one that touched the same
reasons is undone after that one, so that nothing is put back halfway.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, NotRequired, TypedDict

import numpy as np
import numpy.typing as npt
from django.utils import timezone

from callscope.accounts.models import User
from callscope.contact_reasons import reviewed, settings_change
from callscope.contact_reasons.clusters.causes import Cause, Nearness, explain_move
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.contact_reasons.settings_change import SettingsChange
from callscope.db.chunks import chunked
from callscope.messages.message import Message, MessageError
from callscope.processes import crash_points
from callscope.projects.models import Project

BATCH = 2000  # rows a statement; SQLite takes 32,766 variables
KEPT_REGROUPINGS = 5  # that can be undone; older ones keep their summary
ERASED = "…"  # where a name was
NOWHERE = 0  # in packed places: no reason


class ReasonState(TypedDict):
    """What a reason is put back with. Its centers come from topics, callers' words: computed again."""

    name: str
    description: str
    parent_id: int | None
    is_set_aside: bool
    is_pinned: bool
    renamed: bool
    # Not in changes of older versions:
    named_by_model: bool
    is_heading: bool
    is_placed: bool


Places = dict[int, tuple[int, bool]]  # call id → reason id, and whether a person placed it there
OwnPlaces = dict[int, int]  # call id → the reason that it had without its review, and that is deleted


# Calls that a change moved; None stands for no reason.
Move = TypedDict(
    "Move", {"from": int | None, "to": int | None, "calls": int, "cause": NotRequired[Cause | None]}
)


class Kept(NamedTuple):
    """What a change replaced besides places; None for a reason that it created."""

    rows: dict[int, ReasonState | None]
    retired: reviewed.RetiredPlaces
    own: OwnPlaces


class ReasonConflict(MessageError):
    """The change cannot be made as things stand now; str() says why."""


class Recording:
    """The reasons of a project before a change, and the places of the calls that it may move."""

    def __init__(self, project: Project, calls: Collection[int]) -> None:
        self.project = project
        self.calls: list[int] = []
        self.places: Places = {}
        self.rows = _read_rows(project)
        self.change: int | None = None  # its number, once it is stored
        self.watch(calls)

    def watch(self, calls: Collection[int]) -> None:
        """Read the places of calls that are about to move."""
        self.calls = sorted({*self.calls, *calls})
        self.places.update(_read_places(calls))

    def store(
        self,
        kind: ReasonChange.Kind,
        by: User | None,
        causes: Mapping[int, Mapping[int, Nearness]] | None = None,
        retired: reviewed.RetiredPlaces | None = None,
        settings: SettingsChange | None = None,
        own: OwnPlaces | None = None,
    ) -> list[int]:
        """Record what is different now, and return the ids of the calls that are shown differently.

        `causes` are those of a regrouping, by the reason that calls have now and the one they had;
        `retired` are the calls that their reviews place no more, `settings` what changed in them,
        `own` the deleted reasons of calls that their reviews place elsewhere.
        Nothing is recorded where nothing changed. Call it in the transaction of the change.
        """
        rows, places = _read_rows(self.project), _read_places(self.calls)
        changed = [pk for pk in sorted(self.rows.keys() | rows.keys()) if self.rows.get(pk) != rows.get(pk)]
        retired = retired or {}
        moved = [c for c in self.calls if self.places.get(c) != places.get(c) or c in retired]
        if not (changed or moved or settings):
            return []
        if changed:
            reviewed.follow_names(self.project)
        stored = ReasonChange.objects.create(
            project=self.project,
            kind=kind,
            made_at=timezone.now(),
            made_by=by,
            summary={
                "reasons": [{"id": pk, "before": self.rows.get(pk), "after": rows.get(pk)} for pk in changed],
                "moves": self._count_moves(moved, places, rows, causes),
                **({"settings": settings} if settings else {}),
            },
            rows_before=_pack_rows({pk: self.rows.get(pk) for pk in changed}, retired, own or {}),
            calls_before=_pack_places(moved, self.places, places),
        )
        self.change = stored.pk
        if kind == ReasonChange.Kind.REGROUPED:
            _thin_out(self.project)
        shown = {pk for pk in changed if _is_shown_differently(self.rows.get(pk), rows.get(pk))}
        held = CallReason.objects.filter(reason__in=shown).values_list("call_id", flat=True)
        elsewhere = {c for c in moved if c in retired or _reason_of(self.places, c) != _reason_of(places, c)}
        return sorted({*elsewhere, *held} if shown else elsewhere)

    def _count_moves(
        self,
        moved: Iterable[int],
        places: Places,
        rows: Collection[int],
        causes: Mapping[int, Mapping[int, Nearness]] | None,
    ) -> list[Move]:
        """Return how many calls went from which reason to which, and why."""
        pairs = Counter((_reason_of(self.places, call), _reason_of(places, call)) for call in moved)
        return [
            {
                "from": before or None,
                "to": after or None,
                "calls": calls,
                "cause": None
                if causes is None
                else explain_move(
                    causes.get(after, {}).get(before),
                    before,
                    is_new=after not in self.rows,
                    is_gone=before != NOWHERE and before not in rows,
                ),
            }
            for (before, after), calls in sorted(pairs.items())
            if before != after
        ]


def find_latest(project_id: int) -> int:
    """Return the number of the latest change or undoing of a project; it grows with each."""
    changes = ReasonChange.objects.filter(project=project_id)
    latest = changes.order_by("-id").values_list("id", flat=True).first() or 0
    return latest + changes.filter(undone_at__isnull=False).count()


def undo_change(change: ReasonChange, by: User | None) -> list[int]:
    """Put back what the change replaced, and return the ids of the calls that are shown differently.

    Raises ReasonConflict where it was undone already, is too old, a later change touched the same
    reasons, the settings that it made were edited, or a name is taken. The caller holds the project's lock.
    """
    if change.undone_at is not None:
        raise ReasonConflict(Message("change_undone", value=change.pk))
    if change.rows_before is None or change.calls_before is None:
        raise ReasonConflict(Message("change_too_old", value=change.pk))
    blocking = find_blocking_change(change)
    if blocking is not None:
        raise ReasonConflict(Message("change_followed", value=change.pk, later=blocking.pk))
    settings: SettingsChange | None = change.summary.get("settings")
    if settings and not settings_change.is_standing(change.project, settings):
        raise ReasonConflict(
            Message("codes_changed_since", value=change.pk, version=settings["version_after"])
        )
    moved = _unpack_places(bytes(change.calls_before))
    rows, retired, own = _unpack_rows(bytes(change.rows_before))
    affected = {*map(int, moved[moved[:, 1] != moved[:, 3], 0]), *retired}
    today = _read_rows(change.project)
    shown = [pk for pk, row in rows.items() if row is None or _is_shown_differently(today.get(pk), row)]
    affected.update(CallReason.objects.filter(reason__in=shown).values_list("call_id", flat=True))
    _restore_rows(change.project, rows)
    crash_points.reach_point("undo_rows")
    back = _restore_places(change.project, moved)
    reviewed.restore_retired({call: place for call, place in retired.items() if call in back})
    reviewed.restore_own(own)
    gone = [pk for pk, row in rows.items() if row is not None and pk not in today]
    affected.update(reviewed.restore_meaning(change.project, gone))
    reviewed.settle_reasons(affected)
    created = [pk for pk, row in rows.items() if row is None]
    if settings:
        settings_change.undo_settings(change.project, settings, by)
        # Calls that got a code on arrival wait for the next regrouping.
        CallReason.objects.filter(reason__in=created, is_fixed=False).delete()
    ContactReason.objects.filter(pk__in=created, calls__isnull=True).delete()
    reviewed.follow_names(change.project)
    change.undone_at, change.undone_by = timezone.now(), by
    change.save(update_fields=["undone_at", "undone_by"])
    return sorted(affected)


def find_blocking_change(change: ReasonChange) -> ReasonChange | None:
    """Return the latest change that has to be undone before this one, or None.

    It touched the same reasons, or both changed the codes in the settings.
    """
    touched, has_codes = list_touched(change), bool(change.summary.get("settings"))
    later = ReasonChange.objects.filter(
        project=change.project_id, pk__gt=change.pk, undone_at__isnull=True
    ).order_by("-id")
    for each in later:
        if not touched.isdisjoint(list_touched(each)) or (has_codes and each.summary.get("settings")):
            return each
    return None


def list_touched(change: ReasonChange) -> set[int]:
    """Return the ids of the reasons that a change made, changed, emptied or filled."""
    summary = change.summary
    ends = {move[end] for move in summary["moves"] for end in ("from", "to") if move[end]}
    return {row["id"] for row in summary["reasons"]} | ends


def forget_names(project: Project, is_said: Callable[[str, bool], bool]) -> None:
    """Take names that are words of erased calls out of the history. A change with one cannot be undone.

    `is_said` takes a name, and whether it was made of several topics.
    """
    for change in ReasonChange.objects.filter(project=project).order_by("pk"):
        rows = [row for each in change.summary["reasons"] for row in (each["before"], each["after"]) if row]
        said = [row for row in rows if not row["renamed"] and is_said(row["name"], _is_worded(row))]
        for row in said:
            row["name"] = ERASED
        if said:
            change.rows_before = change.calls_before = None
            change.save(update_fields=["summary", "rows_before", "calls_before"])


def list_worded_names(project: Project) -> set[str]:
    """Return the names in the history that were made of words of several topics."""
    rows = [
        row
        for change in ReasonChange.objects.filter(project=project).only("summary")
        for each in change.summary["reasons"]
        for row in (each["before"], each["after"])
    ]
    return {row["name"] for row in rows if row and _is_worded(row)}


def _is_worded(row: Mapping[str, Any]) -> bool:
    """Return whether a name was made of words of several topics, by a language model or for a heading."""
    return bool(row.get("named_by_model") or row.get("is_heading"))


def _read_rows(project: Project) -> dict[int, ReasonState]:
    return {
        reason.pk: {
            "name": reason.name,
            "description": reason.description,
            "parent_id": reason.parent_id,
            "is_set_aside": reason.is_set_aside,
            "is_pinned": reason.is_pinned,
            "renamed": reason.renamed,
            "named_by_model": reason.named_by_model,
            "is_heading": reason.is_heading,
            "is_placed": reason.is_placed,
        }
        for reason in ContactReason.objects.filter(project=project).order_by("id")
    }


def _read_places(calls: Iterable[int]) -> Places:
    places: Places = {}
    for chunk in chunked(list(calls), BATCH):
        rows = CallReason.objects.filter(call__in=chunk).values_list("call_id", "reason_id", "is_fixed")
        places.update((call, (reason, is_fixed)) for call, reason, is_fixed in rows)
    return places


def _reason_of(places: Places, call: int) -> int:
    return places.get(call, (NOWHERE, False))[0]


def _is_shown_differently(before: ReasonState | None, after: ReasonState | None) -> bool:
    if before is None or after is None:
        return False  # its calls moved
    return (before["name"], before["is_set_aside"]) != (after["name"], after["is_set_aside"])


def _pack_places(calls: list[int], before: Places, after: Places) -> bytes:
    """Return the rows (call, reason before, whether placed by a person, reason after), packed."""
    rows = [(call, *before.get(call, (NOWHERE, False)), _reason_of(after, call)) for call in calls]
    return zlib.compress(np.array(rows, dtype="<i8").reshape(-1, 4).tobytes())


def _unpack_places(packed: bytes) -> npt.NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(packed), dtype="<i8").reshape(-1, 4)


def _pack_rows(
    rows: Mapping[int, ReasonState | None], retired: reviewed.RetiredPlaces, own: OwnPlaces
) -> bytes:
    packed = {"rows": list(rows.items()), "retired": list(retired.items()), "own": list(own.items())}
    return zlib.compress(json.dumps(packed).encode())


def _unpack_rows(packed: bytes) -> Kept:
    read = json.loads(zlib.decompress(packed))
    if isinstance(read, list):  # of an older version
        return Kept(dict(read), {}, {})
    retired = {call: place and (place[0], place[1]) for call, place in read["retired"]}
    return Kept(dict(read["rows"]), retired, dict(read.get("own", ())))


def _restore_rows(project: Project, rows: dict[int, ReasonState | None]) -> None:
    """Write the rows as they were. Those that the change created stay until their calls have left."""
    former = {pk: row for pk, row in rows.items() if row is not None}
    names = {row["name"].casefold() for row in former.values()}
    reasons = ContactReason.objects.filter(project=project)
    for pk, name in reasons.exclude(pk__in=former).values_list("pk", "name"):
        if name.casefold() in names and pk not in rows:
            raise ReasonConflict(Message("reason_name_taken", value=name))
    # Two rows may have exchanged their names, or one that the change created may have one of them.
    for pk in former:
        reasons.filter(pk=pk).update(name=f"\x1f{pk}")
    for pk, name in reasons.filter(pk__in=rows.keys() - former.keys()).values_list("pk", "name"):
        if name.casefold() in names:
            reasons.filter(pk=pk).update(name=f"{name[:200]} ({pk})")
    for pk, row in former.items():
        values = row | {"parent_id": None, "project": project, "retired_at": None}
        ContactReason.objects.update_or_create(pk=pk, defaults=values)
    parents = set(reasons.values_list("pk", flat=True))
    for pk, row in former.items():
        if row["parent_id"] in parents:
            reasons.filter(pk=pk).update(parent_id=row["parent_id"])


def _restore_places(project: Project, moved: npt.NDArray[np.int64]) -> set[int]:
    """Put the calls back that are still where the change put them, and return them."""
    restored: set[int] = set()
    for chunk in chunked([tuple(map(int, row)) for row in moved], BATCH):
        now = _read_places(call for call, *_ in chunk)
        back = [row for row in chunk if _reason_of(now, row[0]) == row[3]]
        for is_fixed in (0, 1):
            stayed = [row[0] for row in back if row[1] == row[3] and row[2] == is_fixed]
            CallReason.objects.filter(call__in=stayed).update(is_fixed=bool(is_fixed))
        returning = [row for row in back if row[1] != row[3]]
        CallReason.objects.filter(call__in=[row[0] for row in returning]).delete()
        reasons = {row[1] for row in returning} - {NOWHERE}
        live = set(ContactReason.objects.filter(pk__in=reasons).values_list("pk", flat=True))
        calls = set(project.calls.filter(pk__in=[row[0] for row in back]).values_list("pk", flat=True))
        CallReason.objects.bulk_create(
            CallReason(call_id=call, project=project, reason_id=reason, is_fixed=bool(is_fixed))
            for call, reason, is_fixed, _ in returning
            if reason in live and call in calls
        )
        restored |= calls
    return restored


def _thin_out(project: Project) -> None:
    """Drop what it takes to undo regroupings that are long past."""
    kept = ReasonChange.objects.filter(
        project=project, kind=ReasonChange.Kind.REGROUPED, rows_before__isnull=False
    ).order_by("-id")
    old = list(kept.values_list("pk", flat=True)[KEPT_REGROUPINGS:])
    ReasonChange.objects.filter(pk__in=old).update(rows_before=None, calls_before=None)
