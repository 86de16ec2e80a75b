"""Parse the address of a page over calls: which projects, which days."""

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from callscope.accounts.models import Team
from callscope.calls.models import Call
from callscope.calls.own_calls import OwnCalls, find_own_calls, is_linked, linked_projects
from callscope.interfaces.web.decorators import current_user
from callscope.interfaces.web.page_context import wants_fragment
from callscope.interfaces.web.preferences import PROJECT_COOKIE
from callscope.interfaces.web.project_access import tell_apart
from callscope.interfaces.web.query_string import SCOPE_PARAMETERS, WINDOW_PARAMETERS, pick_params, with_query
from callscope.interfaces.web.templatetags.formatting import day
from callscope.messages.translation import translate
from callscope.projects import permissions, scope
from callscope.projects.models import Project
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.models import CallFact
from callscope.reports.overview.missing_calls import count_removed_results
from callscope.reports.window import ALL_TIME, InvalidWindow, Window, day_of, parse_window

WHOLE_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
FIRST_DAYS = dt.timedelta(days=30)
# How the parts of a report may be shown; other values are as if they were not there.
AGENT_ORDERS = (
    "agent",
    "calls",
    "average_score",
    "average_score_change",
    "critical_error_pct",
    "negative_sentiment_pct",
    "goal_reached_pct",
)
VIEWS = {
    "order": ("lost",),
    "hours": ("score",),
    "reasons": ("all",),
    "sort": (*AGENT_ORDERS, *(f"-{name}" for name in AGENT_ORDERS)),
}
FREE_VIEWS = ("figure", "answer")  # of the wide trend: ids and words of a project
PRESETS = (
    ("", gettext_lazy("All time")),
    ("last_30_days", gettext_lazy("30 days")),
    ("last_90_days", gettext_lazy("90 days")),
    ("mtd", gettext_lazy("This month")),
    ("last_month", gettext_lazy("Last month")),
    ("ytd", gettext_lazy("This year")),
)


class Preset(NamedTuple):
    label: str | Promise
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """The parsed address of a page over calls."""

    found: scope.Scope  # the projects that it spans
    window: Window
    query: dict[str, str]  # the parameters above, only the filled ones
    # Every call project that the visitor sees, by name.
    choices: list[scope.ProjectRef] = field(default_factory=list)
    teams: list[Team] = field(default_factory=list)
    wants_all_agents: bool = False
    view: dict[str, str] = field(default_factory=dict)  # how its parts are shown: parameters of VIEWS
    # Where the visitor sees own calls alone: those. `found` is empty then, so that what does not
    # narrow to them finds nothing.
    own: OwnCalls | None = None
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

    @property
    def projects(self) -> list[Project]:
        """The projects in scope, as whole rows: a page that needs their ids alone reads none of them."""
        return self.found.projects

    @property
    def counted_ids(self) -> list[int]:
        """The ids of `counted_projects`."""
        return self.found.project_ids if self.own is None else [self.own.project.pk]

    @property
    def calls_without_results(self) -> int:
        """How many calls lost their results to retention; asked where there is no other call to show."""
        return count_removed_results(self.counted_ids, agent_id=self.agent_id)

    @property
    def counted_projects(self) -> list[Project]:
        """The projects to count in; for a view that passes `agent_id` on, or filters by it."""
        return self.projects if self.own is None else [self.own.project]

    @property
    def agent_id(self) -> int | None:
        """The only agent whose calls the visitor sees; None where all calls of `projects` are shown."""
        return None if self.own is None else self.own.agent_id

    def narrow(self, filters: CallFilters) -> CallFilters:
        """Return the filters for the calls that the visitor sees."""
        return filters if self.own is None else filters.of_agent(self.own.agent_id)

    def presets(self, url: str, others: dict[str, str] | None = None, *, blank: str = "") -> list[Preset]:
        """Return the windows to choose from as links to `url`; `others` are parameters to keep.

        `blank` is for `with_query`.
        """
        current = self.query.get("date_range", "") if self.window is not ALL_TIME else ""
        dates = not current and self.window != ALL_TIME
        keep = {**self.scope_query, **(others or {})}
        return [
            Preset(
                label=label,
                url=with_query(url, {**keep, "date_range": preset}, blank=blank),
                is_current=preset == current and not dates and not self.problem,
            )
            for preset, label in PRESETS
        ]


def parse_days(request: HttpRequest) -> tuple[Window, str]:
    """Return the window of the address, and why it cannot be read ("" if it can); it is then all time."""
    try:
        return parse_window(request.GET, now=timezone.now()), ""
    except InvalidWindow as error:
        if error.message.code == "end_before_start":
            return ALL_TIME, explain_day(error)
        if error.message.code == "unknown_range":
            return ALL_TIME, _("“%(value)s” is not a period. Choose one of these: %(allowed)s.") % {
                "value": error.message.params["value"],
                "allowed": ", ".join(str(label) for _preset, label in PRESETS),
            }
        reason = translate(error.message)
        return ALL_TIME, _("The dates cannot be used: %(reason)s") % {"reason": reason}


