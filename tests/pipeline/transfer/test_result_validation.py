"""Results inside a line: what is checked, and the shape in which they are stored."""

import re

import pytest

from callscope.pipeline.transfer import result_validation
from callscope.pipeline.transfer.insights import check_insights
from callscope.pipeline.transfer.result_validation import MILLION, InvalidLine
from callscope.pipeline.transfer.schema import CriterionMarks

MARKS = {"id": CriterionMarks(critical=True, critical_class="business")}


def criterion(**fields):
    return {"criterion_id": "greeting", "score": 1, "max_points": 3, **fields}


class TestPoints:
    @pytest.mark.parametrize(
        ("value", "millionths"),
        [(0, 0), (2, 2 * MILLION), (2.5, 2_500_000), (0.0000005, 0), (0.0000015, 2), (-0.0, 0)],
    )
    def test_are_whole_millionths_rounded_half_even(self, value, millionths):
        assert result_validation.check_points(value, "score", 10 * MILLION) == millionths

    @pytest.mark.parametrize("value", [-1, -1e-9, 11, 10.5, True, "1", None, float("nan"), 1e300, 10**30])
    def test_are_numbers_from_0_to_the_maximum(self, value):
        with pytest.raises(InvalidLine, match="allowed: a number from 0 to 10"):
            result_validation.check_points(value, "score", 10 * MILLION)


class TestCopc:
    def test_adds_up_its_points(self):
        scores = [criterion(), criterion(criterion_id="closing", score=1.5, max_points=3)]

        copc = result_validation.check_copc({"criterion_scores": scores}, "flag", {})

        assert (copc["total_points"], copc["max_possible_points"]) == (2.5, 6)
        assert copc["score_percentage"] == 41.67
        assert not copc["has_critical_error"]

    @pytest.mark.parametrize(("rule", "percentage"), [("flag", 50), ("zero_score", 0)])
    def test_scores_a_critical_error_as_the_project_does(self, rule, percentage):
        scores = [criterion(max_points=2, is_critical_error=True)]

        copc = result_validation.check_copc({"criterion_scores": scores}, rule, {})

        assert (copc["score_percentage"], copc["on_critical_error"]) == (percentage, rule)
        assert isinstance(copc["score_percentage"], int)

    def test_has_no_points_where_nothing_was_scored(self):
        copc = result_validation.check_copc({"criterion_scores": []}, "flag", {})

        assert {copc[name] for name in ("total_points", "max_possible_points", "score_percentage")} == {None}

    @pytest.mark.parametrize(
        ("said", "stored"),
        [({}, (True, "business")), ({"critical": False, "critical_class": None}, (False, None))],
    )
    def test_takes_from_the_rubric_what_a_row_does_not_say(self, said, stored):
        scores = [criterion(criterion_id="id", **said)]

        (row,) = result_validation.check_copc({"criterion_scores": scores}, "flag", MARKS)["criterion_scores"]

        assert (row["critical"], row["critical_class"]) == stored

    @pytest.mark.parametrize(
        ("scores", "reason"),
        [
            (None, "copc.criterion_scores is missing"),
            ([1], r"copc.criterion_scores\[0\] is 1"),
            ([criterion(), criterion()], r'\[1\].criterion_id "greeting" appears twice'),
            ([criterion(max_points=0)], r"\[0\].max_points is 0; allowed: a number above 0"),
            (
                [criterion(applicability="not_applicable")],
                "a criterion that is not_applicable earns its max_points",
            ),
            ([criterion(quote_start=-1)], "seconds from 0, or null"),
            ([criterion(answer="perhaps")], "met, partly, not_met, not_applicable"),
        ],
    )
    def test_is_refused_with_the_place_and_the_reason(self, scores, reason):
        with pytest.raises(InvalidLine, match=reason):
            result_validation.check_copc({"criterion_scores": scores}, "flag", {})


