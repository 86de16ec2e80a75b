"""Links from the figures of a report to the calls behind them."""

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from urllib.parse import quote_plus, urlencode

from django.urls import reverse

from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.projects.configuration import InvalidConfiguration
from callscope.reports.window import Window, end_of_week


class Links:
    """Links to the calls of a figure, in the scope and window of the report."""

    def __init__(self, report_request: ReportRequest) -> None:
        self.is_compared = report_request.window.previous() is not None
        self.projects = report_request.counted_projects
        self.scope = report_request.scope_query
        self.query = report_request.query
        self.url = reverse("web:calls")
        self.all_time = (
            f"{with_query(self.url, report_request.scope_query)}{'&' if report_request.scope_query else '?'}"
        )
        self.start = with_query(self.url, report_request.query)
        self.every = with_query(self.url, report_request.query, blank=EVERYTHING)
        self.joint = "&" if report_request.query else "?"

    @cached_property
    def _criteria(self) -> dict[tuple[str, str], list[str]]:
        names: dict[tuple[str, str], list[str]] = {}
        for project in self.projects if len(self.projects) > 1 else ():
            with suppress(InvalidConfiguration):
                for _section, each in project.configuration.rubric.criteria():
                    names.setdefault((each.id, each.name), []).append(project.name)
        return names

    def name_projects(self, criterion_id: str, name: str) -> str:
        """Return whose rubrics have a criterion, where the report is of several projects; else ""."""
        return " · ".join(self._criteria.get((criterion_id, name), ()))

    @cached_property
    def _findings(self) -> dict[tuple[str, str, str], list[str]]:
        names: dict[tuple[str, str, str], list[str]] = {}
        for project in self.projects if len(self.projects) > 1 else ():
            with suppress(InvalidConfiguration):
                looked_for = project.configuration.no_protocol
                for kind, listed in (("mistake", looked_for.mistakes), ("prompt", looked_for.prompts)):
                    for each in listed:
                        names.setdefault((kind, each.id, each.text), []).append(project.name)
        return names

    def name_projects_of(self, kind: str, finding_id: str, name: str) -> str:
        """Return who looks for a mistake or a prompt, where the report is of several projects; else ""."""
        return " · ".join(self._findings.get((kind, finding_id, name), ()))

    def name_projects_by_id(self, ids: Sequence[int]) -> str:
        """Return whose calls those are, where the report is of several projects; else ""."""
        if len(self.projects) < 2:
            return ""
        names = {project.pk: project.name for project in self.projects}
        return " · ".join(names[pk] for pk in ids if pk in names)

    def to(self, **filters: object) -> str:
        if not filters:
            return self.every
        return self.start + self.joint + "&".join([f"{k}={quote_plus(str(v))}" for k, v in filters.items()])

    def to_agent(self, agent_id: int) -> str:
        """Return the link to the page of an agent, in the period of the report."""
        return with_query(reverse("web:agent", args=[agent_id]), self.query)

    def to_week(self, monday: dt.date, window: Window, **filters: object) -> str:
        """Return the link to the calls of those days of a week that lie in the window."""
        return link_week(self.all_time, monday, window, **filters)


def link_week(all_time: str, monday: dt.date, window: Window, **filters: object) -> str:
    """Return the link to calls of those days of a week that lie in the window; "" without an address.

    `all_time` is the list of all calls, up to where its query goes on.
    """
    if not all_time:
        return ""
    last = end_of_week(monday)
    days = {"start_date": max(monday, window.start or monday), "end_date": min(last, window.end or last)}
    return all_time + urlencode({**days, **filters})
