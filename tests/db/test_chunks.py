"""Chunks: lists of a bounded size that hold every item once."""

from itertools import count

import pytest

from callscope.db.chunks import chunked


class TestChunked:
    @pytest.mark.parametrize(
        ("items", "size", "chunks"),
        [
            ([], 3, []),
            ([1], 3, [[1]]),
            ([1, 2, 3], 3, [[1, 2, 3]]),
            ([1, 2, 3, 4], 3, [[1, 2, 3], [4]]),
            (range(5), 2, [[0, 1], [2, 3], [4]]),
            ("abc", 1, [["a"], ["b"], ["c"]]),
        ],
    )
    def test_keeps_order_and_gives_the_rest_last(self, items, size, chunks):
        assert list(chunked(items, size)) == chunks

    def test_reads_a_stream_no_further_than_the_chunk_it_gives(self):
        numbers = count()

        first = next(chunked(numbers, 4))

        assert first == [0, 1, 2, 3]
        assert next(numbers) == 4
