"""A real Whisper model on a real recording; only where CALLSCOPE_TEST_WHISPER_MODEL names its folder.

Random weights (test_whisper.py) do not show what trained ones do: they lost the end of half minutes.
"""

import os
import time

import numpy as np
import pytest

from callscope.engines.asr.whisper import WhisperTranscriber
from callscope.transcription.audio import decoding

FOLDER = os.environ.get("CALLSCOPE_TEST_WHISPER_MODEL", "")

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.skipif(not FOLDER, reason="CALLSCOPE_TEST_WHISPER_MODEL names no model folder"),
]


@pytest.fixture(scope="module")
def engine():
    return WhisperTranscriber(model=FOLDER, device="cpu", compute_type="int8")


@pytest.fixture(scope="module")
def call(shared_data):
    with decoding.decode_recording(
        shared_data / "asr_g711" / "long_ulaw" / "long_dev_00_clean.wav"
    ) as recording:
        return np.array(recording.samples[:, 0])


def test_every_stretch_is_heard_to_its_end(engine, call):
    heard = engine.transcribe(call, language="en", hints=[], deadline=time.monotonic() + 600)

    text = " ".join(utterance.text for utterance in heard.utterances).casefold()
    assert "true printed book" in text  # the end of the first half minute
    assert "fine typography" in text  # and of the recording
    assert len(heard.utterances) > 2
    assert all(0.4 < utterance.confidence <= 1 for utterance in heard.utterances)


def test_silence_has_neither_words_nor_a_language(engine):
    heard = engine.transcribe(
        np.zeros(16_000 * 20, np.int16), language=None, hints=["Zubiri"], deadline=time.monotonic() + 600
    )

    assert (heard.utterances, heard.language) == ([], "")
