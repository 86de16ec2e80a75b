"""Lint: what misleads in a rubric. Rules: docs/api.md, "Lint"."""

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.analysis.lint.lint import lint_configuration, lint_document
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.serializers.rubrics import LintRequestSerializer, LintSerializer
from callscope.interfaces.api.views.base import ApiView, get_project_or_404, require_writer
from callscope.projects.configuration import InvalidConfiguration


class LintView(ApiView):
    """What misleads in a rubric."""

    @extend_schema(
        operation_id="projects_lint",
        tags=["Rubrics"],
        request=LintRequestSerializer,
        responses={200: LintSerializer, **openapi.error_responses(403, 404, *openapi.BODY)},
    )
    def post(self, request: Request, project_id: int) -> Response:
        """Check `config`, or the stored configuration, against the latest calls; nothing is stored.

        At most 200 calls with a transcript are read. 400: `config` is not a valid configuration.
        """
        project = get_project_or_404(self.caller, project_id)
        require_writer(self.caller, project)
        form = LintRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            if "config" in form.validated_data:
                findings = lint_document(form.validated_data["config"], project)
            else:
                findings = lint_configuration(project.configuration, project)
        except InvalidConfiguration as error:
            raise ValidationError({"config": error.messages()}) from None
        return Response(LintSerializer({"findings": findings}).data)
