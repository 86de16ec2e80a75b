"""Erase the bytes of files for certain: a marker names every key that no file has, or may not have.

Bytes and rows cannot change in one transaction. So a marker is stored before the bytes
arrive, and removed in the transaction that stores their file. It is stored again in the
transaction that deletes the file, and removed once the bytes are gone. What a crash leaves
between the two still has its marker, and is erased a day later.
"""

import contextlib
import datetime as dt
import logging

from django.db import DatabaseError, InterfaceError, transaction

from callscope.calls import storage
from callscope.calls.models import BytesToErase, UploadedFile
from callscope.processes import crash_points

logger = logging.getLogger(__name__)

STALE = dt.timedelta(days=1)  # no upload takes a day


def mark_pending(key: str, *, now: dt.datetime) -> None:
    """Store the marker of a key whose bytes are about to arrive."""
    BytesToErase.objects.create(storage_key=key, since=now)


def confirm(key: str) -> None:
    """Remove the marker of a file, in the transaction that stores its row."""
    BytesToErase.objects.filter(storage_key=key).delete()


def erase_unconfirmed(key: str) -> None:
    """Erase the bytes of an upload that failed, unless its row is there after all.

    A connection that breaks at the commit leaves that open. If the database or
    the bucket does not answer now, the bytes wait for erase_stale(), which looks for the row too.
    """
    with contextlib.suppress(DatabaseError, InterfaceError, storage.StorageUnavailable):
        if BytesToErase.objects.filter(storage_key=key).exists():
            erase([key])


def erase_when_committed(keys: list[str], *, now: dt.datetime) -> None:
    """Erase the bytes under these keys after this transaction, or later if a crash comes between."""
    keys = [key for key in keys if key]  # "" stands for a file without bytes
    BytesToErase.objects.bulk_create(
        [BytesToErase(storage_key=key, since=now) for key in keys], ignore_conflicts=True, batch_size=1000
    )
    transaction.on_commit(lambda: _erase_or_leave(keys))


def _erase_or_leave(keys: list[str]) -> None:
    """Erase the bytes now; if the storage is away their markers stay for erase_stale()."""
    try:
        erase(keys)
    except (storage.StorageUnavailable, OSError) as error:
        logger.warning("The bytes of %d files are erased later: %s", len(keys), error)


def erase(keys: list[str]) -> None:
    """Erase the bytes now, then their markers: in this order, a crash between leaves the markers."""
    crash_points.reach_point("erase_bytes")
    storage.remove(keys)
    for first in range(0, len(keys), 500):
        BytesToErase.objects.filter(storage_key__in=keys[first : first + 500]).delete()


def erase_stale(*, now: dt.datetime) -> int:
    """Erase what a crash has left; return how many keys that were."""
    stale = list(
        BytesToErase.objects.filter(since__lt=now - STALE).values_list("storage_key", flat=True)[:1000]
    )
    if not stale:
        return 0
    used = set(UploadedFile.objects.filter(storage_key__in=stale).values_list("storage_key", flat=True))
    used |= set(UploadedFile.objects.filter(playback_key__in=stale).values_list("playback_key", flat=True))
    BytesToErase.objects.filter(storage_key__in=used).delete()
    unused = [key for key in stale if key not in used]
    erase(unused)
    logger.info("Erased the bytes of %d files that a crash had left behind.", len(unused))
    return len(unused)
