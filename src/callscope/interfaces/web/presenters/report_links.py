"""Links from the figures of a report to the calls behind them."""

from urllib.parse import quote_plus

from django.urls import reverse

from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import ReportRequest


class Links:
    """Links to the calls of a figure, in the scope and window of the report."""

    def __init__(self, report_request: ReportRequest) -> None:
        self.is_compared = report_request.window.previous() is not None
        self.scope = report_request.scope_query
        self.url = reverse("web:calls")
        self.all_time = (
            f"{with_query(self.url, report_request.scope_query)}{'&' if report_request.scope_query else '?'}"
        )
        self.start = with_query(self.url, report_request.query)
        self.joint = "&" if report_request.query else "?"

    def to(self, **filters: object) -> str:
        if not filters:
            return self.start
        return self.start + self.joint + "&".join([f"{k}={quote_plus(str(v))}" for k, v in filters.items()])
