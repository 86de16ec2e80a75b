"""Where a sentence ends."""

import pytest

from callscope.language.sentences import split_sentences

pytestmark = pytest.mark.one_database


class TestSplitSentences:
    @pytest.mark.parametrize(
        ("text", "sentences"),
        [
            ("One. Two? Three!", ["One.", "Two?", "Three!"]),
            ("Wait… what", ["Wait…", "what"]),
            ("Version 2.5 is out", ["Version 2.5 is out"]),
            ("", [""]),
        ],
    )
    def test_goes_by_the_signs_that_end_one(self, text, sentences):
        assert split_sentences(text) == sentences

    @pytest.mark.parametrize("text", ["Dr. Smith is here.", "Le atiende la Sra. Gómez."])
    def test_keeps_titles_where_asked(self, text):
        assert split_sentences(text, keep_titles=True) == [text]
        assert len(split_sentences(text)) == 2
