"""What does a page of calls cost over HTTP, wherever it lies and whatever it is filtered and searched by?

Ours is a whole request: a kept connection to `callscope serve`, an API key, the rate limit counted,
all 8 projects. Theirs is SQL alone on the same database from this process: an open connection, a
fresh cursor, the prepared statement and the pages of the database warm. A page is set against the
25 newest calls of one project by an index, with every column that the list shows and no count; also
where ours is filtered or in another order. There both sides take turns, so that whatever else the
machine does falls on both; against a scan of all calls they do not, as it would empty our caches.
"""

import socket
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import world
from measuring import (
    SIZES,
    Served,
    database,
    environment_of,
    heading,
    line,
    median_ms,
    peak_memory,
    row,
    serve,
)

PAGE_SIZE = 25
DEEP_PAGE = 40_000
MOST_ANSWERS = 100_000  # calls whose custom questions are read as a whole
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
    "?agent=17",
    "?agent=17&critical=true&sentiment=negative",
    "?agent=17&ordering=score_percentage",
    "?start_date=2025-11-10&end_date=2025-12-09&ordering=-score_percentage",
    "?start_date=2025-11-10&end_date=2025-11-10&ordering=score_percentage",
]
# What a page needs at least: one project, one index, the columns that are shown.
BARE = """
    SELECT c.id, c.newest_file_id, c.file_name, c.call_datetime, a.name, c.direction, c.campaign, t.text,
        f.sentiment, f.score_bp, f.critical, f.mistakes, f.missing_prompts, f.goal_reached
    FROM reports_callfact f JOIN calls_call c ON c.id = f.call_id
    LEFT JOIN calls_agent a ON a.id = f.agent_id LEFT JOIN reports_topic t ON t.id = f.topic_id
    WHERE f.project_id = 1 ORDER BY f.at_us DESC, f.call_id DESC LIMIT 25
"""
BY_OFFSET = "SELECT call_id FROM reports_callfact ORDER BY {} NULLS LAST, call_id DESC LIMIT 25 OFFSET ?"
ORDERS = {"": "at_us DESC", "-score_percentage": "score_bp DESC", "-mistake_count": "mistakes DESC"}
BY_LIKE = "SELECT count(*) FROM reports_calltext WHERE text LIKE ?"
BY_COUNTING = """
    SELECT copc_state, no_protocol_state, custom_questions_state, insights_state, count(*)
    FROM analysis_callanalysis WHERE is_newest GROUP BY 1, 2, 3, 4
"""


def main() -> None:
    for calls in SIZES:
        data = world.build(calls)
        heading(calls)
        with serve(data) as site:
            measure(site, Sql(data), last_page=calls // PAGE_SIZE)
            if calls <= MOST_ANSWERS:
                read_all_answers(site)


def measure(site: Served, sql: "Sql", *, last_page: int) -> None:
    client = KeptConnection(site)

    def against(what: str, path: str, theirs: Callable[[], object], goal: str, repeats: int = 0) -> None:
        ours = partial(client.get, path)
        times = both_ms(ours, theirs, repeats) if repeats else (median_ms(ours), median_ms(theirs, 5))
        line(what, *times, goal)

    bare = partial(sql.rows, BARE)
    against("a request that asks for nothing, against bare SQL", "/healthz", bare, "–", 200)
    for query in QUERIES:
        against(f"page 1, `{query or 'no filter'}`, against bare SQL", LIST + query, bare, "≤ 10", 200)

    page = min(last_page, DEEP_PAGE)
    is_large = last_page >= DEEP_PAGE  # the goals below are of a million calls
    for order, column in ORDERS.items():
        offset = partial(sql.rows, BY_OFFSET.format(column), [(page - 1) * PAGE_SIZE])
        what = f"page {page:,} by `{order or '-call_datetime'}` against OFFSET"
        against(what, f"{LIST}?page={page}&ordering={order}", offset, "≤ 0.05" if is_large else "–")

    call = site.json(LIST)["results"][0]["id"]
    number = site.json(f"{LIST}{call}/")["record"]["caller_number"]
    scan = partial(sql.rows, BY_LIKE, [f"%{number}%"])
    found, goal = f"{LIST}?search={quote(number)}", "≤ 0.02" if is_large else "–"
    against("search for one caller number against LIKE", found, scan, goal)
    counting = partial(sql.rows, BY_COUNTING)
    against("analysis-status against counting the states", "/calls/api/analysis-status/", counting, "–")
    against("one call in detail against bare SQL of a page", f"{LIST}{call}/", bare, "–", 50)


def read_all_answers(site: Served) -> None:
    """Read the answers to the custom questions of every call, and look at what the server holds for it."""
    before = peak_memory(site.supervisor)["web"]
    size = len(site.get("/calls/api/custom-questions/"))
    after = peak_memory(site.supervisor)["web"]
    grown = f"{after / 1e6:.0f} MB after {size / 1e6:.0f} MB of answers, {before / 1e6:.0f} MB before"
    row("memory of the web process after the custom questions of all calls", after / before, "≤ 1.1", grown)


def both_ms(ours: Callable[[], object], theirs: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Return the median durations of two things that take turns, both warm."""
    durations: tuple[list[float], list[float]] = ([], [])
    for number in range(-max(3, repeats // 5), repeats):
        for work, kept in zip((ours, theirs), durations, strict=True):
            started = time.perf_counter()
            work()
            if number >= 0:
                kept.append((time.perf_counter() - started) * 1000)
    return statistics.median(durations[0]), statistics.median(durations[1])


class Sql:
    """The database of a world, without anything of the product before it."""

    def __init__(self, data: Path) -> None:
        self.is_postgresql = database() == "PostgreSQL"
        self.connection: Any
        if self.is_postgresql:
            import psycopg

            self.connection = psycopg.connect(environment_of(data)["CALLSCOPE_DATABASE_URL"], autocommit=True)
        else:
            self.connection = sqlite3.connect(data / "callscope.sqlite3")

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        cursor = self.connection.cursor()
        cursor.execute(statement.replace("?", "%s") if self.is_postgresql else statement, parameters)
        rows: list[Any] = cursor.fetchall()
        return rows


class KeptConnection:
    """A client that costs next to nothing: it sends a request and takes the length of the answer from it."""

    def __init__(self, site: Served) -> None:
        self.key = site.key
        self.port = site.connection.port
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get(self, path: str) -> bytes:
        host = f"Host: 127.0.0.1:{self.port}\r\nAuthorization: Api-Key {self.key}"
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n{host}\r\n\r\n".encode())
        received = b""
        while b"\r\n\r\n" not in received:
            received += self.socket.recv(65_536)
        head, _, body = received.partition(b"\r\n\r\n")
        status, *fields = head.lower().split(b"\r\n")
        if b" 200 " not in status + b" ":
            raise SystemExit(f"{path}: {head!r}")
        length = next(int(field.split(b":")[1]) for field in fields if field.startswith(b"content-length:"))
        while len(body) < length:
            body += self.socket.recv(65_536)
        return body


if __name__ == "__main__":
    main()
