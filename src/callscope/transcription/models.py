"""Stored transcripts."""

from django.db import models

from callscope.calls.models import UploadedFile
from callscope.db.fields import CompressedJSONField
from callscope.projects.models import Project


class Transcript(models.Model):
    """What was said in one file, already redacted."""

    file = models.OneToOneField(UploadedFile, models.CASCADE, related_name="transcript")
    project = models.ForeignKey(Project, models.CASCADE, related_name="transcripts")
    # By start: [{"start": 1.2, "end": 3.4, "speaker": "agent"|"customer"|null, "text": "…",
    # "confidence": 0.9|null}, …], times in seconds.
    segments = CompressedJSONField()
    language = models.CharField(max_length=16, blank=True, default="")
    engine = models.CharField(max_length=128)  # "subtitles", "faster-whisper", …
    model = models.CharField(max_length=255, blank=True, default="")
    hosts = models.JSONField(default=list)  # machines that the recording was sent to
    speech = models.JSONField(default=dict)  # talk_share, silence_seconds, …; {} when there was no audio
    waveform = CompressedJSONField(null=True)  # lanes, see waveform.py; null when there was no audio
    quality = models.JSONField(default=dict)  # {"ok": bool, "reasons": [sentence, …]}, see schema.Quality
    redactions = models.JSONField(default=dict)  # kind → count
    created_at = models.DateTimeField(auto_now_add=True)
