"""How much memory do the web server and a worker take, as calls grow, and how much disk a call?"""

import time
from pathlib import Path

import world
from measuring import SIZES, Served, database_bytes, heading, peak_memory, row, serve

ROUNDS = 3
WRITES = 300
ASKED = [
    "/calls/api/report/",
    "/calls/api/report/?start_date=2025-11-10&end_date=2025-12-09",
    "/calls/api/calls/",
    "/calls/api/calls/?page=390",
    "/calls/api/calls/?ordering=agent__name&page=100",
    "/calls/api/calls/?ordering=-score_percentage&critical=true",
    "/calls/api/calls/?search=invoice",
    "/calls/api/calls/?search=topic%2017",
    "/calls/api/analysis-status/",
]
SAMPLED_LINES = 2000
MEGABYTE = 1 << 20


def main() -> None:
    peaks: dict[int, dict[str, int]] = {}
    for calls in SIZES:
        data = world.build(calls)
        heading(calls)
        disk(data, calls)
        with serve(data, workers=1, CALLSCOPE_WEB_PROCESSES="1") as site:
            use(site)
            peaks[calls] = peak_memory(site.supervisor)
        for process, peak in peaks[calls].items():
            print(f"| peak memory, {process} | – | – | | {peak / MEGABYTE:.0f} MB |", flush=True)
    least, most = min(peaks), max(peaks)
    if least != most:
        for process in peaks[least]:
            ours, theirs = peaks[most][process], peaks[least][process]
            detail = f"{ours / MEGABYTE:.0f} MB against {theirs / MEGABYTE:.0f} MB"
            row(f"peak memory of {process} at {most:,} against {least:,}", ours / theirs, "≤ 1.5", detail)


def use(site: Served) -> None:
    """Read everything that spans all calls, and change some, so that the worker folds."""
    files = [item["file_id"] for item in site.json("/calls/api/calls/")["results"]]
    for round_number in range(ROUNDS):
        for path in ASKED:
            site.get(path)
        for number in range(WRITES // ROUNDS):
            direction = ["inbound", "outbound"][(number // len(files) + round_number) % 2]
            site.patch(f"/api/files/{files[number % len(files)]}/", {"direction": direction})
        time.sleep(1.5)


def disk(data: Path, calls: int) -> None:
    """Weigh the database, indexes and sums included, against the lines that it was made from."""
    sample = [len(text) + 1 for text in _sample(calls)]
    a_line = sum(sample) / len(sample)
    a_call = database_bytes(data) / calls
    row("disk a call against its line", a_call / a_line, "≤ 0.5", f"{a_call:.0f} B against {a_line:.0f} B")


def _sample(calls: int) -> list[str]:
    lines = world.lines(calls, 0)
    return [text for _, text in zip(range(SAMPLED_LINES), lines, strict=False)]


if __name__ == "__main__":
    main()
