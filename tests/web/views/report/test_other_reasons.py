"""The line of the other contact reasons leads to all of them."""

import pytest

from callscope.projects.services import create_project
from tests.web.conftest import CONFIGURATION, bring, line, page

MANY = [line(n, topic=f"reason {n}", file_name=f"{n}.wav") for n in range(1, 14)]


def links_of(shown, address):
    return shown.all("a", href=address)


@pytest.mark.django_db
class TestOtherReasons:
    def test_are_in_the_reasons_of_the_same_report(self, as_alice, project):
        bring(project, *MANY)
        query = f"project_id={project.pk}&start_date=2026-03-02&end_date=2026-03-12"

        shown = page(as_alice.get(f"/report/?{query}"))

        assert "6 other reasons" in shown.text
        [link] = [each for each in shown.all("a") if each.get("href") == f"/report/reasons/?{query}"][1:]
        assert page(as_alice.get(link["href"])).all("h2", id="reasons-title")
        assert not links_of(shown, f"/projects/{project.pk}/reasons/")

    def test_of_one_project_lead_nowhere_where_its_list_is_named(self, as_alice, project):
        bring(project, *MANY)

        shown = page(as_alice.get(f"/report/reasons/?project_id={project.pk}"))

        assert "3 other reasons" in shown.text
        assert len(links_of(shown, f"/projects/{project.pk}/reasons/")) == 1  # "All contact reasons"

    def test_of_several_projects_are_in_the_lists_of_each(self, as_alice, alice, project):
        other = create_project(alice, "Another line", document=CONFIGURATION)
        bring(project, *MANY)

        first, reasons = (page(as_alice.get(f"/report/{part}?project_id=")) for part in ("", "reasons/"))

        assert len(links_of(first, "/report/reasons/?project_id=")) == 2  # the tab and the line
        assert links_of(reasons, "/report/reasons/?project_id=#all-reasons")
        assert [links_of(reasons, f"/projects/{p.pk}/reasons/") for p in (other, project)] == [
            [{"href": f"/projects/{p.pk}/reasons/"}] for p in (other, project)
        ]
        assert reasons.all("p", id="all-reasons")

    def test_are_not_named_where_all_are_shown(self, as_alice, project):
        bring(project, *MANY[:3])

        for part in ("", "reasons/"):
            assert "other reason" not in page(as_alice.get(f"/report/{part}?project_id={project.pk}")).text
