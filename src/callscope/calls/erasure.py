"""Erase the bytes of files for certain: a row names every key whose bytes no file has, or may not have.

Bytes and rows cannot change in one transaction. So the key is written down before its bytes
arrive, and taken off in the transaction that brings their file; it is written down again in the
transaction that deletes the file, and taken off once the bytes are gone. What a crash leaves
between the two is found here and erased a day later.
"""

import contextlib
import datetime as dt
import logging

from django.db import DatabaseError, InterfaceError, transaction

from callscope.calls import recordings
from callscope.calls.models import BytesToErase, UploadedFile

logger = logging.getLogger(__name__)

STALE = dt.timedelta(days=1)  # no upload takes a day


def expect(key: str, *, now: dt.datetime) -> None:
    """Write down a key whose bytes are about to arrive."""
    BytesToErase.objects.create(storage_key=key, since=now)


def claim(key: str) -> None:
    """Take off the key of a file that has its row now. Belongs into the row's transaction."""
    BytesToErase.objects.filter(storage_key=key).delete()


def erase_unclaimed(key: str) -> None:
    """Erase the bytes of an upload that failed, unless its row is there after all.

    A connection that breaks at the commit leaves that open. Where the database does not
    answer now, the bytes wait for erase_stale(), which looks for the row as well.
    """
    with contextlib.suppress(DatabaseError, InterfaceError):
        if BytesToErase.objects.filter(storage_key=key).exists():
            erase([key])


def erase_when_committed(keys: list[str], *, now: dt.datetime) -> None:
    """Erase the bytes under these keys after this transaction, or later if a crash comes between."""
    named = [key for key in keys if key]
    BytesToErase.objects.bulk_create(
        [BytesToErase(storage_key=key, since=now) for key in named], ignore_conflicts=True, batch_size=1000
    )
    transaction.on_commit(lambda: erase(named))


def erase(keys: list[str]) -> None:
    """Erase the bytes now, then the rows that name them."""
    recordings.remove(keys)
    for first in range(0, len(keys), 500):
        BytesToErase.objects.filter(storage_key__in=keys[first : first + 500]).delete()


def erase_stale(*, now: dt.datetime) -> int:
    """Erase what a crash has left behind; return how many keys it was."""
    stale = list(
        BytesToErase.objects.filter(since__lt=now - STALE).values_list("storage_key", flat=True)[:1000]
    )
    if not stale:
        return 0
    used = set(UploadedFile.objects.filter(storage_key__in=stale).values_list("storage_key", flat=True))
    used |= set(UploadedFile.objects.filter(playback_key__in=stale).values_list("playback_key", flat=True))
    BytesToErase.objects.filter(storage_key__in=used).delete()
    left = [key for key in stale if key not in used]
    erase(left)
    logger.info("Erased the bytes of %d files that a crash had left behind.", len(left))
    return len(left)
