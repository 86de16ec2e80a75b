"""A served world, a clock, and a table of ratios."""

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

REPEATS = 15
SIZES = [int(size) for size in os.environ.get("BENCH_CALLS", "10000,100000").split(",")]


def median_ms(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the median duration of a warm call."""
    work()
    durations = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        durations.append((time.perf_counter() - started) * 1000)
    return statistics.median(durations)


def line(what: str, ours_ms: float, theirs_ms: float, goal: str) -> None:
    """Print one row: what, the ratio, the goal, and both durations of this very run."""
    print(
        f"| {what} | {ours_ms / theirs_ms:.3g} | {goal} | {ours_ms:.1f} ms against {theirs_ms:.1f} ms |",
        flush=True,
    )


class Served:
    """A world behind `callscope serve`, asked over one connection with a key."""

    def __init__(self, port: int, key: str) -> None:
        self.key = key
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def get(self, path: str) -> bytes:
        self.connection.request("GET", path, headers={"Authorization": f"Api-Key {self.key}"})
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{path}: {response.status} {body[:300]!r}")
        return body

    def patch(self, path: str, fields: dict[str, str]) -> None:
        headers = {"Authorization": f"Api-Key {self.key}", "Content-Type": "application/json"}
        self.connection.request("PATCH", path, json.dumps(fields), headers)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{path}: {response.status} {body[:300]!r}")

    def json(self, path: str) -> dict:
        return json.loads(self.get(path))


@contextmanager
def serve(data: Path, workers: int = 0) -> Iterator[Served]:
    """Serve a world on a free port while the block runs."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", int(os.environ.get("BENCH_PORT", "0"))))
        port = probe.getsockname()[1]
    environment = {**os.environ, "CALLSCOPE_DATA_DIR": str(data), "CALLSCOPE_RATE_LIMIT": "off"}
    made = callscope(environment, "key", "create", "bench@example.com", "--json")
    process = subprocess.Popen(
        [sys.executable, "-m", "callscope", "serve", "--port", str(port), "--workers", str(workers)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield Served(port, json.loads(made)["key"])
    finally:
        process.terminate()
        process.wait(30)


def callscope(environment: dict[str, str], *arguments: str, stdin: str = "") -> str:
    """Run a command of the product and return what it printed."""
    command = [sys.executable, "-m", "callscope", *arguments]
    done = subprocess.run(command, env=environment, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"nothing listens on port {port}")
