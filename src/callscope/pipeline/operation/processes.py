"""Each process of the web and each worker states every few seconds that it lives.

The row also carries what the process has counted since: the figures of an installation are
the sums of all rows, whichever process is asked. A process that is gone leaves its figures
to the one row of the past.
"""

import datetime as dt
import logging
import os
import shutil
import socket
import threading
import time
from collections.abc import Collection

from django.conf import settings
from django.db import Error, connection, transaction
from django.utils import timezone

from callscope import __version__
from callscope.db import clock
from callscope.db.transactions import write_unless_busy
from callscope.environment import cores
from callscope.pipeline.models import SiteProcess
from callscope.pipeline.operation import agreement
from callscope.pipeline.queue import worker_identity
from callscope.processes import counters
from callscope.reports.search import samples

BEAT_S = 15.0
ALIVE = dt.timedelta(seconds=60)  # four beats; a busy database may delay some
FOLDED = dt.timedelta(minutes=10)  # then the figures of a process go to the past
PAST = "past"

logger = logging.getLogger(__name__)


def start_beating(role: str, queues: Collection[str] = ()) -> None:
    """State every BEAT_S, in a thread of its own, that this process lives."""
    threading.Thread(target=_beat_forever, args=(role, queues), name="heartbeat", daemon=True).start()


def _beat_forever(role: str, queues: Collection[str]) -> None:
    while True:
        try:
            beat(role, queues)
        except Exception as error:  # whatever it is, the process works on, and says so next time
            logger.warning("This process cannot state that it lives: %s", error)
            connection.close()
        time.sleep(BEAT_S)


def beat(role: str, queues: Collection[str] = ()) -> None:
    """Write this process's row, with what was counted since the last time. Raise the database's errors.

    What the process keeps of texts that were erased elsewhere goes, too.
    """
    samples.forget_erased()
    counted = counters.take()
    is_stored = False

    def write() -> None:
        nonlocal is_stored
        with transaction.atomic():
            _store(role, ",".join(queues), counted)
        is_stored = True

    try:
        write_unless_busy(write)
    finally:
        if not is_stored:
            counters.put_back(counted)


def _store(role: str, queues: str, counted: counters.Counts) -> None:
    now = clock.read_now()
    identity = worker_identity.current_identity()
    row = SiteProcess.objects.select_for_update().filter(identity=identity).first()
    if row is None:
        _fold_dead(now)
        row = SiteProcess(identity=identity, role=role, queues=queues, started_at=now)
        row.host, row.version = socket.gethostname()[:255], __version__
        row.settings = agreement.describe_settings(settings.ENVIRONMENT, secret_key=settings.SECRET_KEY)
    row.counted = counters.add_up(row.counted, counted)
    row.seen_at = now
    row.disk_free, row.disk_size = measure_disk()
    row.clock_ahead_ms = measure_clock_ms()
    row.save()


def measure_disk() -> tuple[int | None, int | None]:
    """Return the free bytes and the size of the disk of the data folder; None where there is no folder."""
    folder = settings.DATA_DIR
    try:
        usage = shutil.disk_usage(folder if os.path.exists(folder) else os.path.dirname(folder))  # noqa: PTH110, PTH120
    except OSError:
        return None, None
    return usage.free, usage.total


def measure_clock_ms() -> int | None:
    """Return how far this machine's clock is ahead of the database's; None for SQLite, which has none."""
    if connection.vendor != "postgresql":
        return None
    before = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (theirs,) = cursor.fetchone()
    after = timezone.now()
    # The answer was made between the two.
    ours = before + (after - before) / 2
    ahead: dt.timedelta = ours - theirs
    return round(ahead / dt.timedelta(milliseconds=1))


def list_alive(now: dt.datetime | None = None) -> list[SiteProcess]:
    """Return the web processes and workers that stated lately that they live."""
    roles = (SiteProcess.Role.WEB, SiteProcess.Role.WORKER)
    recent = SiteProcess.objects.filter(seen_at__gt=(now or clock.read_now()) - ALIVE, role__in=roles)
    # On this machine a process that has ended is known to be gone at once.
    return [
        row for row in recent.order_by("host", "role", "pk") if not worker_identity.has_exited(row.identity)
    ]


def share_cores() -> int:
    """Return how many cores each live worker for speech on this machine may take, at least 1."""
    host = socket.gethostname()[:255]
    hearing = [row for row in list_alive() if row.host == host and "asr" in row.queues.split(",")]
    return max(1, cores() // max(1, len(hearing)))


def sum_counted() -> dict[str, float]:
    """Return what all processes have counted, those of the past included."""
    return counters.add_up(*SiteProcess.objects.values_list("counted", flat=True))


def _fold_dead(now: dt.datetime) -> None:
    """Add the figures of processes that are gone to the past, in the caller's transaction."""
    past, _ = SiteProcess.objects.get_or_create(
        identity=PAST, defaults={"role": SiteProcess.Role.PAST, "started_at": now, "seen_at": now}
    )
    past = SiteProcess.objects.select_for_update().get(pk=past.pk)
    dead = list(
        SiteProcess.objects.select_for_update(skip_locked=True)
        .filter(seen_at__lt=now - FOLDED)
        .exclude(role=SiteProcess.Role.PAST)
    )
    if dead:
        past.counted = counters.add_up(past.counted, *(row.counted for row in dead))
        past.save(update_fields=["counted"])
        SiteProcess.objects.filter(pk__in=[row.pk for row in dead]).delete()


def forget_quietly() -> None:
    """Store what was counted and remove this process's claim to be alive, when it ends on request."""
    try:
        with transaction.atomic():
            identity = worker_identity.current_identity()
            row = SiteProcess.objects.select_for_update().filter(identity=identity).first()
            if row is not None:
                row.counted = counters.add_up(row.counted, counters.take())
                row.seen_at = clock.read_now() - ALIVE
                row.save(update_fields=["counted", "seen_at"])
    except Error as error:
        logger.warning("The end of this process could not be noted: %s", error)
