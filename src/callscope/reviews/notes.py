"""Write, change and remove notes at a second of a call, and list them for who may read them.

Who may write the project reads all notes; the agent of the call reads those that are shared.
"""

import datetime as dt
import math
from typing import TypedDict

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.calls.models import Call, UploadedFile
from callscope.db.limits import is_storable
from callscope.messages.message import Message, MessageError
from callscope.projects.locking import lock_project
from callscope.reviews.answers import InvalidReview
from callscope.reviews.note_records import CoachingNote

MAX_TEXT = 5000
MAX_SECOND = 1_000_000.0  # of a call whose length is not known
US_PER_SECOND = 1_000_000
MAX_NOTES = 500  # of one call


class ForeignNote(MessageError):
    """Only its author changes the words of a note."""


class NoteRow(TypedDict):
    """One note as it is shown."""

    id: int
    call_id: int
    file_name: str
    at: float
    text: str
    is_shared: bool
    author: str | None  # e-mail; None: the user is gone, or hidden from the agent
    created_at: dt.datetime
    changed_at: dt.datetime
    closed_at: dt.datetime | None


def create_note(call: Call, text: str, at_s: float, by: User, *, is_shared: bool) -> CoachingNote:
    """Note something at a second of a call. Raises InvalidReview and Call.DoesNotExist."""
    text, at_s = check_text(text), check_second(at_s, find_length(call))
    now = timezone.now()
    with transaction.atomic():
        if lock_project(call.project_id) is None:
            raise Call.DoesNotExist
        Call.objects.select_for_update(of=("self",)).get(pk=call.pk)
        if CoachingNote.objects.filter(call=call).count() >= MAX_NOTES:
            raise InvalidReview("text", "too_many_notes", value=call.pk, most=MAX_NOTES)
        note = CoachingNote.objects.create(
            call=call,
            project_id=call.project_id,
            at_s=at_s,
            text=text,
            is_shared=is_shared,
            author=by,
            created_at=now,
            changed_at=now,
        )
        _record("note.created", note, by)
    return note


def change_note(
    note: CoachingNote,
    by: User,
    *,
    text: str | None = None,
    is_shared: bool | None = None,
    is_closed: bool | None = None,
) -> None:
    """Change what is not None. Everybody who may write closes and shares; the words are their author's.

    Raises InvalidReview, ForeignNote, and CoachingNote.DoesNotExist if it was removed meanwhile.
    """
    if text is not None:
        if note.author_id not in (None, by.pk):
            raise ForeignNote(Message("foreign_note", value=note.pk))
        text = check_text(text)
    with transaction.atomic():
        _lock_note(note)
        if text is not None:
            note.text = text
        if is_shared is not None:
            note.is_shared = is_shared
        note.changed_at = timezone.now()
        if is_closed is not None:
            note.closed_at = (note.closed_at or note.changed_at) if is_closed else None
        note.save(update_fields=["text", "is_shared", "closed_at", "changed_at"])
        _record("note.changed", note, by)


def remove_note(note: CoachingNote, by: User) -> None:
    """Delete the note. Raises CoachingNote.DoesNotExist if somebody was faster."""
    with transaction.atomic():
        _lock_note(note)
        _record("note.removed", note, by)
        note.delete()


def _lock_note(note: CoachingNote) -> None:
    """Lock project and note, in this order, and read again what others may have changed or hidden.

    A change of settings holds the project and hides notes; their words must not come back.
    """
    lock_project(note.project_id)
    rows = CoachingNote.objects.select_for_update(of=("self",))
    note.refresh_from_db(fields=["text", "is_shared", "closed_at"], from_queryset=rows)


def check_text(text: str) -> str:
    """Return the text without space around it. Raises InvalidReview."""
    text = text.strip()
    if not text:
        raise InvalidReview("text", "blank_note")
    if len(text) > MAX_TEXT:
        raise InvalidReview("text", "long_review_comment", most=MAX_TEXT, count=len(text))
    if not is_storable(text):
        raise InvalidReview("text", "unstorable_review_comment")
    return text


def check_second(at_s: float, length_s: float | None) -> float:
    """Return the second, one that the call has; None: its length is not known. Raises InvalidReview."""
    most = int(MAX_SECOND) if length_s is None else math.ceil(length_s)
    if not math.isfinite(at_s) or not 0 <= at_s <= most:
        raise InvalidReview("at", "note_outside", value=f"{at_s:g}"[:40], most=most)
    return at_s


def find_length(call: Call) -> float | None:
    """Return the seconds of the longest file of a call; None where none was measured."""
    longest = UploadedFile.objects.filter(call=call).aggregate(longest=Max("duration_us"))["longest"]
    return None if longest is None else longest / US_PER_SECOND


def find_notes(*, shared_only: bool) -> QuerySet[CoachingNote]:
    """Return notes in the order of the call."""
    notes = CoachingNote.objects.select_related("call", "author").order_by("call_id", "at_s", "pk")
    return notes.filter(is_shared=True) if shared_only else notes


def describe_note(note: CoachingNote, *, is_own: bool) -> NoteRow:
    """Return the row; to the agent, `is_own`, it names nobody."""
    return {
        "id": note.pk,
        "call_id": note.call_id,
        "file_name": note.call.file_name,
        "at": note.at_s,
        "text": note.text,
        "is_shared": note.is_shared,
        "author": None if is_own or note.author is None else note.author.email,
        "created_at": note.created_at,
        "changed_at": note.changed_at,
        "closed_at": note.closed_at,
    }


def _record(action: str, note: CoachingNote, by: User) -> None:
    detail = {"shared": True} if note.is_shared else {}
    audit.record(by, action, f"call {note.call_id}", project=note.project_id, note=note.pk, **detail)
