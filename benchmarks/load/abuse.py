"""People who mean harm or send too much, next to others who have to be served."""

import contextlib
import itertools
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from answers import Client, Tally, build_form
from instance import Instance
from outcome import Outcome, join_tallies
from people import Readers, Uploader

SLOW_CLIENTS = 32
FLOODERS = 16
MANIFEST_ROWS = 200_000
MOST_OF_QUIET = 3.0
SLOW_HEADERS = b"GET /report/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
SLOW_FORM = (
    b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 60000\r\n\r\nusername="
)


def run_slow_clients(instance: Instance, client: Client, seconds: float) -> Outcome:
    """32 send a header without end, 32 a form, and 32 upload with the key of another user of the project.

    They come from the address of those who have to be served, as in an office behind one router.
    """
    outcome = Outcome("slow clients", MOST_OF_QUIET)
    key = instance.add_editor("slow@example.com")
    form, headers = build_form({"project": str(instance.project)}, "slow.srt", b"")
    slow_upload = (
        f"POST /api/files/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Api-Key {key}\r\n"
        f"Content-Type: {headers['Content-Type']}\r\nContent-Length: 4000000\r\n\r\n"
    ).encode() + form[:200]
    heads = {"headers": SLOW_HEADERS, "forms": SLOW_FORM, "uploads": slow_upload}
    disturb(outcome, instance, client, seconds, lambda: send_slowly(client.port, list(heads.values())))
    return outcome


@contextmanager
def send_slowly(port: int, heads: list[bytes]) -> Iterator[Tally]:
    """Hold 32 connections for each head while the block runs, a byte a second over each."""
    stop = threading.Event()

    def send(head: bytes) -> None:
        while not stop.is_set():  # a sender that is cut off comes back
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(head)
                while not stop.wait(1.0):
                    connection.sendall(b"a")

    threads = [
        threading.Thread(target=send, args=(head,), daemon=True)
        for head in heads
        for _ in range(SLOW_CLIENTS)
    ]
    for thread in threads:
        thread.start()
    try:
        yield Tally()
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def run_sign_in_flood(instance: Instance, client: Client, seconds: float) -> Outcome:
    """16 at once guess passwords of ever new names from ever new addresses, so that no limit stops them."""
    outcome = Outcome("sign-in flood", MOST_OF_QUIET)
    disturb(outcome, instance, client, seconds, lambda: guess_passwords(client.port))
    return outcome


@contextmanager
def guess_passwords(port: int) -> Iterator[Tally]:
    stop, tally = threading.Event(), Tally()

    def guess(number: int) -> None:
        browser, dice = Client(port), random.Random(number)
        while not stop.is_set():
            origin = ".".join(str(dice.randrange(1, 255)) for _ in range(4))
            email = f"nobody-{number}-{dice.randrange(10**9)}@example.com"
            headers = {"X-Forwarded-For": origin}
            answer = tally.add("sign-in", browser.sign_in(email, "wrong", **headers))
            if answer.status == 503:  # as a browser would, though sooner than it was asked to
                stop.wait(0.2)

    threads = [threading.Thread(target=guess, args=(n,), daemon=True) for n in range(FLOODERS)]
    for thread in threads:
        thread.start()
    try:
        yield tally
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def disturb(
    outcome: Outcome,
    instance: Instance,
    client: Client,
    seconds: float,
    abuse: Callable[[], contextlib.AbstractContextManager[Tally]],
) -> None:
    """Read before, during and after the abuse, and upload during it; fill the outcome."""
    readers = Readers(instance, client)
    uploader = Uploader(instance, client, outcome.name.replace(" ", "-"))
    before = readers.read_for(seconds / 2)
    disturbed = Tally()
    with abuse() as theirs:
        time.sleep(1.0)  # until all of them are there
        with readers.reading(disturbed, seconds):
            uploader.upload_for(disturbed, time.monotonic() + seconds, pause_s=0.5)
    after = readers.read_for(seconds / 2)
    outcome.compare(disturbed, join_tallies(before, after))
    outcome.check_answers(before, disturbed, after, theirs)
    outcome.details += [f"{name}s {dict(theirs.statuses(name))}" for name in {n for n, _ in theirs.answers}]
    outcome.details.append(f"uploads meanwhile {dict(disturbed.statuses('upload'))}")
    outcome.check_kept(len(uploader.acknowledged), uploader.count_lost(client))


def run_manifest(instance: Instance, client: Client, seconds: float) -> Outcome:
    """Manifests of 200,000 and of 50,000 rows, one after the other, into another project."""
    outcome = Outcome("manifest", MOST_OF_QUIET)
    theirs = Tally()
    path = f"/api/projects/{make_project(client)}/call-manifest/"

    forms = [make_manifest(MANIFEST_ROWS), make_manifest(MANIFEST_ROWS // 4)]

    @contextmanager
    def send_manifests() -> Iterator[Tally]:
        stop = threading.Event()

        def repeat() -> None:
            for form, headers in itertools.cycle(forms):
                if stop.is_set():
                    return
                theirs.add("manifest", client.ask("POST", path, form, headers))

        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        try:
            yield theirs
        finally:
            stop.set()
            thread.join()

    disturb(outcome, instance, client, seconds, send_manifests)
    return outcome


def make_project(client: Client) -> int:
    body = json.dumps({"name": "Manifests"}).encode()
    answer = client.ask("POST", "/api/projects/", body, {"Content-Type": "application/json"})
    return int(answer.json()["id"])


def make_manifest(rows: int) -> tuple[bytes, dict[str, str]]:
    """Return a form with a manifest, and its headers."""
    text = "filename,call_datetime,agent_name\n" + "".join(
        f"row-{number}.wav,2026-01-01 10:00,Agent {number % 50}\n" for number in range(rows)
    )
    return build_form({}, "manifest.csv", text.encode())
