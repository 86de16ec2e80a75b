"""Files, what is known about their calls, their transcripts, and the tasks that work on them."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from callscope.analysis.models import AnalysisState, is_unfinished
from callscope.calls import metadata
from callscope.calls.fields import CALL_FIELDS
from callscope.calls.manifest import ManifestResult
from callscope.calls.models import UploadedFile
from callscope.engines.errors import Trouble
from callscope.interfaces.api.serializers.fields import Moment, Seconds, request_field, response_field
from callscope.pipeline.models import Job
from callscope.pipeline.queue.breakers.states import FAILING
from callscope.pipeline.queue.breakers.waits import ALONE, find_waits

Field = serializers.Field[Any, Any, Any, Any]
STATES_HELP = "Analysis type → its state; empty for files that belong to no call."
WAIT = "engine_wait"  # of a file, for its serializer
ERRORS_HELP = "Analysis type → why it failed; only those that failed."


@extend_schema_field(OpenApiTypes.BINARY)
class SentFile(serializers.FileField):
    """A part of a form that is the file itself; a field of an answer would be its address."""


class CallMetadataSerializer(serializers.Serializer[Any]):
    """Metadata of a call, from outside its audio."""

    def get_fields(self) -> dict[str, Field]:
        return {field.name: response_field(field, read_only=True) for field in CALL_FIELDS}


class EngineWaitSerializer(serializers.Serializer[Any]):
    """An engine or a bucket in trouble, for which work waits."""

    engine = serializers.ChoiceField(["speech", "language", "embeddings", "storage"], source="kind")
    address = serializers.CharField(help_text="Without credentials.")
    reason = serializers.ChoiceField([*Trouble, FAILING, ALONE])
    since = Moment()
    until = Moment(help_text="When it is tried again; work continues automatically once it answers.")


class FileSerializer(serializers.ModelSerializer[UploadedFile]):
    """One uploaded file."""

    project = serializers.IntegerField(source="project_id", read_only=True)
    file_type = serializers.ChoiceField(UploadedFile.Type.choices, read_only=True)
    duration_seconds = Seconds(source="duration_us", read_only=True, allow_null=True)
    status = serializers.ChoiceField(UploadedFile.Status.choices, read_only=True)
    error_reason = serializers.ChoiceField([*UploadedFile.ErrorReason.values, ""], read_only=True)
    created_at = Moment(read_only=True)
    content_removed_at = Moment(
        read_only=True,
        allow_null=True,
        help_text="When the project's retention period removed the file itself.",
    )
    transcript_removed_at = Moment(
        read_only=True, allow_null=True, help_text="When it removed the transcript, with quotes in results."
    )
    results_removed_at = Moment(read_only=True, allow_null=True, help_text="When it removed the results.")
    call_id = serializers.IntegerField(read_only=True, allow_null=True)
    call_metadata = serializers.SerializerMethodField()
    analysis_states = serializers.SerializerMethodField()
    analysis_errors = serializers.SerializerMethodField()
    waiting_for = serializers.SerializerMethodField()

    class Meta:
        model = UploadedFile
        fields = [
            "id", "project", "original_filename", "file_type", "size", "duration_seconds", "status",
            "error_reason", "error_detail", "task_id", "created_at", "content_removed_at",
            "transcript_removed_at", "results_removed_at", "call_id", "call_metadata", "analysis_states",
            "analysis_errors", "waiting_for",
        ]  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(CallMetadataSerializer(allow_null=True))
    def get_call_metadata(self, file: UploadedFile) -> dict[str, Any] | None:
        if file.call is None:
            return None
        return _shared(CallMetadataSerializer).to_representation(metadata.call_metadata(file.call))

    @extend_schema_field(
        serializers.DictField(child=serializers.ChoiceField(AnalysisState.labels), help_text=STATES_HELP)
    )
    def get_analysis_states(self, file: UploadedFile) -> dict[str, str]:
        analysis = getattr(file, "analysis", None)
        return analysis.list_states() if analysis else {}

    @extend_schema_field(serializers.DictField(child=serializers.CharField(), help_text=ERRORS_HELP))
    def get_analysis_errors(self, file: UploadedFile) -> dict[str, str]:
        analysis = getattr(file, "analysis", None)
        return analysis.list_errors() if analysis else {}

    @extend_schema_field(EngineWaitSerializer(allow_null=True))
    def get_waiting_for(self, file: UploadedFile) -> dict[str, object] | None:
        wait = vars(file).get(WAIT)
        return _shared(EngineWaitSerializer).to_representation(wait) if wait else None


@cache
def _shared(serializer: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    # Making the fields of a serializer takes longer than serializing a file with them.
    return serializer()


def serialize_file(file: UploadedFile) -> dict[str, object]:
    """Return the file resource."""
    return serialize_files([file])[0]


def serialize_files(files: Sequence[UploadedFile]) -> list[dict[str, object]]:
    """Return the file resources, in this order."""
    unfinished = [file.pk for file in files if is_unfinished(file, getattr(file, "analysis", None))]
    waits = find_waits(unfinished) if unfinished else {}
    for file in files:
        vars(file)[WAIT] = waits.get(file.pk)
    return [_shared(FileSerializer).to_representation(file) for file in files]


class MetadataChangeSerializer(serializers.Serializer[Any]):
    """The six metadata fields; only those that are sent are changed."""

    def get_fields(self) -> dict[str, Field]:
        described = {field.name: request_field(field) for field in CALL_FIELDS if field.is_given}
        return described | super().get_fields()


class UploadSerializer(MetadataChangeSerializer):
    """A file and the metadata of its call."""

    project = serializers.IntegerField()
    file = SentFile()
    file_type = serializers.ChoiceField(
        ["audio", "srt", "vtt"], required=False, help_text="Detected from the content when omitted."
    )


class ManifestUploadSerializer(serializers.Serializer[Any]):
    """A CSV with a header row; columns filename, call_datetime and any other metadata field."""

    file = SentFile()
    careful = serializers.BooleanField(
        required=False,
        help_text="Of a file that a person chose: times more than a day ahead are wrong, and so are all "
        "dates with slashes where one can only have the month first; `unknown_columns` is in the answer.",
    )


class ManifestResultSerializer(serializers.Serializer[Any]):
    """What happened to the rows of a manifest."""

    matched = serializers.IntegerField(help_text="Rows applied to an uploaded file.")
    unmatched = serializers.ListField(
        child=serializers.CharField(),
        help_text="File names of rows kept for files that are not uploaded yet.",
    )
    errors = serializers.ListField(  # type: ignore[assignment]
        child=serializers.CharField(), help_text="Skipped rows, each with its reason."
    )
    repeated = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Rows whose file a later row names again: its filled cells count. Left out where none is.",
    )
    unknown_columns = serializers.DictField(
        child=serializers.CharField(allow_blank=True),
        required=False,
        help_text="Column that is not known → the one that may be meant, or empty. Only with `careful`.",
    )

    def to_representation(self, instance: ManifestResult) -> dict[str, object]:
        """Return the result, without a list of repeated rows where there are none, and of columns unasked."""
        shown = super().to_representation(instance)
        left_out = {"repeated"} if not instance.repeated else set()
        if instance.unknown_columns is None:
            left_out.add("unknown_columns")
        return {name: shown[name] for name in shown if name not in left_out}


class SegmentSerializer(serializers.Serializer[Any]):
    """One segment of speech."""

    start = serializers.FloatField(help_text="Seconds from the start of the file.")
    end = serializers.FloatField()
    speaker = serializers.ChoiceField(["agent", "customer"], allow_null=True)
    text = serializers.CharField(allow_blank=True)
    confidence = serializers.FloatField(
        allow_null=True, help_text="Of the recognizer, 0 to 1; null where it gives none, as for subtitles."
    )


class TranscriptResourceSerializer(serializers.Serializer[Any]):
    """The transcript of one file; it has no segments until it is ready."""

    id = serializers.IntegerField(help_text="The id of the file.")
    project = serializers.IntegerField()
    original_filename = serializers.CharField()
    status = serializers.ChoiceField(UploadedFile.Status.choices)
    error_reason = serializers.ChoiceField([*UploadedFile.ErrorReason.values, ""])
    error_detail = serializers.CharField(allow_blank=True)
    language = serializers.CharField(allow_blank=True)
    engine = serializers.CharField(
        allow_blank=True, help_text="What produced it, such as faster-whisper or subtitles."
    )
    model = serializers.CharField(allow_blank=True)
    duration_seconds = Seconds(allow_null=True)
    removed_at = Moment(allow_null=True, help_text="When the project's retention period removed it.")
    mean_confidence = serializers.FloatField(
        allow_null=True, help_text="Of all segments by their words; null where none has one."
    )
    segments = SegmentSerializer(many=True)


class TaskSerializer(serializers.Serializer[Any]):
    """Work that was queued again."""

    task_id = serializers.UUIDField()
    kind = serializers.ChoiceField(Job.Kind.choices)
    state = serializers.ChoiceField(Job.State.choices)


class RetryFailedSerializer(serializers.Serializer[Any]):
    """Which failed files; without a reason, all that may succeed next time."""

    reason = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="An error_reason, or words of the sentence that says why it failed.",
    )


class RetriedFilesSerializer(serializers.Serializer[Any]):
    """How many failed files were queued again."""

    retried = serializers.IntegerField(help_text="transcriptions + analyses")
    transcriptions = serializers.IntegerField()
    analyses = serializers.IntegerField()
    left = serializers.IntegerField(help_text="Files that stay failed.")
