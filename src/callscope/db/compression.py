"""The compressed form in which results are stored.

One byte that names the form, then the compressed UTF-8 of the JSON. A form is
read permanently, because rows in it stay; the first byte says which it is.
"""

import functools
import sys
import zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZLIB = b"\x78"  # the first form, without a name of its own: a zlib stream begins with this byte
ZSTD = b"\x01"  # a Zstandard frame, made with VOCABULARY
LEVEL = 3  # beyond it, twice the time saves a twentieth
# What results are full of, the most frequent last. Never change it: frames are read with the one that
# they were made with. Another vocabulary is another form.
VOCABULARY = (
    b'"agent_name":"{"sentiment":"neutral","topic":"","goal_reached":null}{"sentiment":"positive","topic":"'
    b'","goal_reached":true}{"sentiment":"negative","topic":"","goal_reached":false}{"answers":{"":{"answer"'
    b':"No","quotes":[]}}}{"answer":"Yes","quotes":["[00:0{"mistakes":[{"id":"","description":"","quote":"[0'
    b'"}],"missing_prompts":[{"id":"","description":""}]},"verified":true,"quote_start":"answer":"not_met",'
    b'"critical_class":null,"not_evaluated":[{"criterion_id":"","name":"","section":"","reason":""}],"total_'
    b'points":,"max_possible_points":100,"score_percentage":100,"has_critical_error":true,"rubric_version":'
    b'null,"on_critical_error":"zero_score"}"has_critical_error":false,"rubric_version":1,"on_critical_error"'
    b':"flag"}{"criterion_scores":[{"criterion_id":"","name":"","section":"","score":0,"max_points":10,'
    b'"applicability":"evaluated","is_critical_error":true,"justification":"","quote":""},{"criterion_id":"",'
    b'"name":"","section":"","score":10,"max_points":10,"applicability":"not_applicable","is_critical_error":'
    b'false,"justification":"","quote":"[0'
)


class UnknownForm(ValueError):
    """Stored bytes are in no form that this version of Callscope reads."""

    def __init__(self, stored: bytes) -> None:
        super().__init__(
            f"A stored result begins with {stored[:4]!r}. A newer Callscope may have written it."
        )


@functools.cache
def _vocabulary() -> zstd.ZstdDict:
    return zstd.ZstdDict(VOCABULARY, is_raw=True)


@functools.cache
def _compressor() -> zstd.ZstdCompressor:
    return zstd.ZstdCompressor(level=LEVEL, zstd_dict=_vocabulary())


def compress(text: bytes) -> bytes:
    """Return the stored form of a JSON text in UTF-8."""
    compressor = _compressor()  # one for all: making one costs more than a call's results
    return ZSTD + compressor.compress(text, compressor.FLUSH_FRAME)


def decompress(stored: bytes) -> bytes:
    """Return the JSON text of what is stored. Raises UnknownForm."""
    if stored.startswith(ZSTD):
        return zstd.decompress(stored[1:], zstd_dict=_vocabulary())
    if stored.startswith(ZLIB):
        return zlib.decompress(stored)
    raise UnknownForm(stored)
