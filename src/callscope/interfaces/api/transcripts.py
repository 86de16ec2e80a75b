"""Transcripts: what was said in a file. Rules: docs/api.md, "Transcripts"."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.calls.models import UploadedFile
from callscope.interfaces.api import openapi
from callscope.interfaces.api.fields import Seconds
from callscope.interfaces.api.files import visible_file
from callscope.interfaces.api.views import View
from callscope.transcription.models import Transcript


class Segment(serializers.Serializer[Any]):
    """One stretch of speech."""

    start = serializers.FloatField(help_text="Seconds from the start of the file.")
    end = serializers.FloatField()
    speaker = serializers.ChoiceField(["agent", "customer"], allow_null=True)
    text = serializers.CharField(allow_blank=True)


class TranscriptResource(serializers.Serializer[Any]):
    """The transcript of one file; without segments until it is there."""

    id = serializers.IntegerField(help_text="The id of the file.")
    project = serializers.IntegerField()
    original_filename = serializers.CharField()
    status = serializers.ChoiceField(UploadedFile.Status.choices)
    error_reason = serializers.ChoiceField([*UploadedFile.ErrorReason.values, ""])
    error_detail = serializers.CharField(allow_blank=True)
    language = serializers.CharField(allow_blank=True)
    engine = serializers.CharField(
        allow_blank=True, help_text="What made it, such as faster-whisper or subtitles."
    )
    model = serializers.CharField(allow_blank=True)
    duration_seconds = Seconds(allow_null=True)
    segments = Segment(many=True)


class OneTranscript(View):
    """The transcript of one file."""

    @extend_schema(
        operation_id="transcripts_read",
        tags=["Files"],
        responses={200: TranscriptResource, **openapi.errors(404)},
    )
    def get(self, request: Request, file_id: int) -> Response:
        """Return what was said, already redacted. A file that is not transcribed yet has no segments."""
        file = visible_file(self.caller, file_id)
        transcript = Transcript.objects.filter(file=file).first()
        return Response(
            TranscriptResource(
                {
                    "id": file.pk,
                    "project": file.project_id,
                    "original_filename": file.original_filename,
                    "status": file.status,
                    "error_reason": file.error_reason,
                    "error_detail": file.error_detail,
                    "language": transcript.language if transcript else "",
                    "engine": transcript.engine if transcript else "",
                    "model": transcript.model if transcript else "",
                    "duration_seconds": file.duration_us,
                    "segments": transcript.segments if transcript else [],
                }
            ).data
        )
