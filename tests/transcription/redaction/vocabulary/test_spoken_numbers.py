"""The digits in what is said, in English and Spanish."""

import pytest

from callscope.transcription.redaction.vocabulary.spoken_numbers import tokenize_numbers

pytestmark = pytest.mark.one_database


class TestDigits:
    @pytest.mark.parametrize(
        ("text", "digits"),
        [
            ("4532 1488", "4532 1488"),
            ("four five three two", "4 5 3 2"),
            ("double five, triple one", "55 111"),
            ("double five six", "55 6"),
            ("three zeros and two sevens", "000 77"),
            ("forty-five thirty two", "45 32"),
            ("four oh four", "4 0 4"),
            ("oh oh seven", "0 0 7"),
            ("oh, hello", ""),
            ("one hundred and twenty three", "123"),
            ("two thousand five hundred", "2500"),
            ("a thousand thanks", ""),
            ("nineteen eighty four", "19 84"),
            ("cuatro cinco seis", "4 5 6"),
            ("treinta y dos", "32"),
            ("cuatro mil quinientos treinta y dos", "4532"),
            ("mil cuatrocientos ochenta y ocho", "1488"),
            ("ciento veintitrés", "123"),
            ("doble cero, triple siete", "00 777"),
            ("dos sietes y tres ceros", "77 000"),
            ("dieciséis", "16"),
            ("０１２３", "0123"),
            ("double double double", ""),
            ("It's for you to read to me, this once.", ""),
            ("A las once no puedo.", "11"),
            ("Twelve fifteen. Oh wait, no.", "12 15"),
            ("nothing here", ""),
        ],
    )
    def test_are_read_as_one_would_write_them_down(self, text, digits):
        assert " ".join(token.digits for token in tokenize_numbers(text) if token.digits) == digits


class TestHomophonesInTheMidstOfWords:
    CARD = "five three nine won for eight eight oh three four three six for six seven"

    @pytest.mark.parametrize(
        ("text", "digits"),
        [
            (f"My number is four {CARD}, okay?", "4539148803436467"),
            (f"Right, write: for {CARD}.", "4539148803436467"),
            (f"Charge it to four {CARD} for me.", "4539148803436467"),
            ("It takes us from seven to three for nine people.", "739"),
        ],
    )
    def test_are_digits_where_a_card_number_is_read_out(self, text, digits):
        assert "".join(token.digits for token in tokenize_numbers(text)) == digits
