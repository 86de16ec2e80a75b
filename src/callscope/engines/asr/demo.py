"""The demonstration recogniser: pocketsphinx with the English model it ships.

It hears about half the words of a telephone call. It is here so that the whole
way from sound to report can be seen without a download, and is labelled as what
it is wherever its transcripts appear.
"""

import threading
import time
from typing import Any

import numpy as np

from callscope.engines.asr.protocol import RATE, EngineMissing, Health, Recognition, Samples, Utterance
from callscope.engines.asr.voice_activity import speech_spans
from callscope.engines.errors import EngineRejected, EngineUnavailable

LONGEST_S = 20.0  # the decoder slows down on longer stretches
# Fewer hypotheses a frame than the default: half the time for two more wrong words in a hundred.
SETTINGS = {"maxhmmpf": 3000, "loglevel": "FATAL"}


class DemoTranscriber:
    name = "pocketsphinx (demo)"
    model = "en-us"
    sends_data_out = False

    def __init__(self) -> None:
        self.hosts: list[str] = []

    def check(self) -> Health:
        try:
            _package()
        except EngineMissing as error:
            return Health(False, str(error))
        return Health(True, "The demo recogniser is ready (English, for demonstration only).")

    def transcribe(
        self,
        samples: Samples,
        *,
        language: str | None,
        hints: list[str],  # noqa: ARG002 - it only knows its own words
        deadline: float,
    ) -> Recognition:
        if language not in (None, "en"):
            raise EngineRejected(
                f'The demo recogniser only knows English; the project speaks "{language}". '
                "Choose another engine with CALLSCOPE_TRANSCRIBER."
            )
        utterances: list[Utterance] = []
        with _decoder_lock:
            decoder = _decoder()
            for start_s, end_s in _short_enough(speech_spans(samples)):
                if time.monotonic() > deadline:
                    raise EngineUnavailable("The demo recogniser did not finish in time.")
                part = np.ascontiguousarray(samples[int(start_s * RATE) : int(end_s * RATE)])
                text = _recognise(decoder, part.tobytes())
                if text:
                    utterances.append(Utterance(start_s, end_s, text))
        return Recognition(utterances, language="en")


_decoder_lock = threading.Lock()  # the decoder holds one utterance at a time
_decoder_kept: Any = None


def _package() -> Any:
    try:
        import pocketsphinx
    except ImportError:
        raise EngineMissing(
            "The demo recogniser is not installed. Install it with: pip install 'callscope[demo-asr]'."
        ) from None
    return pocketsphinx


def _decoder() -> Any:
    global _decoder_kept
    if _decoder_kept is None:
        _decoder_kept = _package().Decoder(samprate=RATE, **SETTINGS)
    return _decoder_kept


def _recognise(decoder: Any, sound: bytes) -> str:
    decoder.start_utt()
    decoder.process_raw(sound, no_search=False, full_utt=True)
    decoder.end_utt()
    heard = decoder.hyp()
    words = heard.hypstr.split() if heard else []
    return " ".join(word for word in words if not word.startswith(("<", "[", "++")))


def _short_enough(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    parts: list[tuple[float, float]] = []
    for start, end in spans:
        count = max(1, -int(-(end - start) // LONGEST_S))
        step = (end - start) / count
        parts += [(start + step * n, start + step * (n + 1)) for n in range(count)]
    return parts
