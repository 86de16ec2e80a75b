"""Samples to segments: how long calls are cut into pieces."""

from itertools import pairwise

import pytest

from callscope.transcription.recognition import PIECE_S, split_at_pauses

pytestmark = pytest.mark.one_database


class TestPieces:
    def test_of_a_short_call_are_the_call(self):
        assert split_at_pauses([(1.0, 2.0)], 300.0) == [(0.0, 300.0)]

    def test_of_a_long_call_are_cut_in_its_longest_pause(self):
        spans = [(0.0, 500.0), (503.0, 560.0), (561.0, 900.0)]

        assert split_at_pauses(spans, 900.0) == [(0.0, 501.5), (501.5, 900.0)]

    def test_without_a_pause_are_cut_at_the_limit(self):
        assert split_at_pauses([(0.0, 1500.0)], 1500.0) == [
            (0.0, PIECE_S),
            (PIECE_S, 2 * PIECE_S),
            (2 * PIECE_S, 1500.0),
        ]

    @pytest.mark.parametrize("length_s", [599.0, 600.0, 601.0, 7200.0])
    def test_cover_the_call_without_gaps(self, length_s):
        spans = [(float(start), start + 4.0) for start in range(0, int(length_s), 9)]

        cut = split_at_pauses(spans, length_s)

        assert cut[0][0] == 0 and cut[-1][1] == length_s
        assert all(before[1] == after[0] for before, after in pairwise(cut))
        assert all(0 < end - start <= PIECE_S for start, end in cut)
