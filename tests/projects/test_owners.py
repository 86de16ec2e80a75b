"""Which projects have a criterion, a mistake or a prompt, in the words of a report over several."""

import pytest

from callscope.projects.owners import Owners
from callscope.projects.services import configure_project, create_project


def settings_of(*criteria):
    listed = [{"id": each.lower(), "name": each, "max_points": 10} for each in criteria]
    return {
        "rubric": {"sections": [{"name": "All", "criteria": listed}]},
        "no_protocol": {"mistakes": [{"id": "rude", "text": "Is rude", "any_of": ["whatever"]}]},
    }


@pytest.fixture
def projects(alice):
    found = [create_project(alice, name) for name in ("Sales", "Service")]
    for project, criteria in zip(found, (("Greets", "Sells"), ("Greets", "Solves")), strict=True):
        configure_project(project, settings_of(*criteria), by=alice)
        project.refresh_from_db()
    return found


class TestOwners:
    def test_name_the_projects_of_a_criterion(self, projects):
        owners = Owners(projects)

        assert owners.name_by_criterion("greets", "Greets") == "Sales · Service"
        assert owners.name_by_criterion("solves", "Solves") == "Service"
        assert owners.name_by_criterion("solves", "Another name") == ""

    def test_name_who_looks_for_a_mistake(self, projects):
        assert Owners(projects).name_by_finding("mistake", "rude", "Is rude") == "Sales · Service"
        assert Owners(projects).name_by_finding("prompt", "rude", "Is rude") == ""

    def test_name_projects_by_their_ids(self, projects):
        assert Owners(projects).name_by_id([projects[1].pk, 0]) == "Service"

    def test_say_nothing_of_one_project(self, projects):
        owners = Owners(projects[:1])

        assert owners.name_by_criterion("greets", "Greets") == ""
        assert owners.name_by_id([projects[0].pk]) == ""
