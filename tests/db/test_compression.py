"""Results are stored compressed, and what was stored once can be read permanently."""

import base64
import json
import zlib

import pytest

from callscope.db import compression
from callscope.db.compression import UnknownForm, compress, decompress

# Stored by the first version that knew the form. If this cannot be read, no result of that time can.
KEPT = base64.b64decode("ASi1L/0gL80AAHh3cm9uZyBpbnZvaWNlIn0CABBkBEYjAgg=")


class TestCompression:
    @pytest.mark.parametrize("text", [b"", b"null", b'"\xc3\xb1"', b"[" + b"1," * 50_000 + b"1]"])
    def test_gives_back_what_went_in(self, text):
        assert decompress(compress(text)) == text

    def test_reads_what_was_stored_before_it_had_a_name(self):
        assert decompress(zlib.compress(b'{"a":1}')) == b'{"a":1}'

    def test_reads_what_an_earlier_version_stored(self):
        assert json.loads(decompress(KEPT)) == {"sentiment": "neutral", "topic": "wrong invoice"}

    def test_makes_short_results_shorter(self):
        insights = b'{"sentiment":"negative","topic":"wrong invoice","goal_reached":true}'

        assert len(compress(insights)) < len(insights) * 0.75

    def test_tells_a_form_that_it_does_not_know(self):
        with pytest.raises(UnknownForm, match="newer Callscope"):
            decompress(b"\x02abc")

    def test_keeps_its_vocabulary(self):
        assert zlib.crc32(compression.VOCABULARY) == 3403483891
