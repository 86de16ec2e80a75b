"""Name what the events of a page of the audit trail are about, in a few queries for all of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from callscope.accounts.models import AuditEvent, Team, User
from callscope.calls.models import Agent, Call, ShareLink, UploadedFile
from callscope.calls.namesakes import label_agents
from callscope.interfaces.web.presenters.audit_trail.rows import (
    TEAM_CHANGED,
    Names,
    is_of_report,
    parse_subject,
)
from callscope.interfaces.web.templatetags.formatting import day
from callscope.interfaces.web.views.records.audit_reasons import name_reasons
from callscope.pipeline.models import Probe, Replay
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.projects.versions import name_former_criteria
from callscope.reviews.models import Calibration, Review, ReviewSample, SamplingPlan

AGENT_KEYS = ("agent", "former_agent")  # of details that hold the number of an agent


def find_names(events: Sequence[AuditEvent], projects: Mapping[int, str], user: User) -> Names:
    """Return what the events are about in projects that the user sees, with pages that the user may open."""
    seen = list(permissions.visible_to(user).values_list("pk", flat=True))
    calls = dict(
        Call.objects.filter(
            pk__in={*_list_subjects(events, "call"), *_list_details(events, "call")}, project__in=seen
        ).values_list("pk", "file_name")
    )
    moved_between = {
        value
        for each in events
        if each.action == TEAM_CHANGED
        for value in each.detail.values()
        if _is_id(value)
    }
    teams = Team.objects.filter(pk__in={*_list_subjects(events, "team"), *moved_between})
    files = UploadedFile.objects.filter(pk__in=_list_subjects(events, "file"), project__in=seen)
    rows = list(files.values_list("pk", "original_filename", "call"))
    calls_of_files = {pk: call for pk, call in _list_files(events) if call in calls}
    calls_of_files |= {pk: call for pk, _name, call in rows if call is not None}
    reasons = name_reasons(events, seen)
    of_reports = {int(each.subject.split()[1]) for each in events if is_of_report(each)}
    report = reverse("web:report")
    return Names(
        dict(projects),
        calls,
        dict(teams.values_list("pk", "name")),
        files={pk: name for pk, name, _call in rows},
        urls={
            **{f"call {pk}": reverse("web:call", args=[pk]) for pk in calls},
            **{f"report {pk}": f"{report}?project_id={pk}" for pk in of_reports & set(seen)},
            **dict(_link_teams(events, user)),
            **dict(_link_work(events, user)),
            **{f"file {pk}": reverse("web:call", args=[call]) for pk, call in calls_of_files.items()},
        },
        detail_urls={**reasons.urls, **dict(_link_work_on_settings(events, seen))},
        details={
            **reasons.names,
            **{("call", pk): name for pk, name in calls.items()},
            **{(key, pk): name for pk, name in _name_agents(events, seen) for key in AGENT_KEYS},
            **{("review", pk): name for pk, name in _name_reviews(events, seen)},
            **{("link", pk): name for pk, name in _name_links(events, seen)},
            **{("criterion", each): name for each, name in _name_criteria(events, seen).items()},
        },
    )


def _list_subjects(events: Iterable[AuditEvent], kind: str) -> set[int]:
    return {int(match["id"] or 0) for each in events if (match := parse_subject(each, kind))}


def _list_files(events: Iterable[AuditEvent]) -> Iterator[tuple[int, Any]]:
    """Yield the files that events are about, with the call of each where the event names it."""
    for each in events:
        if match := parse_subject(each, "file"):
            yield int(match["id"] or 0), each.detail.get("call")


def _list_details(events: Iterable[AuditEvent], key: str) -> set[int]:
    return {each.detail[key] for each in events if _is_id(each.detail.get(key))}


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _link_teams(events: Sequence[AuditEvent], user: User) -> Iterator[tuple[str, str]]:
    """Yield the pages of the teams that the user is in."""
    own = Team.objects.filter(pk__in=_list_subjects(events, "team"), memberships__user=user)
    for pk in own.values_list("pk", flat=True):
        yield f"team {pk}", reverse("web:team", args=[pk])


def _link_work(events: Sequence[AuditEvent], user: User) -> Iterator[tuple[str, str]]:
    """Yield the pages of samples and calibrations, which are for people who may write in the project."""
    writable = permissions.writable_by(user).values("pk")
    for kind, model in (("sample", ReviewSample), ("calibration", Calibration)):
        found = model.objects.filter(pk__in=_list_subjects(events, kind), project__in=writable)
        for pk, project in found.values_list("pk", "project"):
            yield f"{kind} {pk}", reverse(f"web:project-{kind}", args=[project, pk])
    plans = SamplingPlan.objects.filter(pk__in=_list_subjects(events, "sampling plan"), project__in=writable)
    for pk, project in plans.values_list("pk", "project"):
        yield f"sampling plan {pk}", reverse("web:project-plans", args=[project])


def _link_work_on_settings(
    events: Sequence[AuditEvent], seen: Sequence[int]
) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the pages of probes and replays that are still there."""
    found: Any
    for kind, found in (("probe", Probe.objects), ("replay", Replay.objects)):
        rows = found.filter(pk__in=_list_details(events, kind), project__in=seen)
        for pk, project in rows.values_list("pk", "project"):
            yield (kind, pk), reverse(f"web:project-{kind}", args=[project, pk])


