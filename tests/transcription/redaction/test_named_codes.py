"""A code that is named or asked for is found however the call gets there, and what stands near it is not."""

import pytest

from callscope.transcription.redaction.redaction import redact_segments
from callscope.transcription.redaction.weighing.likelihood import BY_MEANING, Rater, Rating

pytestmark = pytest.mark.one_database
SPEAKERS = {"A": "agent", "C": "customer"}
CODE = "[security code]"


def redact(*turns):
    """Return the texts of turns such as "A: Your PIN?" after redaction."""
    segments = [
        {
            "start": 4.0 * n,
            "end": 4.0 * n + 3,
            "speaker": SPEAKERS[turn[0]],
            "text": turn[3:],
            "confidence": None,
        }
        for n, turn in enumerate(turns)
    ]
    return [segment["text"] for segment in redact_segments(segments, ("cards", "security_codes")).segments]


class TestACodeThatWasGivenAway:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            (
                "A woman from the council wanted the password. I read out 730518 to her.",
                f"A woman from the council wanted the password. I read out {CODE} to her.",
            ),
            (
                "He was after the PIN on the phone and I answered 1984, sorry.",
                f"He was after the PIN on the phone and I answered {CODE}, sorry.",
            ),
            (
                "Me pidieron el PIN por teléfono y contesté 1984. ¿Pasa algo?",
                f"Me pidieron el PIN por teléfono y contesté {CODE}. ¿Pasa algo?",
            ),
            (
                "Querían el código de mi suegra y ella contestó 51907, ¿la pueden cambiar?",
                f"Querían el código de mi suegra y ella contestó {CODE}, ¿la pueden cambiar?",
            ),
        ],
    )
    def test_is_found_after_the_verb(self, said, left):
        assert redact(f"C: {said}") == [left]

    def test_is_found_after_who_else_knows_it(self):
        said = redact("A: And who else knew the PIN?", "C: Just my sister it's 6174 so you know")

        assert said[-1] == f"Just my sister it's {CODE} so you know"


class TestACodeThatWasSent:
    @pytest.mark.parametrize(
        ("turns", "left"),
        [
            (
                [
                    "A: I have sent you a code. What's your flat number?",
                    "C: 27.",
                    "A: And has it come?",
                    "C: Just this minute, 805193.",
                ],
                f"Just this minute, {CODE}.",
            ),
            (
                [
                    "A: Le envío un código. ¿En qué piso vive?",
                    "C: 27.",
                    "A: ¿Le llegó?",
                    "C: Ahora, 80519334.",
                ],
                f"Ahora, {CODE}.",
            ),
        ],
    )
    def test_is_asked_for_by_whether_it_came(self, turns, left):
        assert redact(*turns)[-1] == left

    def test_leaves_a_number_after_a_question_for_something_else(self):
        said = redact("A: Your parcel is on its way.", "C: And it came through here?", "A: Bay 805193.")

        assert said[-1] == "Bay 805193."


class TestACodeInParts:
    @pytest.mark.parametrize(
        ("turns", "parts"),
        [
            (["A: Your door PIN?", "C: 70 58", "A: Yes?", "C: 31."], (f"{CODE}", f"{CODE}.")),
            (["A: ¿Su clave?", "C: 70 58", "A: Siga.", "C: 31."], (f"{CODE}", f"{CODE}.")),
        ],
    )
    def test_goes_on_when_the_other_side_only_asks_to(self, turns, parts):
        said = redact(*turns)

        assert (said[1], said[3]) == parts

    def test_goes_on_when_the_other_side_repeats_the_beginning(self):
        said = redact("A: For the app, I texted you a code.", "C: Six two...", "A: six two...", "C: nine oh.")

        assert said[-1] == f"{CODE}."

    def test_is_over_when_something_else_is_asked(self):
        said = redact("A: Your entry code?", "C: 7058.", "A: Thanks. How many keys?", "C: 31.")

        assert said[-1] == "31."

    def test_of_a_card_does_not_go_on(self):
        assert redact("A: CVV?", "C: 705.", "A: Okay.", "C: 31.")[-1] == "31."


