"""Files: upload, list, read, describe, delete, play. Rules: docs/api.md, "Files"."""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note_once
from callscope.analysis.models import ANY_FAILED, RESULT_COLUMNS, CallAnalysis
from callscope.calls import metadata
from callscope.calls.models import Call, UploadedFile
from callscope.calls.names import clean_file_name
from callscope.calls.own_calls import find_own_call
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.errors import Conflict, Gone, TrialExceeded, group_by_field, invalid
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.parsers import FormParser, JSONParser, MultiPartParser
from callscope.interfaces.api.query_params import UNREACHABLE_ID, parse_integer
from callscope.interfaces.api.serializers.files import (
    FileSerializer,
    MetadataChangeSerializer,
    UploadSerializer,
    serialize_file,
    serialize_files,
)
from callscope.interfaces.api.upload_handler import ArrivingFile
from callscope.interfaces.api.views.base import (
    ApiView,
    IgnoreClientContentNegotiation,
    UploadView,
    get_body_fields,
    require_writer,
)
from callscope.interfaces.guard import byte_ranges
from callscope.messages.message import Message
from callscope.pipeline.erasure import removal
from callscope.pipeline.files import intake
from callscope.pipeline.ledger import trial_quota
from callscope.projects import permissions
from callscope.projects.models import Project

RESULTS = [f"analysis__{column}" for column in RESULT_COLUMNS]  # which a file resource does not show
MAX_NAMED = 100  # ids or names in one query: a page
PLAY_S = 900.0  # a player fetches a recording in many parts, which are one event


def visible_files(user: User) -> QuerySet[UploadedFile]:
    """Return the files of all projects that the user can see."""
    files = UploadedFile.objects.filter(project__in=permissions.visible_to(user))
    return files.select_related("call__agent", "analysis").defer(*RESULTS)


def get_file_or_404(user: User, file_id: int, *, with_call: bool = True) -> UploadedFile:
    """Return the file with its project; Http404 when it does not exist or is not visible."""
    files = UploadedFile.objects.select_related(
        "project", "analysis", *(["call__agent"] if with_call else [])
    )
    found = files.defer(*RESULTS).filter(pk=min(file_id, MAX_ID)).first()
    if found is None or permissions.get_role(user, found.project) is None:
        raise Http404
    return found


def get_heard_file_or_404(user: User, file_id: int) -> UploadedFile:
    """Return a file that the user may hear and read: a visible one, or one of an own call. Else Http404.

    Of an own call it is the newest file, or the one that its live results are of.
    """
    shown = Q(newest_of__isnull=False) | Q(analysis__is_live=True)
    calls = UploadedFile.objects.filter(shown, pk=min(file_id, MAX_ID)).values_list("call", flat=True)
    call_id = calls.first()
    if call_id is None or find_own_call(user, call_id) is None:
        return get_file_or_404(user, file_id)
    return UploadedFile.objects.select_related("project").get(pk=file_id)


def _narrow(files: QuerySet[UploadedFile], request: Request) -> QuerySet[UploadedFile]:
    """Return what the query chooses among the files. Raise ValidationError."""
    query = request.query_params
    if ids := query.get("ids", ""):
        numbers = [parse_integer({"ids": each}, "ids") or UNREACHABLE_ID for each in ids.split(",")]
        if len(numbers) > MAX_NAMED:
            raise ValidationError({"ids": [f"At most {MAX_NAMED} ids, not {len(numbers)}."]})
        files = files.filter(pk__in=numbers)
    if names := query.getlist("name"):
        if len(names) > MAX_NAMED:
            raise ValidationError({"name": [f"At most {MAX_NAMED} names, not {len(names)}."]})
        # Of a call its newest file, found by the index of its name; files without a call by their own.
        stored = {clean_file_name(name) for name in names} - {""}
        of_calls = Q(newest_of__file_name__in=stored)
        newer = UploadedFile.objects.filter(
            project=OuterRef("project"),
            original_filename=OuterRef("original_filename"),
            pk__gt=OuterRef("pk"),
        )
        of_none = Q(call__isnull=True, original_filename__in=stored) & ~Exists(newer)
        files = files.filter(of_calls | of_none)
    if query.get("failed", "").lower() in ("true", "1"):
        judged = CallAnalysis.objects.filter(ANY_FAILED, project__in=files.values("project"))
        files = files.filter(Q(status=UploadedFile.Status.FAILED) | Q(pk__in=judged.values("file")))
    return files


