"""What do the journal, the import and the disk cost?"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import world
from measuring import callscope, line

WRITES = 400
IMPORTED = 8_000  # lines of one project


def main() -> None:
    print("| what | ratio | goal | in this run |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        environment = {**os.environ, "CALLSCOPE_DATA_DIR": str(data)}
        callscope(environment, "init")
        callscope(environment, "user", "create", "bench@example.com", stdin="bench-password")
        callscope(environment, "project", "create", "Bench", "--owner", "bench@example.com")
        os.environ["CALLSCOPE_DATA_DIR"] = str(data)
        os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
        import django

        django.setup()
        importing(data)
        writing()


def importing(data: Path) -> None:
    """Import lines, against parsing the same lines; and weigh what they leave on the disk."""
    from django.db import connection

    from callscope.pipeline.importing import import_calls
    from callscope.projects.models import Project

    path = data / "lines.jsonl"
    path.write_text("".join(f"{line}\n" for line in world.lines(IMPORTED * world.PROJECTS, 0)))
    database = data / "callscope.sqlite3"
    empty = database.stat().st_size
    started = time.process_time()
    for text in path.read_text().splitlines():
        json.loads(text)
    parsing = time.process_time() - started
    started = time.process_time()
    with path.open("rb") as file:
        result = import_calls(Project.objects.get(), file)
    ours = time.process_time() - started
    if result.created != IMPORTED:
        sys.exit(f"{result.created} calls were created, not {IMPORTED}: {result.errors[:3]}")
    line(
        f"import of {IMPORTED:,} calls against json.loads, processor time", ours * 1000, parsing * 1000, "≤ 6"
    )
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    a_call = (database.stat().st_size - empty) / IMPORTED
    a_line = path.stat().st_size / IMPORTED
    ratio = f"{a_call / a_line:.3g}"
    print(f"| disk a call against its line | {ratio} | ≤ 0.5 | {a_call:.0f} bytes against {a_line:.0f} |")


def writing() -> None:
    """Refresh calls one by one, each in a transaction of its own, with the journal and without."""
    from unittest import mock

    from django.db import transaction

    from callscope.analysis.models import CallAnalysis
    from callscope.calls.models import Call
    from callscope.reports import facts, journal

    calls = list(Call.objects.order_by("pk").values_list("pk", flat=True)[:WRITES])

    def write(round_: int) -> float:
        started = time.perf_counter()
        for number, pk in enumerate(calls):
            with transaction.atomic():
                analysis = CallAnalysis.objects.get(call=pk, is_live=True)
                analysis.insights = {
                    **(analysis.insights or {}),
                    "sentiment": ["positive", "negative"][round_ % 2],
                }
                analysis.save()
                Call.objects.filter(pk=pk).update(campaign=f"campaign {number + round_}")
                facts.refresh([pk])
        return (time.perf_counter() - started) * 1000 / WRITES

    with_journal, without = [], []
    for round_ in range(4):
        with_journal.append(write(2 * round_))
        with mock.patch.object(journal, "append", lambda *_: None):
            without.append(write(2 * round_ + 1))
    line("write of one analysed call with journal against without", min(with_journal), min(without), "≤ 1.6")


if __name__ == "__main__":
    main()
