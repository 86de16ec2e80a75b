"""What waits for a person's blind review is shown without its results to that person, on every page."""

import csv
import io

import pytest

from callscope.projects.services import share_project
from callscope.reviews.models import Review
from callscope.reviews.reading import list_hidden
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import page, visitor_of

pytestmark = pytest.mark.django_db

WAITS = "Waits for your blind review."
LEFT_OUT = "1 call that waits for your blind review is left out"


@pytest.fixture
def waiting(world, alice):
    """The call with the critical error, which Alice has to review."""
    collect_sample(world[1].project, [world[1].pk], alice)
    return world[1]


@pytest.fixture
def as_bob(project, bob):
    share_project(project, bob, role="editor")
    return visitor_of(bob)


def row_of(client, call, query=""):
    """Return the row of a call in the list, and that below it."""
    whole = client.get(f"/calls/?project_id={query}").content.decode()
    return whole.split(f'value="{call.pk}" form="chosen"', 1)[1].split("<tr>", 1)[0]


def read_csv(client, address="/calls/export.csv"):
    text = b"".join(client.get(address)).decode().lstrip("\ufeff")
    return {row["file_name"]: row for row in csv.DictReader(io.StringIO(text))}


class TestHiddenCalls:
    def test_are_those_drawn_for_the_person_or_in_a_blind_draft(self, world, waiting, alice, bob, as_alice):
        answers = {"answer:greeting": "met", "answer:identity": "met"}
        as_alice.post(f"/calls/{world[0].pk}/review/", {**answers, "do": "draft", "blind": "true"})

        assert list_hidden(alice).all == {world[0].pk, waiting.pk}
        assert list_hidden(bob).all == set()

    def test_are_none_of_a_project_that_the_person_may_no_longer_write(self, project, world, bob, alice):
        share = share_project(project, bob, role="editor")
        collect_sample(project, [world[0].pk], bob)
        assert list_hidden(bob).to_review == {world[0].pk}

        share.role = "viewer"
        share.save()

        assert list_hidden(bob).all == set()

    def test_end_with_the_review_and_with_a_look_at_the_results(self, world, alice, as_alice, project):
        collect_sample(project, [call.pk for call in world], alice)
        answers = {"answer:greeting": "met", "answer:identity": "met"}

        as_alice.post(f"/calls/{world[0].pk}/review/", {**answers, "do": "submit", "blind": "true"})
        as_alice.post(f"/calls/{world[1].pk}/results/")

        assert list_hidden(alice).to_review == {world[2].pk}


class TestList:
    def test_says_that_the_call_waits_in_place_of_its_results(self, as_alice, waiting):
        row = row_of(as_alice, waiting)

        assert WAITS in row and f'href="/calls/{waiting.pk}/review/"' in row
        for result in ("critical", "negative", "missed", "33.3", "c-score", "c-goal"):
            assert result not in row

    def test_shows_the_results_to_others_and_of_other_calls(self, as_bob, as_alice, world, waiting):
        assert WAITS not in row_of(as_alice, world[0]) and "100.0" in row_of(as_alice, world[0])
        assert WAITS not in row_of(as_bob, waiting) and "critical" in row_of(as_bob, waiting)

    def test_has_no_quote_of_the_criterion_that_it_is_about(self, as_alice, world, waiting):
        query = "&criterion=greeting"

        assert "c-answer" not in row_of(as_alice, waiting, query)
        assert "good morning" not in row_of(as_alice, waiting, query)
        assert "good morning" in row_of(as_alice, world[0], query)

    @pytest.mark.parametrize(
        "query", ["critical=true", "sentiment=negative", "max_score=99", "criterion=identity&result=not_met"]
    )
    def test_leaves_it_out_of_filters_that_would_give_results_away(self, as_alice, waiting, query):
        found = page(as_alice.get(f"/calls/?{query}"))

        assert waiting.file_name not in found.text and LEFT_OUT in found.text

    @pytest.mark.parametrize("sign", ["", "-"])
    def test_has_it_last_in_an_order_by_results(self, as_alice, waiting, sign):
        found = page(as_alice.get(f"/calls/?project_id=&ordering={sign}score_percentage"))

        listed = [a["title"].split(" · ")[0] for a in found.all("a", **{"class": "name"}) if "title" in a]
        assert listed[-1] == waiting.file_name


class TestExport:
    def test_has_empty_cells_and_says_why(self, as_alice, world, waiting):
        rows = read_csv(as_alice)

        hidden = rows[waiting.file_name]
        for name in (
            "score_percentage",
            "has_critical_error",
            "goal_reached",
            "sentiment",
            "criterion:identity",
        ):
            assert hidden[name] == "" and rows[world[0].file_name][name] != ""
        assert hidden["results_hidden"] == "blind_review"
        assert rows[world[0].file_name]["results_hidden"] == ""

    def test_of_chosen_calls_has_them_too(self, as_alice, waiting):
        answer = as_alice.post("/calls/chosen/", {"call": [waiting.pk], "do": "export"})
        text = b"".join(answer).decode().lstrip("\ufeff")

        [row] = csv.DictReader(io.StringIO(text))
        assert (row["score_percentage"], row["results_hidden"]) == ("", "blind_review")

    def test_takes_nothing_from_the_blindness_of_the_review(self, as_alice, waiting):
        read_csv(as_alice)
        answers = {"answer:greeting": "met", "answer:identity": "met"}

        as_alice.post(f"/calls/{waiting.pk}/review/", {**answers, "do": "submit", "blind": "true"})

        assert Review.objects.get(call=waiting).blind
