"""Files: upload, list, read, describe, delete, play. Rules: docs/api.md, "Files"."""

from functools import cache
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import User
from callscope.calls import metadata
from callscope.calls.models import UploadedFile
from callscope.interfaces.api import contents, openapi
from callscope.interfaces.api.errors import TrialExceeded, by_field
from callscope.interfaces.api.fields import Moment, Seconds
from callscope.interfaces.api.paging import Pages
from callscope.interfaces.api.parsers import FormParser, JSONParser, MultiPartParser
from callscope.interfaces.api.query import UNREACHABLE_ID, whole_number
from callscope.interfaces.api.uploads import ArrivingFile, StreamingUpload
from callscope.interfaces.api.views import LARGEST_ID, View, body_of, require_writer
from callscope.pipeline import intake, removal
from callscope.projects import access
from callscope.projects.models import Project


class CallMetadata(serializers.Serializer[Any]):
    """What was told about a call from outside its audio."""

    call_datetime = Moment(read_only=True)
    call_datetime_source = serializers.ChoiceField(["api", "manifest", "upload_time"], read_only=True)
    agent_id = serializers.CharField(read_only=True)
    agent_name = serializers.CharField(read_only=True)
    agent_source = serializers.ChoiceField(["api", "manifest", "llm", ""], read_only=True)
    direction = serializers.ChoiceField(["inbound", "outbound", ""], read_only=True)
    caller_number = serializers.CharField(read_only=True)
    campaign = serializers.CharField(read_only=True)


class File(serializers.ModelSerializer[UploadedFile]):
    """One uploaded file."""

    project = serializers.IntegerField(source="project_id", read_only=True)
    file_type = serializers.ChoiceField(UploadedFile.Type.choices, read_only=True)
    duration_seconds = Seconds(source="duration_us", read_only=True, allow_null=True)
    status = serializers.ChoiceField(UploadedFile.Status.choices, read_only=True)
    error_reason = serializers.ChoiceField([*UploadedFile.ErrorReason.values, ""], read_only=True)
    created_at = Moment(read_only=True)
    call_id = serializers.IntegerField(read_only=True, allow_null=True)
    call_metadata = serializers.SerializerMethodField()

    class Meta:
        model = UploadedFile
        fields = [
            "id", "project", "original_filename", "file_type", "size", "duration_seconds", "status",
            "error_reason", "error_detail", "task_id", "created_at", "call_id", "call_metadata",
        ]  # fmt: skip
        read_only_fields = fields

    @openapi.nullable(CallMetadata)
    def get_call_metadata(self, file: UploadedFile) -> dict[str, Any] | None:
        found = metadata.shown(file)
        return None if found is None else _serializer(CallMetadata).to_representation(found)


