"""The agreement in blind reviews follows every review at once, and reads what it has measured only once."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.calls.models import Call
from callscope.pipeline.decisions.review_edits import create_review, withdraw_review
from callscope.projects.services import configure_project, share_project
from callscope.reviews.agreement.blind_agreement import MOST_EXAMPLES, find_apart, measure_blind_reviews
from callscope.reviews.agreement.measures import AnswerPair
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.reading import note_reading
from callscope.reviews.revisions import GivenReview
from tests.web.conftest import CONFIGURATION, bring, line


@pytest.fixture
def calls(project):
    configure_project(project, CONFIGURATION, project.owner)
    return bring(project, line(1), line(2), line(3))


def judge(call, by, greeting="met"):
    answers = [GivenAnswer("greeting", greeting), GivenAnswer("identity", "met")]
    return create_review(call.pk, GivenReview(answers, blind=True, submits=True), by)


def measure(project, **days):
    """Return how many pairs there are, how many agree, and whether an answer was read."""
    with CaptureQueriesContext(
        connection,
    ) as asked:
        found = measure_blind_reviews([project.pk], **{"first": None, "after": None, **days})
    overall = found.measured.overall
    reads = any("reviews_reviewanswer" in query["sql"] for query in asked)
    return overall.n, sum(each.calls for each in found.apart.values()), reads


class TestBlindAgreement:
    def test_is_measured_once_for_the_same_reviews(self, project, calls, alice):
        judge(calls[0], alice)

        assert measure(project) == (2, 0, True)
        assert measure(project) == (2, 0, False)

    def test_follows_each_review_and_each_withdrawal(self, project, calls, alice, bob):
        share_project(project, bob, role="editor")
        judge(calls[0], alice)
        measure(project)

        second = judge(calls[1], bob, "not_met")
        assert measure(project) == (4, 1, True)
        withdraw_review(second.pk, bob)
        assert measure(project) == (2, 0, False)  # as it was before

    def test_leaves_out_who_had_read_the_results_before(self, project, calls, alice, bob):
        share_project(project, bob, role="editor")
        judge(calls[0], bob)
        note_reading(calls[0].pk, bob)  # afterwards
        note_reading(calls[1].pk, alice)
        judge(calls[1], alice)
        judge(calls[1], bob)

        assert measure(project) == (4, 0, True)

    def test_follows_the_moment_of_a_call(self, project, calls, alice):
        judge(calls[0], alice)
        judge(calls[1], alice, "not_met")
        day = {
            "first": dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
            "after": dt.datetime(2026, 3, 3, tzinfo=dt.UTC),
        }
        assert measure(project, **day) == (2, 1, True)

        Call.objects.filter(pk=calls[0].pk).update(call_datetime=dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC))
        Call.objects.filter(pk=calls[1].pk).update(call_datetime=dt.datetime(2026, 3, 1, 9, tzinfo=dt.UTC))

        assert measure(project, **day) == (2, 0, True)

    def test_follows_the_name_of_a_criterion(self, project, calls, alice):
        judge(calls[0], alice)
        measure(project)

        criteria = [{"id": "greeting", "name": "Welcomes", "max_points": 10}]
        renamed = {"rubric": {"sections": [{"name": "Opening", "criteria": criteria}]}}
        configure_project(project, renamed, alice)

        found = measure_blind_reviews([project.pk], first=None, after=None)
        assert {row.name for row in found.measured.criteria} == {"Welcomes", "Verifies the caller"}

    def test_keeps_the_first_disagreements_and_counts_all(self):
        pairs = [AnswerPair(call, "a", "A", "met", "not_met") for call in range(MOST_EXAMPLES + 5)]

        (apart,) = find_apart(pairs).values()

        assert (apart.calls, apart.examples) == (MOST_EXAMPLES + 5, pairs[:MOST_EXAMPLES])
