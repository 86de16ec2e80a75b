"""What recognizers say is composed, whatever an engine sends."""

import unicodedata

import pytest

from callscope.engines.asr.protocol import Utterance, Word


class TestText:
    def test_is_composed_in_words_and_utterances(self):
        said = "veintidós"
        decomposed = unicodedata.normalize("NFD", said)
        word = Word(0.0, 0.5, decomposed)
        heard = Utterance(0.0, 0.5, decomposed, words=(word,)).shifted(1.0)

        assert heard.text == said
        assert heard.words[0].text == said


class TestSentences:
    def test_are_cut_by_the_times_of_their_words(self):
        said = "Is it on? Yes. I see"
        words = tuple(Word(n, n + 0.5, text) for n, text in enumerate(said.split()))

        cut = Utterance(0, 9, said, 0.8, words).split_sentences()

        assert [(u.start_s, u.end_s, u.text, u.confidence) for u in cut] == [
            (0, 2.5, "Is it on?", 0.8),
            (3, 3.5, "Yes.", 0.8),
            (4, 5.5, "I see", 0.8),
        ]
        assert [len(u.words) for u in cut] == [3, 1, 2]

    @pytest.mark.parametrize("words", [(), (Word(0, 1, "Is."), Word(1, 2, "No."))])
    def test_stay_together_where_the_words_are_not_the_text(self, words):
        said = Utterance(0, 9, "Is it on? Yes.", 0.8, words)

        assert said.split_sentences() == [said]
