"""Calls to probe, and a language model that judges them as a test wants."""

import json
from dataclasses import replace

import pytest

from callscope.engines.llm import client as client_module
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.pipeline.models import Job
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import accept, srt

NAMED = [
    ("Agent", "Good morning, this is Ana Ruiz speaking, how can I help you?"),
    ("Customer", "My name is John Smith. I have been charged twice."),
    ("Agent", "I am sorry, Mr. Smith. I will correct it."),
    ("Customer", "Thank you. That is all."),
]


class Model:
    """A language model that says "met", unless the test decides otherwise by what it reads."""

    def __init__(self) -> None:
        self.prompts: list[list[dict]] = []
        self.decide = lambda transcript, number: "met"

    def __call__(self, request, number):
        messages = request["messages"]
        transcript = messages[1]["content"]
        self.prompts.append(messages)
        answer = self.decide(transcript, number)
        rows = [
            {
                "criterion_id": "greeting",
                "applies": True,
                "answer": answer,
                "justification": "It says so.",
                "quote": "Good morning" if answer == "met" else "",
            }
        ]
        found = {
            "call": transcript.split("Call reference: ")[1].split("\n")[0],
            "criteria": rows,
            "insights": {
                "sentiment": "neutral", "topic": "", "goal": "unknown", "goal_quote": "", "agent_name": "",
            },
        }  # fmt: skip
        return ScriptedReply(json.dumps(found))

    def transcripts(self):
        return [messages[1]["content"] for messages in self.prompts]


@pytest.fixture
def model(settings, monkeypatch):
    monkeypatch.setattr(client_module, "_capabilities", {})
    model = Model()
    with ScriptedChatServer(model) as server:
        model.url = server.url
        model.before = settings.ENVIRONMENT
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=EngineAddress(server.url, model="m"))
        yield model


def bring(project, *calls):
    for lines in calls:
        accept(project, srt(lines))
    run_due_jobs()
    Job.objects.filter(kind=Job.Kind.REGROUP, state=Job.State.QUEUED).delete()  # would become due some time
    project.refresh_from_db()
    return project
