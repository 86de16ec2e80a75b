"""A server that is stopped, or cannot start. What killed ones leave: tests/crash."""

import json
import os
import random
import secrets
import socket
import time

import httpx2
import pytest
from journeys_server import (
    PATIENCE_S,
    Installation,
    Server,
    create_project,
    free_port,
)

from tests import prepared as migrated

pytestmark = pytest.mark.journey

SEED = 1
CALLS = 4
CRITERIA = [
    {
        "id": "greeting",
        "name": "Greets",
        "max_points": 10,
        "rule": {"any_of": ["good morning"], "within_seconds": 30},
    },
    {"id": "help", "name": "Offers help", "max_points": 7, "rule": {"any_of": ["how can i help"]}},
    {
        "id": "close",
        "name": "Closes",
        "max_points": 3,
        "critical": True,
        "rule": {"any_of": ["anything else"]},
    },
]
CONFIGURATION = {
    "rubric": {"sections": [{"name": "Call", "criteria": CRITERIA}]},
    "no_protocol": {"mistakes": [{"id": "rude", "text": "Is rude", "any_of": ["not my problem"]}]},
}
TOPICS = [
    "I have been charged twice on my invoice",
    "my parcel has not arrived yet",
    "I want to cancel my subscription",
    "the internet connection drops every evening",
]


def transcripts(count: int) -> dict[str, str]:
    """Return file name → SRT of calls that differ in topic, in what the agent says and in length."""
    dice = random.Random(SEED)
    made = {}
    for number in range(count):
        lines = [
            ("Agent", "Good morning, this is Ana." if dice.random() < 0.6 else "Yes?"),
            ("Agent", "How can I help you today?" if dice.random() < 0.6 else "What is it?"),
            ("Customer", f"Hello, {TOPICS[number % len(TOPICS)]}, this is the {number + 1}th time."),
            *[("Customer", f"It happened on day {day} as well.") for day in range(dice.randrange(30))],
            ("Agent", "That is not my problem." if dice.random() < 0.2 else "I will take care of that."),
            ("Agent", "Is there anything else?" if dice.random() < 0.7 else "Bye."),
        ]
        made[f"call-{number + 1:03d}.srt"] = "\n".join(
            f"{n + 1}\n{clock(3 * n)},000 --> {clock(3 * n + 2)},500\n{who}: {said}\n"
            for n, (who, said) in enumerate(lines)
        )
    return made


def clock(second: int) -> str:
    return f"00:{second // 60:02d}:{second % 60:02d}"


@pytest.fixture(scope="module")
def new_database():
    """Make migrated databases on the PostgreSQL of this run; without one, SQLite serves."""
    server = os.environ.get("CALLSCOPE_TEST_DATABASE_URL", "")
    made: list[str] = []

    def make() -> dict[str, str]:
        if not server:
            return {}
        made.append(f"callscope_crash_{secrets.token_hex(4)}")
        administer(f"CREATE DATABASE {made[-1]} TEMPLATE {migrated.postgres_database(server)}")
        return {"CALLSCOPE_DATABASE_URL": server.rpartition("/")[0] + f"/{made[-1]}"}

    def administer(statement: str) -> None:
        import psycopg

        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(statement)

    yield make
    for name in made:
        administer(f"DROP DATABASE {name} WITH (FORCE)")


def upload(client: httpx2.Client, project: int, name: str, content: str) -> bool:
    """Upload one file; False when the server died under it, which says nothing about the file."""
    number = int(name[5:8])
    try:
        answer = client.post(
            "/api/files/",
            data={"project": project, "call_datetime": f"2026-03-{number % 28 + 1:02d}T10:00:00+00:00"},
            files={"file": (name, content.encode())},
        )
    except httpx2.TransportError:
        return False
    assert answer.status_code == 201, answer.text
    return True


class TestStoppedServer:
    def test_ends_within_seconds_and_leaves_no_job_behind(self, tmp_path, new_database):
        installation = Installation(tmp_path / "data", **new_database())
        key = installation.owner_with_key()
        server = Server(installation, free_port(), 2)
        server.wait_until_ready()
        with server.client(key) as client:
            project = create_project(client, "Line", CONFIGURATION)
            for name, content in transcripts(CALLS).items():
                upload(client, project, name, content)
        began = time.monotonic()

        server.stop()

        assert server.process.returncode == 0
        assert time.monotonic() - began < PATIENCE_S
        drained = installation.run("worker", "--drain")
        assert drained.returncode == 0, drained.stderr
        exported = installation.run("calls", "export", str(project), "-").stdout.splitlines()
        assert [bool(json.loads(line)["copc"]["criterion_scores"]) for line in exported] == [True] * CALLS

    @pytest.mark.one_database
    def test_refuses_a_used_port_in_one_line(self, tmp_path):
        installation = Installation(tmp_path / "data")
        installation.initialise()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]

            done = installation.run("serve", "--port", str(port))

        assert done.returncode == 1
        assert done.stderr.splitlines() == [
            f"Port {port} on 127.0.0.1 is used by another program. Choose another with --port."
        ]

    @pytest.mark.one_database
    def test_refuses_a_folder_that_is_not_initialised_in_one_line(self, tmp_path):
        done = Installation(tmp_path / "nothing").run("serve", "--port", str(free_port()))

        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "callscope init" in done.stderr
