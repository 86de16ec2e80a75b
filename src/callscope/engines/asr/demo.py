"""The demonstration recognizer: pocketsphinx with the English model it ships.

It is here so that the whole way from sound to report can be seen without a download, and is
labeled as what it is wherever its transcripts appear. Of the words of clear telephone speech
it hears about half right (48 of 100, 239 words), of noisy speech 13, of synthetic voices
29, of the samples' own, which were chosen for that, 83. Calls that it heard are half heard:
transcription.gates. `make quality` measures it.
"""

import threading
import time
from typing import Any

import numpy as np

from callscope.engines.answers import note_answer
from callscope.engines.asr.protocol import (
    DEMO_RECOGNIZER,
    RATE,
    Health,
    Recognition,
    Samples,
    Utterance,
)
from callscope.engines.asr.voice_activity import detect_speech, split_spans
from callscope.engines.errors import EngineMissing, EngineRejected, EngineUnavailable
from callscope.engines.identity import identify_local_speech
from callscope.messages.message import Message
from callscope.processes.extras import get_command

ABILITY = (
    "for trying Callscope only: it knows English alone and hears about half the words of a clear telephone "
    "call right, so calls that it heard are judged by word-for-word phrases alone and get no contact reason."
)
LONGEST_S = 20.0  # the decoder slows down on longer stretches
# Fewer hypotheses a frame than the default: half the time for two more wrong words in a hundred.
SETTINGS = {"maxhmmpf": 3000, "loglevel": "FATAL"}


class DemoTranscriber:
    name = DEMO_RECOGNIZER
    model = "en-us"
    sends_data_out = False
    is_demo = True

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.id = identify_local_speech("demo", "")

    def check(self) -> Health:
        try:
            _import_pocketsphinx()
        except EngineMissing as error:
            return Health(False, str(error))
        return Health(True, ABILITY)

    def transcribe(
        self,
        samples: Samples,
        *,
        language: str | None,
        hints: list[str],  # noqa: ARG002 - it only knows its own words
        deadline: float,
    ) -> Recognition:
        if language not in (None, "en"):
            raise EngineRejected(Message("demo_language", value=language))
        global _cached_decoder
        utterances: list[Utterance] = []
        with _decoder_lock:
            if _cached_decoder is None:
                try:
                    _cached_decoder = _import_pocketsphinx().Decoder(samprate=RATE, **SETTINGS)
                except EngineMissing as error:
                    error.engine = self.id
                    raise
            decoder = _cached_decoder
            note_answer(self.id)
            for start_s, end_s in split_spans(detect_speech(samples), longest_s=LONGEST_S):
                if time.monotonic() > deadline:
                    raise EngineUnavailable(Message("demo_slow"))
                part = np.ascontiguousarray(samples[int(start_s * RATE) : int(end_s * RATE)])
                decoder.start_utt()
                decoder.process_raw(part.tobytes(), no_search=False, full_utt=True)
                decoder.end_utt()
                heard = decoder.hyp()
                words = heard.hypstr.split() if heard else []
                # Silence and noises come as words such as <sil>, [NOISE] and ++BREATH++.
                text = " ".join(word for word in words if not word.startswith(("<", "[", "++")))
                if text:
                    utterances.append(Utterance(start_s, end_s, text))
        return Recognition(utterances, language="en")


_decoder_lock = threading.Lock()  # the decoder holds one utterance at a time
_cached_decoder: Any = None


def _import_pocketsphinx() -> Any:
    try:
        import pocketsphinx
    except ImportError:
        raise EngineMissing(Message("demo_not_installed", value=get_command("demo-asr"))) from None
    return pocketsphinx
