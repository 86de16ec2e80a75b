"""A real Callscope in a folder of its own: commands as subprocesses, a served instance, HTTP from outside."""

import contextlib
import functools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2

from tests import prepared

OWNER, PASSWORD = "owner@example.com", "a-long-password"
PATIENCE_S = 240  # machines are shared; only a hang may fail a journey
FIRST_EPHEMERAL_PORT = 32_768  # of Linux; from here on the system gives ports to clients
#: For plain HTTP alone: to read the certificates that a client trusts takes 25 ms of computing each time.
HTTP = functools.partial(httpx2.Client, verify=False)


class Installation:
    """One data folder, driven by the `callscope` command."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith("CALLSCOPE_") and k != "DJANGO_SETTINGS_MODULE"
        }
        self.environment = {
            **kept,
            "CALLSCOPE_DATA_DIR": str(folder),
            "CALLSCOPE_RATE_LIMIT": "off",
            "CALLSCOPE_RETRY_PAUSE": "0.05",
            "CALLSCOPE_EMBEDDER": "words",  # the built-in one takes each job process 4 s of computing
            **settings,
        }

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "callscope", *arguments],
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def json(self, *arguments: str, stdin: str = "") -> dict:
        """Run with --json and return the one object that stdout holds."""
        done = self.run(*arguments, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def initialise(self) -> None:
        """Make the data folder as `callscope init` would."""
        if "CALLSCOPE_DATABASE_URL" in self.environment:
            self.json("init")
        else:
            shutil.copytree(prepared.data_folder(), self.folder)

    def owner_with_key(self, email: str = OWNER) -> str:
        """Set the instance up for an owner; return a key of theirs."""
        if "CALLSCOPE_DATABASE_URL" in self.environment:
            return self._make_owner(email)
        folder, key = prepared_instance(email)
        shutil.copytree(folder, self.folder)
        return key

    def _make_owner(self, email: str) -> str:
        self.initialise()
        self.json("user", "create", email, "--password-stdin", stdin=f"{PASSWORD}\n")
        return self.json("key", "create", email)["key"]

    @contextlib.contextmanager
    def served(self, *, workers: int = 1) -> Iterator["Server"]:
        server = Server(self, free_port(), workers)
        try:
            server.wait_until_ready()
            yield server
        finally:
            server.stop()


def prepared_instance(email: str) -> tuple[Path, str]:
    """Return a data folder with an owner and a key of theirs, to be copied: two commands make it."""

    def make(folder: Path) -> None:
        (folder / "key").write_text(Installation(folder / "data")._make_owner(email))

    made = prepared.make_once(f"instance-{email}", make)
    return made / "data", (made / "key").read_text()


class Server:
    def __init__(self, installation: Installation, port: int, workers: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.log = installation.folder.parent / f"serve-{port}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "callscope", "serve", "--port", str(port), "--workers", str(workers)],
                env=installation.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        with HTTP() as client:
            while time.monotonic() < deadline:
                assert self.process.poll() is None, self.log.read_text()
                with contextlib.suppress(httpx2.HTTPError):
                    if client.get(f"{self.url}/readyz").status_code == 200:
                        return
                time.sleep(0.1)
        raise AssertionError(f"not ready: {self.log.read_text()}")

    def client(self, key: str) -> httpx2.Client:
        return HTTP(base_url=self.url, headers={"Authorization": f"Api-Key {key}"}, timeout=PATIENCE_S)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE_S)


def create_project(client: httpx2.Client, name: str, config: dict | None = None) -> int:
    """Create a project over HTTP, for a hundredth of what the command takes; return its id."""
    answer = client.post("/api/projects/", json={"name": name, "config": config or {}})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def processes_of(server: Server) -> list[int]:
    """Return the process ids of the supervisor and everything below it."""
    found = [server.process.pid]
    for pid in found:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += [int(child) for child in task.read_text().split()]
    return found


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def free_port() -> int:
    """Return a port that nothing uses and that no client is given before the server has it."""
    dice = random.SystemRandom()
    while True:
        port = dice.randrange(10_000, FIRST_EPHEMERAL_PORT)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return port


def wait_until_analysed(client: httpx2.Client, project_id: int, *, patience_s: float = PATIENCE_S) -> dict:
    """Poll analysis-status as a client would; return the last answer."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        status = client.get("/calls/api/analysis-status/", params={"project_id": project_id}).json()
        if not status["in_progress"] and not status["reclustering"]:
            return status
        time.sleep(0.2)
    raise AssertionError(f"still in progress: {status}")
