"""Pairs of answers become figures by criterion and over all."""

import pytest

from callscope.reviews.agreement.measures import AnswerPair, measure_agreement

pytestmark = pytest.mark.one_database


def pairs(criterion, *answers):
    return [
        AnswerPair(call, criterion, criterion.title(), *each.split("/"))
        for call, each in enumerate(answers, start=1)
    ]


class TestAgreement:
    def test_is_measured_by_criterion_with_the_worst_first(self):
        good = pairs("good", *["met/met"] * 5, *["not_met/not_met"] * 5)
        bad = pairs("bad", *["met/not_met"] * 5, *["not_met/met"] * 5)
        unknown = pairs("constant", *["met/met"] * 10)

        found = measure_agreement([*unknown, *good, *bad])

        assert [row.criterion_id for row in found.criteria] == ["bad", "good", "constant"]
        assert [row.name for row in found.criteria] == ["Bad", "Good", "Constant"]
        assert [row.agreement.kappa for row in found.criteria] == [-1.0, 1.0, None]
        assert [row.agreement.raw_pct for row in found.criteria] == [0.0, 100.0, 100.0]
        assert found.calls == 10
        assert found.overall.n == 30

    def test_names_weak_criteria_first(self):
        weak = pairs("weak", *["met/met"] * 20, *["met/not_met"] * 20, *["not_met/not_met"] * 2)
        few = pairs("few", *["met/not_met"] * 5, *["not_met/met"] * 5)

        found = measure_agreement([*few, *weak])

        assert [(row.criterion_id, row.is_weak) for row in found.criteria] == [("weak", True), ("few", False)]
        assert found.criteria[1].agreement.kappa < found.criteria[0].agreement.kappa

    def test_shows_who_said_what(self):
        found = measure_agreement(pairs("a", "met/met", "met/partly", "not_applicable/not_met"))

        answers = ["met", "partly", "not_met", "not_applicable"]
        assert list(found.overall.table) == answers
        assert found.overall.table["met"] == {"met": 1, "partly": 1, "not_met": 0, "not_applicable": 0}
        assert found.overall.table["not_applicable"]["not_met"] == 1

    def test_always_counts_met_and_not_met_as_possible(self):
        found = measure_agreement(pairs("a", *["met/met"] * 8))

        assert found.overall.table == {"met": {"met": 8, "not_met": 0}, "not_met": {"met": 0, "not_met": 0}}
        assert (found.overall.kappa, found.overall.ac1) == (None, 1.0)

    def test_rounds_percentages_half_to_even(self):
        found = measure_agreement(pairs("a", "met/met", *["met/not_met"] * 799))

        assert found.overall.raw_pct == 0.12

    def test_keeps_criteria_apart_that_share_only_an_id(self):
        here, there = AnswerPair(1, "a", "Greets", "met", "met"), AnswerPair(2, "a", "Asks", "met", "met")

        assert [row.name for row in measure_agreement([here, there]).criteria] == ["Asks", "Greets"]

    def test_of_nothing_is_undefined(self):
        found = measure_agreement([])

        assert (found.calls, found.criteria, found.overall.n) == (0, [], 0)
        assert (found.overall.raw_pct, found.overall.kappa, found.overall.ac1) == (None, None, None)

    def test_is_less_sure_where_each_call_brings_its_criteria(self):
        answers = [
            "met/met",
            "met/met",
            "met/not_met",
            "not_met/not_met",
            "not_met/met",
            "not_met/not_met",
        ] * 3
        once = measure_agreement(pairs("a", *answers)).overall
        four_times = measure_agreement([pair for name in "abcd" for pair in pairs(name, *answers)]).overall

        # Four equal looks at each call tell nothing that one look does not.
        assert four_times.n == 4 * once.n
        assert four_times.kappa == once.kappa
        assert four_times.kappa_high - four_times.kappa_low > 0.8 * (once.kappa_high - once.kappa_low)
