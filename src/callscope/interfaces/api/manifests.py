"""The call manifest: a CSV that describes calls. Rules: docs/api.md, "The manifest"."""

from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api import openapi
from callscope.interfaces.api.parsers import FormParser, JSONParser, MultiPartParser
from callscope.interfaces.api.uploads import ArrivingFile, StreamingUpload
from callscope.interfaces.api.views import View, require_writer, visible_project
from callscope.pipeline import intake


class ManifestResult(serializers.Serializer[Any]):
    """What became of the rows of a manifest."""

    matched = serializers.IntegerField(help_text="Rows applied to a file that is there.")
    unmatched = serializers.ListField(
        child=serializers.CharField(), help_text="Names of rows kept for files to come."
    )
    errors = serializers.ListField(  # type: ignore[assignment]
        child=serializers.CharField(), help_text="Skipped rows, each with its reason."
    )


EXAMPLE = {
    "matched": 2,
    "unmatched": ["call-31.wav"],
    "errors": ["row 7, call-12.wav: unknown direction 'in'"],
}


class CallManifest(View):
    """The way in for what is known about many calls at once."""

    parser_classes = [MultiPartParser, FormParser, JSONParser]  # the last two to say that no file was sent

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Set the upload handler before anything can read the body."""
        if request.method == "POST":
            request.upload_handlers = [StreamingUpload(request)]
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(
        operation_id="projects_call_manifest",
        tags=["Projects"],
        request={"multipart/form-data": openapi.ManifestUpload},
        responses={200: ManifestResult, **openapi.errors(404, *openapi.BODY)},
        examples=[OpenApiExample("Manifest result", value=EXAMPLE, response_only=True, status_codes=["200"])],
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Apply a CSV to the project's calls; rows without a file are kept for files uploaded later.

        Matched by the exact file name, else by the name without extension whatever its case. Blank cells
        clear nothing.
        """
        project = visible_project(self.caller, project_id)
        require_writer(self.caller, project)
        try:
            intake.require_call_project(project)
            upload = request.FILES.get("file")
            if not isinstance(upload, ArrivingFile):
                raise ValidationError(
                    {"file": ["No file was submitted. Send the CSV as the form field file."]}
                )
            with upload.path.open("rb") as file:
                result = intake.apply_manifest(project, file, by=self.caller)
        except intake.WrongUpload as error:
            raise ValidationError(error.errors) from None
        return Response({"matched": result.matched, "unmatched": result.unmatched, "errors": result.errors})
