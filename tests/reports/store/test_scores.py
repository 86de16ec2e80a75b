"""The score of a call from its stored copc result."""

from decimal import Decimal

import pytest

from callscope.reports.store.packing import CRITICAL_ERROR, EVALUATED, NOT_APPLICABLE
from callscope.reports.store.scores import (
    CriterionKey,
    ScoreTotals,
    encode_flags,
    score_call,
    to_millionths,
)

MILLION = 1_000_000


def row(criterion_id="a", score=5, max_points=10, **values):
    return {
        "criterion_id": criterion_id,
        "name": criterion_id.upper(),
        "score": score,
        "max_points": max_points,
        **values,
    }


def totals(*rows, **copc):
    return score_call({"criterion_scores": [*rows], **copc}).totals


class TestScoreCall:
    @pytest.mark.parametrize("copc", [None, {}, {"criterion_scores": []}, {"criterion_scores": None}])
    def test_is_not_scored_without_criteria(self, copc):
        score = score_call(copc)

        assert score.totals == ScoreTotals()
        assert (score.totals.max_points, score.totals.score_bp, score.entries) == (None, None, [])

    def test_adds_points_in_millionths(self):
        result = totals(row("a", 2.5, 10), row("b", 3, 5))

        assert (result.points, result.max_points) == (5_500_000, 15_000_000)
        assert result.counted_points == result.points
        assert result.score_bp == 3667

    @pytest.mark.parametrize(
        ("points", "basis_points"), [(1, 3333), (2, 6667), (3, 10_000), (0, 0), (0.00015, 0), (0.00045, 2)]
    )
    def test_rounds_the_score_half_even_to_hundredths_of_a_percent(self, points, basis_points):
        assert totals(row(score=points, max_points=3)).score_bp == basis_points

    def test_leaves_points_as_earned_after_a_critical_error(self):
        result = totals(row("a", 0, 10, is_critical_error=True), row("b", 10, 10))

        assert result.critical
        assert (result.points, result.counted_points, result.score_bp) == (10 * MILLION, 10 * MILLION, 5000)

    def test_counts_zero_after_a_critical_error_where_the_rubric_says_so(self):
        rows = [row("a", 0, 10, is_critical_error=True), row("b", 10, 10)]

        zeroed = totals(*rows, on_critical_error="zero_score")

        assert (zeroed.points, zeroed.counted_points, zeroed.score_bp) == (10 * MILLION, 0, 0)
        assert totals(rows[1], on_critical_error="zero_score").counted_points == 10 * MILLION

    @pytest.mark.parametrize(
        ("classes", "bits"),
        [
            (["customer"], 1),
            (["business", "compliance"], 6),
            (["customer", "customer"], 1),
            ([None], 0),
            (["other"], 0),
        ],
    )
    def test_collects_the_classes_of_critical_errors(self, classes, bits):
        rows = [
            row(f"c{n}", 0, 10, is_critical_error=True, critical_class=name) for n, name in enumerate(classes)
        ]

        assert totals(*rows).error_classes == bits

    @pytest.mark.parametrize(
        ("values", "judged", "met"),
        [
            ({"score": 10}, 1, 1),
            ({"score": 9.999999}, 1, 0),
            ({"score": 10, "applicability": "evaluated"}, 1, 1),
            ({"score": 10, "applicability": "not_applicable"}, 0, 0),
            ({"score": 10, "critical_class": "business"}, 0, 0),
            ({"score": 10, "critical": True}, 0, 0),
            ({"score": 0, "is_critical_error": True}, 0, 0),
        ],
        ids=["full", "nearly", "evaluated", "not applicable", "of a class", "marked", "critical error"],
    )
    def test_judges_only_plain_criteria_that_apply(self, values, judged, met):
        result = totals(row(**values))

        assert (result.plain_judged, result.plain_met) == (judged, met)

    def test_counts_the_first_of_criteria_with_one_id_and_none_without_points(self):
        score = score_call({"criterion_scores": [row("a", 1, 10), row("a", 9, 10), row("b", 0, 0)]})

        assert [(entry.criterion.criterion_id, entry.points) for entry in score.entries] == [("a", MILLION)]

    def test_names_a_criterion_by_its_id_where_it_has_no_name_and_cuts_long_texts(self):
        raw = {"criterion_id": "x" * 70, "name": "", "section": "s" * 300, "score": 1, "max_points": 1}

        (entry,) = score_call({"criterion_scores": [raw]}).entries

        assert entry.criterion == CriterionKey("x" * 64, "x" * 70, "s" * 255, MILLION)


class TestEncodeFlags:
    @pytest.mark.parametrize(
        ("applicability", "is_critical_error", "flags"),
        [
            (None, False, 0),
            ("", False, 0),
            ("unknown", False, 0),
            ("evaluated", False, EVALUATED),
            ("not_applicable", False, NOT_APPLICABLE),
            ("evaluated", True, EVALUATED | CRITICAL_ERROR),
            (None, True, CRITICAL_ERROR),
        ],
    )
    def test_holds_applicability_and_error(self, applicability, is_critical_error, flags):
        assert encode_flags(applicability, is_critical_error=is_critical_error) == flags


class TestToMillionths:
    @pytest.mark.parametrize("points", ["0", "0.1", "0.000001", "2.5", "99.999999", "1000000"])
    def test_is_exact_for_six_decimals(self, points):
        assert to_millionths(float(points)) == int(Decimal(points) * MILLION)

    def test_is_exact_for_integers_beyond_floats(self):
        assert to_millionths(2**60 + 1) == (2**60 + 1) * MILLION
