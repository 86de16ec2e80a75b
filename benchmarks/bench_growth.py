"""What do requests cost as calls grow? The largest world of BENCH_CALLS against the smallest.

Both are served and asked in turns over HTTP, so that whatever else the machine does falls on both. No
workers: nothing changes meanwhile. `BENCH_CALLS=10000,10000000` needs 30 GB, and an hour for its world.
"""

import re
import statistics
import time
from urllib.parse import quote

import world
from measuring import REPEATS, SIZES, Served, database_bytes, heading, in_ms, row, serve

REPORT, LIST = "/calls/api/report/", "/calls/api/calls/"
DAYS = "?start_date=2025-11-10&end_date=2025-12-09"
PAGE_SIZE = 25
ROUNDS = 5 * REPEATS
FEW_ROUNDS = 5  # where a request reads a share of all calls
SEARCHED = 40  # calls all over the history
EACH = 3  # searches
BARE_NAME = re.compile(r"p\d-\d+")  # of a file, as world.py writes it
AGENT = 17  # of the report's agents
NONE = "–"  # no goal
LINE_BYTES = 7024  # of a line of an import, in the mean


def main() -> None:
    small, large = min(SIZES), max(SIZES)
    if small == large:
        return
    folders = [world.build(calls) for calls in (small, large)]
    heading(large)
    with serve(folders[0], workers=0) as first, serve(folders[1], workers=0) as second:
        for what, paths, goal in list_requests(first, second, small, large):
            ours, theirs = take_turns(second, first, paths, FEW_ROUNDS if goal == NONE else ROUNDS)
            quickest = tenth(ours) / tenth(theirs)
            ours_ms, theirs_ms = statistics.median(ours), statistics.median(theirs)
            detail = f"{in_ms(ours_ms)} against {in_ms(theirs_ms)}; tenth percentiles {quickest:.3g}"
            row(f"{what}, against {small:,}", ours_ms / theirs_ms, goal, detail)
        for what, searches in list_searches(first, second):
            ours, theirs = ask_each(second, first, searches)
            ours_ms, theirs_ms = statistics.median(ours), statistics.median(theirs)
            detail = f"{in_ms(ours_ms)} against {in_ms(theirs_ms)}"
            detail += f"; slowest {in_ms(max(ours))} against {in_ms(max(theirs))}"
            row(f"{what}, against {small:,}", ours_ms / theirs_ms, "≤ 2", detail)
    size = database_bytes(folders[1]) / large
    row("disk a call against its line", size / LINE_BYTES, "≤ 0.5", f"{size:,.0f} B against {LINE_BYTES:,} B")