class TestWhatTheFormatDoesNotName:
    def test_is_kept_where_it_is_a_plain_value(self):
        mistake = {"id": "m1", "at": 3, "note": "x", "more": {"a": 1}, "big": 10**15, "n" * 65: 1}

        stored = result_validation.check_no_protocol({"mistakes": [mistake]})

        assert stored["mistakes"] == [{"id": "m1", "description": "", "at": 3, "note": "x"}]

    def test_stays_next_to_insights_and_answers(self):
        insights = check_insights({"topic": " a ", "insights": {"severity": 2, "topic": "b"}})
        answers = result_validation.check_custom_questions(
            {"answers": {"A?": {"answer": "No", "sure": True}}}
        )

        assert insights == {"sentiment": None, "topic": "a", "goal_reached": None, "severity": 2}
        assert answers == {"answers": {"A?": {"answer": "No", "quotes": [], "sure": True}}}

    def test_lets_insights_say_that_nothing_was_found(self):
        assert check_insights({}) is None
        assert check_insights({"insights": {"talk": {"silences": 2}}})["talk"]["silences"] == 2
        with pytest.raises(InvalidLine, match=r"insights\.talk\.hold_seconds is -1"):
            check_insights({"insights": {"talk": {"hold_seconds": -1}}})
        assert check_insights({"insights": {}}) == {
            "sentiment": None,
            "topic": "",
            "goal_reached": None,
        }


class TestHowSureTheMachineWas:
    def test_is_kept(self):
        scores = [criterion(margin=0.04, asked_again=True)]

        (row,) = result_validation.check_copc({"criterion_scores": scores}, "flag", {})["criterion_scores"]

        assert (row["margin"], row["asked_again"]) == (0.04, True)

    @pytest.mark.parametrize(
        ("field", "value", "allowed"),
        [
            ("margin", -0.1, "-0.1; allowed: a number from 0 to 1, or null"),
            ("margin", 1.1, "1.1; allowed: a number from 0 to 1, or null"),
            ("margin", True, "true; allowed: a number from 0 to 1, or null"),
            ("margin", "near", '"near"; allowed: a number from 0 to 1, or null'),
            ("asked_again", 1, "1; allowed: true or false"),
        ],
    )
    def test_is_refused_where_it_is_no_such_value(self, field, value, allowed):
        with pytest.raises(InvalidLine, match=rf"criterion_scores\[0\]\.{field} is {re.escape(allowed)}"):
            result_validation.check_copc({"criterion_scores": [criterion(**{field: value})]}, "flag", {})


class TestQuotes:
    GOOD = {"group": 0, "text": "Good morning.", "speaker": "agent", "start": 1.5}

    def test_of_parts_and_trackers_are_kept(self):
        scores = [criterion(quotes=[self.GOOD, {"text": "Acme."}])]
        trackers = [{"id": "competitor", "quotes": [self.GOOD]}]

        (row,) = result_validation.check_copc({"criterion_scores": scores}, "flag", {})["criterion_scores"]
        insights = check_insights({"insights": {"trackers": trackers}})

        assert row["quotes"] == [self.GOOD, {"group": None, "text": "Acme.", "speaker": None, "start": None}]
        assert insights["trackers"] == trackers

    @pytest.mark.parametrize(
        ("field", "value", "reason"),
        [
            ("group", "one", 'group is "one"; allowed: a number from 0, or null'),
            ("group", -1, "group is -1; allowed: a number from 0, or null"),
            ("start", -0.5, "start is -0.5; allowed: seconds from 0, or null"),
            ("speaker", "Ana", 'speaker is "Ana"; allowed: agent, customer'),
            ("text", 5, "text is 5; allowed: a text"),
        ],
    )
    def test_that_are_wrong_are_refused_with_their_place(self, field, value, reason):
        scores = [criterion(quotes=[self.GOOD, {**self.GOOD, field: value}])]

        with pytest.raises(InvalidLine) as refusal:
            result_validation.check_copc({"criterion_scores": scores}, "flag", {})

        assert refusal.value.reason == f"copc.criterion_scores[0].quotes[1].{reason}"
