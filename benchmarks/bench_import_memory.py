"""How much memory do the two processes of an import take, as its lines grow?

On PostgreSQL (CALLSCOPE_DATABASE_URL) the database that is named is filled: give an empty one of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import world
from measuring import callscope, heading, process_peak, row

COUNTS = sorted(int(count) for count in os.environ.get("BENCH_LINES", "10000,100000").split(","))
MEGABYTE = 1 << 20


def main() -> None:
    peaks = {}
    for count in COUNTS:
        printed = subprocess.check_output([sys.executable, __file__, str(count)], text=True)
        peaks[count] = json.loads(printed)
    least, most = COUNTS[0], COUNTS[-1]
    heading(most)
    for process in peaks[least]:
        ours, theirs = peaks[most][process], peaks[least][process]
        detail = f"{ours / MEGABYTE:.0f} MB against {theirs / MEGABYTE:.0f} MB"
        row(
            f"peak memory of an import of {most:,} lines against {least:,}: {process}",
            ours / theirs,
            "≤ 1.5",
            detail,
        )


def import_lines(count: int) -> dict[str, int]:
    """Import so many lines in this process, and return the most bytes that it and its helper have held."""
    peaks = {"process that writes": 0, "helper": 0}

    def look(_: object) -> None:
        helpers = Path("/proc/thread-self/children").read_text().split()
        peaks["helper"] = max(peaks["helper"], *(process_peak(int(pid)) for pid in helpers), 0)

    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"CALLSCOPE_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "callscope.settings"}
        callscope(dict(os.environ), "init")
        path = Path(folder) / "lines.jsonl"
        with path.open("w") as file:
            file.writelines(f"{text}\n" for text in world.lines(count * world.PROJECTS, 0))
        import django

        django.setup()
        from callscope.accounts.services import create_user
        from callscope.pipeline.transfer.importer import import_calls
        from callscope.projects.services import create_project

        owner = create_user(f"bench-{time.time_ns()}@example.com", "bench-password")
        with path.open("rb") as file:
            result = import_calls(create_project(owner, "Bench"), file, on_batch=look)
    if result.created != count:
        sys.exit(f"{result.created} calls were created, not {count}: {result.errors[:3]}")
    peaks["process that writes"] = process_peak(os.getpid())
    return peaks


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(import_lines(int(sys.argv[1]))))
    else:
        main()
