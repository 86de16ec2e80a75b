"""A number is what the numbers next to it are: of two answers, of a list, of one that was refused."""

import pytest

from tests.transcription.redaction.dialogs import CODE, redact

pytestmark = pytest.mark.one_database


class TestAnAnswer:
    @pytest.mark.parametrize(
        ("question", "answer", "left"),
        [
            ("CVV?", "457, PIN 4821 and CVV 458.", f"{CODE}, PIN {CODE} and CVV {CODE}."),
            ("Code?", "4821, code 5512 is for the gate.", f"{CODE}, code {CODE} is for the gate."),
            ("code", "4821 code 5512 is for the gate", f"{CODE} code {CODE} is for the gate"),
            ("¿Código?", "7752, y el código 6247 es otro.", f"{CODE}, y el código {CODE} es otro."),
        ],
    )
    def test_is_found_before_a_number_of_the_same_name(self, question, answer, left):
        assert redact(f"A: {question}", f"C: {answer}")[-1] == left

    def test_to_two_questions_is_not_the_code_of_which_the_name_follows(self):
        said = redact("A: What's the unit and the PIN?", "C: 150, and the PIN is 8344.")

        assert said[-1] == f"150, and the PIN is {CODE}."

    def test_is_found_after_a_guess_was_denied_by_what_it_is(self):
        said = redact(
            "A: ¿Y la clave?", "C: ¿Es el año de mi hija, 1977?", "A: No, no es un año.", "C: Entonces 7905."
        )

        assert said[-1] == f"Entonces {CODE}."

    def test_is_found_after_one_that_was_used(self):
        said = redact(
            "A: It wants your backup code.",
            "C: First one's 28782096.",
            "A: That one's been used.",
            "C: Second's 36239171.",
        )

        assert said[-1] == f"Second's {CODE}."

    @pytest.mark.parametrize("asked", ["And since then?", "And now?"])
    def test_is_found_after_what_held_until_then(self, asked):
        assert redact("C: 2248 was my PIN.", f"A: {asked}", "C: 0440.")[-1] == f"{CODE}."

    def test_to_a_question_for_a_thing_goes_on_with_no_code(self):
        said = redact("C: The code is 593.", "C: 33.", "A: Understood. Which branch?", "C: Number 90.")

        assert said[-1] == "Number 90."


class TestTwoAnswers:
    @pytest.mark.parametrize(
        ("asked", "said", "left"),
        [
            ("What's by the signature on the card?", "8918 and then 756.", f"8918 and then {CODE}."),
            ("¿Qué pone al lado de la firma?", "Pone 2259 y luego 093.", f"Pone 2259 y luego {CODE}."),
        ],
    )
    def test_by_the_signature_are_the_end_of_the_card_and_the_code(self, asked, said, left):
        assert redact("A: Turn your card over.", "C: Yes.", f"A: {asked}", f"C: {said}")[-1] == left

    def test_come_in_the_order_in_which_they_are_wanted(self):
        said = redact("A: I'll take your PIN once you've given me the sort code.", "C: 933322, and 2018.")

        assert said[-1] == f"933322, and {CODE}."

    def test_of_a_code_are_its_last_digits(self):
        assert redact("A: What are the last two of your passcode?", "C: Ends 91.")[-1] == f"Ends {CODE}."


class TestWhatIsSaidAfterANumber:
    @pytest.mark.parametrize(
        ("asked", "said", "then"),
        [
            ("Puede decirla o marcarla.", "La digo: 5463.", "Clave aceptada."),
            ("You can say it or dial.", "I'll say 5463.", "PIN accepted."),
        ],
    )
    def test_names_it_by_what_was_accepted(self, asked, said, then):
        assert redact(f"A: {asked}", f"C: {said}", f"A: {then}")[1] == said.replace("5463", CODE)

    def test_names_a_long_one(self):
        said = redact("C: It has a key, 84287307.", "A: That's the network key, yes.")

        assert said[0] == f"It has a key, {CODE}."


