"""Transcripts: what was said in a file. Rules: docs/api.md, "Transcripts"."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.trail.notes import note
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.serializers.files import TranscriptResourceSerializer
from callscope.interfaces.api.views.base import ApiView
from callscope.interfaces.api.views.files import get_heard_file_or_404
from callscope.transcription.gates import mean_confidence
from callscope.transcription.models import Transcript


class TranscriptView(ApiView):
    """The transcript of one file."""

    @extend_schema(
        operation_id="transcripts_read",
        tags=["Files"],
        responses={200: TranscriptResourceSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, file_id: int) -> Response:
        """Return the redacted transcript. A file that is not transcribed yet has no segments."""
        file = get_heard_file_or_404(self.caller, file_id)
        transcript = Transcript.objects.filter(file=file).first()
        if transcript is not None:
            note(
                self.caller,
                "transcript.read",
                f"file {file.pk}",
                project=file.project_id,
                call=file.call_id,
            )
        return Response(
            TranscriptResourceSerializer(
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
                    "removed_at": file.transcript_removed_at,
                    "mean_confidence": mean_confidence(transcript.segments) if transcript else None,
                    "segments": [{"confidence": None, **segment} for segment in transcript.segments]
                    if transcript
                    else [],
                }
            ).data
        )
