"""Encoding: aggregates as bytes, the same bytes for the same aggregates, and back without loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import FEW, facts

from callscope.reports.store.aggregate import aggregate_calls, call_matrix, criterion_entries
from callscope.reports.store.aggregates import Aggregates
from callscope.reports.store.encoding import TABLE_HEAD, decode_tables, encode_tables


def topics(*rows):
    return Aggregates({"topics": np.array(rows, np.int64).reshape(-1, 2)})


class TestEncodeTables:
    @given(st.lists(facts(), max_size=5))
    @FEW
    def test_loses_nothing(self, rows):
        aggregates = aggregate_calls(call_matrix(rows), criterion_entries(rows))

        assert decode_tables(encode_tables(aggregates)) == aggregates

    @given(st.lists(facts(), max_size=5), st.randoms(use_true_random=False))
    @FEW
    def test_gives_the_same_bytes_in_whatever_order_calls_came(self, rows, dice):
        shuffled = dice.sample(rows, len(rows))
        encoded = [
            encode_tables(aggregate_calls(call_matrix(order), criterion_entries(order)))
            for order in (rows, shuffled)
        ]

        assert encoded[0] == encoded[1]

    @pytest.mark.parametrize(
        ("number", "width"),
        [
            (0, 1),
            (127, 1),
            (-128, 1),
            (128, 2),
            (-129, 2),
            (2**15, 4),
            (2**31 - 1, 4),
            (2**31, 8),
            (-(2**31) - 1, 8),
            (2**63 - 1, 8),
        ],
    )
    def test_takes_the_fewest_bytes_that_hold_every_number(self, number, width):
        encoded = encode_tables(topics([1, number], [2, 0]))

        assert len(encoded) == TABLE_HEAD.size + 4 * width
        assert decode_tables(encoded).rows("topics") == [[1, number], [2, 0]]

    def test_of_nothing_is_no_byte(self):
        assert encode_tables(Aggregates()) == b""
        assert decode_tables(b"").is_empty

    def test_leaves_out_tables_that_are_not_named(self):
        assert encode_tables(topics([1, 1]), ("agents", "list")) == b""

    def test_keeps_the_bytes_of_stored_rollups(self):
        assert encode_tables(topics([1, 300])).hex() == "06" + "02" + "01000000" + "01002c01"
