"""The page of one agent: the way back, and each figure next to that of all calls."""

import pytest
from django.utils import timezone

from tests.web.conftest import page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent_address(world, project):
    return f"/agents/{world[0].agent_id}/?project_id={project.pk}"


class TestAgentPage:
    def test_leads_back_to_all_agents_of_its_weeks(self, as_alice, agent_address, project):
        found = page(as_alice.get(agent_address))

        [back] = [a["href"] for a in found.all("a") if a["href"].startswith("/report/agents/")]
        assert back.startswith(f"/report/agents/?project_id={project.pk}&start_date=")
        assert as_alice.get(back).status_code == 200
        assert [a["href"] for a in found.all("a", **{"aria-current": "page"})] == [
            f"/report/?project_id={project.pk}"
        ]

    def test_shows_each_figure_with_that_of_all_calls(self, as_alice, agent_address):
        text = page(as_alice.get(agent_address)).text

        # Ana's two calls earned 30 and 25 of 30 points; the third call is Ben's: 10 points, a critical error.
        assert "Average score % 91.7 all calls: 72.2 (n 3) of 2 scored calls" in text
        assert "Critical errors % 0.0 all calls: 33.3 (n 3) of 2 scored calls" in text

    def test_shows_agents_themselves_alone(self, carol, world, project, agent_address):
        from callscope.calls.models import AgentUser

        AgentUser.objects.create(
            project=project, email=carol.email, agent=world[0].agent, created_at=timezone.now()
        )
        found = page(visitor_of(carol).get(agent_address))

        assert "Average score % 91.7" in found.text
        assert "all calls:" not in found.text
        assert not [a for a in found.all("a") if a["href"].startswith("/report/agents/")]
