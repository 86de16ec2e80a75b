"""Three hosts as three processes: web, speech and language, each with a data folder of its own.

They share PostgreSQL, a bucket, a broker (or none) and a server for engines, and reach each of them
through a relay that a run can cut. What a run counts is read past the relays.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx2
import psycopg
from engines import Engines
from relay import Relay

OWNER = "hosts@example.com"
STARTS_WITHIN_S = 240.0  # only a hang may fail a run
COMMANDS = {
    "web": ["serve", "--workers", "0", "--port"],
    "asr": ["worker", "--queues", "asr"],
    "llm": ["worker", "--queues", "llm,default"],
}
CONFIG = {
    "rubric": {
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {"id": "greeting", "name": "Greets", "max_points": 10, "guideline": "The agent greets."}
                ],
            }
        ]
    }
}
AWS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


class Host:
    """One machine of the site: a command, and the folder that only it has."""

    def __init__(self, site: "Site", name: str, settings: dict[str, str]) -> None:
        self.site, self.name = site, name
        self.settings = {**settings, "CALLSCOPE_DATA_DIR": str(site.home / name)}
        self.log = site.home / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        port = [str(self.site.port)] if self.name == "web" else []
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "callscope", *COMMANDS[self.name], *port],
                env=self.settings,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        if self.name == "web":
            self.site.wait_until_it_answers()

    def list_processes(self) -> list[int]:
        """Return the process and everything below it."""
        assert self.process is not None
        found = [self.process.pid]
        for pid in found:
            for task in Path(f"/proc/{pid}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    found += [int(child) for child in task.read_text().split()]
        return found

    def send(self, number: signal.Signals) -> None:
        for pid in self.list_processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self) -> None:
        """End it as systemd does."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            print(f"{self.name} did not end within 60 s of SIGTERM", flush=True)
            self.kill()
        self.process = None

    def kill(self) -> None:
        """End all of its processes at once, as a power cut does."""
        if self.process is not None:
            self.send(signal.SIGKILL)
            self.process.wait()
            self.process = None


