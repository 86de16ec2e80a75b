"""Agents' users on the page of a project's people: who sees the calls of which agent."""

import pytest

from callscope.calls.models import AgentUser, Call
from tests.web.conftest import bring, line, page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def link(client, project, name):
    agent = Call.objects.filter(project=project, agent__name=name).first().agent
    sent = {"email": "dana@example.com", "agent_id": agent.pk}
    return page(client.post(f"/projects/{project.pk}/agent-users/", sent, follow=True)).text


class TestALink:
    def test_warns_of_an_agent_whose_name_begins_alike(self, as_alice, project):
        names = ("Dana", "Dana Kowalski", "Danae Ruiz", "Luis Soto")
        bring(project, *[line(n, agent_name=name) for n, name in enumerate(names, start=1)])

        said = link(as_alice, project, "Dana Kowalski")

        assert "sees the calls of Dana Kowalski, and nothing else of this project." in said
        assert "Calls of Dana are not among them." in said
        assert AgentUser.objects.get().agent.name == "Dana Kowalski"

    def test_warns_of_nobody_else(self, as_alice, project):
        bring(project, line(1, agent_name="Dana Kowalski"), line(2, agent_name="Danae Ruiz"))

        assert "are not among them" not in link(as_alice, project, "Dana Kowalski")
