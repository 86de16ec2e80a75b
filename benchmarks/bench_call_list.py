"""What does a page of calls cost, wherever it lies and whatever it is searched by?"""

import sqlite3
from functools import partial
from urllib.parse import quote

import world
from measuring import SIZES, Served, line, median_ms, serve

PAGE_SIZE = 25
DEEP_PAGE = 40_000
LIST = "/calls/api/calls/"
QUERIES = [
    "",
    "?ordering=call_datetime",
    "?ordering=-score_percentage",
    "?ordering=score_percentage",
    "?ordering=mistake_count",
    "?ordering=-mistake_count",
    "?ordering=agent__name",
    "?sentiment=negative&ordering=-score_percentage",
    "?critical=true&direction=inbound",
    "?agent=none",
    "?start_date=2025-11-10&end_date=2025-12-09&ordering=-score_percentage",
]
# What a page needs at least: one project, one index, the columns that are shown.
BARE = """
    SELECT c.id, c.newest_file_id, c.file_name, c.call_datetime, a.name, c.direction, c.campaign, t.text,
        f.sentiment, f.score_bp, f.critical, f.mistakes, f.missing_prompts, f.goal_reached
    FROM reports_callfact f JOIN calls_call c ON c.id = f.call_id
    LEFT JOIN calls_agent a ON a.id = f.agent_id LEFT JOIN reports_topic t ON t.id = f.topic_id
    WHERE f.project_id = 1 ORDER BY f.at_us DESC, f.call_id DESC LIMIT 25
"""
BY_OFFSET = "SELECT call_id FROM reports_callfact ORDER BY at_us DESC, call_id DESC LIMIT 25 OFFSET ?"
BY_LIKE = "SELECT count(*) FROM reports_calltext WHERE text LIKE ?"


def main() -> None:
    for calls in SIZES:
        data = world.build(calls)
        database = sqlite3.connect(data / "callscope.sqlite3")
        print(f"\n{calls:,} calls\n| what | ratio | goal | in this run |\n|---|---|---|---|")
        with serve(data) as site:
            measure(site, database, last_page=calls // PAGE_SIZE)


def measure(site: Served, database: sqlite3.Connection, *, last_page: int) -> None:
    bare = median_ms(lambda: database.execute(BARE).fetchall())
    for query in QUERIES:
        ours = median_ms(partial(site.get, LIST + query))
        line(f"page 1, `{query or 'no filter'}`, against bare SQL", ours, bare, "≤ 10")

    page = min(last_page, DEEP_PAGE)
    offset = median_ms(lambda: database.execute(BY_OFFSET, [(page - 1) * PAGE_SIZE]).fetchall(), 5)
    ours = median_ms(lambda: site.get(f"{LIST}?page={page}"), 5)
    line(f"page {page:,} against OFFSET", ours, offset, "≤ 0.05")

    number = site.json(f"{LIST}{site.json(LIST)['results'][0]['id']}/")["record"]["caller_number"]
    scan = median_ms(lambda: database.execute(BY_LIKE, [f"%{number}%"]).fetchall(), 5)
    ours = median_ms(lambda: site.get(f"{LIST}?search={quote(number)}"), 5)
    line("search for one caller number against LIKE", ours, scan, "≤ 0.02")

    ours = median_ms(lambda: site.get("/calls/api/analysis-status/"), 5)
    line("analysis-status against bare SQL of a page", ours, bare, "–")


if __name__ == "__main__":
    main()
