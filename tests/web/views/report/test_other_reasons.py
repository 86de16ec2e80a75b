"""The line of the other contact reasons leads to all of them."""

import csv
import io

import pytest

from callscope.projects.services import create_project
from tests.web.conftest import CONFIGURATION, bring, line, page

MANY = [line(n, topic=f"reason {n}", file_name=f"{n}.wav") for n in range(1, 14)]


def links_of(shown, address):
    return shown.all("a", href=address)


@pytest.mark.django_db
class TestOtherReasons:
    def test_are_all_listed_at_an_address_of_the_same_report(self, as_alice, project):
        bring(project, *MANY)
        query = f"project_id={project.pk}&start_date=2026-03-02&end_date=2026-03-12"
        everything = f"/report/reasons/?{query}&reasons=all#reasons-title"

        overview, reasons = (page(as_alice.get(f"/report/{part}?{query}")) for part in ("", "reasons/"))
        shown = page(as_alice.get(everything))

        assert "6 other reasons" in overview.text
        assert "1 other reason" in reasons.text
        assert "Show all 11 contact reasons" in reasons.text
        assert (len(links_of(overview, everything)), len(links_of(reasons, everything))) == (1, 2)
        assert not links_of(overview, f"/projects/{project.pk}/reasons/")
        assert "other reason" not in shown.text
        assert all(f"reason {n} 1" in shown.text for n in range(2, 13))
        assert links_of(shown, f"/report/reasons/?{query}#reasons-title")  # back to the most frequent
        assert shown.all("input", type="hidden", name="reasons", value="all")  # other days keep the list
        assert len(links_of(shown, f"/projects/{project.pk}/reasons/")) == 1  # "All contact reasons"

    def test_beyond_what_a_page_holds_are_in_a_file(self, as_alice, project, monkeypatch):
        monkeypatch.setattr("callscope.interfaces.web.views.report.MOST_REASONS", 12)
        bring(project, *MANY)

        shown = page(as_alice.get(f"/report/reasons/?project_id={project.pk}&reasons=all"))

        assert "1 other reason" in shown.text
        assert "Download all 13 contact reasons as CSV" in shown.text
        [address] = {a["href"] for a in shown.all("a") if "contact-reasons.csv?" in a["href"]}
        text = b"".join(as_alice.get(address).streaming_content).decode("utf-8-sig")
        assert sorted(row["topic"] for row in csv.DictReader(io.StringIO(text))) == sorted(
            each["insights"]["topic"] if "insights" in each else each["topic"] for each in MANY
        )

    def test_of_several_projects_are_listed_together_and_in_the_lists_of_each(self, as_alice, alice, project):
        other = create_project(alice, "Another line", document=CONFIGURATION)
        bring(project, *MANY)
        everything = "/report/reasons/?reasons=all#reasons-title"

        first, reasons = (page(as_alice.get(f"/report/{part}?project_id=")) for part in ("", "reasons/"))

        assert links_of(first, everything)
        assert links_of(reasons, everything)
        assert "other reason" not in page(as_alice.get(everything)).text
        assert [links_of(reasons, f"/projects/{p.pk}/reasons/") for p in (other, project)] == [
            [{"href": f"/projects/{p.pk}/reasons/"}] for p in (other, project)
        ]
        assert reasons.all("p", id="all-reasons")

    def test_are_not_named_where_all_are_shown(self, as_alice, project):
        bring(project, *MANY[:3])

        for part in ("", "reasons/"):
            assert "other reason" not in page(as_alice.get(f"/report/{part}?project_id={project.pk}")).text
