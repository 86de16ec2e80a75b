"""The goal of a report leads to the calls that reached it, and to those that missed it."""

import pytest

from tests.web.conftest import bring, line, page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.mark.parametrize("outcomes", [(True, False, None), (True, True, None), (None, None, None)])
def test_leads_to_the_calls_that_missed_it(as_alice, project, outcomes):
    bring(project, *(line(n, goal_reached=outcome) for n, outcome in enumerate(outcomes, start=1)))

    found = page(as_alice.get(f"/report/?project_id={project.pk}"))

    links = [a["href"] for a in found.all("a") if "goal=false" in a["href"]]
    assert links == ([f"/calls/?project_id={project.pk}&goal=false"] if False in outcomes else [])
    for link in links:
        assert [a["title"] for a in page(as_alice.get(link)).all("a", **{"class": "name"})] == ["call-2.wav"]


def test_a_criterion_shows_on_a_phone_how_many_calls_its_share_is_of(as_alice, project):
    bring(project, line(1, applies=False), line(2), line(3))

    html = as_alice.get(f"/report/criteria/?project_id={project.pk}").content.decode()

    cells = html.partition("Verifies the caller")[2].partition("</tr>")[0].split("<td ")
    shown = {
        number: ["extra" in cell.partition(">")[0] for cell in cells if f"{found}" in cell]
        for number, found in (("2 evaluated", "found=evaluated"), ("3 of all", 'data-label="Calls"'))
    }
    assert shown == {"2 evaluated": [False], "3 of all": [True]}
