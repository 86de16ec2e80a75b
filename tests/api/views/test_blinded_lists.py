"""Lists of calls say nothing of what came out of a call to a person who rates it in an open calibration."""

import copy
import csv
import io
import json

import pytest
from django.test import Client

from callscope.accounts.models import User
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import configure_project, share_project
from callscope.reports.call_list.exported import LISTED
from tests.api.conftest import client_of
from tests.api.review_samples import RUBRIC, TALK, upload_judged

pytestmark = pytest.mark.django_db

UNSOLVED = TALK.replace(b"I have corrected", b"I cannot correct")  # a critical error
HIDDEN = "Results hidden while you rate it."
RESULTS = ("score_percentage", "sentiment", "goal_reached", "mistake_count", "missing_prompt_count")
FILTERS = (  # of the API; some of each pair find the call, so that being in one list would say which
    "critical=true",
    "min_score=50",
    "max_score=50",
    "criterion=identity&result=not_met",
    "criterion=offer&result=not_met",
    "criterion=offer&result=not_applicable",
    "criterion=identity&result=not_evaluated",
    "reviewed=true",
    "reviewed=false",
    "sentiment=negative",
    "sentiment=neutral",
    "mistakes=true",
    "missed_prompts=true",
)
FIGURES = ("goal=true", "goal=false", "mistake=rude", "prompt=closing", "criterion=identity&found=critical")


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A call that Bob rates, and another one that he does not, in a project of Alice's."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        bob = User.objects.create_user("bob@example.com", "bob-password")
        project = Project.objects.create(name="Service line", owner=alice)
        configure_project(project, {**project.config, **RUBRIC}, alice)
        share_project(project, bob, role="editor")
        client = client_of(alice)
        # The later one comes first among equals, if nothing keeps it from there.
        other = upload_judged(client, project, TALK, "other.srt")
        rated = upload_judged(client, project, UNSOLVED, "rated.srt")
        sent = {"project_id": project.pk, "call_ids": [rated], "raters": [bob.email]}
        assert client.post("/calls/api/calibrations/", sent, format="json").status_code == 201
        return project, bob, (rated, other)