def explain_day(error: InvalidWindow) -> str:
    """Return what is wrong with a day, as a page says it next to its field."""
    params = error.message.params
    if error.message.code != "end_before_start":
        return translate(error.message)
    return _("The last day (%(end)s) is before the first (%(start)s).") % {
        "end": day(params["end"]),
        "start": day(params["start"]),
    }


def parse_report_request(request: HttpRequest, *, narrows: bool = False) -> ReportRequest:
    """Return what the address asks for; `narrows` if the view counts the visitor's own calls in `own`.

    Http404 for a project that does not exist or is not visible, and for numbers that are none.
    """
    user = current_user(request)
    texts = pick_params(request, SCOPE_PARAMETERS)
    if not all(WHOLE_NUMBER.fullmatch(text) for text in texts.values()):
        raise Http404
    ids = {name: int(text) for name, text in texts.items()}
    found = scope.resolve_scope(user, project_id=ids.get("project_id"), team=ids.get("team"))
    own = find_own_calls(user, project_id=ids.get("project_id"), team=ids.get("team")) if narrows else None
    if found.project_not_found and own is None:
        raise Http404
    everything = scope.visible_project_refs(user) if any(ids.values()) else found.project_refs
    choices = tell_apart(everything)
    if narrows and is_linked(user):  # of these the visitor may know nothing but the name
        linked = linked_projects(user).values_list("pk", "name", "team")
        everything = [*everything, *map(scope.ProjectRef._make, linked)]
        choices += everything[len(choices) :]
    window, problem = parse_days(request)
    # Of the visitor's own teams those that have a project in sight: the others would narrow nothing.
    team_ids = {project.team_id for project in everything if project.team_id}
    teams = Team.objects.filter(pk__in=team_ids, memberships__user=user).order_by("name")
    return ReportRequest(
        found=found if own is None else scope.Scope(),
        own=own,
        window=window,
        query=pick_params(request, SCOPE_PARAMETERS + WINDOW_PARAMETERS),
        choices=sorted(choices, key=lambda p: (p.name.casefold(), p.pk)),
        teams=list(teams) if team_ids else [],
        view={name: request.GET[name] for name, known in VIEWS.items() if request.GET.get(name) in known}
        | pick_params(request, FREE_VIEWS),
        wants_all_agents=request.GET.get("agents") == "all",
        problem=problem,
    )


def is_bare(request: HttpRequest) -> bool:
    """Return whether the address of a page asks for no projects, days or anything else."""
    return not (request.META.get("QUERY_STRING") or wants_fragment(request))


def choose_report(request: HttpRequest) -> dict[str, object]:
    """Return the query of the report to open: days without a call would say nothing, so then all time."""
    projects = permissions.visible_to(current_user(request)).call_projects().order_by("-pk")
    with_calls = projects.filter(Exists(Call.objects.filter(project=OuterRef("pk"))))
    project = find_remembered(request, projects) or prefer_own_language(with_calls) or projects.first()
    return open_report_of(project) if project else {}


def open_report_of(project: Project) -> dict[str, object]:
    """Return the query for the report of a project."""
    recent = Call.objects.filter(project=project, call_datetime__gte=timezone.now() - FIRST_DAYS)
    return open_at(project, is_recent=recent.exists())


def choose_answers(request: HttpRequest) -> dict[str, object]:
    """Return the query of the answers to open: those of the last project, if it asks questions."""
    projects = permissions.visible_to(current_user(request)).call_projects().order_by("-pk")
    asking = projects.filter(config__custom_questions__0__isnull=False)
    project = find_remembered(request, asking) or prefer_own_language(asking)
    if project is None:
        return choose_report(request)
    since = day_of(timezone.now() - FIRST_DAYS)
    recent = CallFact.objects.filter(project=project, has_answers=True, day__gt=since)
    return open_at(project, is_recent=recent.exists())


def find_remembered(request: HttpRequest, projects: QuerySet[Project]) -> Project | None:
    """Return the project that was looked at last, if it is one of these."""
    remembered = request.COOKIES.get(PROJECT_COOKIE, "")
    return projects.filter(pk=int(remembered)).first() if WHOLE_NUMBER.fullmatch(remembered) else None


def prefer_own_language(projects: QuerySet[Project]) -> Project | None:
    """Return the first project whose calls may be in the language of the page, else the first one."""
    fits = Q(config__language__in=[get_language(), "auto"]) | Q(config__language__isnull=True)
    return projects.filter(fits).first() or projects.first()


def open_at(project: Project, *, is_recent: bool) -> dict[str, object]:
    """Return the query for a project: its last days, or all time where nothing `is_recent`."""
    return {"project_id": project.pk, "date_range": f"last_{FIRST_DAYS.days}_days" if is_recent else ""}
