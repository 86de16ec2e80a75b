"""The query parameters that the endpoints under /calls/api/ share: scope and window."""

from django.http import Http404
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from callscope.calls.own_calls import OwnCalls, find_own_calls
from callscope.interfaces.api.query_params import parse_integer
from callscope.projects.scope import Scope, resolve_scope
from callscope.reports.window import InvalidWindow, Window, parse_window


def get_scope(request: Request) -> Scope:
    """Return the projects that `project_id` and `team` leave of those the caller sees."""
    query = request.query_params
    return resolve_scope(
        request.user, project_id=parse_integer(query, "project_id"), team=parse_integer(query, "team")
    )


def get_own_calls(request: Request) -> OwnCalls | None:
    """Return the calls that the caller sees as their agent, where a role in a project shows no others.

    A view that asks for them says by this that it narrows its answer to them.
    """
    query = request.query_params
    return find_own_calls(
        request.user, project_id=parse_integer(query, "project_id"), team=parse_integer(query, "team")
    )


def get_scope_or_404(request: Request) -> Scope:
    """Return the scope; Http404 when the named project is unreachable."""
    scope = get_scope(request)
    if scope.project_not_found:
        raise Http404
    return scope


def get_window(request: Request) -> Window:
    """Return the window in the query. Raises ValidationError on the parameter that is wrong."""
    try:
        return parse_window(request.query_params, now=timezone.now())
    except InvalidWindow as error:
        raise ValidationError({error.field: [str(error.message)]}) from None
