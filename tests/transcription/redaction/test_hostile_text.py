"""What a person sends is read in time that grows with its length, and read again it stays as it is."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.transcription.redaction import pieces, utterances
from callscope.transcription.redaction.redaction import mask_identifiers, redact_segments
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
        "on the front", "343099941781583", "order number", "911",
    ]
)  # fmt: skip

TEXTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=5)
AMEX = (
    "ha three four three zero nine nine nine four one seven eight one five eight three four on the front 3952"
)


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
            # Four digits on the front are the code of such a card, once it is known where the number ends.
            ["the card", AMEX],
        ],
    )
    def test_changes_nothing(self, texts):
        once = redact_segments(conversation(texts), KINDS[:2])

        twice = redact_segments(once.segments, KINDS[:2])

        assert once.counts
        assert (twice.segments, twice.counts, twice.silences) == (once.segments, {}, [])

    @given(
        st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=5), st.sampled_from((KINDS[:2], KINDS))
    )
    def test_changes_nothing_in_any_words(self, texts, kinds):
        once = redact_segments(conversation(texts), kinds).segments

        twice = redact_segments(once, kinds)

        assert (twice.segments, twice.counts, twice.silences) == (once, {}, [])

    def test_marks_what_is_found_later_where_it_stood(self):
        segments = conversation(["the card", AMEX])

        masks = mask_identifiers(segments, KINDS[:2])

        kept = "".join(c for c, m in zip(AMEX, masks.by_segment[1], strict=True) if not m)
        assert kept == "ha  four on the front "
        assert masks.counts == {"cards": 1, "security_codes": 1}
        assert redact_segments(segments, KINDS[:2]).segments[1]["text"] == (
            "ha [card number] four on the front [security code]"
        )


def test_many_spoken_cards_in_a_row_leave_nothing():
    card = " ".join(["four", *["one"] * 15])  # passes Luhn
    segment = {"start": 0.0, "end": 1.0, "speaker": "customer", "confidence": None}
    spoken = [{**segment, "text": f"my card is {' '.join([card] * 30)} thanks"}]

    left = redact_segments(spoken, ["cards", "security_codes"]).segments

    assert " one" not in left[0]["text"]
    assert redact_segments(left, ["cards", "security_codes"]).segments == left
