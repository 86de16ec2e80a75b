"""An average score is on target only where a project sets one and the calls are enough to say so."""

import pytest

from tests.web.conftest import bring, line, page, set_target
from tests.web.views.sharing.test_share_links import share

pytestmark = pytest.mark.django_db


@pytest.fixture
def calls(project):
    """Twelve calls, 77.8 on average, its interval from about 53 to 94."""
    return bring(project, *[line(n, identity=20 * (n > 2), greeting=10 * (n > 4)) for n in range(1, 13)])


def open_page(client, name, project, agent):
    address = {
        "report": f"/report/?project_id={project.pk}",
        "agents": f"/report/agents/?project_id={project.pk}",
        "agent": f"/agents/{agent}/?project_id={project.pk}",
    }.get(name) or share(client, f"project_id={project.pk}")
    return client.get(address).content.decode()


def average_of(html):
    """Return the tile of the average score, or the rows of the agents."""
    tile = html.partition('<div class="tile hero"')[2].partition('<div class="tile"')[0]
    return tile or html.partition("agents-table")[2].partition("</table>")[0]


@pytest.mark.parametrize("name", ["report", "agents", "agent", "shared"])
class TestAverageBands:
    @pytest.mark.parametrize(
        ("target", "is_open", "is_met"), [(80, True, False), (75, True, False), (30, False, True)]
    )
    def test_are_open_within_the_noise(self, as_alice, project, calls, name, target, is_open, is_met):
        set_target(project, target)

        shown = average_of(open_page(as_alice, name, project, calls[0].agent_id))

        assert "77.8" in shown
        assert ("within the margin of error" in shown) == is_open
        assert ("band on-target" in shown) == is_met
        assert "band near" not in shown

    def test_are_missing_without_a_target(self, as_alice, project, calls, name):
        html = open_page(as_alice, name, project, calls[0].agent_id)

        assert 'class="band' not in average_of(html)
        assert "o target is set" in html


class TestLegendOfAgents:
    def test_says_from_how_many_calls_on_averages_are_marked(self, as_alice, project):
        set_target(project, 80)
        bring(project, line(1), line(2, agent_name="Ben Okafor"))

        found = page(as_alice.get(f"/report/agents/?project_id={project.pk}")).text

        assert "marks next to an average need 10 calls" in found
        assert "at most 10 points below" not in found

    def test_explains_the_marks_that_are_there(self, as_alice, project, calls):
        set_target(project, 80)

        found = page(as_alice.get(f"/report/agents/?project_id={project.pk}")).text

        assert "80 % is inside the interval" in found
        assert "at most 10 points below" not in found
        assert "need 10 calls" not in found
