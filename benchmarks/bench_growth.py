"""What do requests cost as calls grow? The largest world of BENCH_CALLS against the smallest.

Both are served and asked in turns over HTTP, so that whatever else the machine does falls on both. No
workers: nothing changes meanwhile. `BENCH_CALLS=10000,10000000` needs 30 GB, and an hour for its world.
"""

import statistics
import time
from urllib.parse import quote

import world
from measuring import REPEATS, SIZES, Served, database_bytes, heading, line, row, serve

REPORT, LIST = "/calls/api/report/", "/calls/api/calls/"
DAYS = "?start_date=2025-11-10&end_date=2025-12-09"
PAGE_SIZE = 25
ROUNDS = 5 * REPEATS
LINE_BYTES = 7024  # of a line of an import, in the mean


def main() -> None:
    small, large = min(SIZES), max(SIZES)
    if small == large:
        return
    folders = [world.build(calls) for calls in (small, large)]
    heading(large)
    with serve(folders[0], workers=0) as first, serve(folders[1], workers=0) as second:
        for what, paths, goal in list_requests(first, second, small, large):
            ours, theirs = take_turns(second, first, paths)
            line(f"{what}, against {small:,}", ours, theirs, goal)
    size = database_bytes(folders[1]) / large
    row("disk a call against its line", size / LINE_BYTES, "≤ 0.5", f"{size:,.0f} B against {LINE_BYTES:,} B")


def list_requests(
    first: Served, second: Served, small: int, large: int
) -> list[tuple[str, tuple[str, str], str]]:
    """Return what is asked: its name, the path in the large world and in the small one, and the goal."""

    def same(path: str) -> tuple[str, str]:
        return path, path

    middle = tuple(f"{LIST}?page={calls // PAGE_SIZE // 2}" for calls in (large, small))
    calls = [site.json(LIST)["results"][0]["id"] for site in (second, first)]
    numbers = [
        site.json(f"{LIST}{call}/")["record"]["caller_number"]
        for site, call in zip((second, first), calls, strict=True)
    ]
    return [
        ("report, whole history", same(REPORT), "≤ 2"),
        ("report, 30 days with those before", same(REPORT + DAYS), "≤ 2"),
        ("page 1", same(LIST), "≤ 2"),
        ("page 1 by score", same(f"{LIST}?ordering=score_percentage"), "≤ 2"),
        ("the page in the middle", (middle[0], middle[1]), "≤ 2"),
        (
            "search for a caller number",
            (f"{LIST}?search={quote(numbers[0])}", f"{LIST}?search={quote(numbers[1])}"),
            "≤ 2",
        ),
        ("one call in detail", (f"{LIST}{calls[0]}/", f"{LIST}{calls[1]}/"), "≤ 2"),
        ("analysis-status", same("/calls/api/analysis-status/"), "≤ 2"),
    ]


def take_turns(ours: Served, theirs: Served, paths: tuple[str, str]) -> tuple[float, float]:
    """Return the median durations of two requests in ms, both warm."""
    durations: tuple[list[float], list[float]] = ([], [])
    for number in range(-5, ROUNDS):
        for site, path, kept in zip((ours, theirs), paths, durations, strict=True):
            started = time.perf_counter()
            site.get(path)
            if number >= 0:
                kept.append((time.perf_counter() - started) * 1000)
    return statistics.median(durations[0]), statistics.median(durations[1])


if __name__ == "__main__":
    main()
