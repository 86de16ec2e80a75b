"""What numbers are called, in English and Spanish."""

import pytest

from callscope.transcription.redaction.utterances import read_utterances
from callscope.transcription.redaction.vocabulary.kinds import Kind

pytestmark = pytest.mark.one_database


def names(text):
    (utterance,) = read_utterances(
        [{"start": 0.0, "end": 2.0, "speaker": "agent", "text": text, "confidence": None}]
    )
    return [name.kind for name in utterance.names if not name.use]


class TestNames:
    @pytest.mark.parametrize(
        ("text", "kinds"),
        [
            ("the long number on the front of your card", [Kind.CARD, Kind.WEAK_CARD]),
            ("the three digits on the back", [Kind.CODE]),
            ("your C.V.V.?", [Kind.CODE]),
            ("CVV2: 083", [Kind.CODE]),
            ("see vee vee 2 4 5", [Kind.CODE]),
            ("the code we just texted you", [Kind.ONE_TIME]),
            ("your four-digit PIN", [Kind.PIN]),
            ("the last four digits of your card", [Kind.LAST_FOUR, Kind.WEAK_CARD]),
            ("your account number and sort code", [Kind.ACCOUNT, Kind.IDENTIFIER]),
            ("the phone number on the back of your card", [Kind.PHONE, Kind.WEAK_CARD]),
            ("your meter's number", [Kind.IDENTIFIER]),
            ("the rental agreement number", [Kind.NAMED]),
            ("the number on your library card", [Kind.IDENTIFIER]),
            ("your donor card number", [Kind.NAMED]),
            ("your husband's card number", [Kind.CARD]),
            ("the promo code", [Kind.IDENTIFIER]),
            ("the gift card PIN", [Kind.PIN]),
            ("el número de la tarjeta", [Kind.CARD]),
            ("el código de seguridad", [Kind.CODE]),
            ("los tres números de atrás", [Kind.CODE]),
            ("la clave de acceso", [Kind.PIN]),
            ("el código que le hemos mandado", [Kind.ONE_TIME]),
            ("su número de póliza", [Kind.IDENTIFIER]),
            ("su número de expediente", [Kind.IDENTIFIER]),
            ("el código postal", [Kind.PLACE]),
            ("los últimos cuatro", [Kind.LAST_FOUR]),
            ("the vehicle's registration number", [Kind.IDENTIFIER]),
            ("the registration code", [Kind.ONE_TIME]),
            ("the pairing key", [Kind.PIN]),
            ("el número de registro", [Kind.IDENTIFIER]),
            ("el código de registro", [Kind.ONE_TIME]),
            ("la palabra de paso", [Kind.PIN]),
            ("mi interno y mi placa", [Kind.IDENTIFIER, Kind.IDENTIFIER]),
            ("I D 55, clave 4821", [Kind.PIN]),
            ("Any order? Code 804", [Kind.IDENTIFIER, Kind.SOME_CODE]),
            ("is there any number to press", [Kind.NUMBER]),
            ("hay algún número", [Kind.NUMBER]),
            ("nothing of the kind", []),
        ],
    )
    def test_are_the_longest_that_fit(self, text, kinds):
        assert names(text) == kinds

    def test_are_read_in_the_language_that_is_spoken(self):
        assert Kind.PLACE not in names("Your patient portal PIN is not matching.")
        assert Kind.PLACE in names("¿Y el portal de su casa?")
