"""Card numbers that are asked for, counted, corrected and read back group by group."""

import pytest

from tests.transcription.redaction.dialogs import CODE, redact

pytestmark = pytest.mark.one_database
CARD = "[card number]"


def test_a_group_is_read_back_before_the_next_one_is_asked_for():
    said = redact(
        "A: First four?",
        "C: Four five three nine.",
        "A: Four five three nine. Next four?",
        "C: 1488.",
        "A: 1488. Next four?",
        "C: 0343.",
        "A: 0343. And the last?",
        "C: 6467.",
    )

    assert said == [
        "First four?", f"{CARD}.", f"{CARD}. Next four?", f"{CARD}.", f"{CARD}. Next four?", f"{CARD}.",
        f"{CARD}. And the last?", f"{CARD}.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "counted",
    ["I have the first twelve, four five three nine 1488 0343.", "Tengo los doce primeros, 4539 1488 0343."],
)
def test_a_count_of_digits_is_none_of_them(counted):
    first, rest = redact(f"A: {counted} The rest?", "C: Six four six seven.")

    assert CARD in first
    assert "0343" not in first
    assert rest == f"{CARD}."


@pytest.mark.parametrize(
    "said",
    [
        "it goes 4539, 1488, then there's two, double eight, nine, 4500",
        "and first four five three nine one four eight eight zero three four three six four six seven",
    ],
)
def test_a_digit_of_the_card_is_no_count(said):
    # The first card is 4539 1488 2889 4500: read as "there are two", it lacks a digit.
    assert redact("A: The card?", f"C: {said}")[1] in (
        f"it goes {CARD}, then there's {CARD}",
        f"and first {CARD}",
    )


@pytest.mark.parametrize(
    "turns",
    [
        ["4539", "okay", "1480, no, sorry, 1488", "go on", "0343 6467"],
        ["4539 1480", "right", "no wait, 1488", "yes", "0343", "and?", "6467"],
        ["45391488", "lo tengo", "03436466, no, perdón, 03436467, que le doy la vuelta"],
        [
            "cuatro cinco tres ocho. digo cuatro cinco tres nueve",
            "siga",
            "1488 0343",
            "¿y luego?",
            "seis cuatro seis siete",
        ],
        ["4539", "okay", "after that one, four, double eight", "mm hm", "0343 6467"],
        ["4539 1488", "siga", "cero tres cuatro tres seis cuatro seis siete de momento"],
    ],
)
def test_a_card_that_is_corrected_over_turns_leaves_nothing(turns):
    said = [f"{'CA'[n % 2]}: {text}" for n, text in enumerate(turns)]

    left = " ".join(redact("A: Hello.", *said))

    assert not any(character.isdigit() for character in left)
    assert not {"four", "five", "nine", "double", "cuatro", "nueve", "siete"} & set(left.split())


def test_a_flight_in_the_same_breath_ends_no_card():
    said = redact(
        "A: Card?",
        "C: 4539",
        "A: yes",
        "C: 1488 0343",
        "A: go on",
        "C: 6467, that's all of it on flight BA 96",
    )

    assert said[1::2] == [CARD, CARD, f"{CARD}, that's all of it on flight BA 96"]


class TestCodes:
    def test_two_codes_that_are_counted_and_read_digit_by_digit(self):
        said = redact(
            "A: The access code?", "C: There are two, three, seven, one, three, one, nine and 212347."
        )

        assert said[1] == f"There are two, {CODE}."

    def test_what_is_taken_back_is_not_asked_for(self):
        said = redact(
            "A: What's the PIN you use, no, don't tell me that. I only need your sort code.", "C: 204060"
        )

        assert said[1] == "204060"

    def test_the_other_one_that_something_says(self):
        said = redact(
            "C: I enter 4821 and it says wrong PIN.", "A: The one we posted?", "C: The letter says 9058."
        )

        assert said == [
            f"I enter {CODE} and it says wrong PIN.", "The one we posted?", f"The letter says {CODE}.",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "asked",
        [
            "Read me what arrives.", "Did the bank send you something?", "And the TAN from your app?",
            "Léame lo que le llegue.", "¿Le ha mandado algo el banco?",
        ],
    )  # fmt: skip
    def test_what_was_sent_is_asked_for(self, asked):
        assert redact(f"A: {asked}", "C: It says 482913.")[1] == f"It says {CODE}."

    @pytest.mark.parametrize(
        "asked", ["Deme el CVV, la caducidad y el código postal.", "The CVV, the expiry and the zip code?"]
    )
    def test_the_code_is_said_before_the_date(self, asked):
        assert redact(f"A: {asked}", "C: 131, 10/30 y 23501.")[1] == f"{CODE}, 10/30 y 23501."

    @pytest.mark.parametrize("first", ["Let me confirm.", "Give me a moment.", "No."])
    def test_a_small_word_of_both_languages_makes_no_spanish(self, first):
        said = redact(f"A: {first} Visa 4539148803436467, 11/30, security code 583, 42.50.")

        assert said == [f"{first} Visa {CARD}, 11/30, security code {CODE}, 42.50."]

    @pytest.mark.parametrize(
        "asked",
        ["El autenticador le estará mostrando un número.", "The authenticator should show a number."],
    )
    def test_an_authenticator_shows_one(self, asked):
        assert redact(f"A: {asked}", "C: Seis dos cero, cero siete cero.")[1] == f"{CODE}."

    def test_what_is_printed_by_the_strip(self):
        assert redact("A: And what's printed by the strip?", "C: One seven four.")[1] == f"{CODE}."

    def test_what_is_not_needed_is_not_what_is_asked_for_next(self):
        said = redact("C: El PIN es 9438.", "A: eso no lo necesito su cuenta", "C: 2055727922")

        assert said == [f"El PIN es {CODE}.", "eso no lo necesito su cuenta", "2055727922"]

    def test_who_asked_for_single_digits_counts_in_the_next_turn(self):
        said = redact(
            "A: Give me digits three, four and six of your security number.",
            "C: Five two four.",
            "A: Thank you. You have 3 accounts.",
        )

        assert said[1:] == [f"{CODE}.", "Thank you. You have 3 accounts."]

    def test_the_spanish_word_tan_names_nothing(self):
        assert redact("A: ¿Es tan grande?", "C: Son 4829.")[1] == "Son 4829."

    def test_a_year_of_birth_is_no_code(self):
        said = redact("A: Your year of birth and your four-digit code?", "C: 1984, and it's 5132.")

        assert said[1] == f"1984, and it's {CODE}."


@pytest.mark.parametrize(
    "turns",
    [
        (
            "A: Your order number?",
            "C: I have the card here. It begins 4539, 1488.",
            "A: Go on.",
            "C: 0343, 6467.",
        ),
        ("A: ¿El pedido?", "C: Tengo la tarjeta. Empieza 4539, 1488.", "A: Siga.", "C: 0343, 6467."),
    ],
)
def test_a_card_that_a_sentence_before_names_is_no_answer_to_another_question(turns):
    said = " ".join(redact(*turns))
    assert not any(character.isdecimal() for character in said)