class FileListView(UploadView):
    """The files of a project, and the way in for new ones."""

    @extend_schema(
        operation_id="files_list",
        tags=["Files"],
        parameters=[
            openapi.integer_parameter("project", "Only files of this project."),
            openapi.text_parameter("ids", f"Only these files: up to {MAX_NAMED} ids, separated by commas."),
            openapi.text_parameter(
                "name", f"Only the newest file of this name; may be repeated up to {MAX_NAMED} times."
            ),
            openapi.text_parameter("failed", "true or 1: only files whose transcription or analysis failed."),
            openapi.PAGE,
        ],
        responses={200: openapi.paginated(FileSerializer), **openapi.error_responses(400, 404)},
    )
    def get(self, request: Request) -> Response:
        """List the visible files, newest first. An unreachable project gives an empty page."""
        files = visible_files(self.caller).order_by("-pk")
        project_id = parse_integer(request.query_params, "project")
        if project_id is not None:
            files = files.filter(project=project_id)
        files = _narrow(files, request)
        pages = StandardPagination()
        page = pages.paginate_queryset(files, request, view=self)
        return pages.get_paginated_response(serialize_files(page or []))

    @extend_schema(
        operation_id="files_upload",
        tags=["Files"],
        request={"multipart/form-data": UploadSerializer},
        responses={201: FileSerializer, **openapi.error_responses(403, *openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Upload a recording or a transcript with the metadata of its call. Workers process it afterwards.

        Blank metadata fields count as absent, so they never override a manifest row that waits for this file.
        """
        errors: dict[str, list[str]] = {}
        project = self._find_project(request, errors)
        # The role comes before the other fields: a viewer gets a 403, whatever else is wrong.
        if project is not None:
            require_writer(self.caller, project)
        upload = request.FILES.get("file")
        if not isinstance(upload, ArrivingFile):
            errors["file"] = [str(Message("no_file"))]
        if errors or project is None or not isinstance(upload, ArrivingFile):
            raise ValidationError(errors)
        fields = get_body_fields(request)
        try:
            file = intake.accept_upload(
                upload.as_incoming(),
                project=project,
                user=self.caller,
                file_type=str(fields.get("file_type", "")).strip(),
                fields=fields,
            )
        except intake.InvalidUpload as error:
            raise invalid(error.errors) from None
        except trial_quota.TrialQuotaExceeded as error:
            raise TrialExceeded(str(error)) from None
        return Response(serialize_file(get_file_or_404(self.caller, file.pk)), status=201)

    def _find_project(self, request: Request, errors: dict[str, list[str]]) -> Project | None:
        given = get_body_fields(request).get("project")
        if not isinstance(given, str) or not given.strip():
            errors["project"] = ["This field is required."]
            return None
        try:
            number = parse_integer({"project": given}, "project")
        except ValidationError as error:
            errors.update(group_by_field(error.detail))
            return None
        project = permissions.visible_to(self.caller).filter(pk=number or UNREACHABLE_ID).first()
        if project is None:
            errors["project"] = [str(intake.project_not_found(given.strip()))]
        return project


class FileDetailView(ApiView):
    """One file."""

    parser_classes = [JSONParser, MultiPartParser, FormParser]

    @extend_schema(
        operation_id="files_read",
        tags=["Files"],
        responses={200: FileSerializer, **openapi.error_responses(404)},
    )
    def get(self, request: Request, file_id: int) -> Response:
        """Return the file with its state and its call's metadata."""
        return Response(serialize_file(get_file_or_404(self.caller, file_id)))

    @extend_schema(
        operation_id="files_describe",
        tags=["Files"],
        request={
            "application/json": MetadataChangeSerializer,
            "multipart/form-data": MetadataChangeSerializer,
            "application/x-www-form-urlencoded": MetadataChangeSerializer,
        },
        responses={200: FileSerializer, **openapi.error_responses(403, 404, *openapi.BODY)},
    )
    def patch(self, request: Request, file_id: int) -> Response:
        """Change the metadata of the file's call: only the fields that are sent. An empty text clears one.

        call_datetime cannot be cleared. agent_id and agent_name both empty unlink the agent. Nothing is
        analyzed again.
        """
        # Without its call, which update_metadata reads again under a lock.
        file = get_file_or_404(self.caller, file_id, with_call=False)
        require_writer(self.caller, file.project)
        try:
            file.call = intake.update_metadata(file, get_body_fields(request), by=self.caller)
        except (intake.InvalidUpload, metadata.InvalidMetadata) as error:
            raise invalid(error.errors) from None
        except Call.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        return Response(serialize_file(file))

    @extend_schema(
        operation_id="files_delete",
        tags=["Files"],
        responses={204: None, **openapi.error_responses(403, 404)},
    )
    def delete(self, request: Request, file_id: int) -> Response:
        """Erase the file, its transcript and its results. A call without another file is erased too."""
        file = get_file_or_404(self.caller, file_id)
        require_writer(self.caller, file.project)
        removal.delete_file(file, by=self.caller)
        return Response(status=204)


class FileContentView(ApiView):
    """The bytes of one file."""

    content_negotiation_class = IgnoreClientContentNegotiation
    renderer_classes = [JSONRenderer]

    @extend_schema(
        operation_id="files_content",
        tags=["Files"],
        parameters=[openapi.RANGE],
        responses={
            (200, "*/*"): OpenApiResponse(OpenApiTypes.BINARY, "The whole file, in its own type."),
            (206, "*/*"): OpenApiResponse(OpenApiTypes.BINARY, "The requested range."),
            304: OpenApiResponse(description="The client already has this version (If-None-Match)."),
            **openapi.error_responses(403, 404, 409, 410, 416),
        },
    )
    def get(self, request: Request, file_id: int) -> HttpResponseBase:
        """Return the recording with redacted spans silenced. Range requests are supported.

        In a project that redacts, a file is not available until it is transcribed (409); one that failed is
        available to editors. 410: the project's retention period removed it.
        """
        file = get_heard_file_or_404(self.caller, file_id)
        key = file.playback_key or file.storage_key
        if file.content_removed_at:
            raise Gone(f"The retention of the project removed it on {file.content_removed_at.date()} (UTC).")
        if not key:
            raise Http404
        if file.project.configuration.redact and file.status != UploadedFile.Status.TRANSCRIBED:
            # Nobody knows yet what stands in it that must not be shown.
            if file.status != UploadedFile.Status.FAILED:
                raise Conflict(
                    "The file is not transcribed yet, so nothing in it is redacted. Try again later."
                )
            if not permissions.can_write(self.caller, file.project):
                raise PermissionDenied(
                    "The file failed, so nothing in it is redacted. Editors of the project can fetch it."
                )
        try:
            response = byte_ranges.range_response(
                key,
                method=request.method or "GET",
                headers=request.headers,
                name=file.original_filename,
                etag=key.rsplit("/", 1)[-1],
                modified=file.created_at,
            )
        except FileNotFoundError:
            raise Http404 from None
        if response.status_code in (200, 206):
            is_audio = file.file_type == UploadedFile.Type.AUDIO
            note_once(
                self.caller,
                "recording.played" if is_audio else "file.read",
                f"file {file.pk}",
                within_s=PLAY_S,
                project=file.project_id,
                call=file.call_id,
            )
        return response
