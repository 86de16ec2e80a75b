"""What a turn asks for, beside names that it only mentions, sets aside or explains."""

import pytest

from callscope.transcription.redaction.redaction import redact_segments

pytestmark = pytest.mark.one_database
SPEAKERS = {"A": "agent", "C": "customer"}
CODE = "[security code]"


def redact(*turns):
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
    return [segment["text"] for segment in redact_segments(segments, ("cards", "security_codes")).segments]


class TestSingleDigitsOfACode:
    @pytest.mark.parametrize(
        "asked",
        [
            "I need the 1st and 2nd characters of your security number.",
            "Right, digits three and four of your passcode?",
            "Dígame las posiciones dos y cinco de su clave.",
            "¿La 1ª y la 3ª cifra de su clave?",
        ],
    )
    def test_are_an_answer(self, asked):
        assert redact(f"A: {asked}", "C: 87.")[1] == f"{CODE}."

    def test_are_none_of_a_whole_code(self):
        assert redact("A: What's your four digit PIN?", "C: 87.")[1] == "87."


class TestACount:
    @pytest.mark.parametrize(
        "turns",
        [
            ["A: And the PIN number please?", "C: Which one, I've two.", "A: Ours.", "C: That's 1805."],
            ["A: ¿Y el PIN, por favor?", "C: ¿Cuál? Tengo dos.", "A: El nuestro.", "C: Es el 1805."],
        ],
    )
    def test_is_no_part_of_the_code_that_follows(self, turns):
        left = redact(*turns)

        assert left[1] == turns[1][3:]
        assert CODE in left[3]

    def test_of_one_digit_may_begin_a_short_code(self):
        assert redact("A: The three digits on the back?", "C: Four. Eighty-two.")[1] == f"{CODE}."


class TestAQuestion:
    @pytest.mark.parametrize(
        "turns",
        [
            ["A: What's the PIN?", "C: For the card or the phone?", "A: The phone one.", "C: 6327."],
            ["A: ¿El PIN?", "C: ¿El de la tarjeta o el del teléfono?", "A: El del teléfono.", "C: 6327."],
            ["A: what's the pin", "C: the card or the phone", "A: the phone one", "C: 6327"],
        ],
    )
    def test_stays_open_while_it_is_explained(self, turns):
        assert CODE in redact(*turns)[3]

    @pytest.mark.parametrize(
        "asked",
        [
            "Not the password, the account number please.",
            "La contraseña no, la cuenta.",
            "No me dé el PIN, solo el número de cuenta.",
        ],
    )
    def test_leaves_what_it_sets_aside(self, asked):
        assert redact(f"A: {asked}", "C: 978 - 990 - 2740.")[1] == "978 - 990 - 2740."

    def test_goes_before_what_is_only_announced(self):
        turns = [
            "A: The code's been sent. While we wait, what's your house number?",
            "C: 1777.",
            "A: And has it arrived?",
            "C: Eight, zero, two zero, two, one.",
        ]

        assert redact(*turns)[1::2] == ["1777.", f"{CODE}."]

    def test_is_answered_by_one_of_two_things(self):
        left = redact("A: What did you choose as your PIN?", "C: It's either my birthday or 5971.")

        assert left[1] == f"It's either my birthday or {CODE}."


class TestATopic:
    @pytest.mark.parametrize(
        "said",
        [
            "Please quote 453686 when you call about the password.",
            "Cuando llame por la contraseña diga el 453686.",
        ],
    )
    def test_names_no_number(self, said):
        assert redact(f"A: {said}", "C: Thanks, okay.")[0] == said

    def test_of_a_question_is_what_it_asks_for(self):
        assert CODE in redact("A: Ponga 4821 cuando le pregunten por la clave.")[0]


class TestANameBehindTheNumber:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            (
                "I typed 482913 as the password and it failed.",
                f"I typed {CODE} as the password and it failed.",
            ),
            ("Uso 482913 de contraseña y no entra.", f"Uso {CODE} de contraseña y no entra."),
            ("Puse 4821 como PIN.", f"Puse {CODE} como PIN."),
        ],
    )
    def test_is_joined_by_as(self, said, left):
        assert redact(f"C: {said}")[0] == left
