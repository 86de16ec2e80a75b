"""What happens to a site in the middle of its work."""

import contextlib
import signal
import threading
import time
import uuid
from collections.abc import Iterator

import celery
from counting import make_recording, wait_for_done
from hosts import Site, rabbitmqctl

WORKERS = ("asr", "llm")
QUEUES = ("callscope.asr", "callscope.llm", "callscope.default")


def restart_each_host(site: Site) -> None:
    """Each one ends as systemd ends it, and starts again: while files are sent, and while they are judged."""
    for number, name in ((3, "web"), (10, "asr"), (20, "llm"), (35, "web"), (45, "llm"), (55, "asr")):
        wait_for_done(site, number)
        host = site.hosts[name]
        host.stop()
        time.sleep(2)
        host.start()


def kill_workers(site: Site) -> None:
    for number in range(3):
        for name in WORKERS:
            wait_for_done(site, 5 + 10 * number)
            site.hosts[name].kill()
            time.sleep(1)
            site.hosts[name].start()
            time.sleep(4)


def end_connections(site: Site) -> None:
    wait_for_done(site, 3)
    for _ in range(12):
        site.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = %s AND pid != pg_backend_pid()",
            site.database,
        )
        time.sleep(3)


def refuse_database(site: Site, seconds: float) -> None:
    wait_for_done(site, 10)
    with cut(site, "database"):
        time.sleep(seconds)


def lose_messages(site: Site) -> None:
    """Three times each: connections end and messages are gone; a Redis is killed, too."""
    for number in range(3):
        wait_for_done(site, 5 + 15 * number)
        if site.broker == "rabbitmq":
            rabbitmqctl("close_all_connections", "--vhost", site.database, "a trial")
            for queue in QUEUES:
                with contextlib.suppress(Exception):  # one that nobody declared yet
                    rabbitmqctl("-p", site.database, "delete_queue", queue)
        elif site.broker == "redis":
            import redis

            server = redis.Redis(port=site.redis_port)
            server.flushall()
            server.client_kill_filter(_type="normal", skipme=True)
            server.close()
            time.sleep(2)
            site.redis.kill()
            site.redis.wait()
            time.sleep(2)
            site.redis = site.start_redis()
        site.relays["broker"].break_connections()
        time.sleep(3)


def repeat_messages(site: Site) -> None:
    """Send the message of every job there is twice more, of those that are done, too, and one of no job."""
    app = celery.Celery(broker=site.queue_url, set_as_current=False)
    for number in range(4):
        wait_for_done(site, 5 + 15 * number)
        found = [*site.query("SELECT id::text, queue FROM pipeline_job"), (str(uuid.uuid4()), "llm")]
        for job_id, queue in found * 2:
            app.send_task("callscope.ring", args=[job_id], queue=f"callscope.{queue}", retry=False)


def refuse_broker(site: Site, seconds: float) -> None:
    wait_for_done(site, 10)
    with cut(site, "broker"):
        time.sleep(seconds)


def freeze_broker(site: Site, seconds: float) -> None:
    wait_for_done(site, 10)
    site.relays["broker"].freeze()
    time.sleep(seconds)
    site.relays["broker"].restore()


def stop_workers(site: Site, seconds: float) -> None:
    """Stop whole hosts past the lease; others of their kind take over, and then they go on."""
    wait_for_done(site, 3)
    for name in WORKERS:
        site.hosts[name].send(signal.SIGSTOP)
    time.sleep(seconds)
    for name in WORKERS:
        site.hosts[name].send(signal.SIGCONT)


def refuse_bucket(site: Site, seconds: float) -> None:
    wait_for_done(site, 10)
    with cut(site, "bucket"):
        time.sleep(seconds)


def fill_disks(site: Site, seconds: float) -> None:
    """Leave no byte free on the disk of any host."""
    wait_for_done(site, 10)
    hogs = [site.home / name / "hog" for name in site.hosts]
    for hog in hogs:
        with contextlib.suppress(OSError), hog.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(65536))
    time.sleep(seconds)
    for hog in hogs:
        hog.unlink()


@contextlib.contextmanager
def cut(site: Site, name: str) -> Iterator[None]:
    site.relays[name].cut()
    try:
        yield
    finally:
        site.relays[name].restore()


@contextlib.contextmanager
def uploading(site: Site, project: int) -> Iterator[list[str]]:
    """Send recordings to a project while the block runs; give the names that were taken in."""
    sent: list[str] = []
    is_over = threading.Event()

    def send() -> None:
        recording = site.home / "busy.wav"
        number = 0
        with site.client() as client:
            while not is_over.is_set():
                number += 1
                make_recording(recording, number)
                name = f"busy-{number:04}.wav"
                files = {"file": (name, recording.read_bytes())}
                if client.post("/api/files/", data={"project": project}, files=files).status_code == 201:
                    sent.append(name)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield sent
    finally:
        is_over.set()
        sender.join()
