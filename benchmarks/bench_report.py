"""What does a report cost, against a column store that scans all calls, and as calls grow?"""

import datetime as dt
import itertools
import multiprocessing
import os
import statistics
import time
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event

import column_store
import world
from measuring import SIZES, Served, heading, line, median_ms, processor_s, processor_time, row, serve

REPORT = "/calls/api/report/"
LAST_30_DAYS = (dt.date(2025, 11, 10), dt.date(2025, 12, 9))  # cuts two months
MILLION = 1_000_000  # calls from which a scan is worth being compared with
WRITES_A_SECOND = 100
WRITERS = 4  # connections, as several clients that describe calls at once
READERS = 8  # connections that take turns, so that every web process is met
READS = 64
READER_RESTS_S = 0.15


def main() -> None:
    whole_history: dict[int, float] = {}
    days = f"{REPORT}?start_date={LAST_30_DAYS[0]}&end_date={LAST_30_DAYS[1]}"
    for calls in SIZES:
        data = world.build(calls)
        heading(calls)
        duck = column_store.load(data)
        with serve(data) as site:
            scan = median_ms(lambda duck=duck: column_store.report(duck))
            whole_history[calls] = median_ms(lambda site=site: site.get(REPORT))
            goals = ("≤ 0.2", "≤ 1") if calls >= MILLION else ("–", "–")
            line("report, whole history, against DuckDB", whole_history[calls], scan, goals[0])
            scan = median_ms(lambda duck=duck: column_store.report(duck, *LAST_30_DAYS))
            line(
                "report, 30 days with those before, against DuckDB",
                median_ms(lambda site=site: site.get(days)),
                scan,
                goals[1],
            )
        with serve(data, workers=1) as site:
            under_writes(site)
    least, most = min(whole_history), max(whole_history)
    if least != most:
        line(f"report at {most:,} against {least:,}", whole_history[most], whole_history[least], "≤ 2")


def under_writes(site: Served) -> None:
    """Describe calls over the API at a steady pace, from other processes, and read reports meanwhile."""
    port = site.connection.port
    readers = [Served(port, site.key) for _ in range(READERS)]
    for reader in readers:
        reader.get(REPORT)
    idle = reading(readers)
    pages = [site.json(f"/calls/api/calls/?page={page}")["results"] for page in range(1, 5)]
    files = [item["file_id"] for page in pages for item in page]
    context = multiprocessing.get_context("spawn")
    written, is_over = context.Value("L", 0), context.Event()
    pace_of_one = WRITES_A_SECOND / WRITERS
    writers = [
        context.Process(target=write, args=(port, site.key, files[n::WRITERS], pace_of_one, written, is_over))
        for n in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    while written.value < WRITES_A_SECOND // 2:  # under way
        time.sleep(0.05)
    clients = [os.getpid(), *(writer.pid for writer in writers if writer.pid)]
    used_before = used(site, clients)
    started, before = time.perf_counter(), written.value
    busy = reading(readers)
    seconds = time.perf_counter() - started
    pace = (written.value - before) / seconds
    cores = {who: (after - used_before[who]) / seconds for who, after in used(site, clients).items()}
    is_over.set()
    for writer in writers:
        writer.join()
    line(f"report while {pace:.0f} calls a second are described, against idle", busy, idle, "≤ 2")
    detail = f"{WRITES_A_SECOND} asked for, {pace:.0f} reached, by {WRITERS} clients next to a reader"
    row("descriptions a second, asked for against reached", WRITES_A_SECOND / pace, "≤ 1.1", detail)
    detail = ", ".join(f"{who} {busy_cores:.2f}" for who, busy_cores in cores.items())
    row(
        "clients' share of the processor time",
        cores["clients"] / sum(cores.values()),
        "–",
        f"cores: {detail}",
    )


def used(site: Served, clients: list[int]) -> dict[str, float]:
    """Return the seconds of a core that each part has used so far."""
    return {**processor_time(site.supervisor), "clients": sum(map(processor_s, clients))}


def reading(readers: list[Served]) -> float:
    """Return the median milliseconds of READS reports with rests between, in which caches grow cold."""
    return statistics.median(read(reader) for reader in itertools.islice(itertools.cycle(readers), READS))


def read(site: Served) -> float:
    """Return the milliseconds of one report, and rest."""
    started = time.perf_counter()
    site.get(REPORT)
    seconds = time.perf_counter() - started
    time.sleep(READER_RESTS_S)
    return seconds * 1000


def write(
    port: int, key: str, files: list[int], a_second: float, written: "Synchronized[int]", is_over: Event
) -> None:
    """Describe the calls of these files, one after the other, at a pace."""
    site = Served(port, key)
    started = time.perf_counter()
    done = 0
    while not is_over.is_set():
        turn = done // len(files)
        fields = {"campaign": f"campaign {turn % 7}", "direction": ["inbound", "outbound"][turn % 2]}
        site.patch(f"/api/files/{files[done % len(files)]}/", fields)
        done += 1
        with written.get_lock():
            written.value += 1
        time.sleep(max(0.0, started + done / a_second - time.perf_counter()))


if __name__ == "__main__":
    main()
