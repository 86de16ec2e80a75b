"""Turn an uploaded file into a transcript: read this first in this room.

transcribe() is slow and touches no table; store() is quick and runs inside the
caller's transaction. What is private goes to the private engine or nowhere;
what is to be redacted is gone before anything is stored.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from callscope.calls import erasure, recordings
from callscope.calls.models import UploadedFile
from callscope.engines.asr import selection
from callscope.engines.asr.protocol import Transcriber
from callscope.engines.errors import BadOutput, EngineRejected
from callscope.projects.configuration import Configuration
from callscope.transcription import checks, decoding, language, playback, redaction, subtitles
from callscope.transcription.models import Transcript
from callscope.transcription.private_engine import PrivateEngine, PrivateEngineUnavailable
from callscope.transcription.probe import read_transcript
from callscope.transcription.recognition import Recognised, recognise

SUBTITLES_ENGINE = "subtitles"
Reason = UploadedFile.ErrorReason


class TranscriptionFailed(Exception):
    """The file will never have a transcript. `reason` is an ErrorReason or "", `detail` a sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class TranscriptDraft:
    """A transcript that is not stored yet; redacted already."""

    segments: list[dict[str, Any]]
    language: str
    engine: str
    model: str
    hosts: list[str]
    duration_s: float
    speech: dict[str, Any] = field(default_factory=dict)
    waveform: list[dict[str, Any]] | None = None
    quality: dict[str, Any] = field(default_factory=dict)
    redactions: dict[str, int] = field(default_factory=dict)
    playback: Path | None = None  # a temporary file; store() puts it into the storage and removes it
    usage_audio_s: float = 0.0  # seconds that an engine was given; 0 for a transcript that was uploaded


def transcribe(
    file: UploadedFile, config: Configuration, *, on_measured: Callable[[float], None] = lambda _seconds: None
) -> TranscriptDraft:
    """Return the transcript of an uploaded file.

    `on_measured` is told the seconds of a recording before anything is asked of
    an engine. Raises TranscriptionFailed (final) or EngineUnavailable (try again later).
    """
    try:
        with recordings.local_copy(file.storage_key) as path:
            if not path.is_file():
                raise FileNotFoundError(path)
            if file.file_type == UploadedFile.Type.AUDIO:
                return _of_recording(path, file.original_filename, config, on_measured)
            return _of_subtitles(path, file.file_type, config)
    except FileNotFoundError:
        raise TranscriptionFailed("", "The file is no longer in the storage.") from None


def store(file: UploadedFile, draft: TranscriptDraft) -> Transcript:
    """Write the draft as the file's transcript and mark the file transcribed; return the transcript."""
    transcript, _ = Transcript.objects.update_or_create(
        file=file,
        defaults={
            "project_id": file.project_id,
            "segments": draft.segments,
            "language": draft.language[:16],
            "engine": draft.engine[:128],
            "model": draft.model[:255],
            "hosts": draft.hosts,
            "speech": draft.speech,
            "waveform": draft.waveform,
            "quality": draft.quality,
            "redactions": draft.redactions,
        },
    )
    file.playback_key = _keep_playback(file, draft.playback) if draft.playback else ""
    if file.playback_key and file.file_type != UploadedFile.Type.AUDIO:
        _replace_original(file)
    file.status = UploadedFile.Status.TRANSCRIBED
    file.error_reason = file.error_detail = ""
    file.duration_us = _microseconds(draft.duration_s)
    file.save(
        update_fields=[
            "storage_key", "playback_key", "status", "error_reason", "error_detail", "duration_us"
        ]
    )  # fmt: skip
    return transcript


def _replace_original(file: UploadedFile) -> None:
    """Keep an uploaded transcript as it was redacted, and erase it as it came: it names what may not be kept.

    A recording stays: what is silenced in its copy is only as good as the recognition.
    """
    erasure.erase_when_committed([file.storage_key], now=timezone.now())
    file.storage_key, file.playback_key = file.playback_key, ""


def note_duration(file: UploadedFile, seconds: float) -> None:
    """Write the length of a recording as soon as it is known, so that a file that fails shows it too."""
    UploadedFile.objects.filter(pk=file.pk).update(duration_us=_microseconds(seconds))


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _keep_playback(file: UploadedFile, copy: Path) -> str:
    """Move the copy into storage; the key follows from the file's, so a second try leaves nothing behind."""
    key = f"{file.storage_key}.playback{copy.suffix}"
    recordings.remove([key])
    recordings.keep(copy, key)
    return key


def chosen_engine(config: Configuration) -> Transcriber:
    """Return the engine for this project: its private one if it asks for that, never another."""
    environment = settings.ENVIRONMENT
    private = config.private_transcription
    chosen = environment.private_transcriber if private else environment.transcriber
    engine = selection.transcriber(
        chosen.address,
        api_key=chosen.api_key,
        model=chosen.model,
        operator_run=private,
        device=environment.whisper_device,
        compute_type=environment.whisper_compute_type,
        batch_size=environment.whisper_batch_size,
    )
    return PrivateEngine(engine, pause_factor=environment.retry_pause) if private else engine