def list_requests(
    first: Served, second: Served, small: int, large: int
) -> list[tuple[str, tuple[str, str], str]]:
    """Return what is asked: its name, the path in the large world and in the small one, and the goal."""

    def same(path: str) -> tuple[str, str]:
        return path, path

    def searched(large_world: str, small_world: str) -> tuple[str, str]:
        return f"{LIST}?search={quote(large_world)}", f"{LIST}?search={quote(small_world)}"

    def page(share: float) -> tuple[str, str]:
        large_world, small_world = (
            f"{LIST}?page={int(calls // PAGE_SIZE * share)}" for calls in (large, small)
        )
        return large_world, small_world

    newest = [site.json(LIST)["results"][0] for site in (second, first)]
    calls = [call["id"] for call in newest]
    numbers = [
        site.json(f"{LIST}{call}/")["record"]["caller_number"]
        for site, call in zip((second, first), calls, strict=True)
    ]
    names = [call["file_name"] for call in newest]
    agents = [site.json(REPORT)["agents"][AGENT]["agent_id"] for site in (second, first)]

    def of_agent(asked: str) -> tuple[str, str]:
        large_world, small_world = (f"{LIST}?agent={agent}{asked}" for agent in agents)
        return large_world, small_world

    def by_agent(share: float) -> tuple[str, str]:
        large_world, small_world = (f"{path}&ordering=agent__name" for path in page(share))
        return large_world, small_world

    return [
        ("report, whole history", same(REPORT), "≤ 2"),
        ("report, 30 days with those before", same(REPORT + DAYS), "≤ 2"),
        ("page 1", same(LIST), "≤ 2"),
        ("page 1 by score", same(f"{LIST}?ordering=score_percentage"), "≤ 2"),
        ("the page in the middle", page(1 / 2), "≤ 2"),
        ("the page at three quarters", page(3 / 4), "≤ 2"),
        ("page 1 by agent", same(f"{LIST}?ordering=agent__name"), "≤ 2"),
        ("the page in the middle by agent", by_agent(1 / 2), "≤ 2"),
        ("page 1 of one agent", of_agent(""), "≤ 2"),
        ("page 1 of one agent by score", of_agent("&ordering=score_percentage"), "≤ 2"),
        ("search for a caller number", searched(numbers[0], numbers[1]), "≤ 2"),
        ("search for a file name", searched(names[0], names[1]), "≤ 2"),
        ("search for what no call has", same(f"{LIST}?search=zyxwvut"), "≤ 2"),
        ("one call in detail", (f"{LIST}{calls[0]}/", f"{LIST}{calls[1]}/"), "≤ 2"),
        ("analysis-status", same("/calls/api/analysis-status/"), "≤ 2"),
        # These read each call that they find.
        ("search for one of 300 topics", same(f"{LIST}?search={quote('topic 137')}"), NONE),
        ("search for one of 40 reasons", same(f"{LIST}?search={quote('contact reason 07')}"), NONE),
        (
            "a campaign by score",
            same(f"{LIST}?campaign={quote('campaign 3')}&ordering=-score_percentage"),
            NONE,
        ),
    ]


def list_searches(first: Served, second: Served) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return searches for calls all over the history: their texts in the large world and in the small one."""
    files, bare_names, numbers = [], [], []
    for place in range(SEARCHED):
        calls = []
        for site in (second, first):
            count = site.json(LIST)["count"]
            number = count // PAGE_SIZE * place // SEARCHED + 1
            [call] = site.json(f"{LIST}?page={number}")["results"][7:8]
            calls.append((call["file_name"], site.json(f"{LIST}{call['id']}/")["record"]["caller_number"]))
        (our_file, our_number), (their_file, their_number) = calls
        files.append((our_file, their_file))
        bare_names.append((BARE_NAME.findall(our_file)[0], BARE_NAME.findall(their_file)[0]))
        numbers.append((our_number, their_number))
    return [
        (f"search for {SEARCHED} file names", files),
        (f"search for {SEARCHED} names without copy and ending", bare_names),
        (f"search for {SEARCHED} caller numbers", numbers),
    ]


def ask_each(
    ours: Served, theirs: Served, searches: list[tuple[str, str]]
) -> tuple[list[float], list[float]]:
    """Return the durations in ms of each search, some times each in turns."""
    durations: tuple[list[float], list[float]] = ([], [])
    for looked_for in searches:
        paths = [f"{LIST}?search={quote(text)}" for text in looked_for]
        for ours_ms, theirs_ms in zip(*take_turns(ours, theirs, (paths[0], paths[1]), EACH), strict=True):
            durations[0].append(ours_ms)
            durations[1].append(theirs_ms)
    return durations


def take_turns(
    ours: Served, theirs: Served, paths: tuple[str, str], rounds: int
) -> tuple[list[float], list[float]]:
    """Return the durations of two requests in ms, both warm."""
    durations: tuple[list[float], list[float]] = ([], [])
    for number in range(-rounds // 15 - 1, rounds):
        for site, path, kept in zip((ours, theirs), paths, durations, strict=True):
            started = time.perf_counter()
            site.get(path)
            if number >= 0:
                kept.append((time.perf_counter() - started) * 1000)
    return durations


def tenth(durations: list[float]) -> float:
    """Return the tenth percentile, which other work on the machine disturbs less than the median."""
    return sorted(durations)[len(durations) // 10]


if __name__ == "__main__":
    main()
