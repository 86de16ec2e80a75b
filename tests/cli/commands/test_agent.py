"""Links between users and agents on the command line."""

import io
import json

import pytest

from callscope.calls.models import Agent, AgentUser
from callscope.pipeline.transfer.importer import import_calls


@pytest.fixture
def agent(project):
    line = {"file_name": "a.wav", "agent_name": "Ana Ruiz", "topic": "invoice"}
    import_calls(project, io.BytesIO(json.dumps(line).encode()), by=project.owner)
    return Agent.objects.get(name="Ana Ruiz")


class TestAgent:
    def test_link_list_and_unlink(self, callscope, project, bob, agent):
        made = callscope.json("agent", "link", project.pk, bob.email, agent.pk)

        assert (made["email"], made["agent"]) == (bob.email, "Ana Ruiz")
        assert callscope.json("agent", "list", project.pk) == {"results": [made], "count": 1}
        callscope.json("agent", "unlink", project.pk, bob.email)
        assert not AgentUser.objects.exists()

    def test_refuse_what_is_not_there(self, callscope, project, bob, agent):
        absent = callscope.failure("agent", "link", project.pk, bob.email, "99999999")
        unlinked = callscope.failure("agent", "unlink", project.pk, bob.email)

        assert absent == ["No agent with calls in this project has the id 99999999."]
        assert unlinked == [f"{bob.email} is not linked to an agent of this project."]
