"""What the views of the REST door share: the caller, and how objects are looked up."""

from typing import Any, cast

from django.http import Http404
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.views import APIView

from callscope.accounts.models import User
from callscope.projects import access
from callscope.projects.models import Project

LARGEST_ID = 2**63 - 1  # what a key column can hold
ANYTHING = "*/*"
FORMAT = "format"  # the query parameter by which a client may choose


class View(APIView):
    """A view of the API; asks for credentials, counts requests, answers JSON."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        """Answer as the first renderer does whoever takes anything; the long way tells of formats we lack."""
        if request.META.get("HTTP_ACCEPT", ANYTHING) == ANYTHING and FORMAT not in request.GET:
            renderer = self.renderer_classes[0]()
            return renderer, renderer.media_type
        found: tuple[Any, str] = super().perform_content_negotiation(request, force)
        return found

    @property
    def caller(self) -> User:
        return cast(User, self.request.user)


def visible_project(user: User, project_id: int) -> Project:
    """Return the project; Http404 when it does not exist or is not visible."""
    if not 0 < project_id <= LARGEST_ID:
        raise Http404
    project = Project.objects.visible_to(user).select_related("owner").filter(pk=project_id).first()
    if project is None:
        raise Http404
    return project


def require_writer(user: User, project: Project) -> None:
    """Raise PermissionDenied for a viewer."""
    if not access.may_write(access.role_of(user, project)):
        raise PermissionDenied("Your role in this project is viewer. Viewers cannot change anything.")


def require_manager(user: User, project: Project, action: str) -> None:
    """Raise PermissionDenied for everybody but the owner and the admins of the project's team."""
    if not access.may_manage(access.role_of(user, project)):
        raise PermissionDenied(f"Only the owner and admins of the project's team can {action}.")


def body_of(request: Request) -> dict[str, object]:
    """Return the fields of the body, files left out; the last of several values counts."""
    data: Any = request.data
    return {name: data.get(name) for name in data if name not in request.FILES}
