"""Who talked how much, measured in the sound."""

import pytest

from callscope.transcription.audio import speech

pytestmark = pytest.mark.one_database


class TestSpeechMeasures:
    def test_of_two_sides(self):
        measured = speech.measure_talk(
            {"agent": [(0.0, 4.0), (10.0, 14.0)], "customer": [(3.0, 6.0), (19.0, 20.0)]}, duration_s=24.0
        )

        assert measured == {
            "speech_seconds": 11.0,
            "silence_seconds": 13.0,
            "longest_silence_seconds": 5.0,
            "overlap_seconds": 1.0,
            "talk_share": {"agent": 0.6667, "customer": 0.3333},
            "long_silence_seconds": 9.0,
            "long_silences": 2,
            "longest_monologue": {"speaker": "agent", "seconds": 4.0},
            "interruptions": {"agent": 0, "customer": 1},
        }

    def test_of_one_channel_say_nothing_about_sides(self):
        measured = speech.measure_talk({None: [(2.0, 5.0)]}, duration_s=10.0)

        assert (measured["talk_share"], measured["overlap_seconds"]) == (None, None)
        assert measured["silence_seconds"] == 7.0

    def test_of_silence_are_all_silence(self):
        measured = speech.measure_talk({"agent": [], "customer": []}, duration_s=12.0)

        assert measured["longest_silence_seconds"] == measured["silence_seconds"] == 12.0
        assert measured["talk_share"] is None
