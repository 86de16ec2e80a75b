"""Screening leaves out no text that redaction would change."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.pipeline.transfer import redaction as transfer_redaction
from callscope.transcription.redaction.placeholders import PLACEHOLDERS
from callscope.transcription.redaction.redaction import redact_text
from callscope.transcription.redaction.screening import may_need_redaction
from callscope.transcription.redaction.vocabulary.spoken_numbers import HOMOPHONES, NUMBER_WORDS

KINDS = list(PLACEHOLDERS)
NAMES = ["my PIN is", "el pin es", "the card number is", "código de seguridad", "call me on", "write to"]
BETWEEN = [" ", ", ", " uh ", ", uh, ", ". ", "-", " y ", " and ", "; "]
WORDS = [
    *sorted(NUMBER_WORDS | set(HOMOPHONES)),
    "oh",
    "o",
    "mil",
    "hundred",
    "thousand",
    "veintidós",
    "dieciséis",
]
PARTS = (
    st.sampled_from(WORDS)
    | st.integers(0, 9999).map(str)
    | st.sampled_from(["4:1", "12:34", "٤٧١١", "ana@x.es"])
)


class TestScreening:
    @pytest.mark.parametrize(
        "text",
        [
            "my PIN is 4711",
            "mi pin es cuarenta y cuatro doce",
            "el pin es mil doscientos",
            "el código de seguridad es doscientos",
            "la clave es veintidós dieciséis",
            unicodedata.normalize("NFD", "la clave es veintidós dieciséis"),
            "My pin is four, uh, seven, uh, one two",
            "my PIN is twelve thirty",
            "the security code is one hundred and five",
            "my PIN is one one one",
            "the PIN is ٤٧١١",
            "ana at gmail dot com",
            "ana arroba gmail punto es",
            "ana at gmail.com",
        ],
    )
    def test_takes_what_redaction_changes(self, text):
        assert redact_text(text, KINDS) != text
        assert may_need_redaction(text)
        assert may_need_redaction(f"nothing here\n[00:12] {text}")

    @pytest.mark.parametrize(
        "text",
        [
            "[04:12] the agent checked the invoice",
            "[1:04:12] two days later",
            "[04:12] I ordered one\n[04:20] and another one",
            "The agent confirms. It was the second of May.",
            "una llamada de un cliente",
        ],
    )
    def test_leaves_out_times_and_single_numbers(self, text):
        assert redact_text(text, ["cards", "security_codes", "phones"]) == text
        assert not may_need_redaction(text)

    @given(
        name=st.sampled_from(["", *NAMES]),
        parts=st.lists(st.tuples(PARTS, st.sampled_from(BETWEEN)), min_size=1, max_size=20),
    )
    def test_takes_whatever_redaction_changes(self, name, parts):
        text = f"{name} {''.join(part + between for part, between in parts)}"
        if redact_text(text, KINDS) != text:
            assert may_need_redaction(text)


class TestImportedTexts:
    @pytest.mark.parametrize("text", ["mi pin es cuarenta y cuatro doce", "my PIN is twelve thirty"])
    def test_codes_of_two_words_are_redacted(self, text):
        assert transfer_redaction._is_changed(text, ("cards", "security_codes"))
