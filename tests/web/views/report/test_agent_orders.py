"""Agents in every order, also where a phone shows no heads."""

import pytest

from tests.web.conftest import bring, line, page


@pytest.fixture
def agents(project):
    """Ana has three calls of the best score, Ben one of the worst, Cleo two between."""
    bring(
        project,
        *(line(n, agent_name="Ana") for n in (1, 2, 3)),
        line(4, agent_name="Ben", greeting=0, identity=0),
        *(line(n, agent_name="Cleo", greeting=0) for n in (5, 6)),
    )
    return project


VALUES = [
    "agent", "-agent", "", "calls", "average_score", "-average_score", "-critical_error_pct",
    "critical_error_pct", "-negative_sentiment_pct", "negative_sentiment_pct", "goal_reached_pct",
    "-goal_reached_pct",
]  # fmt: skip


@pytest.mark.django_db
class TestOrders:
    def shown(self, visitor, project, **query):
        return page(visitor.get("/report/agents/", {"project_id": project.pk, **query}))

    def listed(self, found):
        names = {"Ana", "Ben", "Cleo"}
        return list(dict.fromkeys(text for text in map(str.strip, found.texts) if text in names))

    def test_offers_each_order_once(self, as_alice, agents):
        found = self.shown(as_alice, agents)

        form = found.all("select", id="agent-order", name="sort")
        values = [each["value"] for each in found.all("option")]
        start = values.index("agent")
        assert form
        assert values[start : start + len(VALUES)] == VALUES

    @pytest.mark.parametrize(
        ("order", "names"),
        [
            ("", ["Ana", "Cleo", "Ben"]),
            ("calls", ["Ben", "Cleo", "Ana"]),
            ("-agent", ["Cleo", "Ben", "Ana"]),
            ("average_score", ["Ben", "Cleo", "Ana"]),
            ("-average_score", ["Ana", "Cleo", "Ben"]),
        ],
    )
    def test_sorts_and_says_so(self, as_alice, agents, order, names):
        found = self.shown(as_alice, agents, sort=order)

        assert self.listed(found) == names
        assert found.all("option", value=order, selected=None)

    def test_keeps_projects_days_and_that_all_agents_are_shown(self, as_alice, agents):
        found = self.shown(as_alice, agents, start_date="2026-03-01", agents="all")

        kept = [(each["name"], each["value"]) for each in found.all("input", type="hidden") if "name" in each]
        wanted = [("project_id", str(agents.pk)), ("start_date", "2026-03-01"), ("agents", "all")]
        assert [kept[n : n + 3] for n in range(len(kept)) if kept[n : n + 3] == wanted]


def test_a_row_says_how_many_calls_of_the_agent_are_unreliable(as_alice, project, world):
    from callscope.reports.models import CallFact

    address = f"/report/agents/?project_id={project.pk}"
    assert "unreliable call" not in page(as_alice.get(address)).text
    CallFact.objects.filter(call=world[0].pk).update(half_heard=True)

    html = as_alice.get(address).content.decode()
    found = page(as_alice.get(address)).text

    legend = html.partition('class="compared legend"')[2].partition("</p>")[0]
    assert '<span class="mark warn">' in legend, "as the sign looks in the table"
    row = found[found.index("Ana Ruiz") : found.index("Ben Okafor")]
    assert "1 unreliable call" in row
    assert "the scores can be too high" in row
    assert found.count("1 unreliable call") == 1  # Ben has none
