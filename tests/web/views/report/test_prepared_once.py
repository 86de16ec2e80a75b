"""Each part of the report prepares only what it shows, and that once."""

import pytest

from callscope.interfaces.web.presenters import report as presenter
from tests.web.conftest import bring, line

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
