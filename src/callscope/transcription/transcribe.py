"""Turn an uploaded file into a transcript.

transcribe() is slow and touches no table; store_transcript() is quick and runs
inside the caller's transaction. A private recording goes to the private engine or
nowhere, and what is to be redacted is gone before anything is stored.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.utils import timezone

from callscope.calls import erasure, storage
from callscope.calls.models import UploadedFile
from callscope.engines.errors import BadOutput, EngineRejected
from callscope.engines.identity import name_local_model
from callscope.engines.registry import Engines
from callscope.language import detect
from callscope.messages.message import Message
from callscope.processes import crash_points
from callscope.projects.configuration import Configuration
from callscope.transcription import gates, subtitles
from callscope.transcription.audio import decoding, playback
from callscope.transcription.gates import TranscriptionFailed
from callscope.transcription.models import Transcript
from callscope.transcription.private_retry import PrivateEngine, PrivateEngineUnavailable
from callscope.transcription.probe import read_transcript_bytes
from callscope.transcription.recognition import recognize
from callscope.transcription.redaction import redaction
from callscope.transcription.schema import Quality, Segment, TalkMeasures, WaveformLane

SUBTITLES_ENGINE = "subtitles"


@dataclass(frozen=True, slots=True)
class TranscriptDraft:
    """A transcript that is not stored yet; redacted already."""

    segments: list[Segment]
    language: str
    engine: str
    model: str
    hosts: list[str]
    duration_s: float
    speech: TalkMeasures | None = None  # None without audio, like the waveform
    waveform: list[WaveformLane] | None = None
    quality: Quality = field(default_factory=lambda: Quality(ok=True, reasons=[]))
    redactions: dict[str, int] = field(default_factory=dict)
    playback: Path | None = None  # a temporary file, which store_transcript() moves into the storage
    usage_audio_s: float = 0.0  # seconds that an engine was given; 0 for a transcript that was uploaded


def transcribe(
    file: UploadedFile,
    config: Configuration,
    engines: Engines,
    *,
    on_measured: Callable[[float], None] = lambda _seconds: None,
    before_asking: Callable[[], None] = lambda: None,
) -> TranscriptDraft:
    """Return the transcript of an uploaded file.

    `on_measured` is called with the seconds of a recording, `before_asking` when it is long enough to be
    heard. Raises TranscriptionFailed (final), EngineUnavailable (try again later), and what these two raise.
    """
    try:
        with storage.local_copy(file.storage_key) as path:
            if not path.is_file():
                raise FileNotFoundError(path)
            if file.file_type != UploadedFile.Type.AUDIO:
                return _read_subtitles(path, file.file_type, config, engines)
            with decoding.decode_recording(
                path, name=file.original_filename, folder=storage.incoming_folder()
            ) as recording:
                on_measured(recording.duration_s)
                crash_points.reach_point("probe")
                gates.reject_short_recording(recording.duration_s)
                before_asking()
                return _transcribe_recording(recording, config, engines)
    except FileNotFoundError:
        raise TranscriptionFailed("", Message("file_gone")) from None
    except PrivateEngineUnavailable as error:
        reason = UploadedFile.ErrorReason.PRIVATE_TRANSCRIPTION_UNAVAILABLE
        raise TranscriptionFailed(reason, error.message) from None
    except (
        decoding.UnreadableRecording, subtitles.UnreadableSubtitles, EngineRejected, BadOutput
    ) as error:  # fmt: skip
        raise TranscriptionFailed("", error.message) from None


def store_transcript(file: UploadedFile, draft: TranscriptDraft) -> Transcript:
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
            "speech": draft.speech or {},
            "waveform": draft.waveform,
            "quality": draft.quality,
            "redactions": draft.redactions,
        },
    )
    file.playback_key = ""
    if draft.playback:
        _store_redacted_copy(file, draft.playback)
    file.status = UploadedFile.Status.TRANSCRIBED
    file.error_reason = file.error_detail = ""
    file.duration_us = _microseconds(draft.duration_s)
    file.save(
        update_fields=[
            "storage_key", "playback_key", "status", "error_reason", "error_detail", "duration_us",
            "is_private",
        ]
    )  # fmt: skip
    return transcript


def _store_redacted_copy(file: UploadedFile, copy: Path) -> None:
    """Move the redacted copy into the storage: next to a recording, in place of an uploaded transcript."""
    # The key follows from the file's, so that a second attempt overwrites what the first one stored.
    key = f"{file.storage_key}.playback{copy.suffix}"
    storage.remove([key])
    storage.save(copy, key)
    if file.file_type == UploadedFile.Type.AUDIO:
        # The recording stays: what is silenced in its copy is only as good as the recognition.
        file.playback_key = key
    else:
        # The uploaded text names exactly what may not be kept.
        erasure.erase_when_committed([file.storage_key], now=timezone.now())
        file.storage_key = key


def record_duration(file: UploadedFile, seconds: float) -> None:
    """Write the length of a recording as soon as it is known, so that a file that fails shows it too."""
    UploadedFile.objects.filter(pk=file.pk).update(duration_us=_microseconds(seconds))


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _read_subtitles(path: Path, file_type: str, config: Configuration, engines: Engines) -> TranscriptDraft:
    cues = subtitles.parse_subtitles(read_transcript_bytes(path))
    segments = [
        Segment(start=c.start_s, end=c.end_s, speaker=c.speaker, text=c.text, confidence=None) for c in cues
    ]
    redacted = redaction.redact_segments(segments, config.redact, encoder=engines.local_encoder)
    copy = None
    if redacted.counts:
        clean = [subtitles.Cue(s["start"], s["end"], s["speaker"], s["text"]) for s in redacted.segments]
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=storage.incoming_folder(), suffix=f".{file_type}", delete=False
        ) as file:
            file.write(subtitles.format_subtitles(clean, file_type=file_type))
        copy = Path(file.name)
    language = _language("", segments, config)
    return TranscriptDraft(
        segments=redacted.segments,
        language=language,
        engine=SUBTITLES_ENGINE,
        model="",
        hosts=[],
        duration_s=max(cue.end_s for cue in cues),
        quality=gates.assess_quality(segments, config.transcript_gate, language=language),
        redactions=redacted.counts,
        playback=copy,
    )


def _transcribe_recording(
    recording: decoding.DecodedAudio, config: Configuration, engines: Engines
) -> TranscriptDraft:
    engine = engines.transcriber
    if engines.is_private:
        engine = PrivateEngine(engine, pause_factor=engines.retry_pause)
    heard = recognize(recording, engine, config)
    gates.reject_hallucination(heard.segments, duration_s=recording.duration_s, engine=engine.name)
    # Engines add a little after the end of the sound.
    segments: list[Segment] = [
        {
            **segment,
            "start": round(min(segment["start"], recording.duration_s), 3),
            "end": round(min(segment["end"], recording.duration_s), 3),
        }
        for segment in heard.segments
    ]
    redacted = redaction.redact_segments(
        segments, config.redact, words=heard.words, encoder=engines.local_encoder
    )
    language = _language(heard.language, segments, config)
    return TranscriptDraft(
        segments=redacted.segments,
        language=language,
        engine=engine.name,
        model=engine.model if engine.hosts else name_local_model(engine.model),
        hosts=engine.hosts,
        duration_s=recording.duration_s,
        speech=heard.speech,
        waveform=heard.waveform,
        quality=gates.assess_quality(
            segments,
            config.transcript_gate,
            speech_s=heard.speech["speech_seconds"],
            language=language,
            is_demo=engine.is_demo,
        ),
        redactions=redacted.counts,
        playback=playback.write_silenced_copy(recording, redacted.silences, folder=storage.incoming_folder())
        if redacted.silences
        else None,
        usage_audio_s=recording.duration_s,
    )


def _language(heard: str, segments: list[Segment], config: Configuration) -> str:
    """Return the project's language, or with `auto` what the engine heard, or what the words look like."""
    if config.language != "auto":
        return config.language
    return heard or detect.detect_language(segment["text"] for segment in segments)
