"""The main navigation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from callscope.calls.own_calls import OwnCalls
from callscope.interfaces.web.query_string import (
    EVERYTHING,
    SCOPE_PARAMETERS,
    WINDOW_PARAMETERS,
    pick_params,
    with_query,
)
from callscope.interfaces.web.waiting import Badge


@dataclass(frozen=True, slots=True)
class NavItem:
    """One entry; `name` is both the URL name and the first part of its path."""

    name: str
    label: str | Promise
    icon: str
    key: str  # that goes there after "g"
    keeps: tuple[str, ...]  # the query parameters that its link takes along


@dataclass(frozen=True, slots=True)
class NavLink:
    """An entry as one page shows it."""

    label: str | Promise
    icon: str
    key: str
    url: str
    is_current: bool
    badge: Badge | None = None  # how much waits there for the visitor


NAV_ITEMS = (
    NavItem("report", _("Report"), "report", "r", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
    NavItem("calls", _("Calls"), "calls", "c", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
    NavItem("reviews", _("Reviews"), "check", "v", ()),  # of people who may review
    NavItem("questions", _("Questions"), "said", "q", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
    NavItem("upload", _("Upload"), "upload", "u", ("project_id",)),
    NavItem("projects", _("Projects"), "settings", "p", ()),
)
# Of agents who see their own calls and nothing else.
OWN_ITEMS = (
    NavItem("agents", _("My page"), "person", "m", ()),
    NavItem("calls", _("My calls"), "calls", "c", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
    NavItem("appeals", _("Appeals"), "edit", "a", ()),
    NavItem("report", _("Report"), "report", "r", (*SCOPE_PARAMETERS, *WINDOW_PARAMETERS)),
)


def find_own_page(own: OwnCalls) -> str:
    """Return the address of the agent's own page."""
    return with_query(reverse("web:agent", args=[own.agent_id]), {"project_id": own.project.pk})


def _find_address(item: NavItem, request: HttpRequest, own: OwnCalls | None) -> str:
    if own is not None and item.name == "agents":
        return find_own_page(own)
    kept = pick_params(request, item.keeps)
    # Who looks at all projects and all time goes on with them.
    blank = EVERYTHING if EVERYTHING in request.GET and set(WINDOW_PARAMETERS) < set(item.keeps) else ""
    # Without projects or days to keep, the start page chooses which report to show.
    name = "home" if item.name == "report" and not kept and not blank and own is None else item.name
    return with_query(reverse(f"web:{name}"), kept, blank=blank)


# Pages that are reached from another one, and have no entry of their own.
BELONGS_TO = {"agents": "report", "appeals": "reviews"}
# Pages of one project that are reached by an entry: the part of the path after its number.
PARTS_OF_REVIEWS = frozenset(("reviews", "agreement", "samples", "sampling-plans", "calibrations"))
REVIEW_OF_CALL = "review"  # of the path of a call


def build_navigation(
    request: HttpRequest,
    own: OwnCalls | None,
    badges: Mapping[str, Badge],
    *,
    may_review: bool,
    may_upload: bool,
) -> list[NavLink]:
    """Return the entries with their links from this page; `own` is for who sees nothing but these calls."""
    left_out = {"reviews": not may_review, "upload": not may_upload}
    items: Sequence[NavItem] = NAV_ITEMS if own is None else OWN_ITEMS
    first, *others = request.path_info.strip("/").split("/")
    current = BELONGS_TO.get(first, first) if own is None else first
    if may_review and first == "projects" and PARTS_OF_REVIEWS.intersection(others[1:2]):
        current = "reviews"
    if may_review and first == "calls" and others[1:] == [REVIEW_OF_CALL]:
        current = "reviews"
    return [
        NavLink(
            label=item.label,
            icon=item.icon,
            key=item.key,
            url=_find_address(item, request, own),
            is_current=item.name == current,
            badge=badges.get(item.name),
        )
        for item in items
        if not left_out.get(item.name)
    ]
