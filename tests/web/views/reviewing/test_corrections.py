"""One answer of a call is corrected from its page; all others stay as they count."""

import pytest

from callscope.calls.models import Call
from callscope.projects.services import share_project
from callscope.reports.overview.report import build_report
from callscope.reports.window import ALL_TIME
from callscope.reviews.models import Review
from callscope.reviews.sampling.work_list import list_work
from tests.web.conftest import page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(world):
    """The second call: greeted, and a critical error in identity."""
    return world[1]


def address(call, criterion):
    return f"/calls/{call.pk}/review/?correct={criterion}"


def correct(client, call, criterion, answer, **fields):
    given = {"correct": criterion, f"answer:{criterion}": answer, "do": "submit", **fields}
    return client.post(f"/calls/{call.pk}/review/", given)


def answers_of(call):
    review = Review.objects.get(call=call, is_current=True)
    return {row.criterion_id: (row.answer, row.comment) for row in review.answers.all()}


class TestACorrection:
    def test_begins_on_the_page_of_the_call_with_the_answer_that_counts(self, as_alice, call):
        links = page(as_alice.get(f"/calls/{call.pk}/")).all("a", **{"class": "correct no-print"})
        # "identity" has neither justification nor quote nor guideline, so nothing unfolds.
        assert [a["href"] for a in links] == [address(call, "greeting"), address(call, "identity")]

        shown = page(as_alice.get(address(call, "identity")))

        radios = shown.all("input", type="radio")
        assert {a["name"] for a in radios} == {"answer:identity"}
        assert [a["value"] for a in radios if "checked" in a] == ["not_met"]
        assert "The machine: not met" in shown.text

    def test_changes_one_answer_and_leaves_the_others(self, as_alice, call, project):
        answer = correct(as_alice, call, "identity", "met", **{"comment:identity": "Said at 0:10."})

        assert answer.status_code == 302
        assert answers_of(call) == {"identity": ("met", "Said at 0:10.")}
        call = Call.objects.get(pk=call.pk)
        assert call.fact.score_bp == 10_000 and not call.fact.critical

    def test_keeps_what_people_answered_before(self, as_alice, call):
        correct(as_alice, call, "identity", "met")
        correct(as_alice, call, "greeting", "not_met")

        assert answers_of(call) == {"identity": ("met", ""), "greeting": ("not_met", "")}
        assert Review.objects.filter(call=call).count() == 2  # each is kept

    def test_of_a_criterion_that_the_call_does_not_carry_is_not_found(self, as_alice, call):
        assert as_alice.get(address(call, "nothing")).status_code == 404
        assert correct(as_alice, call, "nothing", "met").status_code == 404

    @pytest.mark.parametrize("answer", ["", "partly!", "partly"])
    def test_needs_an_answer_that_the_criterion_allows(self, as_alice, call, answer):
        assert correct(as_alice, call, "identity", answer).status_code == 400
        assert not Review.objects.filter(call=call).exists()

    @pytest.mark.parametrize("do", ["draft", "nonsense", ""])
    def test_is_no_draft(self, as_alice, call, do):
        assert correct(as_alice, call, "identity", "met", do=do).status_code == 400
        assert not Review.objects.filter(call=call).exists()

    def test_is_not_for_viewers(self, carol, call, project):
        share_project(project, carol, role="viewer")
        as_carol = visitor_of(carol)

        assert not page(as_carol.get(f"/calls/{call.pk}/")).all("a", **{"class": "correct no-print"})
        assert as_carol.get(address(call, "identity")).status_code == 403
        assert correct(as_carol, call, "identity", "met").status_code == 403

    def test_is_no_review_of_a_call_that_was_drawn(self, as_alice, alice, call, project):
        drawn = {"per_agent": "1", "uncertain_pct": "0", "reviewer": [alice.email]}
        assert as_alice.post(f"/projects/{project.pk}/samples/", drawn).status_code == 302

        correct(as_alice, call, "identity", "met")

        assert call.pk in [each["call_id"] for each in list_work(project, alice, most=10)]
        assert build_report([project], ALL_TIME).reviews.sampled_calls == 0

    def test_shows_a_rater_nothing_of_what_counts(self, as_alice, alice, bob, call, project):
        share_project(project, bob, role="editor")
        opened = {"call": call.pk, "rater": [alice.email, bob.email]}
        assert as_alice.post(f"/projects/{project.pk}/calibrations/", opened).status_code == 302

        shown = page(as_alice.get(address(call, "identity")))

        assert "The machine" not in shown.text
        assert len({a["name"] for a in shown.all("input", type="radio")}) == 2
