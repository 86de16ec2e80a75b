"""A code may be given late: after small talk, after a question that names nothing, in another turn."""

import pytest

from tests.transcription.redaction.dialogs import CODE, redact

pytestmark = pytest.mark.one_database
SPEAKERS = {"A": "agent", "C": "customer", "U": None}


class TestAQuestion:
    def test_stays_open_while_the_caller_is_encouraged(self):
        said = redact("A: What's your PIN?", "C: Is it safe?", "A: It is. Whenever you like.", "C: 6640")

        assert said[-1] == CODE

    @pytest.mark.parametrize(
        ("turns", "left"),
        [
            (["C: The PIN is 8929.", "A: And which one do you want?", "C: 3471."], f"{CODE}."),
            (
                ["C: El PIN es 8929.", "A: ¿Y cuál quiere poner?", "C: Póngame el 3471."],
                f"Póngame el {CODE}.",
            ),
            (["C: The code is 482913.", "A: Please request another.", "C: Fine. 851290."], f"Fine. {CODE}."),
            (["A: The PIN I set is 8897, and yours?", "C: Mine's 3267."], f"Mine's {CODE}."),
            (["A: You'll need your entry PIN.", "C: Which is?", "A: 0847."], f"{CODE}."),
        ],
    )
    def test_that_names_nothing_asks_for_what_was_spoken_of(self, turns, left):
        assert redact(*turns)[-1] == left

    def test_that_names_nothing_leaves_numbers_of_another_length(self):
        assert redact("C: The PIN is 8929.", "A: And which one do you want?", "C: 12 of them.")[-1] == (
            "12 of them."
        )

    def test_for_the_end_of_a_card_and_its_code_has_two_answers(self):
        said = redact("A: The last four digits of the card, and its security code?", "C: 7073, and 260.")

        assert said[-1] == f"7073, and {CODE}."

    def test_for_a_code_is_answered_across_a_date(self):
        assert redact("A: The code we texted?", "C: For the nineteenth of July? 9449.")[-1] == (
            f"For the nineteenth of July? {CODE}."
        )


class TestACode:
    @pytest.mark.parametrize(
        "said",
        [
            "Su PIN para el portal del paciente es 4570.",
            "Your PIN for the portal of the clinic is 4570.",
            "Type the pairing code into the TV, it's 4570.",
            "The keypad takes 4570 and then the hash key.",
            "Set the dials to 4570.",
            "4532 1488 0343 6467, four on the front 4570.",
        ],
    )
    def test_is_known_by_the_words_around_it(self, said):
        [left] = redact(f"A: {said}")

        assert CODE in left
        assert "4570" not in left

    def test_stands_behind_a_date_and_not_with_it(self):
        said = redact("C: 4532 1488 0343 6467.", "A: And its expiry?", "C: 0531. 334 on the back.")

        assert said[-1] == f"0531. {CODE} on the back."

    def test_is_repeated_as_a_code_though_another_number_is_spoken_of(self):
        said = redact("A: For the building the keypad number is 5005.", "C: 5005, and it's 84 Marsh Lane?")

        assert said[-1] == f"{CODE}, and it's 84 Marsh Lane?"

    @pytest.mark.parametrize("said", ["To won eight six ate for", "Oh nine to for"])
    def test_is_heard_where_its_digits_are_written_as_other_words(self, said):
        assert redact("A: What's the code we sent?", f"C: {said}")[-1] == CODE

    @pytest.mark.parametrize(
        "said",
        ["I've posted the PIN to 2802 Elm Road.", "Two for the children and one for me.", "It went to two."],
    )
    def test_is_nothing_else(self, said):
        assert redact(f"A: {said}") == [said]


class TestACard:
    def test_is_repeated_in_parts_to_its_end(self):
        said = redact(
            "A: Dígame la tarjeta despacio.",
            "C: Dos cuatro seis cero",
            "A: Veinticuatro sesenta.",
            "C: Nueve tres seis seis",
            "A: Noventa y tres sesenta y seis.",
            "C: Cincuenta treinta y ocho y cero siete siete uno",
            "A: Y cero siete setenta y uno.",
        )

        assert said[1:6] == [
            "[card number]",
            "[card number].",
            "[card number]",
            "[card number].",
            "[card number]",
        ]
        assert said[-1] == "Y [card number]."

    def test_is_known_however_long_before_it_was_said(self):
        talk = [f"{'AC'[n % 2]}: Let me look at that for you." for n in range(40)]
        said = redact(
            "C: The paper says 45391488 03436469 here.", *talk, "C: My card number is 4539 1488 0343 6469."
        )

        assert said[0] == "The paper says [card number] here."


