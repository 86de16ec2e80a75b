"""Card numbers by their issuer and check digit, at a stretch and in parts."""

import pytest

from callscope.transcription.redaction.cards import find_valid_cards, is_card_number
from callscope.transcription.redaction.number_runs import collect_number_runs
from callscope.transcription.redaction.utterances import read_utterances

pytestmark = pytest.mark.one_database
CARD = "4539 1488 0343 6467"


def find(*turns):
    segments = [
        {"start": 3.0 * n, "end": 3.0 * n + 2, "speaker": speaker, "text": text, "confidence": None}
        for n, (speaker, text) in enumerate(turns)
    ]
    utterances = list(read_utterances(segments))
    found = find_valid_cards(
        collect_number_runs(utterances), no_cards=set(), no_parts=set(), last_parts=set()
    )
    return "".join(utterances[segment].tokens[token].digits for segment, token in sorted(found))


class TestCardNumber:
    @pytest.mark.parametrize(
        "digits",
        ["4539148803436467", "5425233430109903", "2223000048410010", "378282246310005", "6011111111111117"],
    )
    def test_has_an_issuer_and_a_check_digit(self, digits):
        assert is_card_number(digits)

    @pytest.mark.parametrize(
        "digits", ["4539148803436468", "1234567812345670", "453914880343646", "9931939443153", ""]
    )
    def test_is_no_other_number(self, digits):
        assert not is_card_number(digits)


class TestFinding:
    @pytest.mark.parametrize(
        "text",
        [
            f"it is {CARD}", f"one {CARD}", f"{CARD} 0927 719", "4539, uh, 1488, then 0343 6467",
            "four five three nine one four double eight oh three four three six four six seven",
        ],
    )  # fmt: skip
    def test_takes_a_card_at_a_stretch(self, text):
        assert find(("customer", text)) == CARD.replace(" ", "")

    def test_takes_a_card_in_parts(self):
        said = [
            ("customer", "4539"),
            ("agent", "uh-huh"),
            ("customer", "1488 0343"),
            ("customer", "6467 okay"),
        ]

        assert find(*said) == CARD.replace(" ", "")

    def test_takes_a_card_that_both_sides_say(self):
        assert find(("agent", "I have 4539 1488."), ("customer", "Then 0343 6467.")) == CARD.replace(" ", "")

    @pytest.mark.parametrize(
        "said",
        [
            ["You dropped out after 4539 1488.", "Carrying on, 0343 6467."],
            ["I have got 3782, 822463, 10, and then it cut out.", "From there on it is 005."],
        ],
    )
    def test_takes_a_card_that_both_sides_say_in_the_midst_of_words(self, said):
        digits = "".join(c for text in said for c in text if c.isdigit())

        assert find(("agent", said[0]), ("customer", said[1])) == digits

    def test_takes_a_card_that_goes_on_after_a_long_aside(self):
        said = [
            ("customer", "4539 1488 0343, um, my daughter is calling me from school, sorry."),
            ("agent", "No worries, take your time."),
            ("customer", "Okay, I am back now. Where was I? 6467."),
        ]

        assert find(*said) == "4539148803436467"

    def test_takes_no_wrong_number_that_goes_on_after_a_long_aside(self):
        said = [
            ("customer", "4539 1488 0343, um, my daughter is calling me from school, sorry."),
            ("customer", "Okay, I am back now. Where was I? 6468."),
        ]

        assert find(*said) == ""

    def test_takes_a_card_of_which_a_part_is_said_twice(self):
        said = [
            ("customer", "4539 1488, 4539 1488"),
            ("agent", "got that twice"),
            ("customer", "0343 6467"),
        ]

        assert find(*said) == "4539148845391488" + "03436467"

    @pytest.mark.parametrize("last", ["0343. Then 6467", "0343, 6467"])
    def test_takes_a_card_whose_last_part_is_begun_once_more(self, last):
        said = [
            ("customer", "4539 1488"),
            ("agent", "yes"),
            ("customer", "0343"),
            ("agent", "the line is bad"),
            ("customer", last),
        ]

        assert find(*said) == "45391488" + "0343" + "03436467"

    def test_takes_the_end_of_a_card_before_its_date_and_code(self):
        said = [("customer", "4539 1488"), ("agent", "go on"), ("customer", "0343 6467, 1227, and 719")]

        assert find(*said) == CARD.replace(" ", "")

    def test_takes_no_numbers_with_another_one_between_them(self):
        said = [
            ("customer", "36 61 31, and the bonus is 27."),
            ("agent", "and the retailer"),
            ("customer", "6576 0065"),
        ]

        assert is_card_number("36613165760065")
        assert find(*said) == ""

    @pytest.mark.parametrize("end", ["And last, six, four, six seven", "and last six four six seven"])
    def test_takes_the_end_of_a_card_after_the_word_last(self, end):
        said = [("customer", "4539 1488"), ("agent", "yes"), ("customer", "0343"), ("customer", end)]

        assert find(*said) == CARD.replace(" ", "")

    @pytest.mark.parametrize(
        "said",
        [
            "El primer bloque es 4539, el segundo 1488, el tercero 0343 y el cuarto 6467.",
            "Las primeras, cuatro cinco tres nueve, luego 1488, 0343 6467.",
            "primero cuatro cinco tres nueve segundo 1488 tercero 0343 cuarto 6467",
            "first four five three nine second 1488 third 0343 fourth 6467",
        ],
    )
    def test_takes_a_card_that_is_read_out_by_ordinals(self, said):
        assert find(("customer", said)) == CARD.replace(" ", "")

    def test_takes_a_card_whose_missing_digits_are_counted(self):
        said = [
            ("agent", "Tengo las ocho primeras, 4539 1488."),
            ("customer", "Las ocho que faltan son 0343, 6467."),
        ]

        assert find(*said) == CARD.replace(" ", "")

    def test_takes_a_card_with_what_was_corrected(self):
        assert find(("customer", "4539 1480, no, sorry, 1488 0343 6467")) == "4539148014880343646" + "7"

    def test_takes_four_groups_of_four_although_a_digit_is_wrong(self):
        assert find(("customer", "it is 4532, 1488, 0343, 6467")) == "4532148803436467"

    @pytest.mark.parametrize(
        "text",
        ["4532148803436467", "order 8429 0244 7124 3310", "351531510", "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6"],
    )
    def test_takes_nothing_else(self, text):
        assert find(("customer", text)) == ""

    def test_takes_no_part_of_an_account_number_that_is_read_digit_by_digit(self):
        # 4539148803436467 stands inside, but no pause is before it.
        digits = " ".join("91" + "4539148803436467" + "332211"[:4])

        assert find(("customer", f"nine one two {digits}")) == ""


class TestAMisheardCard:
    def test_is_whole_where_its_end_is_right_by_chance(self):
        assert not is_card_number("4038878310122283")
        assert is_card_number("38878310122283")
        assert find(("customer", "40 38 8783 1012 2283.")) == "4038878310122283"
