"""Which language a text is in."""

import pytest

from callscope.language.detect import detect_language, guess_language

pytestmark = pytest.mark.one_database
ENGLISH = "I would like to change the address of my parcel"
SPANISH = "Quería cambiar la dirección de mi pedido, por favor"


class TestDetectLanguage:
    @pytest.mark.parametrize(
        ("texts", "language"),
        [([ENGLISH], "en"), ([SPANISH], "es"), (["Hello."], ""), ([ENGLISH, SPANISH], ""), ([], "")],
    )
    def test_names_none_where_it_is_not_sure(self, texts, language):
        assert detect_language(texts) == language


class TestGuessLanguage:
    @pytest.mark.parametrize(
        ("text", "language"), [("reset my password", "en"), ("mi factura", "es"), ("invoice", ""), ("", "")]
    )
    def test_goes_by_any_lead(self, text, language):
        assert guess_language(text) == language