class TestAList:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            (
                "My PIN is 2672 for the bank, 9030 for the phone and 3063 for the card.",
                f"My PIN is {CODE} for the bank, {CODE} for the phone and {CODE} for the card.",
            ),
            (
                "Mi pin es 2672 para el banco, 2429 para el móvil y 6542 para la tarjeta.",
                f"Mi pin es {CODE} para el banco, {CODE} para el móvil y {CODE} para la tarjeta.",
            ),
            (
                "My PIN is 2672 for the bank, order 9030 for the lamp.",
                f"My PIN is {CODE} for the bank, order 9030 for the lamp.",
            ),
        ],
    )
    def test_has_numbers_of_one_kind(self, said, left):
        assert redact(f"C: {said}") == [left]

    def test_begins_before_the_next_one_is_asked_for(self):
        said = redact("A: And it says?", "C: 690977.", "A: And the next code, please?", "C: 638504.")

        assert said[1::2] == [f"{CODE}.", f"{CODE}."]


class TestANumberThatIsEntered:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            ("The network's Harbor, and you type 563298.", f"The network's Harbor, and you type {CODE}."),
            ("Enter 77629323 and tell me the response.", "Enter 77629323 and tell me the response."),
            ("The locker opens with 740726.", f"The locker opens with {CODE}."),
            ("Teclee 8801 y ya está.", f"Teclee {CODE} y ya está."),
            ("Enter 2500 in the amount field.", "Enter 2500 in the amount field."),
            ("I typed 8132 kilometers.", "I typed 8132 kilometers."),
            ("Type 1968 and press enter.", "Type 1968 and press enter."),
            ("Marque el 1004 para averías.", "Marque el 1004 para averías."),
        ],
    )
    def test_is_a_code_unless_something_else_is_named(self, said, left):
        assert redact(f"A: {said}") == [left]


class TestAMessage:
    def test_has_other_numbers(self):
        said = "You sent me a message, it says 183265 in the heading."

        assert redact(f"C: {said}") == [said]

    def test_of_two_has_a_code(self):
        said = redact("C: I got two texts, one says 347271 and the other says my balance is $4,449.")

        assert said == [f"I got two texts, one says {CODE} and the other says my balance is $4,449."]

    @pytest.mark.parametrize(
        ("said", "asked"), [("I have the text.", "And?"), ("Ya tengo el mensaje.", "¿Y?")]
    )
    def test_that_a_caller_has_is_read_out(self, said, asked):
        assert redact(f"C: {said}", f"A: {asked}", "C: 898858.")[-1] == f"{CODE}."


class TestNoSecret:
    @pytest.mark.parametrize("left", ["Points: 5038.", "Pages: 5038."])
    def test_is_what_has_a_heading(self, left):
        assert redact("A: Your PIN?", "C: 9171.", f"A: 9171. Good. {left}")[-1] == f"{CODE}. Good. {left}"

    def test_is_no_heading_of_digits(self):
        assert (
            redact("A: Which code did you enter?", "C: Just numbers: 304 772.")[-1]
            == f"Just numbers: {CODE}."
        )

    def test_is_the_answer_to_a_question_without_signs(self):
        said = redact("A: your safe number", "C: it's 3074", "A: and the children's ages", "C: 6 and 3")

        assert said[-1] == "6 and 3"

    def test_is_a_number_of_which_the_name_has_a_code_in_it(self):
        assert redact("A: Password reset ticket number?", "C: 707031.")[-1] == "707031."

    def test_are_the_places_of_digits(self):
        said = redact("A: Digits two and four of your PIN, please.", "C: The whole PIN is 1524.")

        assert said == ["Digits two and four of your PIN, please.", f"The whole PIN is {CODE}."]

    def test_is_a_promotional_code(self):
        assert redact("A: ¿Código promocional?", "C: 66828431.")[-1] == "66828431."

    def test_is_a_phone_that_makes_a_card_with_a_house_number_by_chance(self):
        turns = (
            "C: I moved from 65 to 6246.",
            "A: Is the phone still 4155551562?",
            "C: Four one five, five five five, one five six two.",
        )

        assert redact(*turns) == [turn[3:] for turn in turns]

    def test_is_a_number_that_makes_a_card_with_what_was_taken_back(self):
        said = redact(
            "A: The card, please.",
            "C: Three four two six, sorry, 3424 193364 14791.",
            "A: And to confirm, security 064?",
            "C: No, 510.",
            "A: 510. Got it. Job 80484287.",
        )

        assert said[-1] == f"{CODE}. Got it. Job 80484287."


class TestACodeAfterADate:
    def test_is_no_year(self):
        said = redact("C: The PIN is 5905.", "A: From April eighteenth, five nine oh five.")

        assert said[-1] == f"From April eighteenth, {CODE}."
