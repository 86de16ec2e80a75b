"""A number is what it is called or what was asked for; everything else stays."""

import pytest

from callscope.transcription.redaction.redaction import redact_segments

pytestmark = pytest.mark.one_database
SPEAKERS = {"A": "agent", "C": "customer", "U": None}
CARD = "4539 1488 0343 6467"


def redact(*turns, kinds=("cards", "security_codes")):
    """Return the texts of turns such as "A: Your PIN?" after redaction."""
    segments = [
        {
            "start": 3.0 * n,
            "end": 3.0 * n + 2,
            "speaker": SPEAKERS[turn[0]],
            "text": turn[3:],
            "confidence": None,
        }
        for n, turn in enumerate(turns)
    ]
    return [segment["text"] for segment in redact_segments(segments, kinds).segments]


def survives(*turns):
    return redact(*turns) == [turn[3:] for turn in turns]


class TestSurvivors:
    @pytest.mark.parametrize(
        "turns",
        [
            ["A: Can you tell me your account number?", "C: 85731890"],
            ["A: Can you tell me your account number, please?", "C: 9931939443153"],
            ["A: Your current balance is 9272 in credit."],
            ["A: What's your house number?", "C: 4482.", "A: And the rent?", "C: 1150 a month."],
            ["A: How many bedrooms?", "C: 3, and 2 bathrooms, at 4532 Oak Street."],
            ["A: Your date of birth?", "C: 31/06/1996."],
            ["A: When were you born?", "C: The fifth of June nineteen eighty four."],
            ["A: Your order number, please, all sixteen digits.", "C: 4539148803436467."],
            ["A: I need the number of the SIM card.", "C: 8934 0102 0000 1234 567."],
            ["A: Which card?", "C: The one ending in 6467."],
            ["A: And the last four digits of your card?", "C: 6467."],
            ["A: Is the IBAN ES91 2100 0418 4502 0005 1332?"],
            ["C: I want to transfer 4500 to account 12345678, sort code 11-22-33."],
            ["C: It was flight 4410 at 10:30, seat 12."],
            ["C: The number on the back of the card is 800 555 0142, I called it."],
            ["A: Please don't tell me your PIN.", "C: Fine. My apartment is 412."],
            ["A: What's the promo code?", "C: 4482."],
            ["A: We sent the code to 415 555 0142."],
            ["A: ¿Me dice su número de cuenta?", "C: 85731890"],
            ["A: Su saldo es de 9272 euros."],
            ["A: ¿Su código postal?", "C: 28013."],
            ["A: ¿Fecha de nacimiento?", "C: 14 de marzo de 1982."],
            ["A: ¿Número de pedido?", "C: 4821 3375."],
            ["C: La tarjeta que acaba en 8890 ya no la uso."],
            ["C: Vivo en la calle Mayor 45, y pago 1150 al mes."],
        ],
    )
    def test_stay(self, turns):
        assert survives(*turns)

    def test_keep_their_kind_when_they_are_read_back(self):
        assert survives(
            "A: Your customer number?",
            "C: 4821.",
            "A: And your PIN is set?",
            "C: Yes.",
            "A: So 4821, thanks.",
        )

    def test_stay_next_to_what_goes(self):
        assert redact("C: John Smith, account number 153531981, pin number 0314") == [
            "John Smith, account number 153531981, pin number [security code]"
        ]

    def test_are_distinguished_from_the_code_by_the_nearest_question(self):
        assert (
            redact(
                "A: Your PIN, please.", "C: Hm.", "A: Or your date of birth and house number?", "C: 4482."
            )[-1]
            == "4482."
        )


