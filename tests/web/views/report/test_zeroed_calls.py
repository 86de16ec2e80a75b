"""Calls that count as 0 for a critical error: every page that shows an average with them says so."""

import re

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.reports.store import facts
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import page

pytestmark = pytest.mark.django_db

SAID = "1 of 3 scored calls counts as 0: it has a critical error."
MARCH = "start_date=2026-03-01&end_date=2026-03-31"


@pytest.fixture
def zeroed(world):
    """The call of the world with a critical error, as a rubric that zeroes leaves it."""
    analysis = CallAnalysis.objects.get(call=world[1].pk)
    analysis.copc |= {"on_critical_error": "zero_score", "score_percentage": 0}
    analysis.save()
    facts.refresh([world[1].pk])
    return world[1]


def follow(client, found):
    """Return the files of the calls behind "See this call" of a page."""
    [address] = [a["href"] for a in found.all("a") if "max_score=0" in a.get("href", "")]
    listed = page(client.get(address))
    return [a["title"] for a in listed.all("a", **{"class": "name"})]


@pytest.mark.parametrize("part", ["", "criteria/", "agents/", "trend/"])
def test_the_report_says_how_many_there_are_and_leads_to_them(as_alice, project, zeroed, part):
    address = f"/report/{part}?project_id={project.pk}&{MARCH}"

    found = page(as_alice.get(address))

    assert SAID in found.text
    assert ("The points of criteria stay as they were given." in found.text) == (part == "criteria/")
    assert follow(as_alice, found) == [zeroed.file_name]


def test_the_page_of_the_agent_says_how_many_are_the_agents(as_alice, project, world, zeroed):
    ben, ana = (
        page(as_alice.get(f"/agents/{call.agent_id}/?project_id={project.pk}&{MARCH}"))
        for call in (zeroed, world[0])
    )

    assert "1 of 1 scored calls counts as 0: it has a critical error. See this call" in ben.text
    assert follow(as_alice, ben) == [zeroed.file_name]
    assert "as 0" not in ana.text


def test_nothing_is_said_where_the_average_is_kept_back(as_alice, alice, project, zeroed):
    collect_sample(project, [zeroed.pk], alice)

    found = page(as_alice.get(f"/agents/{zeroed.agent_id}/?project_id={project.pk}&{MARCH}"))

    assert "1 call waits for your rating or blind review" in found.text
    assert "counts as 0" not in found.text


def test_nothing_is_said_where_a_critical_error_takes_no_points(as_alice, project, world):
    parts = ("", "criteria/", "agents/", "trend/")
    found = [as_alice.get(f"/report/{part}?project_id={project.pk}&{MARCH}").content for part in parts]

    assert not any(re.search(rb"count(s)? as 0|max_score=0", each) for each in found)
