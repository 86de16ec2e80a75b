"""Points from answers, and totals from points."""

from decimal import Decimal

import pytest

from callscope.analysis import scoring
from callscope.analysis.results.findings import Judgment, Quote
from callscope.projects.configuration import Rubric


def rubric(*criteria, on_critical_error="flag"):
    rows = [{"id": f"c{i}", "name": f"C{i}", "max_points": 10, **c} for i, c in enumerate(criteria)]
    return Rubric.model_validate(
        {"on_critical_error": on_critical_error, "sections": [{"name": "All", "criteria": rows}]}
    )


def scored(rules, *answers):
    judged = {f"c{i}": Judgment(f"c{i}", a, reason="" if a else "why") for i, a in enumerate(answers)}
    return scoring.score_call(rules, judged, rubric_version=3)


class TestPoints:
    @pytest.mark.parametrize(
        ("answer", "points"), [("met", 10), ("partly", 5), ("not_met", 0), ("not_applicable", 10)]
    )
    def test_follow_from_the_answer_alone(self, answer, points):
        _, criterion = rubric({"partial_credit": True, "may_not_apply": True}).criteria()[0]

        assert scoring.points_for(criterion, answer) == points

    @pytest.mark.parametrize("answer", ["partly", "not_applicable"])
    def test_are_refused_for_an_answer_that_the_criterion_does_not_allow(self, answer):
        _, criterion = rubric({}).criteria()[0]

        with pytest.raises(scoring.ForbiddenAnswer):
            scoring.points_for(criterion, answer)

    def test_halve_exactly(self):
        _, criterion = rubric({"partial_credit": True, "max_points": 0.1}).criteria()[0]

        assert scoring.points_for(criterion, "partly") == Decimal("0.05")


class TestTotals:
    def test_leave_out_what_was_not_evaluated(self):
        result = scored(rubric({}, {}, {}), "met", None, "not_met")

        assert (result["total_points"], result["max_possible_points"], result["score_percentage"]) == (
            10,
            20,
            50,
        )
        assert [r["criterion_id"] for r in result["not_evaluated"]] == ["c1"]
        assert [r["criterion_id"] for r in result["criterion_scores"]] == ["c0", "c2"]

    def test_are_null_when_nothing_was_evaluated(self):
        result = scored(rubric({"critical": True}), None)

        assert result["total_points"] is result["max_possible_points"] is result["score_percentage"] is None
        assert result["has_critical_error"] is False

    def test_count_not_applicable_as_full_points(self):
        result = scored(rubric({"may_not_apply": True}, {}), "not_applicable", "not_met")

        assert result["score_percentage"] == 50
        assert result["criterion_scores"][0]["applicability"] == "not_applicable"

    def test_a_zero_on_a_critical_criterion_is_flagged_next_to_the_score(self):
        result = scored(rubric({"critical": True}, {}), "not_met", "met")

        assert (result["has_critical_error"], result["score_percentage"]) == (True, 50)
        assert [r["is_critical_error"] for r in result["criterion_scores"]] == [True, False]

    def test_or_zeroes_the_percentage_and_leaves_the_points(self):
        result = scored(rubric({"critical": True}, {}, on_critical_error="zero_score"), "not_met", "met")

        assert (result["score_percentage"], result["total_points"]) == (0, 10)

    def test_half_of_a_critical_criterion_is_no_critical_error(self):
        result = scored(rubric({"critical": True, "partial_credit": True}), "partly")

        assert result["has_critical_error"] is False

    def test_show_the_quote_with_its_time(self):
        judged = {"c0": Judgment("c0", "met", quote=Quote("Hello.", 3725.9))}

        row = scoring.score_call(rubric({}), judged, rubric_version=1)["criterion_scores"][0]

        assert (row["quote"], row["quote_start"]) == ("[1:02:05] Hello.", 3725.9)
