"""Recordings and transcripts that are rejected, and poor ones."""

import pytest

from callscope.projects.configuration import TranscriptGate
from callscope.transcription import gates

pytestmark = pytest.mark.one_database


class TestQuality:
    GATE = TranscriptGate()

    def segments(self, *said):
        return [
            {"start": 0.0, "end": 1.0, "speaker": speaker, "text": text, "confidence": confidence}
            for speaker, text, confidence in said
        ]

    def test_is_good_with_two_sides_and_enough_words(self):
        said = self.segments(
            ("agent", "one two three four five six", 0.9), ("customer", "seven eight nine ten", None)
        )

        assert gates.assess_quality(said, self.GATE) == {"ok": True, "reasons": []}

    def test_names_every_reason(self):
        said = self.segments(("customer", "hello", 0.2))

        assert gates.assess_quality(said, self.GATE, speech_s=0.0)["reasons"] == [
            "The transcript has 1 word; at least 10 are needed.",
            "No speech was detected in the audio, so the text may be invented.",
            "Only one side can be heard: the customer.",
            "The mean confidence is 0.20, below 0.50.",
        ]

    def test_weighs_confidence_by_words(self):
        said = self.segments((None, "a b c d e f g h i", 0.9), (None, "x", 0.0))

        assert gates.mean_confidence(said) == pytest.approx(0.81)

    def test_counts_no_segment_that_was_stored_without_one(self):
        assert gates.mean_confidence([{"start": 0, "end": 1, "speaker": None, "text": "Hello"}]) is None

    def test_of_unknown_speakers_is_no_reason(self):
        said = self.segments((None, "a b c d e f g h i j", None))

        assert gates.assess_quality(said, self.GATE)["ok"]

    def test_is_half_heard_below_the_bar_of_confidence(self):
        said = self.segments(
            ("agent", "one two three four five", 0.3), ("customer", "six seven eight nine ten", 0.3)
        )

        assert gates.assess_quality(said, self.GATE) == {
            "ok": False,
            "reasons": ["The mean confidence is 0.30, below 0.50."],
            "half_heard": True,
        }

    def test_is_half_heard_by_the_demo_recognizer(self):
        said = self.segments(
            ("agent", "one two three four five six seven eight nine ten", None), ("customer", "no", None)
        )

        assert gates.assess_quality(said, self.GATE, is_demo=True) == {
            "ok": False,
            "reasons": ["This call was transcribed by the demo recognizer, which gets many words wrong."],
            "half_heard": True,
        }

    FRENCH = (
        "Bonjour madame, je voudrais savoir pourquoi votre facture est tellement élevée ce mois-ci, vraiment."
    )
    NOISE = "Glarb fen troo whask, brindle mok tarvit sool quendy, blarn vesti crump olvid wherz nint frobel."
    SPANISH = (
        "Buenos días, quisiera saber por qué la factura de este mes es tan alta, porque no he cambiado nada."
    )

    @pytest.mark.parametrize("text", [FRENCH, NOISE])
    def test_is_half_heard_where_most_words_are_unknown(self, text):
        quality = gates.assess_quality(self.segments((None, f"{text} {text}", None)), self.GATE)

        assert quality["half_heard"]
        assert quality["reasons"][0].endswith("% of the words are known; at least 70 % are needed.")

    def test_knows_the_words_of_the_language_that_the_engine_heard(self):
        said = self.segments((None, f"{self.FRENCH} {self.FRENCH}", None))

        assert gates.assess_quality(said, self.GATE, language="fr") == {"ok": True, "reasons": []}

    def test_may_be_in_two_languages(self):
        english = (
            "Good morning, I would like to know why my bill of this month is so much higher than before."
        )
        said = self.segments(("customer", self.SPANISH, None), ("agent", english, None))

        assert gates.assess_quality(said, self.GATE) == {"ok": True, "reasons": []}

    def test_is_not_judged_by_the_words_of_a_few_names(self):
        said = self.segments(
            (None, "Priya Vandermeer Oyelaran Nkemelu Zielinska Lindqvist Demirel Kowalski Okafor Tran", None)
        )

        assert gates.assess_quality(said, self.GATE)["ok"]

    def test_of_other_faults_is_not_half_heard(self):
        assert "half_heard" not in gates.assess_quality(self.segments(("customer", "hello", None)), self.GATE)

    def test_follows_the_projects_bars(self):
        said = self.segments(("agent", "hi", 0.3), ("customer", "hi", 0.3))

        assert gates.assess_quality(said, TranscriptGate(min_words=2, min_confidence=0.3))["ok"]

        noise = self.segments((None, f"{self.NOISE} {self.NOISE}", None))
        assert gates.assess_quality(noise, TranscriptGate(min_known_words=0))["ok"]
