"""What does a report cost, against a column store that scans all calls, and as calls grow?"""

import datetime as dt
import threading
import time

import column_store
import world
from measuring import SIZES, Served, line, median_ms, serve

REPORT = "/calls/api/report/"
LAST_30_DAYS = (dt.date(2025, 11, 10), dt.date(2025, 12, 9))  # cuts two months
WRITES_A_SECOND = 100
WRITING_S = 20


def main() -> None:
    whole_history: dict[int, float] = {}
    days = f"{REPORT}?start_date={LAST_30_DAYS[0]}&end_date={LAST_30_DAYS[1]}"
    for calls in SIZES:
        data = world.build(calls)
        print(f"\n{calls:,} calls\n| what | ratio | goal | in this run |\n|---|---|---|---|")
        duck = column_store.load(data / "callscope.sqlite3")
        with serve(data) as site:
            scan = median_ms(lambda duck=duck: column_store.report(duck))
            whole_history[calls] = median_ms(lambda site=site: site.get(REPORT))
            line("report, whole history, against DuckDB", whole_history[calls], scan, "≤ 0.2")
            scan = median_ms(lambda duck=duck: column_store.report(duck, *LAST_30_DAYS))
            line(
                "report, 30 days with those before, against DuckDB",
                median_ms(lambda site=site: site.get(days)),
                scan,
                "≤ 1",
            )
        with serve(data, workers=1) as site:
            under_writes(site)
    least, most = min(whole_history), max(whole_history)
    if least != most:
        line(f"report at {most:,} against {least:,}", whole_history[most], whole_history[least], "≤ 2")


def under_writes(site: Served) -> None:
    """Describe calls over the API at a steady pace and read reports meanwhile."""
    idle = median_ms(lambda: site.get(REPORT))
    files = [item["file_id"] for item in site.json("/calls/api/calls/")["results"]]
    writer = Served(site.connection.port, site.key)
    stopped = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        started = time.perf_counter()
        while not stopped.is_set():
            writer.patch(
                f"/api/files/{files[written % len(files)]}/",
                {
                    "campaign": f"campaign {written % 7}",
                    "direction": ["inbound", "outbound"][written // 25 % 2],
                },
            )
            written += 1
            time.sleep(max(0.0, started + written / WRITES_A_SECOND - time.perf_counter()))

    thread = threading.Thread(target=write)
    thread.start()
    started = time.perf_counter()
    busy = median_ms(lambda: site.get(REPORT), repeats=40)
    seconds = time.perf_counter() - started
    stopped.set()
    thread.join()
    line(f"report at {written / seconds:.0f} writes/s against idle", busy, idle, "≤ 2")


if __name__ == "__main__":
    main()
