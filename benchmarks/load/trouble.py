"""A locked database, a full disk, a dead broker: reading goes on, and nothing acknowledged is lost."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from answers import Client, Tally, percentile
from instance import Instance, find_free_port
from outcome import Outcome, join_tallies
from people import Readers, Uploader

MOST_OF_QUIET = 3.0
LOCKED_S = 24.0  # longer than SQLite waits for a writer
DISK_MB, ENOUGH_MB = 16, 256
MOST_UPLOADS = 300
UPLOAD_BYTES = 200_000
WORKERS = 2  # of a served instance
A_CALL = r"/calls/(api/calls/)?\d+/"
INJECTED = Path(__file__).parent / "full_disk"


def run_locked_database(instance: Instance, client: Client, seconds: float) -> Outcome:
    """Another program holds the writer for longer than anybody waits."""
    outcome = Outcome("locked database", MOST_OF_QUIET)
    readers = Readers(instance, client)
    uploader = Uploader(instance, client, "locked")
    before = readers.read_for(seconds / 2)
    disturbed = Tally()
    with hold_the_writer(instance):
        ends_at = time.monotonic() + LOCKED_S
        uploads = [
            threading.Thread(
                target=uploader.upload_for, args=(disturbed, ends_at), kwargs={"pause_s": 0.5}, daemon=True
            )
            for _ in range(3)
        ]
        for thread in uploads:
            thread.start()
        with readers.reading(disturbed, LOCKED_S):
            pass
    for thread in uploads:
        thread.join()
    after = readers.read_for(seconds / 2)
    uploader.upload(after)
    outcome.compare(disturbed, join_tallies(before, after))
    outcome.check_answers(before, disturbed, after)
    outcome.details.append(f"uploads meanwhile {dict(disturbed.statuses('upload'))}")
    outcome.check_kept(len(uploader.acknowledged), uploader.count_lost(client))
    return outcome


@contextmanager
def hold_the_writer(instance: Instance) -> Iterator[None]:
    """Let nobody else write while the block runs; reading stays possible."""
    if instance.database:
        with psycopg.connect(instance.settings["CALLSCOPE_DATABASE_URL"]) as connection:
            connection.execute("LOCK TABLE calls_uploadedfile, calls_call IN SHARE ROW EXCLUSIVE MODE")
            yield
            connection.rollback()
        return
    with contextlib.closing(sqlite3.connect(instance.folder / "callscope.sqlite3", timeout=30)) as connection:
        connection.isolation_level = None
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A data folder whose disk is small, and what may become of it."""

    folder: Path
    settings: dict[str, str]
    fill: Callable[[], object]  # to the last byte, as another program may
    make_room: Callable[[], object]


def run_full_disk(home: Path, postgres: str, calls: int, seconds: float) -> Outcome:
    """Uploads fill a small disk as far as they may, another program to the last byte; then there is room."""
    outcome = Outcome("full disk", MOST_OF_QUIET)
    with small_disk(home) as disk:
        instance = Instance(disk.folder, postgres=postgres, **disk.settings)
        try:
            instance.prepare(calls)
            with instance.serve() as client:
                fill_and_empty(outcome, instance, client, seconds, disk)
        finally:
            instance.remove()
    return outcome


def fill_and_empty(
    outcome: Outcome, instance: Instance, client: Client, seconds: float, disk: SmallDisk
) -> None:
    readers = Readers(instance, client)
    uploader = Uploader(instance, client, "disk")
    before = readers.read_for(seconds)
    filling, disturbed, after = Tally(), Tally(), Tally()
    refused = 0
    for _ in range(MOST_UPLOADS):
        refused += uploader.upload(filling, filler_bytes=UPLOAD_BYTES) == 503
        if refused == 3:
            break
    with readers.reading(disturbed, seconds):
        for _ in range(10):
            refused += uploader.upload(disturbed, filler_bytes=UPLOAD_BYTES) == 503
    disk.fill()
    last_byte = readers.read_for(seconds / 2)
    refused += uploader.upload(last_byte, filler_bytes=UPLOAD_BYTES) == 503
    disk.make_room()
    uploader.upload(after)
    outcome.compare(disturbed, before)
    outcome.check_answers(before, filling, disturbed, last_byte, after)
    outcome.details.append(f"{refused} uploads refused with 503")
    if not refused:
        outcome.problems.append("the disk was never full")
    # A call is shown only where that it was read can be noted, which takes a byte.
    outcome.check_reads(last_byte, may_be_refused=A_CALL)
    outcome.check_kept(len(uploader.acknowledged), uploader.count_lost(client))


@contextmanager
def small_disk(home: Path) -> Iterator[SmallDisk]:
    """Give a small disk; where no file system may be mounted, the server's storage reports a full one."""
    disk = Path(tempfile.mkdtemp(dir=home))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "none", str(disk)]
    if shutil.which("mount") and subprocess.run(mount, capture_output=True, check=False).returncode == 0:
        larger = ["mount", "-o", f"remount,size={ENOUGH_MB}m", str(disk)]
        fill = ["dd", "if=/dev/zero", f"of={disk / 'fill'}", "bs=4096"]
        try:
            yield SmallDisk(
                disk / "data",
                {},
                fill=lambda: subprocess.run(fill, capture_output=True, check=False),
                make_room=lambda: subprocess.run(larger, check=True),
            )
        finally:
            subprocess.run(["umount", "-l", str(disk)], check=False)
        return
    print("No file system can be mounted here: the storage reports a full disk.", flush=True)
    room = disk / "room"
    room.write_text("0")
    path = os.pathsep.join(filter(None, [str(INJECTED), os.environ.get("PYTHONPATH", "")]))
    settings = {"PYTHONPATH": path, "LOAD_DISK_BYTES": str(DISK_MB * 2**18), "LOAD_DISK_ROOM": str(room)}
    yield SmallDisk(disk / "data", settings, fill=lambda: None, make_room=lambda: room.write_text("1"))


def run_dead_broker(instance: Instance, seconds: float) -> Outcome:
    """The broker that is set does not exist; later the server runs without one, and does all the work."""
    outcome = Outcome("dead broker", MOST_OF_QUIET)
    with instance.serve() as client:
        warm_up(instance, client, "before")
        before = Readers(instance, client).read_for(seconds)
    disturbed = Tally()
    with instance.serve(CALLSCOPE_QUEUE_URL=f"redis://127.0.0.1:{find_free_port()}/0") as client:
        warm_up(instance, client, "while-dead")
        uploader = Uploader(instance, client, "broker")
        with Readers(instance, client).reading(disturbed, seconds):
            uploader.upload_for(disturbed, time.monotonic() + seconds, pause_s=0.3)
    slowest = percentile(disturbed.durations_s("upload"), 1.0)
    with instance.serve() as client:
        lost = uploader.count_lost(client)
    outcome.compare(disturbed, before)
    outcome.check_answers(before, disturbed)
    outcome.details.append(f"slowest upload {slowest:.1f} s")
    outcome.check_kept(len(uploader.acknowledged), lost)
    return outcome


def warm_up(instance: Instance, client: Client, name: str) -> None:
    """Let the workers of a new server load their engines: seconds of all cores, which nobody measures."""
    uploader = Uploader(instance, client, name)
    for _ in range(WORKERS):
        uploader.upload(Tally())
    uploader.count_lost(client)