class TestACodeThatIsHandedOver:
    def test_follows_what_announces_it(self):
        said = redact("A: Your starter PIN, are you ready?", "C: Ready.", "A: It's 5290. Again?")

        assert said[-1] == f"It's {CODE}. Again?"

    def test_is_named_by_its_thing_of_two_words(self):
        said = redact("A: The new code for the bicycle cellar is 7713, and we close at 9:20.")

        assert said == [f"The new code for the bicycle cellar is {CODE}, and we close at 9:20."]

    @pytest.mark.parametrize(
        "said",
        ["I typed 730518 for the two factor thing.", "I got 730518 as my confirmation code to sign in."],
    )
    def test_is_named_behind_it(self, said):
        assert redact(f"C: {said}") == [said.replace("730518", CODE)]

    def test_is_read_out_after_one(self):
        said = redact("A: Tell me one of the recovery codes.", "C: I have got one: 7305-1846.")

        assert said[-1] == f"I have got one: {CODE}."


class TestACodeThatWasNotTaken:
    def test_is_given_again_when_it_should_be_longer(self):
        said = redact("A: The portal password?", "C: 7305?", "A: It should be longer.", "C: Then 730518.")

        assert said[-1] == f"Then {CODE}."

    @pytest.mark.parametrize(
        "turns",
        [
            ("A: What's the PIN?", "C: 4821. No, it ends in four, not one: 4824."),
            ("A: ¿Cuál es el PIN?", "C: 4821. No, acaba en cuatro, no en uno: 4824."),
        ],
    )
    def test_is_corrected_at_its_end(self, turns):
        said = redact(*turns)

        assert "4821" not in said[-1] and "4824" not in said[-1]


class TestANumberNextToACode:
    @pytest.mark.parametrize(
        "said",
        [
            "Your ticket for the password change is 730518.",
            "Your complaint ticket about the PIN has the number 730518.",
            "He abierto una incidencia por la clave, es la 730518.",
        ],
    )
    def test_is_the_number_of_what_was_opened(self, said):
        assert redact(f"A: {said}") == [said]

    @pytest.mark.parametrize(
        "turns",
        [
            ("A: What's your reservation number?", "C: The message says 7305, 1846."),
            ("A: El PIN no lo necesito, solo el número de pedido.", "C: Vale, 7305."),
            ("A: The PIN I don't need, only the order number.", "C: Fine, 7305."),
            ("A: Su número de confirmación es 730518.",),
        ],
    )
    def test_takes_the_kind_of_its_question(self, turns):
        assert redact(*turns)[-1] == turns[-1][3:]

    def test_with_the_name_of_the_code_right_before_it_is_the_code(self):
        said = redact("A: I have opened a ticket for the PIN 4821.")

        assert said == [f"I have opened a ticket for the PIN {CODE}."]

    def test_that_explains_a_code_is_none_of_its_own(self):
        said = redact("A: And your door code?", "C: It's my house number twice, so 1616.")

        assert said[-1] == f"It's my house number twice, so {CODE}."


class TestAYear:
    @pytest.mark.parametrize(
        "turns", [("A: What year was it?", "C: 2016."), ("A: ¿En qué año nació?", "C: 2016.")]
    )
    def test_stays_however_likely_words_make_a_code(self, turns, monkeypatch):
        monkeypatch.setattr(Rater, "rate", lambda *_: Rating(0.9, BY_MEANING, 0.9))

        assert redact(*turns)[-1] == "2016."
        assert redact(turns[0], "C: 7016.")[-1] == f"{CODE}."


class TestPlaceholders:
    def test_of_codes_found_in_these_ways_are_left_by_a_second_redaction(self):
        once = redact(
            "C: They asked for my PIN over the phone and I said 8306.", "A: Did it come?", "C: Yes."
        )

        assert redact(*(f"{who}: {text}" for who, text in zip("CAC", once, strict=True))) == once


