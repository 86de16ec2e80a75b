"""The query parameters that the endpoints under /calls/api/ share: scope and window."""

from django.http import Http404
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from callscope.interfaces.api.query import whole_number
from callscope.projects.scope import Scope, resolve
from callscope.reports.window import InvalidWindow, Window, parse_window


def scope_of(request: Request) -> Scope:
    """Return the projects that `project_id` and `team` leave of those the caller sees."""
    query = request.query_params
    return resolve(
        request.user, project_id=whole_number(query, "project_id"), team=whole_number(query, "team")
    )


def reachable_scope_of(request: Request) -> Scope:
    """Return the scope; Http404 when the named project is unreachable."""
    scope = scope_of(request)
    if scope.is_unreachable:
        raise Http404
    return scope


def window_of(request: Request) -> Window:
    """Return the window in the query. Raises ValidationError on the parameter that is wrong."""
    try:
        return parse_window(request.query_params, now=timezone.now())
    except InvalidWindow as error:
        raise ValidationError({error.field: [error.message]}) from None
