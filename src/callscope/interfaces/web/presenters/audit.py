"""The audit trail in the words of a page."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from callscope.accounts.models import AuditEvent
from callscope.accounts.trail.search import ACTIONS, Kind
from callscope.interfaces.web.presenters.report import CSV_TABLES
from callscope.interfaces.web.project_access import ROLE_NAMES
from callscope.interfaces.web.settings_parts.catalog import PARTS
from callscope.interfaces.web.templatetags.setup import REDACTIONS

KIND_NAMES: dict[Kind, Promise] = {
    "sign_ins": _("Sign-ins"),
    "refusals": _("Refusals"),
    "reads": _("Reads and plays"),
    "exports": _("Exports"),
    "engines": _("Requests to engines"),
    "erasures": _("Erasures"),
    "operation": _("Backups and imports"),
    "changes": _("Changes"),
}
# An action without a name here is shown as it is recorded.
ACTION_NAMES: dict[str, Promise] = {
    "access.refused": _("Access refused"),
    "agent.erased": _("Agent erased"),
    "agent.linked": _("Agent linked to a user"),
    "agent.unlinked": _("Link of agent removed"),
    "appeal.accepted": _("Appeal accepted"),
    "appeal.filed": _("Appeal of an agent"),
    "appeal.refused": _("Appeal refused"),
    "audit.cut": _("Old events of the trail removed"),
    "audit.pseudonymized": _("E-mail of a user removed from the trail"),
    "audit.exported": _("Audit trail exported"),
    "backup.created": _("Backup made"),
    "backup.restored": _("Backup restored"),
    "calibration.closed": _("Calibration closed"),
    "calibration.opened": _("Calibration opened"),
    "calibration.settled": _("Calibration answers settled"),
    "call.erased": _("Call erased"),
    "calls.erased": _("Selected calls erased"),
    "call.metadata_changed": _("Call metadata changed"),
    "call.read": _("Call read"),
    "caller.erased": _("Caller erased"),
    "calls.exported": _("Calls exported"),
    "calls.imported": _("Calls imported"),
    "engine.called": _("Sent to an engine"),
    "file.deleted": _("File deleted"),
    "file.failed": _("File failed"),
    "file.read": _("File read"),
    "file.replaced": _("File replaced"),
    "file.retried": _("File tried again"),
    "file.uploaded": _("File uploaded"),
    "invitation.accepted": _("Invitation accepted"),
    "invitation.created": _("Invitation sent"),
    "invitation.declined": _("Invitation declined"),
    "invitation.withdrawn": _("Invitation withdrawn"),
    "key.created": _("API key created"),
    "key.refused": _("API key refused"),
    "key.revoked": _("API key revoked"),
    "manifest.applied": _("Manifest applied"),
    "organization.logo_set": _("Logo of the organization changed"),
    "organization.named": _("Name of the organization changed"),
    "password.refused": _("Old password refused"),
    "project.configured": _("Settings changed"),
    "project.created": _("Project created"),
    "project.deleted": _("Project deleted"),
    "project.probed": _("Settings probed"),
    "project.regrouped": _("Contact reasons regrouped"),
    "project.moved": _("Project transferred to another owner"),
    "project.renamed": _("Project renamed"),
    "project.replayed": _("Draft of settings replayed"),
    "project.rescored": _("Calls scored again"),
    "project.shared": _("Project shared"),
    "project.team_changed": _("Project moved to another team"),
    "project.unshared": _("Share removed"),
    "reason.calls_moved": _("Calls moved to a contact reason"),
    "reason.coded": _("Contact reasons made codes"),
    "reason.edited": _("Contact reason edited"),
    "reason.merged": _("Contact reasons merged"),
    "reason.split": _("Contact reason split"),
    "reason.undone": _("Change of contact reasons undone"),
    "recording.played": _("Recording played"),
    "report.mailed": _("Report sent by mail"),
    "report.printed": _("Report exported as PDF"),
    "note.changed": _("Note on a call changed"),
    "note.created": _("Note on a call added"),
    "note.removed": _("Note on a call removed"),
    "report_mail.ended": _("Report by mail ended"),
    "report_mail.started": _("Report by mail set up"),
    "retention.applied": _("Removed by retention"),
    "review.acknowledged": _("Review read by the agent"),
    "review.changed": _("Review draft changed"),
    "review.created": _("Review started"),
    "review.submitted": _("Review submitted"),
    "review.withdrawn": _("Review withdrawn"),
    "sample.drawn": _("Sample of calls to review drawn"),
    "sample.withdrawn": _("Calls of a sample withdrawn"),
    "sampling_plan.created": _("Weekly review sample set up"),
    "sampling_plan.ended": _("Weekly review sample ended"),
    "share_link.created": _("Share link created"),
    "share_link.opened": _("Share link opened"),
    "share_link.played": _("Recording played from a share link"),
    "share_link.revoked": _("Share link revoked"),
    "sign_in.failed": _("Sign-in failed"),
    "sign_in.locked": _("Sign-in locked"),
    "table.exported": _("Table exported"),
    "team.admin_set": _("Team admin changed"),
    "team.created": _("Team created"),
    "team.deleted": _("Team deleted"),
    "team.member_added": _("Team member added"),
    "team.member_removed": _("Team member removed"),
    "team.renamed": _("Team renamed"),
    "transcript.read": _("Transcript read"),
    "user.activated": _("User activated"),
    "user.created": _("User created"),
    "user.deactivated": _("User deactivated"),
    "user.erased": _("User erased"),
    "user.identity_linked": _("Single sign-on linked"),
    "user.password_changed": _("Password changed"),
    "user.password_link_sent": _("Link for a new password sent"),
    "user.password_reset": _("Password reset by mail"),
    "user.password_set": _("Password set"),
    "user.quota_set": _("Trial quota set"),
    "user.recovery_code_used": _("Recovery code used"),
    "user.recovery_codes_made": _("Recovery codes created"),
    "user.second_factor_added": _("Second factor added"),
    "user.second_factor_removed": _("Second factor removed"),
    "user.signed_in": _("Signed in"),
    "user.signed_out": _("Signed out everywhere"),
}
SUBJECT_NAMES: dict[str, Promise] = {
    "answers": _("Answers"),
    "audit trail": _("Audit trail"),
    "calibration": _("Calibration"),
    "call": _("Call"),
    "calls": _("Calls"),
    "file": _("File"),
    "instance": _("The whole server"),
    "key": _("API key"),
    "manifest": _("Manifest"),
    "organization": _("Organization"),
    "page": _("Page"),
    "project": _("Project"),
    "report": _("Report"),
    "sample": _("Sample"),
    "sampling plan": _("Weekly sample"),
    "team": _("Team"),
    "user": _("User"),
}
REPORT_TABLES: dict[str, Promise] = {f"report {table}": name for table, name in CSV_TABLES}
# A detail without a name here is shown by its key.
DETAIL_NAMES: dict[str, Promise] = {
    "admin": _("Admin"),
    "agent": _("Agent"),
    "problem": _("Problem"),
    "rhythm": _("Frequency"),
    "analyses": _("Analyses"),
    "appeal": _("Appeal"),
    "appeals": _("Appeals"),
    "calibration": _("Calibration"),
    "call": _("Call"),
    "calls": _("Calls"),
    "change": _("Change"),
    "changed": _("Changed"),
    "contact_reason": _("Contact reason"),
    "created": _("Created"),
    "criterion": _("Criterion"),
    "days": _("Days"),
    "digest": _("Digest"),
    "email": _("E-mail"),
    "erased": _("Erased"),
    "errors": _("Errors"),
    "events": _("Events"),
    "fields": _("Fields"),
    "former": _("Before"),
    "hosts": _("Destination"),
    "issuer": _("Issuer"),
    "kept_until": _("Kept until"),
    "kind": _("Kind"),
    "left": _("Left"),
    "link": _("Link"),
    "matched": _("Matched"),
    "method": _("Method"),
    "minutes": _("Minutes"),
    "mode": _("Mode"),
    "kept": _("Kept"),
    "coded": _("With a code"),
    "other": _("Other"),
    "name": _("Name"),
    "new": _("New"),
    "note": _("Note"),
    "only_project": _("Only project"),
    "owner": _("Owner"),
    "private_transcription": _("Private transcription"),
    "project": _("Project"),
    "projects": _("Projects"),
    "projects_moved": _("Projects transferred"),
    "reason": _("Reason"),
    "reasons": _("Contact reasons"),
    "recordings": _("Recordings"),
    "recordings_days": _("Recordings (days)"),
    "redact": _("Redaction"),
    "replaced": _("Replaced"),
    "restored": _("Restored version"),
    "results_days": _("Results and figures (days)"),
    "retention": _("Retention"),
    "review": _("Review"),
    "reviews": _("Reviews"),
    "revision": _("Revision"),
    "role": _("Role"),
    "rows": _("Rows"),
    "scope": _("Scope"),
    "seed": _("Seed"),
    "second_factor": _("Second factor"),
    "sessions": _("Sessions"),
    "shared": _("Shared"),
    "stage": _("Step"),
    "status": _("Status"),
    "superuser": _("Administrator"),
    "through": _("Up to event"),
    "times": _("Times"),
    "transcripts_days": _("Transcripts and quotes (days)"),
    "unmatched": _("Unmatched"),
    "user": _("User"),
    "version": _("Version"),
    "work": _("Work"),
}
YES, NO = pgettext_lazy("answer", "yes"), pgettext_lazy("answer", "no")
TEAM_CHANGED = "project.team_changed"
SUBJECT = re.compile(r"(?P<kind>[a-z]+(?: [a-z]+)*)(?: (?P<id>[0-9]+))?")
# What is recorded by a name of the source, in the words of the pages; by the key of the detail.
VALUE_NAMES: dict[str, Mapping[str, str | Promise]] = {
    "changed": {key: part.title for part in PARTS.values() for key in part.keys},
    "fields": {
        "agent_id": _("Agent's number"),
        "agent_name": _("Agent"),
        "call_datetime": _("Time of the call"),
        "caller_number": _("Caller number"),
        "campaign": _("Campaign"),
        "description": _("Description"),
        "direction": _("Direction"),
        "is_pinned": _("Pinned"),
        "is_set_aside": _("Set aside"),
        "name": _("Name"),
        "parent": _("Parent reason"),
    },
    "former": ROLE_NAMES,
    "kind": {"steadiness": _("Steadiness"), "fairness": _("Fairness")},
    "redact": REDACTIONS,
    "rhythm": {"weekly": _("weekly"), "monthly": _("monthly")},
    "role": ROLE_NAMES,
    "scope": {"read": _("read"), "write": _("read and write")},
}


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that an event says."""

    name: str | Promise
    value: str


