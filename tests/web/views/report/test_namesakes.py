"""The page of an agent says who may be the same person, where a call said a part of a name alone."""

import pytest

from callscope.calls.models import Agent, Call
from callscope.calls.namesakes import find_namesakes
from callscope.calls.own_calls import link_user
from callscope.projects.services import create_project
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of

pytestmark = pytest.mark.django_db


def hear(project, *names):
    """Bring calls whose agents were heard in them; return the agents."""
    first = Call.objects.count() + 1
    calls = bring(
        project, *(line(n, agent_name=name, agent_source="llm") for n, name in enumerate(names, first))
    )
    return [call.agent for call in calls]


def address(project, agent):
    return f"/agents/{agent.pk}/?project_id={project.pk}"


class TestFirstName:
    def test_may_be_the_agent_of_a_fuller_name(self, as_alice, project):
        [webb] = [call.agent for call in bring(project, line(1, agent_name="Marcus Webb"))]
        marcus, _again = hear(project, "Marcus", "marcus")

        found = page(as_alice.get(address(project, marcus)))

        assert "“Marcus” was said in 2 calls. It may be an agent of a fuller name." in found.text
        assert "A review can say whose call it is" in found.text
        assert {"href": address(project, webb)} in found.all("a")
        assert {"href": f"/calls/?project_id={project.pk}&agent={marcus.pk}"} in found.all("a")
        said = page(as_alice.get(address(project, webb)))
        assert "In 2 calls only “Marcus” was said. They do not count here" in said.text
        assert {"href": address(project, marcus)} in said.all("a")
        assert Agent.objects.filter(calls__project=project).distinct().count() == 2

    def test_of_several_names_each(self, project):
        [marcus] = hear(project, "Marcus")
        bring(project, line(8, agent_name="Marcus Webb"), line(9, agent_name="Marcus Lee"))

        assert [each.name for each in find_namesakes(project, marcus).fuller] == ["Marcus Lee", "Marcus Webb"]

    @pytest.mark.parametrize("other", ["Marcusson Webb", "Webb Marcus", "Marc Webb"])
    def test_is_no_part_of_other_words(self, as_alice, project, other):
        [marcus] = hear(project, "Marcus")
        bring(project, line(9, agent_name=other))

        assert "fuller name" not in page(as_alice.get(address(project, marcus))).text

    def test_that_came_with_the_calls_is_believed(self, as_alice, project):
        marcus, webb = (
            call.agent
            for call in bring(project, line(1, agent_name="Marcus"), line(2, agent_name="Marcus Webb"))
        )

        for agent in (marcus, webb):
            text = page(as_alice.get(address(project, agent))).text
            assert "fuller name" not in text and "was said" not in text

    def test_of_another_project_is_nobody_here(self, project, alice):
        [marcus] = hear(project, "Marcus")
        bring(create_project(alice, "Sales line", document=CONFIGURATION), line(1, agent_name="Marcus Webb"))

        assert find_namesakes(project, marcus) == (1, [], [])

    def test_is_not_shown_to_agents_themselves(self, project, bob):
        [marcus] = hear(project, "Marcus")
        bring(project, line(9, agent_name="Marcus Webb"))
        link_user(project, bob.email, marcus)

        answer = visitor_of(bob).get(address(project, marcus))

        assert answer.status_code == 200 and "Webb" not in page(answer).text

    def test_is_looked_for_in_one_query(self, project, django_assert_num_queries):
        [marcus] = hear(project, "Ana Maria")

        with django_assert_num_queries(1):
            find_namesakes(project, marcus)
