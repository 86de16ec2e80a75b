"""Recordings made on the spot."""

import wave
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def make_wav(tmp_path):
    """Write a WAV of tones, one array a channel, and return its path."""

    def make(seconds: float = 12.0, *, channels: int = 1, rate: int = 8000, name: str = "call.wav") -> Path:
        time_s = np.arange(int(seconds * rate)) / rate
        tones = [8000 * np.sin(2 * np.pi * (300 + 170 * number) * time_s) for number in range(channels)]
        path = tmp_path / name
        with wave.open(str(path), "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(np.stack(tones, axis=1).astype("<i2").tobytes())
        return path

    return make