@dataclass(frozen=True, slots=True)
class Row:
    """One event as the page shows it."""

    event: AuditEvent
    actor: str | Promise  # who it was where that is no user; "" where nobody knows
    action: str | Promise
    subject_name: str | Promise
    subject_id: str  # "" where it has none
    title: str  # of the project or call that it is about; "" where that is gone or not to be seen
    url: str  # of the page of that; "" where there is none to open
    project: str  # the name of the project in which it happened, unless it is about that
    details: list[Detail]


@dataclass(frozen=True, slots=True)
class Names:
    """What some events are about, as far as the visitor may see it: names by id, pages by subject."""

    projects: dict[int, str]
    calls: dict[int, str] = field(default_factory=dict)
    teams: dict[int, str] = field(default_factory=dict)
    urls: dict[str, str] = field(default_factory=dict)
    details: dict[tuple[str, int | str], str] = field(default_factory=dict)  # by key and number of a detail


def parse_subject(event: AuditEvent, kind: str = "") -> re.Match[str] | None:
    match = SUBJECT.fullmatch(event.subject)
    return match if match and (not kind or match["kind"] == kind) else None


def build_rows(events: Iterable[AuditEvent], names: Names) -> list[Row]:
    """Return the events in the words of the page."""
    rows = []
    for event in events:
        match = parse_subject(event)
        kind, number = (match["kind"], int(match["id"] or 0)) if match else ("", 0)
        title = {"project": names.projects, "call": names.calls, "team": names.teams}.get(kind, {}).get(
            number, ""
        )
        if title and is_of_report(event):
            title = gettext("Report of %(project)s") % {"project": title}
        happened_in = event.detail.get("project")
        project = names.projects.get(happened_in, "") if isinstance(happened_in, int) else ""
        rows.append(
            Row(
                event=event,
                actor=name_actor(event),
                action=ACTION_NAMES.get(event.action, event.action),
                subject_name=name_subject(event.subject, kind),
                subject_id=str(number) if number and kind in SUBJECT_NAMES else "",
                title=title,
                url=names.urls.get(f"report {number}" if is_of_report(event) else event.subject, ""),
                project="" if kind == "project" and number == happened_in else project,
                details=build_details(name_teams(event, names), names),
            )
        )
    return rows


