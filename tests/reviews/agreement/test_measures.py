"""Pairs of answers become figures by criterion and over all."""

import itertools

import pytest

from callscope.reviews.agreement.measures import Agreement, AnswerPair, FindingPair, measure_agreement

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

        weak_ones = [(row.criterion_id, row.agreement.is_weak) for row in found.criteria]
        assert weak_ones == [("weak", True), ("few", False)]
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


def found(kind, item, *answers):
    return [
        FindingPair(call, kind, item, item.title(), *each.split("/"))
        for call, each in enumerate(answers, start=1)
    ]


class TestFindings:
    def test_are_measured_by_kind_and_item(self):
        rude = found("mistake", "rude", *["made/made"] * 4, *["not_made/not_made"] * 4)
        late = found("mistake", "late", *["made/not_made"] * 2, *["not_made/made"] * 2)
        goal = found("goal", "", "reached/reached", "not_reached/not_reached", "reached/not_reached")

        measured = measure_agreement([], [*goal, *rude, *late])

        assert [row.kind for row in measured.findings] == ["mistake", "goal"]
        mistakes, outcome = measured.findings
        assert [(row.id, row.name, row.agreement.kappa) for row in mistakes.items] == [
            ("late", "Late", -1.0),
            ("rude", "Rude", 1.0),
        ]
        assert (mistakes.agreement.n, mistakes.agreement.raw_pct) == (12, 66.67)
        assert (outcome.items, outcome.agreement.n, outcome.agreement.raw_pct) == ([], 3, 66.67)
        assert (measured.calls, measured.overall.n) == (8, 0)

    def test_have_the_figures_that_criteria_with_the_same_table_have(self):
        answers = [*["met/met"] * 9, *["met/not_met"] * 4, *["not_met/not_met"] * 7]
        names = {"met": "made", "not_met": "not_made"}
        renamed = ["/".join(names[part] for part in each.split("/")) for each in answers]

        criterion = measure_agreement(pairs("a", *answers)).overall
        (mistakes,) = measure_agreement([], found("mistake", "a", *renamed)).findings

        figures = ("n", "raw_pct", "kappa", "kappa_low", "kappa_high", "ac1", "ac1_low", "ac1_high")
        assert [getattr(mistakes.agreement, f) for f in figures] == [getattr(criterion, f) for f in figures]
        assert mistakes.agreement.table == {
            "made": {"made": 9, "not_made": 4},
            "not_made": {"made": 0, "not_made": 7},
        }

    @pytest.mark.parametrize(
        ("kind", "answer", "possible"),
        [
            ("mistake", "made", ["made", "not_made"]),
            ("prompt", "said", ["said", "missed"]),
            ("goal", "reached", ["reached", "not_reached"]),
            ("goal", "unknown", ["reached", "not_reached", "unknown"]),
            ("sentiment", "neutral", ["positive", "neutral", "negative"]),
            ("sentiment", "unknown", ["positive", "neutral", "negative", "unknown"]),
        ],
    )
    def test_count_unknown_as_possible_once_it_is_given(self, kind, answer, possible):
        (row,) = measure_agreement([], found(kind, "", f"{answer}/{answer}")).findings

        assert list(row.agreement.table) == possible
        assert {tuple(people) for people in row.agreement.table.values()} == {tuple(possible)}

    def test_are_weak_as_criteria_are(self):
        apart = found("prompt", "recording", *itertools.repeat("said/missed", 15), *["missed/said"] * 5)

        (row,) = measure_agreement([], apart).findings

        assert row.agreement.is_weak
        assert row.items[0].agreement.is_weak


class TestVerdicts:
    def agreement(self, n, *, kappa=0.9, low=0.7, high=0.95, ac1_low=0.7):
        return Agreement(n, 95.0, kappa, low, high, 0.9, ac1_low, 0.95, {})

    def test_say_nothing_certain_over_few_answers(self):
        few = self.agreement(19)

        assert (few.is_few, few.is_reliable, few.is_weak) == (True, False, False)

    def test_are_certain_where_the_interval_is(self):
        assert self.agreement(20).is_reliable
        assert self.agreement(20, kappa=0.3, low=0.1, high=0.5).is_weak
        between = self.agreement(20, low=0.5)
        assert (between.is_reliable, between.is_weak) == (False, False)

    def test_are_none_where_everybody_gave_one_answer(self):
        alike = [AnswerPair(n, "own_name", "Own name", "met", "met") for n in range(27)]
        mixed = [*alike[:25], AnswerPair(25, "own_name", "Own name", "not_met", "not_met"), alike[26]]

        untested = measure_agreement(alike, []).criteria[0].agreement
        tested = measure_agreement(mixed, []).criteria[0].agreement

        assert (untested.raw_pct, untested.kappa) == (100.0, None)
        assert (untested.has_one_answer, untested.is_reliable, untested.rare_answers) == (True, False, 0)
        assert (tested.has_one_answer, tested.kappa, tested.rare_answers) == (False, 1.0, 1)
