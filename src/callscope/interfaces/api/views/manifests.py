"""The call manifest: a CSV that describes calls. Rules: docs/api.md, "The manifest"."""

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.errors import invalid
from callscope.interfaces.api.serializers.files import ManifestResultSerializer, ManifestUploadSerializer
from callscope.interfaces.api.upload_handler import ArrivingFile
from callscope.interfaces.api.views.base import UploadView, get_project_or_404, require_writer
from callscope.messages.message import Message
from callscope.pipeline.files import intake

EXAMPLE = {
    "matched": 2,
    "unmatched": ["call-31.wav"],
    "errors": ["row 7, call-12.wav: unknown direction 'in'"],
    "repeated": ["row 2, call-1.wav: named again in row 5, whose filled cells count"],
}


class ManifestView(UploadView):
    """The way in for what is known about many calls at once."""

    @extend_schema(
        operation_id="projects_call_manifest",
        tags=["Projects"],
        request={"multipart/form-data": ManifestUploadSerializer},
        responses={200: ManifestResultSerializer, **openapi.error_responses(404, *openapi.BODY)},
        examples=[OpenApiExample("Manifest result", value=EXAMPLE, response_only=True, status_codes=["200"])],
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Apply a CSV to the project's calls; rows without a file are kept for files uploaded later.

        Matched by the exact file name, else by the name without extension whatever its case. Blank cells
        clear nothing.
        """
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        try:
            intake.require_call_project(project)
            upload = request.FILES.get("file")
            if not isinstance(upload, ArrivingFile):
                raise invalid({"file": [Message("no_manifest")]})
            careful = request.POST.get("careful", "false").lower()
            if careful not in ("true", "false"):
                raise invalid({"careful": [Message("invalid_careful", value=careful[:40])]})
            with upload.path.open("rb") as file:
                result = intake.apply_manifest(project, file, by=self.caller, is_careful=careful == "true")
        except intake.InvalidUpload as error:
            raise invalid(error.errors) from None
        return Response(ManifestResultSerializer(result).data)