def _name_agents(events: Sequence[AuditEvent], seen: Sequence[int]) -> Iterable[tuple[int, str]]:
    has_calls = Exists(Call.objects.filter(agent=OuterRef("pk"), project__in=seen))  # of maybe thousands
    asked = {pk for key in AGENT_KEYS for pk in _list_details(events, key)}
    return label_agents(Agent.objects.filter(has_calls, pk__in=asked)).items()


def _name_reviews(events: Sequence[AuditEvent], seen: Sequence[int]) -> Iterator[tuple[int, str]]:
    found = Review.all_objects.filter(  # also ratings: the event names their author
        pk__in=_list_details(events, "review"), project__in=seen, reviewer__isnull=False
    )
    for pk, email in found.values_list("pk", "reviewer__email"):
        yield pk, _("%(number)s by %(email)s") % {"number": pk, "email": email}


def _name_links(events: Sequence[AuditEvent], seen: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield who shared something with a link, and until when; a link that has ended is gone."""
    of_seen = [each for each in events if each.detail.get("project") in seen]
    found = ShareLink.objects.filter(pk__in=_list_details(of_seen, "link"), project__in=seen)
    links = {link.pk: link for link in found.select_related("created_by")}
    for pk in _list_details(of_seen, "link"):
        link = links.get(pk)
        yield (
            pk,
            _("%(number)s by %(email)s, until %(day)s")
            % {"number": pk, "email": link.created_by.email, "day": day(timezone.localdate(link.expires_at))}
            if link
            else _("%(number)s (ended)") % {"number": pk},
        )


def _name_criteria(events: Sequence[AuditEvent], seen: Sequence[int]) -> dict[str, str]:
    """Return id → name of criteria, those of former rubrics too; no id that two projects name differently."""
    asked: dict[int, set[str]] = {}
    for each in events:
        criterion_id, project_id = each.detail.get("criterion"), each.detail.get("project")
        if criterion_id and project_id in seen:
            asked.setdefault(project_id, set()).add(str(criterion_id))
    names: dict[str, set[str]] = {}
    for project in Project.objects.filter(pk__in=asked):
        today = {each.id: each.name for _section, each in project.configuration.rubric.criteria()}
        known = name_former_criteria(project.pk, asked[project.pk] - set(today)) | today
        for criterion_id, name in known.items():
            names.setdefault(criterion_id, set()).add(name)
    return {each: found.pop() for each, found in names.items() if len(found) == 1}
