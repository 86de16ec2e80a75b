"""Packs: the criteria of a call in thirteen bytes each, the same bytes for the same criteria."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import FEW

from callscope.reports.store.packing import (
    ENTRY,
    pack_entries,
    pack_entries_unsorted,
    split_into_packs,
    unpack_entries,
)

ENTRIES = st.lists(
    st.tuples(st.integers(0, 2**32 - 1), st.integers(-(2**63), 2**63 - 1), st.integers(0, 255)), max_size=5
)


class TestPackEntries:
    @given(ENTRIES)
    @FEW
    def test_gives_back_what_went_in_by_criterion(self, entries):
        assert unpack_entries(pack_entries(entries)).tolist() == sorted(entries)

    @given(ENTRIES)
    @FEW
    def test_takes_thirteen_bytes_for_each(self, entries):
        assert len(pack_entries(entries)) == 13 * len(entries) == ENTRY.itemsize * len(entries)

    @given(ENTRIES, st.randoms(use_true_random=False))
    @FEW
    def test_is_the_same_in_any_order(self, entries, dice):
        assert pack_entries(dice.sample(entries, len(entries))) == pack_entries(entries)

    def test_keeps_the_bytes_of_stored_packs(self):
        assert (
            pack_entries([(258, 1, 5), (3, -1, 0)]).hex()
            == "03000000ffffffffffffffff00" + "02010000010000000000000005"
        )


class TestSplitIntoPacks:
    @pytest.mark.parametrize(
        ("calls", "ids"),
        [
            ([], []),
            ([[]], []),
            ([[(0, 5, 1)], [], [(1, 6, 2), (0, 7, 4)]], [30, 20]),
            ([[(2, 1, 0), (1, 1, 0), (0, 1, 0)]], [7, 9, 8]),
        ],
        ids=["no call", "no criterion", "several calls", "ids in another order"],
    )
    def test_gives_each_call_the_pack_that_its_ids_make(self, calls, ids):
        together = b"".join(pack_entries_unsorted(entries) for entries in calls)

        packs = split_into_packs(together, [len(entries) for entries in calls], ids)

        assert packs == [
            pack_entries([(ids[index], points, flags) for index, points, flags in entries])
            for entries in calls
        ]
