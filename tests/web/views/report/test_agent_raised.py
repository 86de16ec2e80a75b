"""Calls with unreliable transcripts can raise the figures of an agent and not lower them."""

from types import SimpleNamespace

import pytest

from callscope.projects.services import configure_project
from callscope.reports.details.agent_page import AgentPage
from callscope.reports.models import CallFact
from tests.web.conftest import CONFIGURATION, bring, line, page

pytestmark = pytest.mark.django_db
SAID = "What is better, or meets a target, for these calls alone is not marked."


@pytest.fixture
def shown(as_alice, project):
    """Return the page of an agent who greets in 10 of 12 calls, of which so many are unreliable."""
    configure_project(project, {**CONFIGURATION, "targets": {"average_score": 90}})
    own = [line(n, greeting=10 if n > 2 else 0) for n in range(1, 13)]
    calls = bring(project, *own, *(line(n, greeting=0, agent_name="Ben") for n in range(13, 25)))

    def show(unreliable):
        CallFact.objects.filter(call__in=[each.pk for each in calls[12 - unreliable : 12]]).update(
            half_heard=True
        )
        return page(as_alice.get(f"/agents/{calls[0].agent_id}/?start_date=2026-03-01")).text

    return show


def test_marks_what_is_better_without_them(shown):
    text = shown(0)

    assert "41.7 % (n 24) better than all calls" in text
    assert "Target 90 %: met" in text
    assert "above the others, beyond chance" in text
    assert SAID not in text


def test_marks_nothing_that_may_be_better_for_them_alone(shown):
    text = shown(6)

    assert "41.7 % (n 24)" in text and "better than all calls" not in text.split("By week", 1)[1]
    assert "Target 90 %" in text and "Target 90 %: met" not in text
    assert "above the others, beyond chance" in text  # also without them
    assert SAID in text


def test_does_not_put_above_the_others_whom_they_alone_raise(shown):
    assert "beyond chance" not in shown(11)


@pytest.mark.parametrize(
    ("unreliable", "by_people", "value", "calls", "least"),
    [
        (0, 0, 80.0, 10, 80.0),
        (2, 0, 80.0, 10, 75.0),
        (2, 2, 80.0, 10, 80.0),
        (8, 0, 80.0, 10, 0.0),
        (9, 0, 95.0, 9, 0.0),
        (12, 0, 50.0, 10, 0.0),
    ],
)
def test_knows_the_least_without_them(unreliable, by_people, value, calls, least):
    known = SimpleNamespace(half_heard_calls=unreliable, half_heard_by_people=by_people)

    assert AgentPage.find_least(known, value, calls) == pytest.approx(least)
