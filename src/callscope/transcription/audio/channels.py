"""Which channels of a recording carry a speaker of their own.

Many exports are stereo in name only: the same sound twice, perhaps a little
louder or later on one side, or one side without any signal.
"""

import numpy as np

from callscope.engines.asr.protocol import Samples

SAME = 0.95  # correlation from which two channels are one sound; crosstalk of -10 dB gives 0.57
MAX_LAG = 160  # samples, 10 ms: exports shift one side a little
SILENT = 64 / 32768  # peak below this is codec noise on an unused channel
BLOCK = 1 << 16


def split_speakers(samples: Samples) -> list[Samples]:
    """Return one array a speaker: two for real stereo, one for anything else."""
    if samples.shape[1] == 1:
        return [samples[:, 0]]
    left, right = samples[:, 0], samples[:, 1]
    if _peak(right) < SILENT:
        return [left]
    if _peak(left) < SILENT:
        return [right]
    return [left] if correlation(left, right) > SAME else [left, right]


def correlation(left: Samples, right: Samples) -> float:
    """Return the highest correlation, 0 to 1, that any small shift of the two gives."""
    cross = np.zeros(BLOCK * 2 // 2 + 1, np.complex128)
    left_energy = right_energy = 0.0
    for begin in range(0, len(left), BLOCK):
        a = left[begin : begin + BLOCK].astype(np.float64)
        b = right[begin : begin + BLOCK].astype(np.float64)
        a -= a.mean()
        b -= b.mean()
        left_energy += float(a @ a)
        right_energy += float(b @ b)
        cross += np.fft.rfft(a, BLOCK * 2) * np.conj(np.fft.rfft(b, BLOCK * 2))
    if left_energy == 0 or right_energy == 0:
        return 0.0
    by_lag = np.fft.irfft(cross, BLOCK * 2)
    best = max(np.abs(by_lag[: MAX_LAG + 1]).max(), np.abs(by_lag[-MAX_LAG:]).max())
    return float(best / np.sqrt(left_energy * right_energy))


def _peak(channel: Samples) -> float:
    return (
        max(
            (
                float(np.abs(channel[i : i + BLOCK].astype(np.int32)).max())
                for i in range(0, len(channel), BLOCK)
            ),
            default=0.0,
        )
        / 32768
    )
