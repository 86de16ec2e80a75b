"""Views of the call list that a person saved: filters and order under a name."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from callscope.interfaces.web.call_choice import BACK, list_url
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.models import MAX_NAME, MAX_QUERY, SavedView
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.call_list import FILTERS, CallListQuery
from callscope.interfaces.web.query_string import EVERYTHING, SCOPE_PARAMETERS, WINDOW_PARAMETERS
from callscope.interfaces.web.report_request import WHOLE_NUMBER, ReportRequest
from callscope.messages.message import Message
from callscope.messages.translation import translate

MOST_VIEWS = 50  # of one person
FORM = "views"  # the id of the form that removes views, which the button of a message sends, too
KEPT = (
    *SCOPE_PARAMETERS,
    *WINDOW_PARAMETERS,
    *(name for name in FILTERS if name != "search"),
    "ordering",
    "page_size",
)


class ViewLink(NamedTuple):
    """A saved view as the list shows it."""

    pk: int
    name: str
    url: str
    is_current: bool


def build_context(
    request: HttpRequest, report_request: ReportRequest, list_query: CallListQuery
) -> TemplateContext:
    """Return the views of the visitor, and what saving this one would keep ("" for the plain list)."""
    query = _pack({**report_request.query, **list_query.query})
    here = reverse("web:calls")
    saved = SavedView.objects.filter(user=current_user(request)).order_by("name", "pk")
    return {
        "views": [
            ViewLink(
                v.pk,
                v.name,
                f"{here}?{v.query or f'{EVERYTHING}='}",
                v.query == query and "search" not in list_query.query,
            )
            for v in saved
        ],
        "undo_form": FORM if report_request.choices else "",
        "view_query": "" if report_request.problem or list_query.problem else query,
    }


@signed_in_page
@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Save a view under a name, replace, remove or restore one, and go back to the list as it was.

    Asks before another view of the same name is replaced.
    """
    user, undo = current_user(request), request.POST.get("undo", "")
    mine = SavedView.objects.filter(user=user)
    number = request.POST.get("removed") or request.POST.get("view", "")
    named = mine.filter(pk=int(number)).first() if WHOLE_NUMBER.fullmatch(number) else None
    if "removed" in request.POST:
        if named and named.delete()[0]:
            said = _("The view “%(name)s” was removed.") % {"name": named.name}
            kept = urlencode({"name": named.name, "query": named.query})
            messages.success(request, said, extra_tags=f"{FORM}:{kept}")
        return HttpResponseRedirect(list_url(request))
    sent = QueryDict(undo.encode("utf-8", "replace")) if undo else request.POST
    name = sent.get("name", "").replace("\x00", "").strip()
    given = QueryDict(sent.get("query", "").encode("utf-8", "replace")[:MAX_QUERY])
    query = _pack({key: given.get(key, "") for key in KEPT})
    replaced = named if request.POST.get("do") == "replace" else None
    if replaced:
        name = replaced.name
    same = mine.filter(name=name).first()
    if not 1 <= len(name) <= MAX_NAME:
        messages.error(request, translate(Message("view_without_name", most=MAX_NAME)))
    elif same is None and mine.count() >= MOST_VIEWS:
        messages.error(request, translate(Message("too_many_views", most=MOST_VIEWS)))
    elif same is not None and same.query != query and same != replaced:
        return ask_before_replacing(request, same, query)
    else:
        SavedView.objects.update_or_create(user=user, name=name, defaults={"query": query})
        if undo:
            done = _("The view “%(name)s” is back.") % {"name": name}
        else:
            done = _("The view was replaced.") if replaced else _("The view was saved.")
        messages.success(request, done)
    return HttpResponseRedirect(list_url(request))


def ask_before_replacing(request: HttpRequest, view: SavedView, query: str) -> HttpResponse:
    """Ask whether a view of this name shall be replaced, or what the new one is called instead."""
    here = reverse("web:calls")
    context = {
        "view": view,
        "kept": [(name, value) for name, value in request.POST.items() if name.startswith(BACK)],
        "query": query,
        "most": MAX_NAME,
        "view_url": f"{here}?{view.query or f'{EVERYTHING}='}",
        "back_url": list_url(request),
    }
    return render(request, "web/calls/replace_view.html", context, status=409)


def _pack(values: dict[str, str]) -> str:
    """Return those parameters that a view keeps, in one order; "" where they do not fit."""
    packed = urlencode({name: values[name].replace("\x00", "") for name in KEPT if values.get(name)})
    return packed if len(packed) <= MAX_QUERY else ""
