"""How loud each speaker is along the call: what a player draws, kept with the transcript."""

import numpy as np

from callscope.engines.asr.protocol import Samples
from callscope.transcription.schema import WaveformLane

PEAKS = 600  # along the call: about one a pixel of half a wide screen
FULL = 100  # of the loudest peak of the call
FLOOR = 1 << 10  # a call without any sound above this is drawn flat


def compute_waveform(separate: list[Samples], speakers: list[str | None]) -> list[WaveformLane]:
    """Return one lane a channel: {"speaker", "peaks": whole numbers from 0 to FULL}.

    All lanes have one scale, so that they compare.
    """
    loudness = [_peaks(samples) for samples in separate]
    loudest = max([FLOOR, *(int(peaks.max()) for peaks in loudness if len(peaks))])
    return [
        {"speaker": speaker, "peaks": (peaks * FULL // loudest).tolist()}
        for speaker, peaks in zip(speakers, loudness, strict=True)
    ]


def _peaks(samples: Samples) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    count = min(PEAKS, len(samples))
    if not count:
        return np.zeros(0, np.int64)
    starts = np.linspace(0, len(samples), count, endpoint=False).astype(np.int64)
    high = np.maximum.reduceat(samples, starts).astype(np.int64)
    low = np.minimum.reduceat(samples, starts).astype(np.int64)
    return np.maximum(high, -low)
