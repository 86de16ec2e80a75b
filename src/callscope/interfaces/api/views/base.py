"""What the views of the REST door share: the caller, and how objects are looked up."""

from typing import Any, cast

from django.http import Http404, HttpRequest
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from callscope.accounts.models import User
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.parsers import FormParser, JSONParser, MultiPartParser
from callscope.interfaces.api.upload_handler import StreamingUploadHandler
from callscope.pipeline.files.intake import project_not_found
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.projects.scope import resolve_scope

ANYTHING = "*/*"
FORMAT = "format"  # the query parameter by which a client may choose


class ApiView(APIView):
    """A view of the API; asks for credentials, counts requests, answers JSON."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        """Return the first renderer at once to a client that takes anything, as most do."""
        # DRF's own way parses Accept and makes every renderer; only its 406 and 404 need that.
        if request.META.get("HTTP_ACCEPT", ANYTHING) == ANYTHING and FORMAT not in request.GET:
            renderer = self.renderer_classes[0]()
            return renderer, renderer.media_type
        negotiated: tuple[Any, str] = super().perform_content_negotiation(request, force)
        return negotiated

    @property
    def caller(self) -> User:
        return cast(User, self.request.user)


class UploadView(ApiView):
    """A view whose POST takes a file, which is written to disk while it arrives."""

    parser_classes = [MultiPartParser, FormParser, JSONParser]  # the last two to say that no file was sent

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Set the upload handler before anything can read the body."""
        if request.method == "POST":
            request.upload_handlers = [StreamingUploadHandler(request)]
        return super().initialize_request(request, *args, **kwargs)


class IgnoreClientContentNegotiation(BaseContentNegotiation):
    """For a path with one type of answer: it is sent whatever Accept says; errors stay JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0] if parsers else None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def get_project_or_404(user: User, project_id: int) -> Project:
    """Return the project; Http404 when it does not exist or is not visible."""
    if not 0 < project_id <= MAX_ID:
        raise Http404
    project = permissions.visible_to(user).select_related("owner").filter(pk=project_id).first()
    if project is None:
        raise Http404
    return project


def find_writable_project(user: User, project_id: int) -> Project:
    """Return the project that a body names. Raises ValidationError, and PermissionDenied for a viewer."""
    scope = resolve_scope(user, project_id=project_id)
    if not scope.projects:
        raise ValidationError({"project_id": [str(project_not_found(project_id))]})
    require_writer(user, scope.projects[0])
    return scope.projects[0]


def require_writer(user: User, project: Project) -> None:
    """Raise PermissionDenied for a viewer."""
    if not permissions.can_write(user, project):
        raise PermissionDenied("Your role in this project is viewer. Viewers cannot change anything.")


def require_manager(user: User, project: Project, action: str) -> None:
    """Raise PermissionDenied for everybody but the owner and the admins of the project's team."""
    if not permissions.can_manage(user, project):
        raise PermissionDenied(f"Only the owner and admins of the project's team can {action}.")


def get_body_fields(request: Request) -> dict[str, object]:
    """Return the fields of the body, files left out; the last of several values counts."""
    data: Any = request.data
    return {name: data.get(name) for name in data if name not in request.FILES}
