"""The local recognizer: faster-whisper, in this process, with a model already on this machine.

Nothing is downloaded while a call is transcribed: a missing model is an answer
at once, with what to do, also on a machine without a network.
"""

import logging
import math
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from callscope.engines.answers import note_answer
from callscope.engines.asr.protocol import Health, Recognition, Samples, Utterance, Word
from callscope.engines.errors import EngineMissing, EngineUnavailable
from callscope.engines.identity import DEFAULT_SPEECH_MODEL, identify_local_speech
from callscope.messages.message import Message
from callscope.processes.extras import describe_installation

log = logging.getLogger(__name__)

DEFAULT_BATCH = 8
NOISE = 0.6  # no-speech probability above which a doubtful segment is silence
MAX_HINT_CHARACTERS = 800  # whisper reads 224 tokens of prompt


class WhisperTranscriber:
    sends_data_out = False
    is_demo = False

    def __init__(
        self,
        *,
        model: str = "",
        device: str = "auto",
        compute_type: str = "default",
        batch_size: int = DEFAULT_BATCH,
        model_setting: str = "CALLSCOPE_TRANSCRIBER_MODEL",
    ) -> None:
        """`model` is a name such as "small", a hub id or a folder; a batch size of 1 means one by one.

        `model_setting` is the setting that messages name for another model.
        """
        self.name = "faster-whisper"
        self.model = model or DEFAULT_SPEECH_MODEL
        self.id = identify_local_speech("local", model)
        self.hosts: list[str] = []
        self.device = device
        self.compute_type = compute_type
        self.batch_size = batch_size
        self.model_setting = model_setting

    def check(self) -> Health:
        try:
            folder = self._find_folder()
        except EngineMissing as error:
            return Health(False, str(error))
        return Health(True, f"The speech model {folder} is on this machine.")

    def transcribe(
        self, samples: Samples, *, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        try:
            model = self._load_model()
        except EngineMissing as error:
            error.engine = self.id
            raise
        try:
            heard = self._recognize(model, samples, language, hints, deadline)
        except RuntimeError as error:  # of the library below, as when a GPU is gone or its memory is full
            reason = " ".join(str(error).split()).rstrip(".")[:300]
            problem = Message("speech_model_failed", model=self.model, value=reason)
            raise EngineUnavailable(problem, engine=self.id) from error
        note_answer(self.id)
        return heard

    def _recognize(
        self, model: Any, samples: Samples, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        sound = samples.astype(np.float32) / np.float32(32768)
        options: dict[str, Any] = {
            "language": language,
            "vad_filter": True,
            "word_timestamps": True,
            "without_timestamps": False,
            "condition_on_previous_text": False,  # a loop would otherwise feed itself
            "hotwords": ", ".join(hints)[:MAX_HINT_CHARACTERS] or None,
        }
        if self.batch_size > 1:
            segments, info = (
                _import_whisper()
                .BatchedInferencePipeline(model=model)
                .transcribe(sound, batch_size=self.batch_size, **options)
            )
        else:
            segments, info = model.transcribe(sound, **options)
        utterances: list[Utterance] = []
        for segment in segments:  # recognition happens here, segment by segment
            if time.monotonic() > deadline:
                raise EngineUnavailable(Message("speech_model_slow", model=self.model))
            text, log_probability = segment.text.strip(), segment.avg_logprob
            if not text or (segment.no_speech_prob > NOISE and log_probability < -1):
                continue  # text invented over silence
            words = tuple(Word(float(w.start), float(w.end), w.word.strip()) for w in segment.words or ())
            confidence = min(1.0, math.exp(log_probability)) if math.isfinite(log_probability) else None
            utterances.append(Utterance(float(segment.start), float(segment.end), text, confidence, words))
        return Recognition(utterances, language=info.language or "")

    def _find_folder(self) -> str:
        """Return the folder of the model on this machine. Raises EngineMissing."""
        whisper = _import_whisper()
        path = Path(self.model).expanduser()
        if path.is_dir() or path.is_absolute():
            if not (path / "model.bin").is_file():
                raise EngineMissing(
                    f'The speech model folder "{path}" holds no model.bin. '
                    "It must be a Whisper model converted for CTranslate2."
                )
            _require_tokenizer(path)
            return str(path)
        try:
            folder = Path(whisper.download_model(self.model, local_files_only=True))
        except ValueError as error:
            raise EngineMissing(f'"{self.model}" is not a speech model: {error}.') from None
        except Exception:  # the hub's own errors; all say that it is not here
            raise EngineMissing(
                f'The speech model "{self.model}" is not on this machine. Fetch it once with: '
                f"hf download {_hub_id(self.model)}, or name its folder in {self.model_setting}."
            ) from None
        _require_tokenizer(folder)
        return str(folder)

    def _load_model(self) -> Any:
        """Return the model; it is loaded once a process, because that takes seconds and gigabytes."""
        key = (self._find_folder(), self.device, self.compute_type)
        with _models_lock:
            if key not in _models:
                try:
                    _models[key] = _import_whisper().WhisperModel(
                        key[0], device=self.device, compute_type=self.compute_type, local_files_only=True
                    )
                except (RuntimeError, ValueError, OSError) as error:
                    reason = " ".join(str(error).split()).rstrip(".")[:300]
                    raise EngineMissing(
                        f"The speech model {key[0]} does not load on device {self.device} "
                        f"with compute type {self.compute_type}: {reason}."
                    ) from None
            return _models[key]


_models: dict[tuple[str, str, str], Any] = {}
_models_lock = threading.Lock()


def _import_whisper() -> Any:
    try:
        import faster_whisper
    except ImportError:
        raise EngineMissing(
            f"faster-whisper is not installed. {describe_installation('whisper')} "
            "Or set CALLSCOPE_TRANSCRIBER to the URL of a speech server."
        ) from None
    return faster_whisper


def _require_tokenizer(folder: Path) -> None:
    """Raise EngineMissing where faster-whisper would go to the network for the tokenizer."""
    if not (folder / "tokenizer.json").is_file():
        raise EngineMissing(
            f'The speech model folder "{folder}" holds no tokenizer.json; copy it from the model.'
        )


def _hub_id(model: str) -> str:
    try:
        from faster_whisper.utils import _MODELS

        return str(_MODELS.get(model, model))
    except ImportError:
        return model
