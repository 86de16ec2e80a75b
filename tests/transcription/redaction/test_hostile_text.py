"""What a person sends is read in time that grows with its length, and read again it stays as it is."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.transcription.redaction import pieces, utterances
from callscope.transcription.redaction.redaction import redact_segments
from tests.effort import EFFORT

pytestmark = pytest.mark.one_database
KINDS = ["cards", "security_codes", "digit_runs", "emails", "phones"]
SIZE = 20_000 if EFFORT > 1 else 6_000  # characters of one kind; all kinds together are ten times as much
HOSTILE = {
    "one number": "7",
    "digits": "1 ",
    "digits and stops": "1. ",
    "words for digits": "one ",
    "thousands": "one thousand ",
    "repeats": "double ",
    "zeros": "oh ",
    "cards": "4539 1488 0343 6467 and ",
    "codes": "cvv 123 ",
    "names of numbers": "pin order number on the back ",
    "names in one sentence": "pin code card cvv account ",
    "what names are for": "to see my pin ",
    "names and numbers": "pin, so 482. ",
    "gaps": "code for the one ",
    "corrections": "no 1 ",
    "dates": "4 march ",
    "questions": "what is your ",
    "addresses": "a@b dot at ",
    "homophones": "to one for ",
    "codes sent": "the pin to 1 ",
    "other codes": "pin 4821. which one. another 4822. ",
    "placeholders": "[card number] ",
    "brackets": "[",
    "letters": "a",
    "spaces": " ",
    "dots": "1.",
}
WORDS = st.sampled_from(
    [
        "the", "your", "my", "is", "PIN", "CVV", "card number", "code", "account", "order",
        "last four digits", "on the back", "no sorry", "and", "4539", "1488", "0343", "6467", "457", "4821",
        "0927",
        "12/05/2024",
        "85731890", "seven", "oh", "double", "el código", "clave", "tarjeta", "es", ".", ",", "?",
        "[card number]", "[security code]", "which", "another", "for", "to", "hash key", "yours",
    ]
)  # fmt: skip


def conversation(texts):
    return [
        {
            "start": 3.0 * n,
            "end": 3.0 * n + 2,
            "speaker": ("agent", "customer")[n % 2],
            "text": text,
            "confidence": None,
        }
        for n, text in enumerate(texts)
    ]


def count_work(segments, monkeypatch):
    """Return how many functions are called, and how many groups of digits are put together."""
    work = 0
    digits = pieces.Piece.digits.fget

    def count_groups(piece):
        nonlocal work
        work += len(piece.groups)
        return digits(piece)

    class Words(list):
        """The words of a sentence; to search them is work, though one call does it."""

        def __iter__(self):
            nonlocal work
            work += len(self)
            return super().__iter__()

    def count_call(_frame, event, _argument):
        nonlocal work
        work += event in ("call", "c_call")

    monkeypatch.setattr(pieces.Piece, "digits", property(count_groups))
    read_words = utterances.Utterance.words_of
    monkeypatch.setattr(utterances.Utterance, "words_of", lambda *place: Words(read_words(*place)))
    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        redact_segments(segments, KINDS)
    finally:
        sys.setprofile(before)
    monkeypatch.undo()
    return work


class TestWork:
    @pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
    def test_grows_with_the_text(self, unit, monkeypatch):
        texts = [unit * (size // len(unit)) for size in (SIZE // 10, SIZE)]
        redact_segments(conversation(texts[:1]), KINDS)  # lists are read once

        small, large = (count_work(conversation([text]), monkeypatch) for text in texts)

        assert large <= 10 * 1.5 * small + 1000

    def test_grows_with_the_text_of_all_kinds_together(self, monkeypatch):
        said = [[unit * (size // len(unit)) for unit in HOSTILE.values()] for size in (SIZE // 20, SIZE // 2)]
        assert sum(map(len, said[1])) > 9.5 * SIZE

        small, large = (count_work(conversation(texts), monkeypatch) for texts in said)

        assert large <= 10 * 1.5 * small

    def test_grows_with_the_turns(self, monkeypatch):
        turns = ["And your PIN? The order?", "4821 no 4532", "the CVV and card", "4532 1488 then my 457"]

        small, large = (count_work(conversation(turns * count), monkeypatch) for count in (30, 300))

        assert large <= 10 * 1.5 * small


class TestSecondRedaction:
    @pytest.mark.parametrize(
        "texts",
        [
            ["Your card?", "4539 1488 0343 6467, 0927, 457", "And the order?", "4821"],
            ["The CVV and the account number?", "457, 85731890", "So 457.", "yes"],
            ["Your PIN?", "4821", "Sorry?", "4821, and I paid 4500"],
            [
                "Your PIN is 4821.",
                "And mine?",
                "The new one is 4822. Which one do you want?",
                "Make it 4823.",
            ],
            ["The code we sent?", "to won eight six ate for", "Please request another.", "218684"],
        ],
    )
    def test_changes_nothing(self, texts):
        once = redact_segments(conversation(texts), KINDS[:2])

        twice = redact_segments(once.segments, KINDS[:2])

        assert once.counts
        assert (twice.segments, twice.counts, twice.silences) == (once.segments, {}, [])

    @given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=5))
    def test_brings_no_secret_back(self, texts):
        once = redact_segments(conversation(texts), KINDS[:2]).segments
        twice = redact_segments(once, KINDS[:2]).segments

        for before, after in zip(once, twice, strict=True):
            assert before["text"].count("[") <= after["text"].count("[")
            assert after["text"].count("[[") == before["text"].count("[[")
