"""A served Callscope in a folder of its own, with an owner, a project and some calls in it."""

import contextlib
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
from urllib.parse import urlsplit, urlunsplit

import psycopg
from answers import Client

OWNER, PASSWORD = "load@example.com", "a-long-password"
STARTS_WITHIN_S = 300.0  # only a hang may fail a run
FIRST_EPHEMERAL_PORT = 32_768  # of Linux; from here on the system gives ports to clients


class Instance:
    """One data folder and its database; `postgres` is the address of a PostgreSQL that may get a new one."""

    def __init__(self, folder: Path, *, postgres: str = "", **settings: str) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CALLSCOPE_")}
        self.settings = {
            **kept,
            "CALLSCOPE_DATA_DIR": str(folder),
            "CALLSCOPE_RATE_LIMIT": "off",
            "CALLSCOPE_WEB_PROCESSES": "2",
            **settings,
        }
        self._postgres = postgres
        self.database = ""
        if postgres:
            self.database = f"callscope_load_{random.SystemRandom().randrange(16**8):08x}"
            self._ask_postgres(f'CREATE DATABASE "{self.database}"')
            address = urlsplit(postgres)
            self.settings["CALLSCOPE_DATABASE_URL"] = urlunsplit(address._replace(path=f"/{self.database}"))
        self.key = ""
        self.project = 0

    def prepare(self, calls: int) -> None:
        """Make the tables, an owner with a key, and a project with so many imported calls."""
        self.run("init")
        self.run("user", "create", OWNER, "--password-stdin", stdin=f"{PASSWORD}\n")
        self.key = self.run("key", "create", OWNER)["key"]
        self.project = self.run("project", "create", "Load", "--owner", OWNER)["id"]
        if calls:
            lines = self.folder / "calls.jsonl"
            lines.write_text("".join(f"{json.dumps(make_line(number))}\n" for number in range(calls)))
            self.run("calls", "import", str(self.project), str(lines))
            lines.unlink()

    def add_editor(self, email: str) -> str:
        """Make another user who may upload into the project; return a key of theirs."""
        self.run("user", "create", email, "--password-stdin", stdin=f"{PASSWORD}\n")
        self.run("project", "share", str(self.project), email, "--role", "editor")
        key: str = self.run("key", "create", email)["key"]
        return key

    def run(self, *arguments: str, stdin: str = "") -> dict:
        """Run a command with --json and return its object."""
        command = [sys.executable, "-m", "callscope", *arguments, "--json"]
        done = subprocess.run(
            command, env=self.settings, input=stdin, capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stderr}")
        return json.loads(done.stdout)

    @contextlib.contextmanager
    def serve(self, *, workers: int = 2, **settings: str) -> Iterator[Client]:
        """Serve while the block runs; give a client with the owner's key."""
        port = find_free_port()
        path = self.folder.parent / f"{self.folder.name}-{port}.log"
        with path.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "callscope", "serve", "--port", str(port), "--workers", str(workers)],
                env={**self.settings, **settings},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        client = Client(port, self.key)
        try:
            wait_until_ready(client, process, path)
            yield client
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.database:
            self._ask_postgres(f'DROP DATABASE IF EXISTS "{self.database}" WITH (FORCE)')

    def _ask_postgres(self, statement: str) -> None:
        with psycopg.connect(self._postgres, autocommit=True) as connection:
            connection.execute(statement)


def make_line(number: int) -> dict:
    """Return an imported call with a score."""
    score = {
        "criterion_id": "greeting",
        "name": "Greets",
        "section": "Opening",
        "score": 10 * (number % 2),
        "max_points": 10,
        "applicability": "evaluated",
        "is_critical_error": False,
    }
    return {
        "file_name": f"imported-{number:05}.wav",
        "call_datetime": f"2026-{1 + number % 9:02}-{1 + number % 28:02}T10:00:00+00:00",
        "agent_name": f"Agent {number % 20}",
        "sentiment": ["positive", "neutral", "negative"][number % 3],
        "topic": f"topic {number % 30}",
        "goal_reached": number % 4 != 0,
        "duration_seconds": 60.0 + number % 300,
        "copc": {"criterion_scores": [score]},
    }


def find_free_port() -> int:
    """Return a port that nothing uses and that no client is given before the server has it."""
    dice = random.SystemRandom()
    while True:
        port = dice.randrange(10_000, FIRST_EPHEMERAL_PORT)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until_ready(client: Client, process: subprocess.Popen, log: Path) -> None:
    ends_at = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < ends_at:
        if process.poll() is not None:
            raise SystemExit(f"the server ended while it started:\n{log.read_text()[-2000:]}")
        with contextlib.suppress(OSError):
            if client.ask("GET", "/readyz").status == 200:
                return
        time.sleep(0.2)
    raise SystemExit("the server did not become ready")
