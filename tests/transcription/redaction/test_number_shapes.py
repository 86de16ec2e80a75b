"""What a number is by its own writing; digits among digits are passed over without a second look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.transcription.redaction import number_shapes
from callscope.transcription.redaction.number_shapes import find_shapes
from callscope.transcription.redaction.vocabulary.kinds import Kind
from callscope.transcription.redaction.vocabulary.spoken_numbers import tokenize_numbers

pytestmark = pytest.mark.one_database

DIGITS = st.sampled_from(["1", "14", "2024", "19", "99", "12345678"])
WORDS = st.sampled_from(
    ["March", "marzo", "de", "at", "las", "sobre", "y", "five", "twenty", "euros", "one",
     "the", "12:30", "3/4", "1,50", "$", "%", ",", ".", "-", "in", "since", "may", "second", "per", "month"]
)  # fmt: skip


class TestDigitsAmongDigits:
    @given(st.lists(st.tuples(DIGITS | WORDS, st.sampled_from([" ", "  ", ""])), max_size=14))
    def test_get_the_shapes_that_a_closer_look_gives(self, parts):
        text = "".join(word + gap for word, gap in parts)
        tokens = tokenize_numbers(text)

        quick = find_shapes(text, tokens, ())

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(number_shapes._ShapeFinder, "is_among_digits", lambda self, place: False)
            assert quick == find_shapes(text, tokens, ())

    def test_are_passed_over(self, monkeypatch):
        text = "1 " * 1000
        looked_at = []
        monkeypatch.setattr(
            number_shapes._ShapeFinder, "find_by_unit", lambda self, place: looked_at.append(place)
        )

        find_shapes(text, tokenize_numbers(text), ())

        assert looked_at == [0, 999]


class TestThings:
    @pytest.mark.parametrize(
        ("text", "counted"),
        [
            ("All three, please.", ["three"]),
            ("Any two will do", ["two"]),
            ("Los tres, por favor.", ["tres"]),
            ("It is all three four two", []),
            ("a las tres", []),
            ("three", []),
            ("those: 3", []),
        ],
    )
    def test_that_were_spoken_of_are_counted(self, text, counted):
        tokens = tokenize_numbers(text)

        shapes = find_shapes(text, tokens, ())

        found = [
            text[tokens[at].start : tokens[at].end] for at, kind in shapes.items() if kind is Kind.QUANTITY
        ]
        assert found == counted


class TestACountOrPronoun:
    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("The business one. Five four two four.", "5 4 2 4"),
            ("The code is one. Two, that is.", "1 2"),
            ("There are two, 371319 and 212347.", "371319 212347"),
            ("¿El del cuatro de junio? 0507.", "0507"),
            ("The supermarket one. It's 3571.", "3571"),
            ("There's a shorter one, 3919 0805.", "3919 0805"),
            ("Uno dice 7993, otro 8250.", "7993 8250"),
            ("One says 7993.", "7993"),
            ("Me aparece un 33.", "33"),
        ],
    )
    def test_is_no_part_of_the_number_that_follows(self, text, kept):
        tokens = tokenize_numbers(text)
        shapes = find_shapes(text, tokens, ())

        left = [token.digits for at, token in enumerate(tokens) if token.digits and at not in shapes]
        assert " ".join(left) == kept


class TestATime:
    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("At 4:40. Five five two eight.", "5 5 2 8"),
            ("La mesa es para las tres y diez. Siete cero dos cinco.", "7 0 2 5"),
            ("We close at eleven twenty. Six four nine one.", "6 4 9 1"),
            ("At 4:40 4539 1488.", "4539 1488"),
            ("At four oh five.", ""),
            ("Sobre las once y cuarenta.", ""),
        ],
    )
    def test_ends_with_its_minutes_and_its_sentence(self, text, kept):
        tokens = tokenize_numbers(text)
        shapes = find_shapes(text, tokens, ())

        left = [token.digits for at, token in enumerate(tokens) if token.digits and at not in shapes]
        assert " ".join(left) == kept
