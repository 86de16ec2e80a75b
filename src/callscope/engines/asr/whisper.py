"""The local recognizer: faster-whisper, in this process, with a model already on this machine.

Nothing is downloaded while a call is transcribed: a missing model is an answer
at once, with what to do, also on a machine without a network.
"""

import json
import logging
import math
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from callscope.engines.answers import note_answer
from callscope.engines.asr.loops import is_loop, unwind
from callscope.engines.asr.model_files import find_damage
from callscope.engines.asr.protocol import RATE, Health, Recognition, Samples, Utterance, Word
from callscope.engines.errors import EngineMissing, EngineRejected, EngineUnavailable
from callscope.engines.identity import DEFAULT_SPEECH_MODEL, identify_local_speech
from callscope.messages.message import Message
from callscope.processes.extras import get_command

DEFAULT_BATCH = 8
NOISE = 0.6  # no-speech probability above which a doubtful segment is silence
MAX_HINT_CHARACTERS = 800  # whisper reads 224 tokens of prompt
ENGLISH_START = 50_257  # token that begins a transcript; models of many languages have one more before it
LANGUAGE_STRETCHES = 4  # of half a minute, as long as none is clear: a call may begin with "hello?"

Sound: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]


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
        threads: int = 0,
        model_setting: str = "CALLSCOPE_TRANSCRIBER_MODEL",
    ) -> None:
        """`model` is a name such as "small", a hub id or a folder; a batch size of 1 means one by one.
        `threads` is for processors; 0 leaves the number to the library, which takes OMP_NUM_THREADS or 4.

        `model_setting` is the setting that messages name for another model.
        """
        self.name = "faster-whisper"
        self.model = model or DEFAULT_SPEECH_MODEL
        self.id = identify_local_speech("local", model)
        self.hosts: list[str] = []
        self.device = device
        self.compute_type = compute_type
        self.batch_size = batch_size
        self.threads = threads
        self.model_setting = model_setting

    def check(self) -> Health:
        try:
            folder = self._find_folder()
        except EngineMissing as error:
            return Health(False, str(error))
        if problem := find_damage(Path(folder)) or self.find_unsupported():
            return Health(False, str(problem))
        alone = " It knows English alone." if _is_english_only(Path(folder)) else ""
        return Health(True, f"The speech model {folder} is on this machine.{alone}")

    def transcribe(
        self, samples: Samples, *, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        try:
            model = self._load_model()
        except EngineMissing as error:
            error.engine = self.id
            raise
        if language not in (None, "en") and not model.model.is_multilingual:
            raise EngineRejected(
                Message("speech_model_english", model=self.model, value=language, setting=self.model_setting)
            )
        sound = samples.astype(np.float32) / np.float32(32768)
        options: Mapping[str, object] = {
            "language": language,
            "language_detection_segments": LANGUAGE_STRETCHES,
            "word_timestamps": True,
            # In a batch, what is said after the last time that the model writes would be lost.
            "without_timestamps": self.batch_size > 1,
            "condition_on_previous_text": False,  # a loop would otherwise feed itself
            "hotwords": ", ".join(hints)[:MAX_HINT_CHARACTERS] or None,
        }
        try:
            heard = self._recognize(model, sound, options, deadline)
        except (RuntimeError, ValueError) as error:  # a library of the device that is missing, no memory
            reason = " ".join(str(error).split()).rstrip(".")[:300]
            problem = Message("speech_model_failed", model=self.model, value=reason)
            raise EngineUnavailable(problem, engine=self.id) from error
        note_answer(self.id)
        return heard

    def _recognize(
        self, model: Any, sound: Sound, options: Mapping[str, object], deadline: float
    ) -> Recognition:
        if self.batch_size > 1:
            pipeline = _import_whisper().BatchedInferencePipeline(model=model)
            segments, info = pipeline.transcribe(
                sound, batch_size=self.batch_size, vad_filter=True, **options
            )
        else:
            segments, info = model.transcribe(sound, vad_filter=True, **options)
        utterances: list[Utterance] = []
        for stretch in self._read_stretches(segments, deadline):
            if is_loop([u.text for u in stretch]) and self.batch_size > 1:
                utterances += self._hear_again(model, sound, stretch, options, info.language, deadline)
            else:
                utterances += _without_loop(stretch)
        # Without any speech the language is that of silence.
        return Recognition(utterances, language=(info.language or "") if utterances else "")

    def _hear_again(
        self,
        model: Any,
        sound: Sound,
        stretch: list[Utterance],
        options: Mapping[str, object],
        language: str,
        deadline: float,
    ) -> Iterator[Utterance]:
        """Yield what is heard instead of a loop, tried at higher temperatures: batches never are."""
        begin_s, end_s = stretch[0].start_s, stretch[-1].end_s
        part = sound[int(begin_s * RATE) : int(end_s * RATE)]
        segments, _ = model.transcribe(part, **{**options, "language": language, "without_timestamps": False})
        for again in self._read_stretches(segments, deadline):
            for utterance in _without_loop(again):
                yield utterance.shifted(begin_s)

    def _read_stretches(self, segments: Iterable[Any], deadline: float) -> Iterator[list[Utterance]]:
        """Yield the utterances of each stretch of sound that the model heard at once."""
        for _, stretch in groupby(segments, key=lambda segment: segment.seek):
            utterances = []
            for segment in stretch:  # recognition happens here, segment by segment
                if time.monotonic() > deadline:
                    raise EngineUnavailable(Message("speech_model_slow", model=self.model))
                if (utterance := _read_segment(segment)) is not None:
                    utterances += utterance.split_sentences()
            if utterances:
                yield utterances

    def _find_folder(self) -> str:
        """Return the folder of the model on this machine. Raises EngineMissing."""
        whisper = _import_whisper()
        path = Path(self.model).expanduser()
        if path.is_dir() or path.is_absolute():
            if not (path / "model.bin").is_file():
                raise EngineMissing(Message("speech_folder_empty", path=path))
            _require_tokenizer(path)
            return str(path)
        try:
            folder = Path(whisper.download_model(self.model, local_files_only=True))
        except ValueError as error:
            raise EngineMissing(Message("speech_model_unknown", model=self.model, value=error)) from None
        except Exception:  # the hub's own errors; all say that it is not here
            command = f"hf download {_hub_id(self.model)}"
            raise EngineMissing(
                Message("speech_model_absent", model=self.model, value=command, setting=self.model_setting)
            ) from None
        _require_tokenizer(folder)
        return str(folder)

    def find_unsupported(self) -> Message | None:
        """Return what this machine cannot do of what the settings ask for."""
        import ctranslate2

        try:
            has_gpu = self.device == "auto" and ctranslate2.get_cuda_device_count() > 0
            device = "cuda" if has_gpu else "cpu" if self.device == "auto" else self.device
            known = ctranslate2.get_supported_compute_types(device)
        except (RuntimeError, ValueError) as error:  # no driver, no such device
            return self._describe_failure(self.model, error)
        if self.compute_type in {*known, "default", "auto"}:
            return None
        return Message(
            "speech_compute_type", value=self.compute_type, name=device, known=", ".join(sorted(known))
        )

    def _describe_failure(self, model: str, error: Exception) -> Message:
        reason = " ".join(str(error).split()).rstrip(".")[:300]
        return Message(
            "speech_model_not_loaded", model=model, name=self.device, kind=self.compute_type, value=reason
        )

    def _load_model(self) -> Any:
        """Return the model; it is loaded once a process, because that takes seconds and gigabytes."""
        key = (self._find_folder(), self.device, self.compute_type)
        with _models_lock:
            if key not in _models:
                try:
                    _models[key] = _import_whisper().WhisperModel(
                        key[0],
                        device=self.device,
                        compute_type=self.compute_type,
                        cpu_threads=self.threads,
                        local_files_only=True,
                    )
                except Exception as error:  # the tokenizer's library raises nothing narrower
                    raise EngineMissing(
                        find_damage(Path(key[0])) or self._describe_failure(key[0], error)
                    ) from None
            return _models[key]


def _read_segment(segment: Any) -> Utterance | None:
    """Return a segment as an utterance; None for text invented over silence."""
    text, log_probability = segment.text.strip(), segment.avg_logprob
    if not text or (segment.no_speech_prob > NOISE and log_probability < -1):
        return None
    words = tuple(Word(float(w.start), float(w.end), w.word.strip()) for w in segment.words or ())
    confidence = min(1.0, math.exp(log_probability)) if math.isfinite(log_probability) else None
    return Utterance(float(segment.start), float(segment.end), text, confidence, words)


def _without_loop(stretch: list[Utterance]) -> list[Utterance]:
    return [unwind(stretch)] if is_loop([u.text for u in stretch]) else stretch


_models: dict[tuple[str, str, str], Any] = {}
_models_lock = threading.Lock()


def _import_whisper() -> Any:
    try:
        import faster_whisper
    except ImportError:
        raise EngineMissing(Message("speech_not_installed", value=get_command("whisper"))) from None
    import ctranslate2

    ctranslate2.set_log_level(logging.ERROR)  # it writes past the log, whose lines may be JSON
    return faster_whisper


def _is_english_only(folder: Path) -> bool:
    """Tell by the tokenizer, which is quicker to read than the model; False where it does not say."""
    try:
        tokens = json.loads((folder / "tokenizer.json").read_bytes())["added_tokens"]
        return any(t["content"] == "<|startoftranscript|>" and t["id"] == ENGLISH_START for t in tokens)
    except (OSError, ValueError, KeyError, TypeError):
        return False  # loading it says what is wrong


def _require_tokenizer(folder: Path) -> None:
    """Raise EngineMissing where faster-whisper would go to the network for the tokenizer."""
    if not (folder / "tokenizer.json").is_file():
        raise EngineMissing(Message("speech_tokenizer_absent", path=folder))


def _hub_id(model: str) -> str:
    try:
        from faster_whisper.utils import _MODELS

        return str(_MODELS.get(model, model))
    except ImportError:
        return model