@cache
def _serializer(of: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """Return one serializer for all: making its fields takes longer than showing a file with them."""
    return of()


def shown(file: UploadedFile) -> dict[str, Any]:
    """Return the file resource."""
    return _serializer(File).to_representation(file)


def visible_files(user: User) -> QuerySet[UploadedFile]:
    """Return the files of all projects that the user can see."""
    return UploadedFile.objects.filter(project__in=Project.objects.visible_to(user)).select_related(
        "call__agent"
    )


def visible_file(user: User, file_id: int, *, with_call: bool = True) -> UploadedFile:
    """Return the file with its project; Http404 when it does not exist or is not visible."""
    files = UploadedFile.objects.select_related("project", *(["call__agent"] if with_call else []))
    found = files.filter(pk=min(file_id, LARGEST_ID)).first()
    if found is None or access.role_of(user, found.project) is None:
        raise Http404
    return found


class Files(View):
    """The files of a project, and the way in for new ones."""

    parser_classes = [MultiPartParser, FormParser, JSONParser]  # the last two to say that no file was sent

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Set the upload handler before anything can read the body."""
        if request.method == "POST":
            request.upload_handlers = [StreamingUpload(request)]
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(
        operation_id="files_list",
        tags=["Files"],
        parameters=[openapi.integer("project", "Only files of this project."), openapi.PAGE],
        responses={200: openapi.page_of(File), **openapi.errors(400, 404)},
    )
    def get(self, request: Request) -> Response:
        """List the visible files, newest first. An unreachable project gives an empty page."""
        files = visible_files(self.caller).order_by("-pk")
        project_id = whole_number(request.query_params, "project")
        if project_id is not None:
            files = files.filter(project=project_id)
        pages = Pages()
        page = pages.paginate_queryset(files, request, view=self)
        return pages.get_paginated_response([shown(file) for file in page or []])

    @extend_schema(
        operation_id="files_upload",
        tags=["Files"],
        request={"multipart/form-data": openapi.Upload},
        responses={201: File, **openapi.errors(403, *openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Take in a recording or a transcript, with what is known about its call; the work follows later.

        Blank metadata fields count as absent, so they never override a manifest row that waits for this file.
        """
        errors: dict[str, list[str]] = {}
        project = self._project(request, errors)
        if project is not None:
            require_writer(self.caller, project)
        upload = request.FILES.get("file")
        if not isinstance(upload, ArrivingFile):
            errors["file"] = ["No file was submitted. Send it as the form field file."]
        if errors or project is None or not isinstance(upload, ArrivingFile):
            raise ValidationError(errors)
        fields = body_of(request)
        try:
            file = intake.receive(
                upload.as_incoming(),
                project=project,
                user=self.caller,
                file_type=str(fields.get("file_type", "")).strip(),
                fields=fields,
            )
        except intake.WrongUpload as error:
            raise ValidationError(error.errors) from None
        except intake.TrialQuotaExceeded as error:
            raise TrialExceeded(str(error)) from None
        return Response(shown(visible_file(self.caller, file.pk)), status=201)

    def _project(self, request: Request, errors: dict[str, list[str]]) -> Project | None:
        given = body_of(request).get("project")
        if not isinstance(given, str) or not given.strip():
            errors["project"] = ["This field is required."]
            return None
        try:
            number = whole_number({"project": given}, "project")
        except ValidationError as error:
            errors.update(by_field(error.detail))
            return None
        project = Project.objects.visible_to(self.caller).filter(pk=number or UNREACHABLE_ID).first()
        if project is None:
            errors["project"] = [intake.no_such_project(given.strip())]
        return project


class OneFile(View):
    """One file."""

    parser_classes = [JSONParser, MultiPartParser, FormParser]

    @extend_schema(operation_id="files_read", tags=["Files"], responses={200: File, **openapi.errors(404)})
    def get(self, request: Request, file_id: int) -> Response:
        """Return the file with its state and its call's metadata."""
        return Response(shown(visible_file(self.caller, file_id)))

    @extend_schema(
        operation_id="files_describe",
        tags=["Files"],
        request={
            "application/json": openapi.MetadataChange,
            "multipart/form-data": openapi.MetadataChange,
            "application/x-www-form-urlencoded": openapi.MetadataChange,
        },
        responses={200: File, **openapi.errors(403, 404, *openapi.BODY)},
    )
    def patch(self, request: Request, file_id: int) -> Response:
        """Change the metadata of the file's call: only the fields that are sent; an empty text clears.

        call_datetime cannot be cleared. agent_id and agent_name both empty unlink the agent. Nothing is
        analysed again.
        """
        file = visible_file(self.caller, file_id, with_call=False)
        require_writer(self.caller, file.project)
        try:
            file.call = intake.change_metadata(file, body_of(request), by=self.caller)
        except (intake.WrongUpload, metadata.WrongMetadata) as error:
            raise ValidationError(error.errors) from None
        return Response(shown(file))

    @extend_schema(
        operation_id="files_delete", tags=["Files"], responses={204: None, **openapi.errors(403, 404)}
    )
    def delete(self, request: Request, file_id: int) -> Response:
        """Erase the file, its transcript and its results. Its call falls back to the file before, or goes."""
        file = visible_file(self.caller, file_id)
        require_writer(self.caller, file.project)
        removal.delete_file(file, by=self.caller)
        return Response(status=204)


class AnyType(BaseContentNegotiation):
    """Answers with the one type there is, whatever the Accept header says; errors stay JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0] if parsers else None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class FileContent(View):
    """The bytes of one file."""

    content_negotiation_class = AnyType
    renderer_classes = [JSONRenderer]

    @extend_schema(
        operation_id="files_content",
        tags=["Files"],
        parameters=[openapi.RANGE],
        responses={
            (200, "*/*"): OpenApiResponse(OpenApiTypes.BINARY, "The whole file, in its own type."),
            (206, "*/*"): OpenApiResponse(OpenApiTypes.BINARY, "The range that was asked for."),
            304: OpenApiResponse(description="The client has these very bytes (If-None-Match)."),
            **openapi.errors(404, 416),
        },
    )
    def get(self, request: Request, file_id: int) -> HttpResponseBase:
        """Return the recording, redacted spans silenced. Takes Range requests, as players send them."""
        file = visible_file(self.caller, file_id)
        key = file.playback_key or file.storage_key
        if not key:
            raise Http404
        try:
            return contents.respond(
                key,
                method=request.method or "GET",
                headers=request.headers,
                name=file.original_filename,
                etag=key.rsplit("/", 1)[-1],
                modified=file.created_at,
            )
        except FileNotFoundError:
            raise Http404 from None