class TestCountOfDigits:
    def test_stays_after_the_card(self):
        assert redact("A: Your card?", "C: 4539 1488 0343 6467.", "A: Sixteen, yes.")[2] == "Sixteen, yes."

    def test_is_a_part_where_the_caller_says_it(self):
        left = redact("A: Your card?", "C: 4539 1614 8803 6460.", "C: Sixteen 14, I mean.")

        assert "14" not in left[2]

    @pytest.mark.parametrize("thanks", ["100 gracias", "uno cero cero gracias", "uno doble cero, gracias"])
    def test_is_none_of_thanks(self, thanks):
        left = redact("A: Los tres del reverso.", "C: Uno doble cero.", f"A: {thanks}")

        assert left[2].startswith(CODE)

    def test_of_a_thousand_thanks_is_no_code(self):
        assert redact("A: Dígame el PIN.", "C: Mil gracias.")[1] == "Mil gracias."


class TestEchoOfAQuestion:
    @pytest.mark.parametrize(
        ("asked", "answer", "left"),
        [
            ("What's the model of the phone?", "Galaxy 21, model 998", "Galaxy 21, model 998"),
            ("Which floor are you on?", "Floor 482", "Floor 482"),
            ("¿Qué modelo de teléfono tiene?", "El modelo 8210", "El modelo 8210"),
            ("What does the code say?", "It does say 998214", "It does say [security code]"),
        ],
    )
    def test_is_no_code(self, asked, answer, left):
        code = "Le he enviado un código." if "¿" in asked else "I've sent a code to your phone."

        assert redact(f"A: {code}", "C: Not yet.", f"A: {asked}", f"C: {answer}")[-1] == left

    def test_leaves_all_three_after_a_short_card_number(self):
        turns = ["A: What's your card number?", "C: 7740 1182.", "A: All of them?", "C: All three, please."]

        assert redact(*turns)[1:] == ["[card number].", "All of them?", "All three, please."]


@pytest.mark.parametrize("end", ["Get down, two six.", "26, the dog's in the way."])
def test_a_code_goes_on_in_the_midst_of_words_where_the_other_side_only_agreed(end):
    said = redact("A: Your six digit passcode, please?", "C: Seven five six nine.", "A: Yep.", f"C: {end}")
    assert not any(word in said[3] for word in ("two", "six", "26"))


def test_a_code_does_not_go_on_where_another_number_is_asked_for():
    said = redact(
        "A: Your passcode?", "C: 276.", "A: And the amount?", "C: Two hundred dollars and ninety nine."
    )
    assert said[3] == "Two hundred dollars and ninety nine."


def test_the_code_of_the_first_of_several_cards_is_found():
    said = redact(
        "C: Card one: 4539 1488 0343 6467. Card two: 4485 2756 3472 1042. Card three: 5424 1802 7979 1732.",
        "A: And the CVVs?",
        "C: Seven seven seven for one, eight six six for two, 464 for three.",
    )
    assert said[2].startswith(CODE)


def test_no_number_is_shared_out_at_the_commas_between_its_single_digits():
    said = redact(
        "A: The password is the shorter one. And your client number?",
        "C: Three, six, oh, two, four, oh, six, four, eight.",
    )
    assert said[1] == "Three, six, oh, two, four, oh, six, four, eight."


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (("C: My card is 4539 1488 0343 6467.", "A: Fine.", "C: 624, 594, 809, if he can't find us."), 2),
        (
            (
                "A: It will never telephone you to ask for a code or a card.",
                "C: He wanted the card. His number was four one five - five five five - two five nine oh.",
            ),
            1,
        ),
    ],
)
def test_a_phone_number_that_is_read_out_in_groups_is_no_code(turns, left):
    assert redact(*turns)[left] == turns[left][3:]


def test_a_code_is_not_cut_where_only_a_digit_in_doubt_stands_before_it():
    said = redact("A: The security code?", "C: Is it a three or an eight. 7 3 1, 7 0 4.")
    assert "7 3 1" not in said[1] and "7 0 4" not in said[1]
