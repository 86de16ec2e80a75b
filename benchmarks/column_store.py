"""The outside mark: the same calls in DuckDB, and the same figures by full scans."""

import datetime as dt
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from measuring import database, environment_of

ENTRY = np.dtype([("criterion", "<u4"), ("points", "<i8"), ("flags", "u1")])
CHUNK = 50_000

FIGURES = """
    SELECT count(*), sum(duration), avg(score), 100.0 * sum(points) / sum(most), count(score),
           avg(critical::int) FILTER (score IS NOT NULL),
           avg((sentiment = 3)::int) FILTER (sentiment IS NOT NULL),
           avg(goal::int) FILTER (goal IS NOT NULL), count(hour)
"""
QUERIES = [
    FIGURES + "FROM calls WHERE {days}",
    FIGURES
    + ", hour >= 8 AND hour < 20 AS shift FROM calls WHERE {days} AND hour IS NOT NULL GROUP BY shift",
    "SELECT day // 7 AS week, count(*), avg(score), avg((sentiment = 3)::int)"
    " FROM calls WHERE {days} GROUP BY week",
    "SELECT topic, count(*) AS n FROM calls WHERE {days} GROUP BY topic ORDER BY n DESC",
    "SELECT agent, count(*), avg(score), avg(critical::int), avg((sentiment = 3)::int), avg(goal::int)"
    " FROM calls WHERE {days} GROUP BY agent",
    "SELECT s.criterion, count(*), avg(s.points / m.most),"
    " sum((flags & 4) // 4), sum(flags & 1), sum((flags & 2) // 2)"
    " FROM scores s JOIN criteria m USING (criterion) WHERE {days} GROUP BY s.criterion",
]


def load(data: Path) -> "duckdb.DuckDBPyConnection":
    """Return DuckDB, in memory, two threads, with the calls and scores of a world."""
    duck = duckdb.connect(config={"threads": 2})
    duck.execute(
        "CREATE TABLE calls (id INT, day INT, hour INT, agent INT, topic INT, sentiment INT, goal BOOLEAN,"
        " duration BIGINT, points BIGINT, most BIGINT, score DOUBLE, critical BOOLEAN)"
    )
    duck.execute("CREATE TABLE scores (id INT, day INT, criterion INT, points DOUBLE, flags INT)")
    duck.execute("CREATE TABLE criteria (criterion INT, most DOUBLE)")
    with _reading(data) as source:
        criteria = source.execute("SELECT id, max_points FROM reports_criterionseen").fetchall()
        duck.executemany("INSERT INTO criteria VALUES (?, ?)", criteria)
        rows = source.execute(
            "SELECT call_id, day, coalesce(hour, -1), coalesce(agent_id, -1), coalesce(topic_id, -1),"
            " coalesce(sentiment, -1), coalesce(CAST(goal_reached AS INTEGER), -1), duration_us,"
            " counted_points, coalesce(max_points, -1), CAST(critical AS INTEGER), pack"
            " FROM reports_callfact ORDER BY day"
        )
        while chunk := rows.fetchmany(CHUNK):
            _insert(duck, chunk)
    return duck


@contextmanager
def _reading(data: Path) -> Iterator[Any]:
    """Give a connection to the database of a world."""
    if database() == "PostgreSQL":
        import psycopg

        with psycopg.connect(environment_of(data)["CALLSCOPE_DATABASE_URL"]) as source:
            yield source
    else:
        source = sqlite3.connect(data / "callscope.sqlite3")
        try:
            yield source
        finally:
            source.close()


def _insert(duck: "duckdb.DuckDBPyConnection", chunk: list[tuple[Any, ...]]) -> None:
    heads = np.array([row[:-1] for row in chunk], np.int64)
    packed = np.frombuffer(b"".join(row[-1] for row in chunk), ENTRY)
    lengths = [len(row[-1]) // ENTRY.itemsize for row in chunk]
    duck.register("heads", {f"c{n}": heads[:, n] for n in range(heads.shape[1])})
    duck.execute(
        "INSERT INTO calls SELECT c0, c1, nullif(c2, -1), nullif(c3, -1), nullif(c4, -1), nullif(c5, -1),"
        " nullif(c6, -1)::boolean, c7, c8, nullif(c9, -1), 100.0 * c8 / nullif(c9, -1), c10::boolean"
        " FROM heads"
    )
    duck.register(
        "entries",
        {
            "id": np.repeat(heads[:, 0], lengths),
            "day": np.repeat(heads[:, 1], lengths),
            "criterion": packed["criterion"].astype(np.int64),
            "points": packed["points"].astype(np.float64),
            "flags": packed["flags"].astype(np.int64),
        },
    )
    duck.execute("INSERT INTO scores SELECT * FROM entries")


def report(
    duck: "duckdb.DuckDBPyConnection", first: dt.date | None = None, last: dt.date | None = None
) -> None:
    """Compute the figures of a report; with both days also the scorecard of the window before."""
    days = "true"
    if first and last:
        days = f"day BETWEEN {first.toordinal()} AND {last.toordinal()}"
    for query in QUERIES:
        duck.execute(query.format(days=days)).fetchall()
    duck.execute("SELECT count(*) FROM calls").fetchall()
    if first and last:
        length = last.toordinal() - first.toordinal() + 1
        before = f"day BETWEEN {first.toordinal() - length} AND {first.toordinal() - 1}"
        duck.execute(QUERIES[-1].format(days=before)).fetchall()
