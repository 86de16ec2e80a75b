"""What a page is asked about: which projects and which days, as they stand in the address."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.accounts.models import Team
from callscope.interfaces.web.page import SCOPE_PARAMETERS, WINDOW_PARAMETERS, kept, visitor, with_query
from callscope.interfaces.web.told import told
from callscope.projects import scope
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, InvalidWindow, Window, parse_window

WHOLE_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
PRESETS = (
    ("", gettext_lazy("All time")),
    ("last_30_days", gettext_lazy("30 days")),
    ("last_90_days", gettext_lazy("90 days")),
    ("mtd", gettext_lazy("This month")),
    ("last_month", gettext_lazy("Last month")),
    ("ytd", gettext_lazy("This year")),
)


@dataclass(frozen=True, slots=True)
class Question:
    """The parsed address of a page over calls."""

    projects: list[Project]  # in scope
    window: Window
    query: dict[str, str]  # the parameters above, only the filled ones
    choices: list[scope.Named] = field(default_factory=list)  # every call project the visitor sees, by name
    teams: list[Team] = field(default_factory=list)
    wants_all_agents: bool = False
    problem: str = ""  # a sentence, when the dates cannot be read; the window is then all time

    @property
    def project_id(self) -> int | None:
        return int(self.query["project_id"]) if "project_id" in self.query else None

    @property
    def team_id(self) -> int | None:
        return int(self.query["team"]) if "team" in self.query else None

    @property
    def scope_query(self) -> dict[str, str]:
        return {name: value for name, value in self.query.items() if name in SCOPE_PARAMETERS}

    @property
    def window_query(self) -> dict[str, str]:
        return {name: value for name, value in self.query.items() if name in WINDOW_PARAMETERS}

    def presets(self, url: str, others: dict[str, str] | None = None) -> list[dict[str, Any]]:
        """Return the named windows as links to `url`; `others` are parameters to keep."""
        current = self.query.get("date_range", "") if self.window is not ALL_TIME else ""
        dates = not current and self.window != ALL_TIME
        keep = {**self.scope_query, **(others or {})}
        return [
            {
                "label": label,
                "url": with_query(url, {**keep, "date_range": preset}),
                "is_current": preset == current and not dates and not self.problem,
            }
            for preset, label in PRESETS
        ]


def ask(request: HttpRequest) -> Question:
    """Return what the address asks for.

    Http404 for a project that does not exist or is not visible, and for numbers that are none.
    """
    user = visitor(request)
    named = {name: _whole_number(request, name) for name in SCOPE_PARAMETERS}
    found = scope.resolve(user, project_id=named["project_id"], team=named["team"])
    if found.is_unreachable:
        raise Http404
    everything = scope.named(user) if any(named.values()) else found.named
    window, problem = ALL_TIME, ""
    try:
        window = parse_window(request.GET, now=timezone.now())
    except InvalidWindow as error:
        problem = _("The dates cannot be used: %(reason)s") % {"reason": told(error.message)}
    return Question(
        projects=found.projects,
        window=window,
        query=kept(request, SCOPE_PARAMETERS + WINDOW_PARAMETERS),
        choices=sorted(everything, key=lambda p: (p.name.casefold(), p.pk)),
        teams=_teams_of(everything, user.pk),
        wants_all_agents=request.GET.get("agents") == "all",
        problem=problem,
    )


def _whole_number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    if not text:
        return None
    if not WHOLE_NUMBER.fullmatch(text):
        raise Http404
    return int(text)


def _teams_of(projects: Iterable[scope.Named], user_id: int) -> list[Team]:
    """Return the visitor's own teams that have a project in sight: the others would narrow nothing."""
    ids = {p.team_id for p in projects if p.team_id}
    return list(Team.objects.filter(pk__in=ids, memberships__user=user_id).order_by("name")) if ids else []
