"""Words that can be compared, whatever their spelling."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from callscope.language import tokens
from callscope.language.tokens import extract_content_words, stem_words, tokenize

pytestmark = pytest.mark.one_database
STEMS = ("connect", "relate", "organize", "confirm", "refund", "bill", "deliver", "inform")


class TestTokenize:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("Don't worry!", ["do", "not", "worry"]),
            ("don’t WORRY", ["do", "not", "worry"]),
            ("I can't, I'm gonna call.", ["i", "can", "not", "i", "am", "going", "to", "call"]),
            ("the customer's Wi-Fi", ["the", "customer", "wi", "fi"]),
            ("Llámame mañana.", ["llamame", "manana"]),
            ("ok", ["okay"]),
            ("… !", []),
        ],
    )
    def test_gives_one_form_for_every_spelling(self, text, words):
        assert tokenize(text) == words


class TestStemWords:
    def test_joins_inflections_of_one_language(self):
        assert stem_words(["cancelled", "cancelling"], "en") == ["cancel", "cancel"]
        assert stem_words(["facturas", "factura"], "es") == ["factur", "factur"]

    def test_leaves_numbers_and_other_languages_alone(self):
        assert stem_words(["4532"], "en") == ["4532"]
        assert stem_words(["Rechnungen"], "de") == ["Rechnungen"]

    def test_is_that_of_one_thread_where_several_ask(self):
        words = [f"{stem}{ending}" for stem in STEMS for ending in ("", "s", "ed", "ing", "ation", "ational")]
        alone = [tokens._stem.__wrapped__(word, "en") for word in words]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(8) as threads:
                found = list(
                    threads.map(lambda _: [tokens._stem.__wrapped__(w, "en") for w in words], range(16))
                )
        finally:
            sys.setswitchinterval(interval)

        assert found == [alone] * 16


class TestContentWords:
    def test_are_those_with_a_meaning_of_their_own(self):
        assert extract_content_words("I want to cancel the contract, please", "en") == [
            "want",
            "cancel",
            "contract",
        ]
