"""Whose results pages keep from whom: what is to be rated or reviewed blind."""

import pytest

from callscope.pipeline.decisions.review_edits import create_review
from callscope.projects.services import configure_project, share_project
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from callscope.reviews.models import Review
from callscope.reviews.reading import list_hidden, note_readings
from callscope.reviews.revisions import GivenReview
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import CONFIGURATION, bring, line

pytestmark = pytest.mark.django_db


@pytest.fixture
def calls(project):
    configure_project(project, CONFIGURATION, project.owner)
    return bring(project, line(1), line(2), line(3))


def judge(call, by, *, blind=True, submits=True):
    answers = [GivenAnswer("greeting", "met"), GivenAnswer("identity", "met")]
    return create_review(call.pk, GivenReview(answers, blind=blind, submits=submits), by)


class TestHiddenCalls:
    def test_are_those_drawn_for_the_person_and_those_with_a_blind_draft(self, project, calls, alice, bob):
        share_project(project, bob, role="editor")
        collect_sample(project, [calls[0].pk], alice)
        collect_sample(project, [calls[0].pk], alice)
        judge(calls[1], alice, submits=False)
        judge(calls[2], alice, submits=False, blind=False)

        assert list_hidden(alice).to_review == {calls[0].pk, calls[1].pk}
        assert list_hidden(bob).all == set()

    def test_end_with_the_review_and_with_a_look_at_the_results(self, project, calls, alice):
        collect_sample(project, [call.pk for call in calls], alice)

        judge(calls[0], alice)
        note_readings([calls[1].pk, calls[1].pk], alice)
        note_readings([calls[1].pk], alice)

        assert list_hidden(alice).to_review == {calls[2].pk}

    def test_are_to_rate_where_they_are_both(self, project, calls, alice, bob):
        share_project(project, bob, role="editor")
        collect_sample(project, [calls[0].pk], alice)
        open_calibration(project, CalibrationPlan([calls[0].pk], [alice.email, bob.email]), alice)

        found = list_hidden(alice)

        assert (found.to_rate, found.to_review, found.all) == ({calls[0].pk}, set(), {calls[0].pk})
        assert found.among([calls[1].pk]).all == set()

    def test_are_none_of_a_project_that_the_person_may_no_longer_write(self, project, calls, bob):
        share = share_project(project, bob, role="editor")
        collect_sample(project, [calls[0].pk], bob)
        judge(calls[1], bob, submits=False)
        assert list_hidden(bob).to_review == {calls[0].pk, calls[1].pk}

        share.role = "viewer"
        share.save()

        assert list_hidden(bob).all == set()


def test_a_draft_is_blind_no_more_once_the_results_were_seen(calls, alice):
    drafts = [judge(call, alice, submits=False) for call in calls[:2]]

    note_readings([calls[0].pk], alice)

    kept = dict(Review.objects.values_list("pk", "blind"))
    assert [kept[draft.pk] for draft in drafts] == [False, True]
