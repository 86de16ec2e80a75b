"""A number is an answer to the nearest question; what is mentioned or given already asks for nothing."""

import pytest

from tests.transcription.redaction.dialogs import CODE, redact

pytestmark = pytest.mark.one_database


class TestSurvivors:
    @pytest.mark.parametrize(
        "turns",
        [
            ["A: Thanks, I have your PIN. Now, what's the reservation?", "C: 806236."],
            ["A: I've verified your code, thanks. Which flight is it?", "C: DL 471."],
            ["A: Nunca le pediremos el PIN. ¿Me da la referencia del recibo?", "C: 386547."],
            ["A: The security code isn't needed. Just the invoice.", "C: 41000382."],
            ["A: Code accepted. What can I do for you?", "C: It's about invoice CS 7152367."],
            ["A: And the PIN?", "C: I don't have the PIN. The docket is 593913."],
            ["A: Your PIN has been reset. For our records the call ID is 9414509.", "C: 9414509."],
            ["A: I've emailed your confirmation. The confirmation code is 88392271."],
            [
                "C: I tried the PIN.",
                "A: Bloqueada la tarjeta. Su número de gestión es 62145891.",
                "C: 62145891.",
            ],
            ["A: And the code?", "C: It's on the slip, TX652475."],
            # With the code before it the digits of a card, by chance.
            ["A: What's your account number?", "C: 45391488.", "A: And your policy?", "C: 03436467."],
            ["A: Verified. What's the tracking number?", "C: 94, 4539 1488 0343 6467, 0752."],
            ["A: Can you verify the code on the box? It's the model number.", "C: 759106."],
        ],
    )
    def test_stay(self, turns):
        assert redact(*turns) == [turn[3:] for turn in turns]

    def test_stay_when_an_order_of_sixteen_digits_is_read_back_before_the_card_is_asked_for(self):
        turns = [
            "A: Your order number, please, all sixteen digits.",
            "C: 4539148803436467.",
            "A: 4539 1488 0343 6467. And which card do you want to pay with?",
        ]

        assert redact(*turns) == [turn[3:] for turn in turns]

    def test_stay_when_their_name_comes_after_they_were_doubted(self):
        said = redact(
            "A: Security code, please.",
            "C: Is that the 93277745?",
            "A: No, that's your reference.",
            "C: Oh, 2284.",
        )

        assert said[1:] == ["Is that the 93277745?", "No, that's your reference.", f"Oh, {CODE}."]


class TestSecrets:
    @pytest.mark.parametrize(
        "turns",
        [
            [
                "C: Put it on 4539 1488 0343 6467.",
                "A: I need the expiration.",
                "C: Eight twenty-seven, and four zero two on the back.",
            ],
            ["A: Turn it over for me. What are the last three?", "C: 307."],
            ["C: My phone wants a PUK.", "A: Your PUK is 67247854."],
            ["A: Your activation code for the new phone is 13846903."],
            ["C: My security code is 482913."],
            ["A: Your alarm code is 48291."],
            ["A: I'm going to give you a PIN. It's 4829."],
            ["A: Le asigno una clave. Anótela: 2797."],
            ["A: What did the text say?", "C: It's 482913."],
            ["A: ¿Qué dice el mensaje?", "C: Es 482913."],
        ],
    )
    def test_go(self, turns):
        assert CODE in redact(*turns)[-1]

    def test_go_where_a_card_number_goes_on_after_an_oh_that_is_no_zero(self):
        said = redact(
            "A: Whenever you're ready.",
            "C: Oh, four five three nine one four eight eight.",
            "A: Go on.",
            "C: Oh, zero three four three six four six seven.",
        )

        assert said == ["Whenever you're ready.", "[card number].", "Go on.", "[card number]."]

    def test_go_after_the_number_of_their_sender(self):
        said = redact("A: We've sent a passcode to your phone.", "C: From 22395. It says 482913.")

        assert said[1].endswith(f"It says {CODE}.")

    def test_go_with_the_number_that_is_asked_for_in_the_same_breath(self):
        assert redact(
            "A: I need the booking reference and the security code you picked.", "C: 9132677. 6615."
        )[-1] == (f"9132677. {CODE}.")
        assert redact(
            "A: Could I get your account number and telephone PIN?",
            "C: Forty-four four, sixty eight, oh six one and oh nine fifty-two.",
        )[-1] == (f"Forty-four four, sixty eight, oh six one and {CODE}.")

    def test_go_when_they_are_read_back_next_to_another_number(self):
        said = redact(
            "A: Your new reference is 200357 and your temporary PIN is 5360.",
            "C: So 200357, and 5360.",
        )

        assert said[1] == f"So 200357, and {CODE}."

    def test_go_when_only_what_follows_tells_what_they_are(self):
        said = redact(
            "A: Is that the one starting 4539?",
            "C: Yes, 4539 1488 0343 6467.",
        )

        assert said == ["Is that the one starting [card number]?", "Yes, [card number]."]
