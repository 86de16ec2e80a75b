"""The audit trail: for those who manage projects, and all of it for administrators of the instance."""

import datetime as dt
import json

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from callscope.accounts.models import AuditEvent
from callscope.accounts.trail.notes import note
from callscope.accounts.trail.search import CHANGES, find_events, hide_other_projects
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.downloads import csv_export
from callscope.interfaces.web.presenters.audit_trail import rows as presenter
from callscope.interfaces.web.presenters.audit_trail import words
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import WHOLE_NUMBER
from callscope.interfaces.web.views.records.audit_names import find_names
from callscope.interfaces.web.views.records.audit_request import name_call, parse_audit_request

PAGE_SIZE = 50
BEFORE = "before"  # the number of the event after which a page goes on
CSV_HEAD = ("number", "at", "actor", "action", "subject", "detail", "digest")


@signed_in_page
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Show the events, newest first; a page goes on after the number of an event."""
    asked = parse_audit_request(request)
    events = find_events(asked.managed, asked.filters).select_related("actor")
    before = request.GET.get(BEFORE, "")
    if WHOLE_NUMBER.fullmatch(before):
        events = events.filter(number__lt=int(before))
    found = list(events[: PAGE_SIZE + 1]) if not asked.problem else []
    shown = found[:PAGE_SIZE]
    here = reverse("web:audit")
    hidden = list(hide_other_projects(shown, asked.managed))
    names = find_names(hidden, {each.pk: each.name for each in asked.choices}, current_user(request))
    context = {
        "asked": asked,
        "here": here,
        "rows": presenter.build_rows(hidden, names),
        "kinds": [(kind, name) for kind, name in words.KIND_NAMES.items() if kind not in CHANGES],
        "changes": [(kind, words.KIND_NAMES[kind]) for kind in CHANGES],
        "call_name": name_call(asked, current_user(request)),
        "without_call_url": with_query(here, {**asked.query, "call": None}),
        "csv_url": with_query(reverse("web:audit-csv"), asked.query),
        "clear_url": here if asked.query else "",
        "newest_url": with_query(here, asked.query) if before else "",
        "older_url": (
            with_query(here, {**asked.query, BEFORE: shown[-1].number}) if len(found) > PAGE_SIZE else ""
        ),
    }
    return render(request, "web/audit.html", context, status=400 if asked.problem else 200)


@signed_in_page
@require_safe
def audit_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer every event of the filtered list as CSV."""
    asked = parse_audit_request(request)
    if asked.problem:
        return HttpResponse(asked.problem, status=400, content_type="text/plain; charset=utf-8")
    events = find_events(asked.managed, asked.filters).select_related("actor").iterator(chunk_size=2000)
    rows = (
        (
            event.number,
            event.at.astimezone(dt.UTC).isoformat(timespec="seconds"),
            event.actor.email if event.actor_id and event.actor else None,
            event.action,
            event.subject,
            encode_detail(event),
            event.digest,
        )
        for event in hide_other_projects(events, asked.managed)
    )
    note(current_user(request), "audit.exported", "audit trail", projects=asked.managed or [])
    return csv_export.download("callscope-audit.csv", CSV_HEAD, rows)


def encode_detail(event: AuditEvent) -> str:
    """Return the detail as JSON; "" where there is none."""
    return json.dumps(event.detail, ensure_ascii=False, sort_keys=True) if event.detail else ""
