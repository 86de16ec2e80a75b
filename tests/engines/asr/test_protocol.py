"""What recognizers say is composed, whatever an engine sends."""

import unicodedata

from callscope.engines.asr.protocol import Utterance, Word


class TestText:
    def test_is_composed_in_words_and_utterances(self):
        said = "veintidós"
        decomposed = unicodedata.normalize("NFD", said)
        word = Word(0.0, 0.5, decomposed)
        heard = Utterance(0.0, 0.5, decomposed, words=(word,)).shifted(1.0)

        assert heard.text == said
        assert heard.words[0].text == said