class TestWhatStandsNextToANumber:
    @pytest.mark.parametrize(
        ("turns", "kept"),
        [
            (["A: We have the key safe as 5036."], "We have the key safe as "),
            (["A: The guest network is Lobby. The key is 5144."], "The guest network is Lobby. The key is "),
            (["A: I need your codeword.", "C: It's 6237."], "It's "),
            (["A: What's the security word or number?", "C: A number, 6181."], "A number, "),
            (["A: You should have an eight-digit license key.", "C: 69465464."], ""),
            (["C: The code for the main door is 5164."], "The code for the main door is "),
        ],
    )
    def test_names_a_code(self, turns, kept):
        assert redact(*turns)[-1] == f"{kept}{CODE}."

    @pytest.mark.parametrize(
        ("turns", "left"),
        [
            (["A: Just call the number on your card.", "C: 650 555 4392?"], "650 555 4392?"),
            (
                ["A: I need the one-time password.", "C: It came from 66716. It's 851136."],
                f"It came from 66716. It's {CODE}.",
            ),
            (
                ["A: Necesito la clave de un solo uso.", "C: Vino del 96587. Es 425887."],
                f"Vino del 96587. Es {CODE}.",
            ),
            (
                ["C: The code is 94523821.", "A: Transfer of $39 done, reference 16898595."],
                "Transfer of $39 done, reference 16898595.",
            ),
            (["C: I lost my key fob.", "A: What number is on the ticket?", "C: 48174."], "48174."),
        ],
    )
    def test_may_name_another_number(self, turns, left):
        assert redact(*turns)[-1] == left

    def test_is_no_phone_number_where_another_verb_is_nearer(self):
        text = "Call the number on it and then key in 777643."
        segment = {"start": 0.0, "end": 3.0, "speaker": "agent", "text": text, "confidence": None}

        assert redact_segments([segment], ("phones",)).segments[0]["text"] == text


class TestNameRightBeforeItsCode:
    """The number before "CVV 123" is not the code, though it has as many digits as one."""

    @pytest.mark.parametrize(
        ("asked", "number"),
        [
            ("And the expiry?", "09 27"),
            ("¿La caducidad?", "09 27"),
            ("Order?", "5512"),
            ("Your flat number?", "405"),
        ],
    )
    @pytest.mark.parametrize("joint", [", ", " and ", " "])
    @pytest.mark.parametrize(("name", "code"), [("CVV", "123"), ("CVC:", "123"), ("security code", "1234")])
    def test_a_number_that_was_asked_for_does_not_take_it(self, asked, number, joint, name, code):
        assert redact(f"A: {asked}", f"C: {number}{joint}{name} {code}")[1] == f"{number}{joint}{name} {CODE}"

    def test_a_number_alone_before_the_name_is_the_code(self):
        assert redact("A: Enter 4821 when it asks for the CVV, 3 times.") == [
            f"Enter {CODE} when it asks for the CVV, 3 times."
        ]

    @pytest.mark.parametrize("lead", ["", "It's "])
    @pytest.mark.parametrize("joint", [", ", ", my ", ", and the "])
    @pytest.mark.parametrize(
        ("asked", "code", "other"),
        [("PIN", "4821", "CVV is 123"), ("security code", "457", "PIN is 4821"), ("PIN", "4821", "CVV: 123")],
    )
    def test_the_code_that_was_asked_for_goes_where_another_one_is_named(
        self, lead, joint, asked, code, other
    ):
        name = other.rpartition(" ")[0]

        said = redact(f"A: Your {asked}?", f"C: {lead}{code}{joint}{other}")[1]

        assert said == f"{lead}{CODE}{joint}{name} {CODE}"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("The code at the top is R E F 907 856.", "The code at the top is R E F 907 856."),
        ("The code at the top is 907 856.", f"The code at the top is {CODE}."),
    ],
)
def test_letters_that_are_spelled_before_a_number_make_a_public_code(said, left):
    assert redact(f"C: {said}")[0] == left


def test_a_password_named_far_behind_is_not_the_number_of_a_house():
    said = redact(
        "A: And the telephone password?",
        "C: We're at 5525 Harrow Lane, and my husband set the password up, I believe it was 4118.",
    )
    assert said[1].startswith("We're at 5525 Harrow Lane") and said[1].endswith(f"{CODE}.")
