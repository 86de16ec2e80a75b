"""A served world, a clock, and a table of ratios; `python measuring.py FILE` prints $BENCH_RESULTS."""

import http.client
import json
import os
import socket
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

REPEATS = 15
RESULTS = os.environ.get("BENCH_RESULTS")  # a file to which every row is added
HEADS = ["what", "calls and database", "ratio", "goal", "", "in the run"]
SIZES = [int(size) for size in os.environ.get("BENCH_CALLS", "10000,100000").split(",")]

world_name = ""


def median_ms(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the median duration of a warm call."""
    work()
    durations = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        durations.append((time.perf_counter() - started) * 1000)
    return statistics.median(durations)


def heading(calls: int) -> None:
    """Begin the rows about a world."""
    global world_name
    world_name = f"{calls:,} calls, {database()}"
    print(f"\n{world_name}\n| what | ratio | goal | | in this run |\n|---|---|---|---|---|", flush=True)


def line(what: str, ours_ms: float, theirs_ms: float, goal: str) -> None:
    """Tell what something costs against something else in this very run; the goal is "≤ 2", or "–"."""
    row(what, ours_ms / theirs_ms, goal, f"{in_ms(ours_ms)} against {in_ms(theirs_ms)}")


def in_ms(duration: float) -> str:
    """Return a duration as the tables show it."""
    return f"{duration:,.0f} ms" if duration >= 100 else f"{duration:.3g} ms"


def row(what: str, ratio: float, goal: str, detail: str) -> None:
    """Print one row, and keep it for print_table()."""
    cells = [what, f"{ratio:.3g}", goal, verdict(ratio, goal), detail]
    print(f"| {' | '.join(cells)} |", flush=True)
    if RESULTS:
        with Path(RESULTS).open("a") as file:
            file.write(json.dumps([world_name, *cells]) + "\n")


def verdict(ratio: float, goal: str) -> str:
    """Return "met", or by how much the goal is missed."""
    most = float(goal.removeprefix("≤")) if goal.startswith("≤") else None
    if most is None:
        return ""
    return "met" if ratio <= most else f"missed by {ratio / most - 1:.0%}"


def database() -> str:
    """Return the name of the database that the worlds of this run are in."""
    url = os.environ.get("CALLSCOPE_DATABASE_URL", "sqlite:")
    return "PostgreSQL" if url.startswith("postgres") else "SQLite"


def environment_of(data: Path) -> dict[str, str]:
    """Return the variables under which a world is served; on PostgreSQL each has a database of its own.

    The name of that is the name in CALLSCOPE_DATABASE_URL and the number of calls: bench_1000000.
    """
    environment = {**os.environ, "CALLSCOPE_DATA_DIR": str(data)}
    if database() == "PostgreSQL":
        parts = urlsplit(os.environ["CALLSCOPE_DATABASE_URL"])
        calls = data.name.rpartition("-")[2]
        environment["CALLSCOPE_DATABASE_URL"] = parts._replace(path=f"{parts.path}_{calls}").geturl()
    return environment


def database_bytes(data: Path) -> int:
    """Return how large the database of a world is, indexes and sums included."""
    if database() == "PostgreSQL":
        import psycopg

        with psycopg.connect(environment_of(data)["CALLSCOPE_DATABASE_URL"]) as connection:
            found = connection.execute("SELECT pg_database_size(current_database())").fetchone()
            return int(found[0]) if found else 0
    path = data / "callscope.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


class Served:
    """A world behind `callscope serve`, asked over one connection with a key."""

    def __init__(self, port: int, key: str, supervisor: int = 0) -> None:
        self.key = key
        self.port = port
        self.supervisor = supervisor  # its process id
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
def serve(data: Path, workers: int = 0, **settings: str) -> Iterator[Served]:
    """Serve a world on a free port while the block runs; `settings` are variables besides the usual ones."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", int(os.environ.get("BENCH_PORT", "0"))))
        port = probe.getsockname()[1]
    environment = environment_of(data) | {"CALLSCOPE_RATE_LIMIT": "1000000/min"} | settings
    made = callscope(environment, "key", "create", "bench@example.com", "--json")
    process = subprocess.Popen(
        [sys.executable, "-m", "callscope", "serve", "--port", str(port), "--workers", str(workers)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        yield Served(port, json.loads(made)["key"], process.pid)
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


def wait_for(port: int) -> None:
    """Return when something listens on the port."""
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"nothing listens on port {port}")


def peak_memory(server: int) -> dict[str, int]:
    """Return the most memory in bytes that "web" and "worker" have held, each with its own children.

    Of the web, those that answer: the process that starts them shares with them all that it holds.
    """
    parts = _parts(server)
    parts["web"] = parts["web"][1:]
    return {part: sum(process_peak(pid) for pid in pids) for part, pids in parts.items()}


def processor_time(server: int) -> dict[str, float]:
    """Return the seconds of a core that "web" and "worker" have used, each with its own children."""
    return {part: sum(processor_s(pid) for pid in pids) for part, pids in _parts(server).items()}


def processor_s(pid: int) -> float:
    """Return the seconds of a core that a process has used, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _parts(server: int) -> dict[str, list[int]]:
    parts: dict[str, list[int]] = {"web": [], "worker": []}
    for child in _children(server):
        command = Path(f"/proc/{child}/cmdline").read_text()
        parts["web" if "web_process" in command else "worker"] += _tree(child)
    return parts


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for child in _children(pid):
        yield from _tree(child)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def process_peak(pid: int) -> int:
    """Return the most memory in bytes that a process has held."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def print_table(path: str) -> None:
    """Print the rows of several benchmarks as one table; `path` is their file of $BENCH_RESULTS."""
    rows = [json.loads(text) for text in Path(path).read_text().splitlines()]
    table = [HEADS, ["---"] * len(HEADS), *([what, where, *rest] for where, what, *rest in rows)]
    for cells in table:
        print(f"| {' | '.join(cells)} |")
    missed = sum(row[4].startswith("missed") for row in rows)
    judged = sum(bool(row[4]) for row in rows)
    print(f"\n{judged - missed} of {judged} goals are met.")


if __name__ == "__main__":
    print_table(sys.argv[1])