@pytest.fixture
def shared(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def project(shared):
    return shared[0]


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def bob(shared):
    return shared[1]


@pytest.fixture
def calls(shared):
    return shared[2]


@pytest.fixture
def browse(bob):
    client = Client()
    client.force_login(bob)
    return lambda address: b"".join(client.get(address)).decode()


def list_ids(client, query):
    page = client.get(f"/calls/api/calls/?{query}").json()
    ids = [item["id"] for item in page["results"]]
    assert page["count"] == len(ids)
    return ids


def read_csv(text):
    return {row["file_name"]: row for row in csv.DictReader(io.StringIO(text.lstrip("\ufeff")))}


class TestApi:
    def test_says_that_a_call_is_blinded_instead_of_giving_its_results(self, as_bob, as_alice, calls):
        rated, other = calls

        for_bob = {item["id"]: item for item in as_bob.get("/calls/api/calls/").json()["results"]}
        for_alice = {item["id"]: item for item in as_alice.get("/calls/api/calls/").json()["results"]}

        assert {pk: item["is_blinded"] for pk, item in for_bob.items()} == {rated: True, other: False}
        assert {for_bob[rated][name] for name in RESULTS} == {None}
        assert for_bob[rated]["has_critical_error"] is False
        assert not any(item["is_blinded"] for item in for_alice.values())

    def test_says_so_in_the_detail(self, as_bob, as_alice, calls):
        rated, other = calls

        def read(client, call):
            return client.get(f"/calls/api/calls/{call}/").json()["record"]["is_blinded"]

        assert [read(as_bob, rated), read(as_bob, other), read(as_alice, rated)] == [True, False, False]

    @pytest.mark.parametrize("query", FILTERS)
    def test_leaves_the_call_out_of_every_list_that_asks_for_answers(self, as_bob, as_alice, calls, query):
        _, other = calls

        for order in ("", "&ordering=score_percentage", "&ordering=agent__name", "&search=srt"):
            found = list_ids(as_alice, query + order)
            assert list_ids(as_bob, query + order) == [pk for pk in found if pk == other]

    def test_finds_the_call_with_these_filters_for_others(self, as_alice, calls):
        found = {query for query in FILTERS if calls[0] in list_ids(as_alice, query)}

        assert {
            "critical=true",
            "max_score=50",
            "criterion=identity&result=not_met",
            "reviewed=false",
        } <= found

    @pytest.mark.parametrize("query", ["", "criterion=identity", "failed=false", "direction=", "search=srt"])
    def test_lists_it_where_no_answer_is_asked_for(self, as_bob, calls, query):
        assert sorted(list_ids(as_bob, query)) == sorted(calls)

    @pytest.mark.parametrize("field", ["score_percentage", "mistake_count"])
    @pytest.mark.parametrize("query", ["", "criterion=identity", "search=srt"])
    def test_lists_it_last_in_an_order_by_answers(self, as_bob, calls, field, query):
        rated, other = calls

        for sign in ("", "-"):
            assert list_ids(as_bob, f"{query}&ordering={sign}{field}") == [other, rated]

    def test_keeps_it_last_across_pages(self, as_bob, calls, project):
        rated, _ = calls
        score = {"criterion_id": "greeting", "name": "Greets", "score": 10, "max_points": 10}
        more = [
            {"file_name": f"more-{number}.wav", "copc": {"criterion_scores": [score]}} for number in range(25)
        ]
        assert not import_calls(project, io.BytesIO("\n".join(map(json.dumps, more)).encode())).errors

        first = as_bob.get("/calls/api/calls/?ordering=-score_percentage").json()
        second = as_bob.get("/calls/api/calls/?ordering=-score_percentage&page=2").json()

        assert (first["count"], len(first["results"]), len(second["results"])) == (27, 25, 2)
        assert rated not in [item["id"] for item in first["results"]]
        assert second["results"][-1]["id"] == rated


class TestPage:
    def test_says_why_there_is_no_result(self, calls, browse):
        page = browse("/calls/?criterion=identity")

        row = page.split("rated.srt", 1)[1].split("</tr>", 1)[0]
        assert row.count(HIDDEN) == 1  # to be read on a phone, too, where dashes are not shown
        assert 'class="c-hidden" colspan="6"' in row and 'class="c-score' not in row
        for untrue in ("was not scored", "not looked for", "does not have this", "is unknown", "not scored"):
            assert untrue not in row

    @pytest.mark.parametrize("query", [*FILTERS, *FIGURES])
    def test_leaves_the_call_out_and_says_so_whatever_its_answers_are(self, calls, browse, query):
        page = browse(f"/calls/?{query}")

        assert "rated.srt" not in page
        assert "1 call of your open calibrations is left out" in page

    @pytest.mark.parametrize("query", ["", "search=xyz", "search=xyz&critical=1", "ordering=-mistake_count"])
    def test_says_nothing_where_no_call_is_left_out(self, calls, browse, query):
        assert "is left out" not in browse(f"/calls/?{query}")

    def test_says_nothing_to_others(self, as_alice, alice, calls):
        client = Client()
        client.force_login(alice)

        page = client.get("/calls/?min_score=0").content.decode()

        assert "rated.srt" in page and "left out" not in page and HIDDEN not in page

    def test_of_the_call_has_no_place_in_a_list_that_leaves_it_out(self, calls, browse):
        rated, other = calls

        assert f'href="/calls/{rated}/' in browse(f"/calls/{other}/")
        assert f'href="/calls/{rated}/' not in browse(f"/calls/{other}/?reviewed=false")

    def test_is_in_spanish(self, bob, calls):
        client = Client(headers={"accept-language": "es"})
        client.force_login(bob)

        page = client.get("/calls/?critical=true").content.decode()

        assert "Se omite 1 llamada de sus calibraciones abiertas" in page


class TestCsv:
    def test_is_empty_where_results_are_hidden(self, calls, browse):
        rows = read_csv(browse("/calls/export.csv"))

        assert "is_blinded" not in LISTED
        hidden = {"has_critical_error", "reviewed", "criterion:greeting", "criterion:identity", *RESULTS}
        assert {rows["rated.srt"][name] for name in hidden} == {""}
        assert (rows["rated.srt"]["results_hidden"], rows["other.srt"]["results_hidden"]) == (
            "calibration",
            "",
        )
        assert rows["other.srt"]["has_critical_error"] in ("True", "False", "true", "false")

    @pytest.mark.parametrize("query", [*FILTERS, *FIGURES])
    def test_leaves_the_call_out_of_every_list_that_asks_for_answers(self, calls, browse, query):
        assert "rated.srt" not in read_csv(browse(f"/calls/export.csv?{query}"))

    @pytest.mark.parametrize("query", ["", "criterion=identity"])
    def test_has_it_last_in_an_order_by_answers(self, calls, browse, query):
        for ordering in ("score_percentage", "-score_percentage", "-mistake_count"):
            rows = read_csv(browse(f"/calls/export.csv?{query}&ordering={ordering}"))
            assert list(rows) == ["other.srt", "rated.srt"]
