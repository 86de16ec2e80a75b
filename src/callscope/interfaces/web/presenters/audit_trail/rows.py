"""The events of the audit trail as the rows of a page."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext

from callscope.accounts.models import AuditEvent
from callscope.accounts.trail.search import ACTIONS
from callscope.interfaces.web.presenters.audit_trail.words import (
    ACTION_NAMES,
    DETAIL_NAMES,
    NO,
    REPORT_TABLES,
    SUBJECT_NAMES,
    VALUE_NAMES,
    YES,
)

TEAM_CHANGED = "project.team_changed"
SUBJECT = re.compile(r"(?P<kind>[a-z]+(?: [a-z]+)*)(?: (?P<id>[0-9]+))?")


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that an event says."""

    name: str | Promise
    value: str
    url: str = ""  # of the page of what it names; "" where there is none to open


@dataclass(frozen=True, slots=True)
class Row:
    """One event as the page shows it."""

    event: AuditEvent
    actor: str | Promise  # who it was where that is no user; "" where nobody knows
    action: str | Promise
    action_url: str  # of the page of what was started, such as a probe; "" where there is none
    subject_name: str | Promise
    subject_id: str  # "" where it has none
    title: str  # of the project, call or file that it is about; "" where that is gone or not to be seen
    url: str  # of the page of that; "" where there is none to open
    project: str  # the name of the project in which it happened, unless it is about that
    details: list[Detail]


@dataclass(frozen=True, slots=True)
class Names:
    """What some events are about, as far as the visitor may see it: names by id, pages by subject."""

    projects: dict[int, str]
    calls: dict[int, str] = field(default_factory=dict)
    teams: dict[int, str] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    urls: dict[str, str] = field(default_factory=dict)
    details: dict[tuple[str, int | str], str] = field(default_factory=dict)  # by key and number of a detail
    detail_urls: dict[tuple[str, int], str] = field(default_factory=dict)


def parse_subject(event: AuditEvent, kind: str = "") -> re.Match[str] | None:
    match = SUBJECT.fullmatch(event.subject)
    return match if match and (not kind or match["kind"] == kind) else None


def build_rows(events: Iterable[AuditEvent], names: Names) -> list[Row]:
    """Return the events in the words of the page."""
    rows = []
    for event in events:
        match = parse_subject(event)
        kind, number = (match["kind"], int(match["id"] or 0)) if match else ("", 0)
        titles = {
            "project": names.projects,
            "call": names.calls,
            "team": names.teams,
            "file": names.files,
        }
        title = titles.get(kind, {}).get(number, "")
        if title and is_of_report(event):
            title = gettext("Report of %(project)s") % {"project": title}
        happened_in = event.detail.get("project")
        project = names.projects.get(happened_in, "") if isinstance(happened_in, int) else ""
        rows.append(
            Row(
                event=event,
                actor=name_actor(event),
                action=ACTION_NAMES.get(event.action, event.action),
                action_url=link_action(event, names),
                subject_name=name_subject(event.subject, kind),
                subject_id=str(number) if number and kind in SUBJECT_NAMES else "",
                title=title,
                url=names.urls.get(f"report {number}" if is_of_report(event) else event.subject, ""),
                project="" if kind == "project" and number == happened_in else project,
                details=[
                    each
                    for each in build_details(name_teams(event, names), names)
                    if kind != "file" or each.value != title  # a call is mostly called as its file is
                ],
            )
        )
    return rows


def link_action(event: AuditEvent, names: Names) -> str:
    """Return the address of the page of what an event started."""
    started = {"project.probed": "probe", "project.replayed": "replay"}.get(event.action, "")
    return names.detail_urls.get((started, event.detail.get(started, 0)), "")


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
        if key == "fields" and ("change", recorded.get("change")) in details:
            continue  # what was sent, also where it is as before: the change says what is different
        named = [known.get(each, each) for each in value] if key == "projects" else value
        named = [details.get(("contact_reason", each), each) for each in value] if key == "reasons" else named
        url = ""
        if isinstance(value, int | str):
            named = details.get((key, value), value)
            url = names.detail_urls.get((key, value), "") if names and isinstance(value, int) else ""
        shown.append(Detail(DETAIL_NAMES.get(key, key), describe_value(named, key), url))
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