def is_of_report(event: AuditEvent) -> bool:
    """Return whether an event is about a link to the report of the project that is its subject."""
    return event.action.startswith("share_link.") and event.subject.startswith("project ")


def name_teams(event: AuditEvent, names: Names) -> Mapping[str, Any]:
    """Return what an event says, with the names of the teams between which a project moved."""
    recorded: Mapping[str, Any] = event.detail
    if event.action != TEAM_CHANGED:
        return recorded
    return {key: names.teams.get(value, value) for key, value in recorded.items()}


def name_actor(event: AuditEvent) -> str | Promise:
    """Return who did what no user did; "" for a user, and for who was refused before signing in."""
    if event.actor_id is not None:
        return "" if event.actor else gettext("a user who was erased")
    if event.action.startswith("share_link."):
        return gettext("visitor with a link")
    return "" if event.action in ACTIONS["refusals"] else gettext("system")


def name_subject(subject: str, kind: str) -> str | Promise:
    """Return what an event is about in words; as it is recorded, where it has none."""
    if subject in REPORT_TABLES:
        return gettext("Report: %(table)s") % {"table": REPORT_TABLES[subject]}
    return SUBJECT_NAMES.get(kind) or subject


def build_details(recorded: Mapping[str, Any], names: Names | None = None) -> list[Detail]:
    """Return what is recorded by name, sorted by key; what is empty is left out.

    So is the project whose name stands with the subject; several are named as far as they are known.
    """
    known, details = (names.projects, names.details) if names else ({}, {})
    shown = []
    for key, value in sorted(recorded.items()):
        if value in (None, "", [], {}) or (key == "project" and value in known):
            continue
        named = [known.get(each, each) for each in value] if key == "projects" else value
        named = details.get((key, value), value) if isinstance(value, int | str) else named
        shown.append(Detail(DETAIL_NAMES.get(key, key), describe_value(named, key)))
    return shown


def describe_value(value: Any, key: str = "") -> str:
    """Return a recorded value in one line: "before → now" of what changed, else names and values."""
    if isinstance(value, bool):
        return str(YES if value else NO)
    if isinstance(value, Mapping):
        if value.keys() == {"former", "new"}:
            return _describe_change(value["former"], value["new"], key)
        return "; ".join(f"{DETAIL_NAMES.get(n, n)}: {describe_value(v, n)}" for n, v in value.items())
    if isinstance(value, list):
        return ", ".join(describe_value(each, key) for each in value) or "–"
    return "–" if value is None else str(VALUE_NAMES.get(key, {}).get(str(value), value))


def _describe_change(former: Any, new: Any, key: str) -> str:
    """Return "before → now"; of several values those that differ."""
    if isinstance(former, Mapping) and isinstance(new, Mapping):
        names = [name for name in {**former, **new} if former.get(name) != new.get(name)]
        changes = (_describe_change(former.get(name), new.get(name), name) for name in names)
        named = zip(names, changes, strict=True)
        return "; ".join(f"{DETAIL_NAMES.get(name, name)}: {change}" for name, change in named)
    return f"{describe_value(former, key)} → {describe_value(new, key)}"
