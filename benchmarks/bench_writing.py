"""What do an import and a single write cost?

On PostgreSQL (CALLSCOPE_DATABASE_URL) the database that is named is filled: give an empty one of its own.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import world
from measuring import callscope, database, heading, line, processor_s

WRITES = 400
ROUNDS = 5
IMPORTED = int(os.environ.get("BENCH_IMPORTED", "50000"))  # lines of one project


def main() -> None:
    heading(IMPORTED)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CALLSCOPE_DATA_DIR": folder}
        callscope(environment, "init")
        os.environ["CALLSCOPE_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
        import django

        django.setup()
        path = Path(folder) / "lines.jsonl"
        with path.open("w") as file:
            file.writelines(f"{text}\n" for text in world.lines(IMPORTED * world.PROJECTS, 0))
        importing(path)
        writing()


def importing(path: Path) -> None:
    """Import lines, against parsing the same lines before and after."""
    from callscope.accounts.services import create_user
    from callscope.pipeline.transfer.importer import import_calls
    from callscope.projects.services import create_project

    owner = create_user(f"bench-{time.time_ns()}@example.com", "bench-password")
    project = create_project(owner, "Bench")
    before = parsing(path)
    started, started_cpu, started_server = time.perf_counter(), processor_time(), server_time()
    with path.open("rb") as file:
        result = import_calls(project, file)
    seconds, cpu = time.perf_counter() - started, processor_time() - started_cpu
    server = server_time() - started_server
    if result.created != IMPORTED:
        sys.exit(f"{result.created} calls were created, not {IMPORTED}: {result.errors[:3]}")
    elapsed, *parsed = ((x + y) / 2 for x, y in zip(before, parsing(path), strict=True))
    goal = "≤ 6" if database() == "SQLite" else "≤ 8"
    line("import, against json.loads of its lines", seconds * 1000, elapsed * 1000, goal)
    label = "processor time of the same"
    line(f"{label}, of the process that writes", cpu[0] * 1000, parsed[0] * 1000, "–")
    line(f"{label}, of its helper, start included", cpu[1] * 1000, parsed[0] * 1000, "–")
    if server:
        line(f"{label}, of the server of PostgreSQL", server * 1000, parsed[0] * 1000, "–")
    line(f"{label}, of all", (sum(cpu) + server) * 1000, parsed[0] * 1000, "–")


def parsing(path: Path) -> tuple[float, float]:
    """Return the seconds that json.loads takes for these lines: elapsed, and of the processor."""
    started, started_cpu = time.perf_counter(), processor_time()
    with path.open("rb") as file:
        for raw in file:
            json.loads(raw)
    return time.perf_counter() - started, sum(processor_time() - started_cpu)


def processor_time() -> "np.ndarray[Any, Any]":
    """Return the processor seconds of this process and of those that it has ended, so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return np.array([u.ru_utime + u.ru_stime for u in used])


def server_time() -> float:
    """Return the processor seconds so far of the process that serves us; 0 if it is not on this machine."""
    if database() == "SQLite":
        return 0
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    try:
        is_here = Path(f"/proc/{pid}/comm").read_text().startswith("postgres")
    except FileNotFoundError:
        is_here = False
    return processor_s(pid) if is_here else 0


def writing() -> None:
    """Refresh calls one by one, each in a transaction of its own, with the journal and without."""
    from unittest import mock

    from django.db import transaction

    from callscope.analysis.models import CallAnalysis
    from callscope.calls.models import Call
    from callscope.reports.store import facts, journal

    calls = list(Call.objects.order_by("pk").values_list("pk", flat=True)[:WRITES])

    def write(round_number: int) -> float:
        started = time.perf_counter()
        for number, pk in enumerate(calls):
            with transaction.atomic():
                analysis = CallAnalysis.objects.get(call=pk, is_live=True)
                analysis.insights = {
                    **(analysis.insights or {}),
                    "sentiment": ["positive", "negative"][round_number % 2],
                }
                analysis.save()
                Call.objects.filter(pk=pk).update(campaign=f"campaign {number + round_number}")
                facts.refresh([pk])
        return (time.perf_counter() - started) * 1000 / WRITES

    with_journal, without = [], []
    for round_number in range(ROUNDS):
        with_journal.append(write(2 * round_number))
        with mock.patch.object(journal, "append", lambda *_: None):
            without.append(write(2 * round_number + 1))
    line("write of one analysed call, with journal against without", min(with_journal), min(without), "≤ 1.6")


if __name__ == "__main__":
    main()