class Site:
    """Everything that a run needs; enter it to have it, and it is removed again."""

    def __init__(self, home: Path, postgres: str, broker: str, disk_mb: int = 0, **settings: str) -> None:
        self.disk_mb = disk_mb  # of the data folder of each host; 0: as large as the machine's
        self.home, self.postgres, self.broker = home, postgres, broker
        self.extra = settings
        self.database = f"callscope_hosts_{secrets.token_hex(4)}"
        self.direct = urlunsplit(urlsplit(postgres)._replace(path=f"/{self.database}"))
        self.port = find_free_port()
        self.engines = Engines()
        self.relays: dict[str, Relay] = {}
        self.hosts: dict[str, Host] = {}
        self.key, self.project = "", 0

    def __enter__(self) -> "Site":
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, self.home, ignore_errors=True)
            self.home.mkdir(parents=True, exist_ok=True)
            stack.enter_context(self._database())
            storage = stack.enter_context(self._bucket())
            queue = stack.enter_context(self._queue())
            self.relays["engines"] = Relay(self.engines.port)
            stack.callback(lambda: [relay.cut() for relay in self.relays.values()])
            self.queue_url = queue
            settings = self._settings(storage, queue)
            self.hosts = {name: Host(self, name, settings) for name in COMMANDS}
            if self.disk_mb:
                stack.enter_context(self._small_disks())
            self._prepare()
            for host in self.hosts.values():
                stack.callback(host.kill)
                host.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    def _settings(self, storage: dict[str, str], queue: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CALLSCOPE_")}
        address = urlsplit(self.direct)
        host = f"{address.username or 'postgres'}:{address.password or ''}@127.0.0.1"
        engines = f"http://127.0.0.1:{self.relays['engines'].port}/v1"
        return {
            **kept,
            **AWS,
            **storage,
            **({"CALLSCOPE_QUEUE_URL": queue} if queue else {}),
            "CALLSCOPE_DATABASE_URL": urlunsplit(
                address._replace(netloc=f"{host}:{self.relays['database'].port}")
            ),
            "CALLSCOPE_SECRET_KEY": "only-for-trials-only-for-trials-only-for-trials-0123456789",
            "CALLSCOPE_RATE_LIMIT": "off",
            "CALLSCOPE_WEB_PROCESSES": "1",
            "CALLSCOPE_EMBEDDER": "words",  # quick to load, and processes start often
            "CALLSCOPE_TRANSCRIBER": engines,
            "CALLSCOPE_LLM_URL": engines,
            "CALLSCOPE_LLM_MODEL": "m",
            **self.extra,
        }

    def _prepare(self) -> None:
        self.run("init")
        self.run("user", "create", OWNER, "--password-stdin", stdin="a-long-password\n")
        self.key = self.run("key", "create", OWNER)["key"]
        self.project = self.add_project("Hosts")

    def add_project(self, name: str, **settings: object) -> int:
        config = self.home / "config.json"
        config.write_text(json.dumps({**CONFIG, **settings}))
        made = self.run("project", "create", name, "--owner", OWNER, "--config", str(config))
        return int(made["id"])

    def run(self, *arguments: str, stdin: str = "") -> dict:
        """Run a command on the web host with --json and return its object."""
        command = [sys.executable, "-m", "callscope", *arguments, "--json"]
        done = subprocess.run(
            command, env=self.hosts["web"].settings, input=stdin, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stderr}")
        return json.loads(done.stdout)

    def client(self) -> httpx2.Client:
        return httpx2.Client(
            base_url=f"http://127.0.0.1:{self.port}",
            headers={"Authorization": f"Api-Key {self.key}"},
            timeout=120,
        )

    def wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + STARTS_WITHIN_S
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(f"http://127.0.0.1:{self.port}/healthz").status_code == 200:
                    return
            time.sleep(0.2)
        raise SystemExit(f"the web does not answer:\n{self.hosts['web'].log.read_text()[-2000:]}")

    def query(self, sql: str, *values: object) -> list[tuple]:
        with psycopg.connect(self.direct, autocommit=True) as connection:
            return connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def _small_disks(self) -> Iterator[None]:
        """Mount a file system in memory at the data folder of each host, which takes the rights of root."""
        folders = [self.home / name for name in self.hosts]
        try:
            for folder in folders:
                folder.mkdir()
                size = f"size={self.disk_mb}m"
                subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True)
            yield
        finally:
            for folder in folders:
                subprocess.run(["umount", "--lazy", str(folder)], check=False)

    @contextlib.contextmanager
    def _database(self) -> Iterator[None]:
        self.relays["database"] = Relay(urlsplit(self.postgres).port or 5432)
        with psycopg.connect(self.postgres, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{self.database}"')
        try:
            yield
        finally:
            with psycopg.connect(self.postgres, autocommit=True) as connection:
                connection.execute(f'DROP DATABASE IF EXISTS "{self.database}" WITH (FORCE)')

    @contextlib.contextmanager
    def _bucket(self) -> Iterator[dict[str, str]]:
        import boto3

        port = find_free_port()
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for_port(port)
            session = boto3.session.Session("test", "test", region_name="us-east-1")
            session.client("s3", endpoint_url=f"http://127.0.0.1:{port}").create_bucket(Bucket="calls")
            self.relays["bucket"] = Relay(port)
            yield {
                "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{self.relays['bucket'].port}",
                "CALLSCOPE_STORAGE_URL": "s3://calls/recordings",
            }
        finally:
            server.kill()
            server.wait()

    @contextlib.contextmanager
    def _queue(self) -> Iterator[str]:
        if self.broker == "redis":
            self.redis_port = find_free_port()
            self.redis = self.start_redis()
            try:
                self.relays["broker"] = Relay(self.redis_port)
                yield f"redis://127.0.0.1:{self.relays['broker'].port}/0"
            finally:
                self.redis.kill()
                self.redis.wait()
        elif self.broker == "rabbitmq":
            name = self.database
            rabbitmqctl("add_vhost", name)
            rabbitmqctl("set_permissions", "-p", name, "guest", ".*", ".*", ".*")
            try:
                self.relays["broker"] = Relay(5672)
                yield f"amqp://guest:guest@127.0.0.1:{self.relays['broker'].port}/{name}"
            finally:
                rabbitmqctl("delete_vhost", name)
        else:
            yield ""

    def start_redis(self) -> subprocess.Popen[bytes]:
        """Start a Redis that keeps nothing."""
        options = [
            "--port",
            str(self.redis_port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            str(self.home),
        ]
        server = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
        wait_for_port(self.redis_port)
        return server


def rabbitmqctl(*arguments: str) -> str:
    command = ["rabbitmqctl", "-q", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_for_port(port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")
