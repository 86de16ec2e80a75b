"""Answers of several raters become distances, proposals and a measure of agreement."""

import pytest

from callscope.reviews.calibration.comparison import compare_raters, find_majority, propose_answer
from callscope.reviews.calibration.ratings import MACHINE, Given, RatedCall, RatedCriterion, Rater

pytestmark = pytest.mark.one_database
POINTS = {"met": 10.0, "partly": 5.0, "not_met": 0.0}
RATERS = [Rater(MACHINE, None, is_machine=True), *(Rater(n, f"{n}@example.com") for n in (1, 2, 3))]


def call(number, *answers, criterion="greeting"):
    """Return a call whose criterion was answered by the machine and the raters, in this order."""
    given = {place: Given(each, POINTS[each]) for place, each in enumerate(answers) if each}
    stored = {"criterion_id": criterion, "name": criterion.title(), "section": "", "max_points": 10}
    return RatedCall(number, f"{number}.wav", [RatedCriterion(stored, given)])


class TestMajority:
    def test_is_the_answer_that_was_given_most(self):
        assert find_majority(["met", "not_met", "met"]) == "met"

    @pytest.mark.parametrize("answers", [[], ["met", "not_met"]])
    def test_does_not_exist_without_answers_or_in_a_tie(self, answers):
        assert find_majority(answers) is None


class TestProposal:
    def test_leaves_the_machine_out(self):
        answers = call(1, "met", "not_met", "not_met", "").criteria[0].answers

        assert propose_answer(answers, None) == ("not_met", "majority")

    def test_is_the_experts_where_there_is_one(self):
        answers = call(1, "met", "met", "met", "not_met").criteria[0].answers

        assert propose_answer(answers, 3) == ("not_met", "expert")


class TestComparison:
    def test_measures_each_rater_against_the_majority_of_the_others(self):
        found = compare_raters(RATERS, [call(1, "partly", "met", "met", "not_met")])

        assert found.distances[MACHINE].points == 5.0
        assert (found.distances[3].different_pct, found.distances[3].points) == (100.0, 10.0)
        assert found.distances[1].answers == 0  # of the other two, each says something else

    def test_orders_criteria_by_disagreement(self):
        calls = [
            call(1, "met", "met", "met", "met"),
            call(1, "met", "not_met", "met", "partly", criterion="z"),
        ]

        found = compare_raters(RATERS, calls)

        assert [each.criterion_id for each in found.criteria] == ["z", "greeting"]
        assert [each.spread_points for each in found.criteria] == [10.0, 0.0]

    def test_keeps_the_order_of_the_rubric_where_as_much_differs(self):
        calls = [call(1, "met", "met", criterion=each) for each in ("gone", "a", "z")]

        found = compare_raters(RATERS, calls, ["z", "a"])

        assert [each.criterion_id for each in found.criteria] == ["z", "a", "gone"]

    def test_has_one_alpha_with_the_machine_and_one_without(self):
        calls = [call(n, "not_met", *["met" if n % 2 else "not_met"] * 3) for n in range(10)]

        found = compare_raters(RATERS, calls)

        assert found.people_alpha.value == 1.0
        assert found.alpha.value < 0.8
        assert found.alpha.low < found.alpha.value < found.alpha.high

    def test_of_nothing_is_undefined(self):
        found = compare_raters(RATERS, [])

        assert (found.alpha.value, found.criteria) == (None, [])
        assert found.distances[1].different_pct is None
