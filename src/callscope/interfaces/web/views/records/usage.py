"""What engines did for the visible projects, and what it cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext, render_page_or_fragment, wants_fragment
from callscope.interfaces.web.query_string import (
    SCOPE_PARAMETERS,
    WINDOW_PARAMETERS,
    pick_params,
    with_query,
)
from callscope.interfaces.web.report_request import ReportRequest, parse_days
from callscope.interfaces.web.request_data import parse_id
from callscope.interfaces.web.views.records.usage_chart import draw_usage
from callscope.pipeline.ledger import usage as ledger
from callscope.pipeline.models import UsageEntry
from callscope.projects.scope import Scope

MILLION = 1_000_000
US_PER_MINUTE = 60 * MILLION
KINDS = {
    UsageEntry.Kind.TRANSCRIPTION: gettext_lazy("Transcription"),
    UsageEntry.Kind.ANALYSIS: gettext_lazy("Analysis"),
    UsageEntry.Kind.NARRATIVE: gettext_lazy("Summary"),
    UsageEntry.Kind.TRIAL: gettext_lazy("Trial of settings"),
    UsageEntry.Kind.NAMING: gettext_lazy("Names of contact reasons"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table, or its sum."""

    audio_s: float
    input_tokens: int
    output_tokens: int
    cost: Decimal | None  # None: no price is known
    calls: int = 0
    row: ledger.UsageRow | None = None
    kind: Any = ""

    @classmethod
    def of(cls, row: ledger.UsageRow) -> "Line":
        cost = None if row.cost_micros is None else Decimal(row.cost_micros) / MILLION
        kind = KINDS[UsageEntry.Kind(row.kind)]
        audio_s = row.audio_us / MILLION
        return cls(audio_s, row.input_tokens, row.output_tokens, cost, row.calls, row, kind)

    @classmethod
    def sum(cls, lines: Iterable["Line"]) -> "Line":
        """Return the sum; its cost is of the priced lines alone, and nothing costs nothing."""
        lines = list(lines)
        costs = [line.cost for line in lines if line.cost is not None]
        return cls(
            sum(line.audio_s for line in lines),
            sum(line.input_tokens for line in lines),
            sum(line.output_tokens for line in lines),
            sum(costs, Decimal(0)) if costs or not lines else None,
            sum(line.calls for line in lines),
        )


@signed_in_page
@require_safe
def usage(request: HttpRequest) -> HttpResponse:
    """Show the ledger by day, project and engine, newest first, and what is left of a trial."""
    report_request = _parse_request(request)
    window = report_request.window
    projects = [] if report_request.problem else report_request.projects
    rows = ledger.daily_usage(projects, start=window.start_at, end=window.until)
    lines = [Line.of(row) for row in rows]
    user = current_user(request)
    here = reverse("web:usage")

    def address(dates: Mapping[str, str]) -> str:
        return with_query(here, {**report_request.scope_query, **dates})

    context: TemplateContext = {
        "report_request": report_request,
        "presets": report_request.presets(here),
        "here": here,
        "target": "#usage",
        "chart": draw_usage(rows, window, timezone.localdate(), address),
        "lines": lines,
        "sum": (total := Line.sum(lines)),
        # Each length is shown without its fraction of a second, and so is the sum.
        "left_out_s": int(total.audio_s) - sum(int(line.audio_s) for line in lines),
        "some_unpriced": any(line.cost is None for line in lines),
        "quota_minutes": None if user.trial_quota_us is None else user.trial_quota_us / US_PER_MINUTE,
        "used_minutes": user.trial_used_us / US_PER_MINUTE,
    }
    status = 400 if report_request.problem and not wants_fragment(request) else 200
    return render_page_or_fragment(request, "web/usage.html", "web/usage_body.html", context, status=status)


def _parse_request(request: HttpRequest) -> ReportRequest:
    """Return what the address asks for; projects of both types count here."""
    choices = project_access.list_projects(request)
    asked = request.GET.get("project_id", "")
    projects = [project_access.get_project_or_404(request, parse_id(asked))] if asked else choices
    window, problem = parse_days(request)
    query = pick_params(request, (SCOPE_PARAMETERS[0], *WINDOW_PARAMETERS))
    named = project_access.tell_apart(choices)
    return ReportRequest(Scope.of(projects), window, query, choices=named, problem=problem)
