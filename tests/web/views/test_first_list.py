"""What the bare addresses of the lists open: the last project and 30 days, as that of the report does."""

import pytest
from django.utils import timezone

from callscope.projects.models import Project
from callscope.projects.services import create_project
from tests.web.conftest import bring, line, page

NOW = timezone.now().isoformat()
ASKED = {"custom_questions": {"answers": {"Was a refund promised?": {"answer": "Yes", "quotes": []}}}}


@pytest.fixture
def newer(alice):
    """A project without questions, newer than the other one, with one call of long ago."""
    found = create_project(alice, "Newer", document={"rubric": {"sections": []}})
    bring(found, line(1))
    return found


@pytest.mark.django_db
class TestCalls:
    def test_are_those_of_the_last_project_and_30_days(self, as_alice, project, newer):
        bring(project, line(1, call_datetime=NOW))

        assert as_alice.get("/calls/")["Location"] == f"/calls/?project_id={newer.pk}"  # none is recent
        as_alice.get(f"/calls/?project_id={project.pk}")

        opened = f"project_id={project.pk}&date_range=last_30_days"
        assert as_alice.get("/calls/")["Location"] == f"/calls/?{opened}"
        assert as_alice.get("/")["Location"] == f"/report/?{opened}"

    def test_lead_to_all_projects_and_all_time_and_stay_there(self, as_alice, project, newer):
        bring(project, *(line(n) for n in range(1, 27)))

        found = page(as_alice.get(f"/calls/?project_id={newer.pk}"))
        assert found.all("a", href="/calls/?project_id=")
        assert "All projects and all time" in found.text
        everything = page(as_alice.get("/calls/?project_id="))

        assert "27 calls" in everything.text
        assert "All projects and all time" not in everything.text
        assert {form.get("data-short-address") for form in everything.all("form", method="get")} == {
            "project_id"
        }
        links = {a["href"] for a in everything.all("a") if "href" in a}
        assert not links & {"/calls/", "/questions/"}  # which would open the last project
        assert {"/calls/?project_id=", "/questions/?project_id=", "/report/?project_id="} <= links

    def test_of_the_only_project_lead_to_all_time_with_the_filters_that_are_on(self, as_alice, project):
        bring(project, line(1, call_datetime=NOW, agent_name=""))

        found = page(as_alice.get(f"/calls/?project_id={project.pk}&date_range=last_30_days&agent=none"))

        assert "All projects and all time" not in found.text
        assert found.all("a", **{"class": "no-print", "href": "/calls/?agent=none"})

    def test_of_a_call_lead_back_to_the_same_list(self, as_alice, project):
        [call] = bring(project, line(1))

        assert page(as_alice.get(f"/calls/{call.pk}/")).all("a", href="/calls/?project_id=")


@pytest.mark.django_db
class TestQuestions:
    def test_are_those_of_the_last_project_that_asks_some(self, as_alice, project, newer):
        bring(project, line(1, call_datetime=NOW, **ASKED))
        as_alice.cookies["callscope_project"] = str(newer.pk)

        opened = f"/questions/?project_id={project.pk}&date_range=last_30_days"
        assert as_alice.get("/questions/")["Location"] == opened
        assert as_alice.cookies["callscope_project"].value == str(newer.pk)

    def test_are_of_all_time_where_no_recent_call_answers(self, as_alice, project):
        bring(project, line(1, **ASKED), line(2, call_datetime=NOW, custom_questions=None))

        assert as_alice.get("/questions/")["Location"] == f"/questions/?project_id={project.pk}"

    def test_open_where_no_project_asks_any(self, as_alice, newer):
        assert as_alice.get("/questions/")["Location"] == f"/questions/?project_id={newer.pk}"


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "name"), [("en", "English"), ("es", "Spanish, too")])
@pytest.mark.parametrize("address", ["/report/", "/calls/", "/questions/"])
def test_the_first_visit_prefers_calls_in_the_language_of_the_page(as_alice, alice, address, language, name):
    for code, each in (("es", "Spanish"), ("en", "English"), ("es", "Spanish, too")):
        made = create_project(alice, each, document={"language": code, "custom_questions": ["Why?"]})
        bring(made, line(1))

    opened = as_alice.get(address, headers={"Accept-Language": language})["Location"]

    assert opened == f"{address}?project_id={Project.objects.get(name=name).pk}"


@pytest.mark.django_db
def test_filters_of_fields_are_named_with_a_link_without_each(as_alice, project):
    bring(project, line(1, agent_name="Ana Ruiz", sentiment="negative", campaign="Spring"))
    agent = project.calls.get().agent_id
    query = f"agent={agent}&sentiment=negative&max_score=100&campaign=Spring&search=call"

    found = page(as_alice.get(f"/calls/?project_id={project.pk}&{query}"))

    for words in (
        "Agent: Ana Ruiz",
        "Sentiment: Negative",
        "Score up to 100",
        "Campaign: Spring",
        "Search: call",
    ):
        assert f"Remove filter: {words}" in found.text
    without = [a["href"] for a in found.all("a", **{"class": "chip"})]
    assert len(without) == 5
    assert all(url.count("&") == 4 for url in without)
