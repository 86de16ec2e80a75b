"""Each part of the report prepares only what it shows, and that once."""

import pytest

from callscope.interfaces.web.presenters import report as presenter
from callscope.projects.services import configure_project, create_project
from tests.web.conftest import CONFIGURATION, bring, line, page

CRITERION = {"id": "close", "name": "Says goodbye", "max_points": 5}

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.mark.parametrize(
    ("part", "rows"), [("", [1]), ("criteria/", []), ("agents/", []), ("reasons/", [1]), ("trend/", [])]
)
def test_contact_reasons_are_prepared_once_where_they_are_shown(as_alice, project, monkeypatch, part, rows):
    bring(project, line())
    prepare, prepared = presenter.build_reasons, []

    def count(found, links):
        prepared.append(len(found))
        return prepare(found, links)

    monkeypatch.setattr(presenter, "build_reasons", count)

    as_alice.get(f"/report/{part}?project_id={project.pk}")

    assert prepared == rows


def test_criteria_name_their_projects_where_the_report_is_of_several(as_alice, alice, project):
    bring(project, line(greeting=0))
    one = f"/report/criteria/?project_id={project.pk}"
    assert "Greets Service line" not in page(as_alice.get(one)).text
    other = create_project(alice, "Sales line", document=CONFIGURATION)
    bring(other, line(identity=0))
    configure_project(other, {"rubric": {"sections": [{"name": "Close", "criteria": [CRITERION]}]}})

    criteria = page(as_alice.get("/report/criteria/?project_id=")).text
    by_points_lost = page(as_alice.get("/report/criteria/?project_id=&order=lost")).text
    overview = page(as_alice.get("/report/?project_id=")).text

    for shown in (by_points_lost, overview):
        assert "Greets Service line" in shown
        assert "Verifies the caller Service line" in shown
    assert "Service line Opening Greets" in criteria
    assert "Sales line Close Says goodbye" in criteria
    assert "Greets Service line" not in criteria