class TestAnswers:
    @pytest.mark.parametrize(
        ("turns", "left"),
        [
            (["A: Right, and your PIN as well please.", "C: 5380"], "[security code]"),
            (
                ["A: And the CVV?", "C: Let me see.", "A: Take your time.", "C: four five seven"],
                "[security code]",
            ),
            (["A: Account number and PIN?", "C: 153531981 and 0314"], "153531981 and [security code]"),
            (["A: What's the long number on the front?", "C: 4532 1488 0343 6468"], "[card number]"),
            (["A: And the card?", "C: It's 4532 1488 0343 6468."], "It's [card number]."),
            (["A: I've texted you a code.", "C: It says 482 913."], "It says [security code]."),
            (["A: The second and fourth digit of your passcode?", "C: Seven and two."], "[security code]."),
            (["A: What's the code?", "C: My phone says 482913."], "My phone says [security code]."),
            (["A: And your C.V.V.?", "C: 457"], "[security code]"),
            (["U: and the security code", "U: 457 thanks"], "[security code] thanks"),
            (["A: ¿Y el código de seguridad?", "C: Ahora, cuatro cinco siete."], "Ahora, [security code]."),
            (["A: ¿Los tres números de detrás?", "C: Espere... 457."], "Espere... [security code]."),
            (["A: ¿Su clave de acceso?", "C: La 4821."], "La [security code]."),
            (["A: ¿Número de cuenta y clave?", "C: 85731890 y 4821."], "85731890 y [security code]."),
        ],
    )
    def test_take_the_kind_of_the_question(self, turns, left):
        assert redact(*turns)[-1] == left

    def test_may_come_in_parts_over_several_turns(self):
        said = redact("A: And the three digits?", "C: seven", "A: Yes?", "C: one nine", "A: Got it.")
        assert said[1::2] == ["[security code]", "[security code]"]
        said = redact(
            "A: ¿Número de tarjeta?",
            "C: 4532",
            "A: 4532",
            "C: 1488 0343",
            "A: ¿Los últimos cuatro?",
            "C: 6468",
        )
        assert said[1:4] == ["[card number]"] * 3
        assert said[-1] == "[card number]"

    def test_are_asked_for_again_where_they_are_not_taken(self):
        said = redact("A: Your PIN?", "C: 4821.", "A: That's not right, try again.", "C: Then 4830.")

        assert said[-1] == "Then [security code]."

    def test_are_corrected(self):
        assert redact("A: The CVV?", "C: 457, no, sorry, 475.")[-1] == (
            "[security code], no, sorry, [security code]."
        )
        assert redact(f"C: My card is 4530, sorry, {CARD}") == [
            "My card is [card number], sorry, [card number]"
        ]

    def test_are_read_back(self):
        said = redact("A: The CVV?", "C: 457.", "A: So 4 5 7, thanks. That is flight 457 to Rome.")

        assert said[-1] == "So [security code], thanks. That is flight 457 to Rome."

    def test_end_with_the_next_question_for_anything(self):
        assert (
            redact("A: Do you know your PIN?", "C: No.", "A: Fine, the meter reading?", "C: 4821.")[-1]
            == "4821."
        )


class TestNames:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            ("My PIN is 1234, my account 85731890.", "My PIN is [security code], my account 85731890."),
            ("1234 is my PIN, 8573 is my account.", "[security code] is my PIN, 8573 is my account."),
            ("I gave the CVV, 457, and paid 120 €.", "I gave the CVV, [security code], and paid 120 €."),
            ("Is 4821 the PIN?", "Is [security code] the PIN?"),
            ("It's 457, the CVV.", "It's [security code], the CVV."),
            ("Four oh four on the back.", "[security code] on the back."),
            ("My PIN's 4821.", "My PIN's [security code]."),
            (f"The card is {CARD}, the order 4821.", "The card is [card number], the order 4821."),
            ("Mi clave es 4821 y mi pedido el 33217.", "Mi clave es [security code] y mi pedido el 33217."),
            ("El 457 es el código de seguridad.", "El [security code] es el código de seguridad."),
            ("Di el PIN, 4821, y el CVV, 457.", "Di el PIN, [security code], y el CVV, [security code]."),
        ],
    )  # fmt: skip
    def test_in_the_same_sentence_count_most(self, said, left):
        assert redact(f"C: {said}") == [left]

    def test_in_the_next_sentence_count_too(self):
        assert redact("C: 4821.", "C: That's my PIN.")[0] == "[security code]."


class TestOtherKinds:
    def test_leave_numbers_that_are_called_something_else(self):
        turns = [
            "A: Your phone number?",
            "C: 600 123 456.",
            "A: And the account?",
            "C: Account number 600123457.",
        ]

        assert redact(*turns, kinds=["phones"])[1::2] == ["[phone].", "Account number 600123457."]

    def test_take_whole_numbers_over_turns(self):
        assert redact("C: My number is 600", "C: 123 456", kinds=["phones"]) == [
            "My number is [phone]",
            "[phone]",
        ]

    def test_leave_prices_and_dates_among_digit_runs(self):
        said = "C: Order 48213, paid 1200 euros on 12/05/2024, in 2019 it was 4000 a month."

        assert redact(said, kinds=["digit_runs"]) == [
            "Order [number], paid 1200 euros on 12/05/2024, in 2019 it was 4000 a month."
        ]