def _of_subtitles(path: Path, file_type: str, config: Configuration) -> TranscriptDraft:
    try:
        cues = subtitles.parse(read_transcript(path))
    except subtitles.UnreadableSubtitles as error:
        raise TranscriptionFailed("", str(error)) from None
    segments: list[dict[str, Any]] = [
        {"start": c.start_s, "end": c.end_s, "speaker": c.speaker, "text": c.text, "confidence": None}
        for c in cues
    ]
    redacted = redaction.redact(segments, config.redact)
    return TranscriptDraft(
        segments=redacted.segments,
        language=_language("", segments, config),
        engine=SUBTITLES_ENGINE,
        model="",
        hosts=[],
        duration_s=max(cue.end_s for cue in cues),
        quality=checks.quality(segments, config.transcript_gate),
        redactions=redacted.counts,
        playback=_redacted_subtitles(redacted.segments, file_type) if redacted.counts else None,
    )


def _redacted_subtitles(segments: list[dict[str, Any]], file_type: str) -> Path:
    """Write the transcript as it may be read by others; the copy is served in place of the upload."""
    cues = [subtitles.Cue(s["start"], s["end"], s["speaker"], s["text"]) for s in segments]
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=recordings.incoming_folder(), suffix=f".{file_type}", delete=False
    ) as file:
        file.write(subtitles.write(cues, file_type=file_type))
    return Path(file.name)


def _of_recording(
    path: Path, name: str, config: Configuration, on_measured: Callable[[float], None]
) -> TranscriptDraft:
    try:
        with decoding.decoded(path, name=name, folder=recordings.incoming_folder()) as recording:
            on_measured(recording.duration_s)
            if checks.is_too_short(recording.duration_s):
                raise TranscriptionFailed(
                    Reason.AUDIO_TOO_SHORT,
                    f"The recording has {recording.duration_s:.1f} s of sound; "
                    f"at least {checks.MIN_RECORDING_S:.0f} s are needed.",
                )
            return _of_samples(recording, config)
    except decoding.UnreadableRecording as error:
        raise TranscriptionFailed("", str(error)) from None


def _of_samples(recording: decoding.Decoded, config: Configuration) -> TranscriptDraft:
    engine = chosen_engine(config)
    heard = _ask(recording, engine, config)
    if checks.is_hallucinated(heard.segments, duration_s=recording.duration_s):
        raise TranscriptionFailed(
            Reason.HALLUCINATED_TRANSCRIPT,
            f"{engine.name} returned text up to {heard.segments[-1]['end']:.1f} s "
            f"for a recording of {recording.duration_s:.1f} s.",
        )
    segments = [_within(segment, recording.duration_s) for segment in heard.segments]
    redacted = redaction.redact(segments, config.redact, words=heard.words)
    return TranscriptDraft(
        segments=redacted.segments,
        language=_language(heard.language, segments, config),
        engine=engine.name,
        model=engine.model,
        hosts=engine.hosts,
        duration_s=recording.duration_s,
        speech=heard.speech,
        waveform=heard.waveform,
        quality=checks.quality(segments, config.transcript_gate, speech_s=heard.speech["speech_seconds"]),
        redactions=redacted.counts,
        playback=_playback(recording, redacted.silences),
        usage_audio_s=recording.duration_s,
    )


def _language(heard: str, segments: list[dict[str, Any]], config: Configuration) -> str:
    """Return the project's language, or with `auto` what the engine heard, or what the words look like."""
    if config.language != "auto":
        return config.language
    return heard or language.guess(segment["text"] for segment in segments)


def _playback(recording: decoding.Decoded, silences: list[tuple[float, float]]) -> Path | None:
    if not silences:
        return None
    return playback.silenced_copy(recording, silences, folder=recordings.incoming_folder())


def _ask(recording: decoding.Decoded, engine: Transcriber, config: Configuration) -> Recognised:
    """Return what the engine heard. Raises TranscriptionFailed or EngineUnavailable."""
    try:
        return recognise(recording, engine, config)
    except PrivateEngineUnavailable as error:
        raise TranscriptionFailed(Reason.PRIVATE_TRANSCRIPTION_UNAVAILABLE, str(error)) from None
    except (EngineRejected, BadOutput) as error:
        raise TranscriptionFailed("", str(error)) from None


def _within(segment: dict[str, Any], duration_s: float) -> dict[str, Any]:
    """Return the segment without the little that engines add after the end of the sound."""
    start, end = min(segment["start"], duration_s), min(segment["end"], duration_s)
    return {**segment, "start": round(start, 3), "end": round(end, 3)}
