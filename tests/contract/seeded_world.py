"""The same world of imported calls wherever it is made, and every answer that it gives.

Run as a script under any settings, it makes the world and writes the answers to a file.
"""

import io
import json
import random
import sys
from pathlib import Path
from typing import Any

from worlds import AGENTS, CRITERIA, MOMENTS, NAMES, QUESTIONS, SEARCHES, TOPICS

SEED = 20260105
LINES = 70
ZONE = "Europe/Madrid"
QUERIES = [
    "report/", "report/?start_date=2026-03-01&end_date=2026-03-31", "report/?project_id={first}",
    "report/?team=1",
    "report/?end_date=2026-03-29", "calls/", "calls/?page=2", "calls/?page=last", "analysis-status/",
    "custom-questions/", "custom-questions/?project_id={first}", "calls/?agent=none", "calls/?critical=1",
    "calls/?page=7", "report/?date_range=x", "calls/?agent=x",
]  # fmt: skip
ORDERS = ("call_datetime", "-call_datetime", "score_percentage", "-score_percentage", "mistake_count")
ORDERS += ("-mistake_count", "agent__name", "-agent__name")


def line(chance: random.Random, number: int) -> dict[str, Any]:
    agent_id, agent_name = chance.choice(AGENTS)
    scores = [
        {
            "criterion_id": criterion_id, "name": name, "section": section,
            "score": chance.choice([0, 1, 2.5]),
            "max_points": chance.choice([2.5, 3, 7]), "is_critical_error": chance.random() < 0.1,
            "applicability": chance.choice(["evaluated", None]), "quote": "[00:03] ñ",
        }
        for criterion_id, name, section in CRITERIA
    ]  # fmt: skip
    asked = {q: {"answer": chance.choice(["Sí", "No", ""]), "quotes": ["[00:01] a"]} for q in QUESTIONS}
    mistakes = [{"id": "m", "description": "Rude"}] * chance.randrange(3)
    given = {
        "file_name": f"{chance.choice(NAMES)}{chance.randrange(LINES)}.wav",
        "call_datetime": chance.choice([None, *MOMENTS]),
        "uploaded_at": chance.choice(MOMENTS),
        "analyzed_at": f"2026-11-01T00:00:00.{number:06}+00:00",
        "duration_seconds": chance.choice([0, 17.5, 36.001]),
        "agent_id": agent_id,
        "agent_name": agent_name,
        "direction": chance.choice(["", "inbound", "outbound"]),
        "caller_number": chance.choice(["", "+34 600_1%"]),
        "campaign": chance.choice(["", "SPRING straße"]),
        "sentiment": chance.choice([None, "positive", "negative"]),
        "topic": chance.choice(TOPICS),
        "contact_reason": chance.choice(["", "", "Billing"]),
        "goal_reached": chance.choice([None, True, False]),
        "copc": chance.choice([None, {"criterion_scores": scores}]),
        "no_protocol": chance.choice([None, {"mistakes": mistakes, "missing_prompts": []}]),
        "custom_questions": chance.choice([None, {"answers": asked}]),
    }
    return {name: value for name, value in given.items() if value is not None}


def make() -> Any:
    """Make two projects of one owner, with an own document each; return the owner."""
    from callscope.accounts.models import User
    from callscope.pipeline.transfer.importer import import_calls
    from callscope.projects.services import create_project

    chance = random.Random(SEED)
    owner = User.objects.create_user("seeded@example.com", "a-long-password")
    for number in range(2):
        criteria = [{"id": c[0], "name": c[1], "max_points": 2.5 + number} for c in CRITERIA[: 2 + number]]
        rule = ["flag", "zero_score"][number]
        document = {
            "shift_hours": {"day_start": 8 + number * 14, "day_end": 20 - number * 14},
            "rubric": {"on_critical_error": rule, "sections": [{"name": "S", "criteria": criteria}]},
        }
        project = create_project(owner, f"Project {number}", document=document)
        content = "\n".join(json.dumps(line(chance, n)) for n in range(LINES)).encode()
        result = import_calls(project, io.BytesIO(content), by=owner)
        assert result.errors == []
        assert result.replaced
    return owner


def answers(client: Any) -> dict[str, str]:
    """Return address → status and body of every question that is asked."""
    first = client.get("/api/projects/").json()["results"][0]["id"]
    queries = [query.format(first=first) for query in QUERIES]
    queries += [f"calls/?ordering={order}" for order in ORDERS]
    queries += [f"calls/?search={quoted(text)}&ordering={ORDERS[n % 8]}" for n, text in enumerate(SEARCHES)]
    fetched = {}
    for query in queries:
        response = client.get(f"/calls/api/{query}")
        fetched[query] = f"{response.status_code} {response.content.decode()}"
    calls = client.get("/calls/api/calls/").json()["results"]
    for call in calls[:10]:
        fetched[f"call {call['file_name']}"] = client.get(f"/calls/api/calls/{call['id']}/").content.decode()
    return fetched


def quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text)


def main(path: str) -> None:
    import django

    django.setup()
    from django.test import Client, override_settings

    with override_settings(TIME_ZONE=ZONE, ALLOWED_HOSTS=["testserver"]):
        client = Client()
        client.force_login(make(), backend="callscope.accounts.sign_in.EmailBackend")
        Path(path).write_text(json.dumps(answers(client)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
