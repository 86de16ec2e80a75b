"""Aggregates add up exactly, in any order, and a call taken away leaves nothing."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import FEW, facts, make_fact

from callscope.reports.store import aggregates
from callscope.reports.store.aggregate import aggregate_calls, call_matrix, criterion_entries
from callscope.reports.store.aggregates import (
    TABLES,
    Aggregates,
    CallCounts,
    CriterionCounts,
    HourCounts,
    group_by_key,
    merge,
)


def aggregate(rows, sign=1):
    return aggregate_calls(call_matrix(rows, signs=sign), criterion_entries(rows))


def matrix(*rows, width=3):
    return np.array(rows, np.int64).reshape(-1, width)


class TestGroupByKey:
    @pytest.mark.parametrize(
        ("rows", "grouped"),
        [
            ([], []),
            ([[1, 2, 3]], [[1, 2, 3]]),
            ([[2, 1, 1], [1, 1, 1]], [[1, 1, 1], [2, 1, 1]]),
            ([[1, 1, 2], [1, 2, 5], [1, 1, 3]], [[1, 1, 5], [1, 2, 5]]),
            ([[1, 1, 2], [1, 1, -2]], []),
            ([[1, 1, -1], [0, 0, 1]], [[0, 0, 1], [1, 1, -1]]),
            ([[-1, 0, 4], [-1, 0, 0]], [[-1, 0, 4]]),
        ],
        ids=["none", "one", "ordered", "added", "cancelled", "negative", "negative key"],
    )
    def test_adds_rows_of_one_key_and_leaves_zeros_out(self, rows, grouped):
        assert group_by_key(matrix(*rows), 2).tolist() == grouped

    @pytest.mark.parametrize("many_rows", [1, 1000], ids=["by number", "sorted"])
    @given(
        st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 2), st.integers(-9, 9), st.integers(-9, 9))),
        st.sampled_from([1, 1000, 2**61]),
    )
    @FEW
    def test_equals_a_count_by_hand(self, many_rows, rows, spread):
        """However far apart the keys are."""
        rows = [(first * spread, second, one, other) for first, second, one, other in rows]
        firsts, seconds = Counter(), Counter()
        for first, second, one, other in rows:
            firsts[first, second] += one
            seconds[first, second] += other
        expected = [
            [*key, firsts[key], seconds[key]] for key in sorted(firsts) if firsts[key] or seconds[key]
        ]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(aggregates, "MANY_ROWS", many_rows)
            assert group_by_key(matrix(*rows, width=4), 2).tolist() == expected

    def test_leaves_the_given_matrix_as_it_is(self):
        given_rows = matrix([2, 0, 1], [1, 0, 1], [1, 0, 1])
        before = given_rows.copy()

        group_by_key(given_rows, 1)

        assert np.array_equal(given_rows, before)


class TestMerge:
    @given(st.lists(facts(), max_size=8), st.randoms(use_true_random=False))
    @FEW
    def test_is_the_same_in_any_order_and_any_grouping(self, rows, dice):
        parts = [aggregate([row]) for row in rows]
        cut = dice.randint(0, len(parts))
        shuffled = dice.sample(parts, len(parts))

        whole = merge(parts)

        assert whole == aggregate(rows)
        assert whole == merge(shuffled)
        assert whole == merge([merge(parts[:cut]), merge(parts[cut:])])

    @given(st.lists(facts(), max_size=6), st.lists(facts(), max_size=3))
    @FEW
    def test_takes_away_what_was_added(self, kept, removed):
        whole = merge([aggregate(kept), aggregate(removed), aggregate(removed, sign=-1)])

        assert whole == aggregate(kept)

    @given(st.lists(facts(), min_size=1, max_size=4))
    @FEW
    def test_of_a_call_and_its_removal_is_empty(self, rows):
        assert merge([aggregate(rows), aggregate(rows, sign=-1)]).is_empty

    def test_returns_only_the_named_tables(self):
        rows = [make_fact(agent_id=3, topic_id=4)]

        some = merge([aggregate(rows), aggregate(rows)], only=("agents",))

        assert list(some.tables) == ["agents"]
        assert some.rows("agents") == [[3, 2, 0, 0, 0, 0, 0, 0]]

    def test_of_nothing_is_empty(self):
        assert merge([]).is_empty
        assert merge([]) == Aggregates()


class TestAggregates:
    def test_give_an_empty_table_of_the_right_width_where_nothing_was_counted(self):
        for name, schema in TABLES.items():
            assert Aggregates().table(name).shape == (0, schema.width)
        assert Aggregates().calls == 0

    @given(st.lists(facts(), max_size=6))
    @FEW
    def test_count_each_call_once(self, rows):
        assert aggregate(rows).calls == len(rows)

    def test_differ_when_one_table_does(self):
        call = make_fact()

        assert aggregate([call]) != aggregate([call._replace(direction=1)])
        assert aggregate([call]) != "aggregates"


class TestTables:
    def test_name_their_counts_as_the_rows_that_read_them(self):
        assert TABLES["days"].counts == TABLES["agents"].counts == CallCounts._fields
        assert TABLES["hours"].counts == HourCounts._fields
        assert TABLES["criteria"].counts == CriterionCounts._fields

    def test_find_a_column_by_its_name(self):
        schema = TABLES["hour_scores"]

        assert [schema.column(name) for name in (*schema.keys, *schema.counts)] == [*range(schema.width)]
