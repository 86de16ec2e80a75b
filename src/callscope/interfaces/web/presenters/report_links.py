"""Links from the figures of a report to the calls behind them."""

import datetime as dt
from urllib.parse import quote_plus, urlencode

from django.urls import reverse
from django.utils import timezone

from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.projects.owners import Owners
from callscope.reports.window import DAY, Window, day_of, end_of_week, find_week


class Links:
    """Links to the calls of a figure, in the scope and window of the report."""

    def __init__(self, report_request: ReportRequest) -> None:
        self.is_compared = report_request.window.previous() is not None
        self.owners = Owners(report_request.counted_projects)  # named in a report of several
        self.scope = report_request.scope_query
        self.query = report_request.query
        self.url = reverse("web:calls")
        self.all_time = (
            f"{with_query(self.url, report_request.scope_query)}{'&' if report_request.scope_query else '?'}"
        )
        self.start = with_query(self.url, report_request.query)
        self.every = with_query(self.url, report_request.query, blank=EVERYTHING)
        self.joint = "&" if report_request.query else "?"

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

    def to_weeks_to_come(self, window: Window) -> str:
        """Return the link to the calls of the window that lie after the current week."""
        days = {"start_date": end_of_week(find_week(day_of(timezone.now()))) + DAY}
        return self.all_time + urlencode(days | ({"end_date": window.end} if window.end else {}))


def link_week(all_time: str, monday: dt.date, window: Window, **filters: object) -> str:
    """Return the link to calls of those days of a week that lie in the window; "" without an address.

    `all_time` is the list of all calls, up to where its query goes on.
    """
    if not all_time:
        return ""
    last = end_of_week(monday)
    days = {"start_date": max(monday, window.start or monday), "end_date": min(last, window.end or last)}
    return all_time + urlencode({**days, **filters})
