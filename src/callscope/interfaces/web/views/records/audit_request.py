"""What the address of the audit trail asks for, and whose events the visitor may see."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext as _

from callscope.accounts.models import User
from callscope.accounts.sign_in_limits import fold_email
from callscope.accounts.trail.search import KINDS, AuditFilters, find_actors
from callscope.calls.models import Call, UploadedFile
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user
from callscope.interfaces.web.query_string import pick_params
from callscope.interfaces.web.report_request import WHOLE_NUMBER, parse_days
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.projects.scope import ProjectRef

PARAMETERS = ("kind", "person", "project_id", "call", "start_date", "end_date")
NOBODY = 0
LISTED_PEOPLE = 300  # e-mails that the field of a person offers


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """The parsed address."""

    managed: list[int] | None  # the projects whose events the visitor may see; None: every event
    choices: list[ProjectRef]
    filters: AuditFilters
    query: dict[str, str]
    problem: str
    emails: list[str]  # of the people whose events may be there, as far as a field can offer them

    @property
    def names_nobody(self) -> bool:
        """Return whether the person that is asked for is none of these people."""
        return self.filters.actor_ids is not None and not self.filters.actor_ids


def parse_audit_request(request: HttpRequest) -> AuditRequest:
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
    call = query.get("call", "")
    is_call = WHOLE_NUMBER.fullmatch(call) is not None and int(call) <= MAX_ID
    if call and not is_call:
        problem = problem or _('"%(value)s" is not the number of a call.') % {"value": call[:40]}
    call_id = int(call) if is_call else None
    people = find_people(managed)
    filters = AuditFilters(
        kind=kind if kind in KINDS else None,
        actor_ids=pick_people(people, query.get("person", "")),
        project_id=int(project_id) if project_id and not problem else None,
        call_id=call_id,
        file_ids=list(UploadedFile.objects.filter(call=call_id).values_list("pk", flat=True))
        if call_id
        else (),
        start_at=window.start_at,
        end_at=window.until,
    )
    named, emails = project_access.tell_apart(choices), list(people.values())[:LISTED_PEOPLE]
    return AuditRequest(managed, named, filters, query, problem, emails)


def find_people(managed: list[int] | None) -> dict[int, str]:
    """Return id → e-mail, by e-mail, of who did something in the projects or has a role in them.

    None: everybody.
    """
    people = find_actors(managed)
    if managed:
        people |= dict(permissions.people_of(managed).values_list("pk", "email"))
    return dict(sorted(people.items(), key=lambda person: person[1]))


def pick_people(people: Mapping[int, str], text: str) -> list[int] | None:
    """Return the ids of those in whose e-mail this stands; None where nobody is asked for."""
    part = fold_email(text)
    return [pk for pk, email in people.items() if part in email] if part else None


def name_call(asked: AuditRequest, user: User) -> str:
    """Return the file name of the call that is asked for; its number where the visitor sees no such call."""
    call_id = asked.filters.call_id
    if call_id is None:
        return ""
    found = Call.objects.filter(pk=call_id, project__in=permissions.visible_to(user))
    name = found.values_list("file_name", flat=True).first()
    return name or _("Call %(number)s") % {"number": call_id}
