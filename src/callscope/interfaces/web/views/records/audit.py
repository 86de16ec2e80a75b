"""The audit trail: for those who manage projects, and all of it for administrators of the instance."""

import datetime as dt
import json
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from callscope.accounts.models import AuditEvent, User
from callscope.accounts.sign_in_limits import fold_email
from callscope.accounts.trail.notes import note
from callscope.accounts.trail.search import KINDS, AuditFilters, find_events, hide_other_projects
from callscope.db.limits import MAX_ID, is_storable
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.downloads import csv_export
from callscope.interfaces.web.presenters.audit_trail import rows as presenter
from callscope.interfaces.web.presenters.audit_trail import words
from callscope.interfaces.web.query_string import pick_params, with_query
from callscope.interfaces.web.report_request import WHOLE_NUMBER, parse_days
from callscope.interfaces.web.views.records.audit_names import find_names
from callscope.projects import permissions
from callscope.projects.models import Project

PAGE_SIZE = 50
PARAMETERS = ("kind", "person", "project_id", "start_date", "end_date")
BEFORE = "before"  # the number of the event after which a page goes on
NOBODY = 0
CSV_HEAD = ("number", "at", "actor", "action", "subject", "detail", "digest")


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """The parsed address."""

    managed: list[int] | None  # the projects whose events the visitor may see; None: every event
    choices: list[Project]
    filters: AuditFilters
    query: dict[str, str]
    problem: str


@signed_in_page
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Show the events, newest first; a page goes on after the number of an event."""
    asked = _parse_request(request)
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
        "kinds": words.KIND_NAMES.items(),
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
    asked = _parse_request(request)
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


def _parse_request(request: HttpRequest) -> AuditRequest:
    """Return what the address asks for. 404 and 403 for a project that the visitor does not manage."""
    user = current_user(request)
    choices = project_access.list_projects(request)
    if user.is_superuser:
        managed, choices = (
            None,
            sorted(Project.objects.all(), key=lambda each: (each.name.casefold(), each.pk)),
        )
    else:
        managed = permissions.list_managed(user)
        choices = [each for each in choices if each.pk in managed]
    query = pick_params(request, PARAMETERS)
    window, problem = parse_days(request)
    project_id = query.get("project_id", "")
    if project_id:
        known = WHOLE_NUMBER.fullmatch(project_id) and int(project_id) <= MAX_ID
        if managed is not None:
            project = project_access.get_project_or_404(request, int(project_id) if known else NOBODY)
            project_access.require_manager(request, project)
        elif not known:
            problem = problem or _('"%(value)s" is not the number of a project.') % {"value": project_id[:40]}
    kind = query.get("kind", "")
    if kind and kind not in KINDS:
        problem = problem or _('"%(value)s" is not a kind of event. Allowed: %(allowed)s.') % {
            "value": kind[:40],
            "allowed": ", ".join(KINDS),
        }
    filters = AuditFilters(
        kind=kind if kind in KINDS else None,
        actor_id=_find_person(query.get("person", "")),
        project_id=int(project_id) if project_id and not problem else None,
        start_at=window.start_at,
        end_at=window.until,
    )
    return AuditRequest(managed, choices, filters, query, problem)


def _find_person(text: str) -> int | None:
    """Return the id of the user with this e-mail; one that nobody has finds nothing."""
    if not text.strip():
        return None
    email = fold_email(text)
    found = (
        User.objects.filter(email=email).values_list("pk", flat=True).first() if is_storable(email) else None
    )
    return found or NOBODY
