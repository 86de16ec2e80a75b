"""Worlds for the benchmarks: calls over 8 projects, 320 agents, 365 days and 20 criteria each.

The same number of calls always gives the same world. Lines go in through the
product's own import; a world that was made once is kept under
$BENCH_DIR (default: the system's temporary folder).
"""

import datetime as dt
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from measuring import callscope, database, environment_of

EMAIL, PASSWORD = "bench@example.com", "bench-password"
PROJECTS = 8
AGENTS = 40  # a project
CRITERIA = 20
DAYS = 365
IMPORTED = int(os.environ.get("BENCH_IMPORTED_CALLS", "1000000"))  # a larger world is made of copies of these
FIRST_DAY = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
LAST_DATE = dt.date(2025, 12, 31)
REASONS = [f"Contact reason {n:02}" for n in range(40)]
SENTIMENTS = ["positive", "neutral", "neutral", "negative", None]
WORDS = [
    "caller",
    "asked",
    "about",
    "the",
    "invoice",
    "and",
    "the",
    "agent",
    "checked",
    "account",
    "order",
    "delivery",
    "refund",
    "line",
]
CLASSES = ["customer", "business", "compliance", None]


def folder(calls: int) -> Path:
    """Return the data folder of a world."""
    root = Path(os.environ.get("BENCH_DIR", tempfile.gettempdir()))
    return root / f"callscope-bench-{calls}"


def rubric() -> dict[str, object]:
    criteria = [
        {
            "id": f"criterion-{n:02}",
            "name": f"Criterion number {n}",
            "max_points": 1 + n % 10,
            "critical": n % 7 == 0,
            "critical_class": CLASSES[n % 4] if n % 7 == 0 else None,
            "may_not_apply": n % 5 == 0,
            "rule": {"any_of": ["thank you"]},
        }
        for n in range(CRITERIA)
    ]
    sections = [{"name": f"Section {s}", "criteria": criteria[s * 5 : s * 5 + 5]} for s in range(4)]
    return {"rubric": {"name": "Bench", "sections": sections}}


def lines(calls: int, project: int) -> Iterator[str]:
    """Yield the lines of one project of a world of `calls` calls."""
    dice = random.Random(project)
    for number in range(calls // PROJECTS):
        at = FIRST_DAY + dt.timedelta(seconds=dice.randrange(DAYS * 86_400))
        agent = project * AGENTS + dice.randrange(AGENTS)
        yield json.dumps(
            {
                "file_name": f"p{project}-{number:08}.wav",
                "call_datetime": at.isoformat(),
                "uploaded_at": (at + dt.timedelta(hours=2)).isoformat(),
                "analyzed_at": (at + dt.timedelta(hours=3)).isoformat(),
                "duration_seconds": dice.randrange(20_000, 900_000) / 1000,
                "agent_id": str(agent),
                "agent_name": f"Agent {agent:03}",
                "direction": dice.choice(["inbound", "outbound"]),
                "caller_number": f"+34{dice.randrange(600_000_000, 700_000_000)}",
                "campaign": f"campaign {dice.randrange(12)}",
                "sentiment": dice.choice(SENTIMENTS),
                "topic": f"topic {dice.randrange(300)}",
                "contact_reason": dice.choice(REASONS),
                "goal_reached": dice.choice([True, False, None]),
                "copc": {"criterion_scores": list(_scores(dice))},
                "no_protocol": {
                    "mistakes": [{"id": "m1", "description": _text(dice, 6), "quote": _quote(dice)}]
                    * dice.randrange(3),
                    "missing_prompts": [{"id": "p1", "description": _text(dice, 5)}] * dice.randrange(2),
                },
                "custom_questions": {
                    "answers": {
                        "Did the caller mention a competitor?": {"answer": "No", "quotes": [_quote(dice)]}
                    }
                },
            }
        )


def _scores(dice: random.Random) -> Iterator[dict[str, object]]:
    for n in range(CRITERIA):
        if dice.random() < 0.03:  # could not be decided
            continue
        most = 1 + n % 10
        applies = n % 5 != 0 or dice.random() < 0.8
        met = not applies or dice.random() < 0.8
        yield {
            "criterion_id": f"criterion-{n:02}",
            "name": f"Criterion number {n}",
            "section": f"Section {n // 5}",
            "score": most if met else 0,
            "max_points": most,
            "applicability": "evaluated" if applies else "not_applicable",
            "is_critical_error": n % 7 == 0 and not met,
            "justification": _text(dice, 10),
            "quote": _quote(dice) if met else "",
        }


def _text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(WORDS, k=words))


def _quote(dice: random.Random) -> str:
    return f"[{dice.randrange(15):02}:{dice.randrange(60):02}] {_text(dice, 8)}"


def build(calls: int) -> Path:
    """Return the data folder of the world, made through `callscope calls import` unless it exists.

    Of a world with more than IMPORTED calls only those are imported: copies.py makes the others.
    """
    data = folder(calls)
    environment = environment_of(data)
    if database() == "PostgreSQL":
        _create_database(environment["CALLSCOPE_DATABASE_URL"])
    callscope(environment, "init")
    if (data / "built").exists():
        return data
    callscope(environment, "user", "create", EMAIL, "--password-stdin", stdin=PASSWORD)
    for project in range(PROJECTS):
        _build_project(environment, data, min(calls, IMPORTED), project)
    if calls > IMPORTED:
        copier = [sys.executable, str(Path(__file__).with_name("copies.py")), str(calls)]
        subprocess.run(copier, env=environment, check=True)
    (data / "built").touch()
    return data


def _create_database(url: str) -> None:
    """Create the database of a world on the server of CALLSCOPE_DATABASE_URL, unless it exists."""
    import psycopg

    name = urlsplit(url).path.removeprefix("/")
    with psycopg.connect(os.environ["CALLSCOPE_DATABASE_URL"], autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).rowcount:
            connection.execute(f'CREATE DATABASE "{name}"')


def _build_project(environment: dict[str, str], data: Path, calls: int, project: int) -> None:
    config = data / "config.yaml"
    config.write_text(json.dumps(rubric()))
    made = callscope(
        environment,
        "project",
        "create",
        f"Project {project}",
        "--owner",
        EMAIL,
        "--config",
        str(config),
        "--json",
    )
    path = data / "lines.jsonl"
    with path.open("w") as file:
        file.writelines(f"{line}\n" for line in lines(calls, project))
    callscope(environment, "calls", "import", str(json.loads(made)["id"]), str(path))
    path.unlink()  # seven kilobytes a call


if __name__ == "__main__":
    for size in sys.argv[1:]:
        print(build(int(size)))
