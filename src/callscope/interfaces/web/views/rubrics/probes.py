"""Probes: state what one will cost, start it, watch it, read what it comes to."""

from collections.abc import Collection, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from callscope.analysis.counterfactuals.groups import GROUPS, REPEAT
from callscope.calls.models import Call
from callscope.calls.private_words import engines_for_projects
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import render_page_or_fragment
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views.rubrics.answers import ANSWERS
from callscope.interfaces.web.views.rubrics.probe_advice import (
    FEW_IS_OVER_PCT,
    advise_on_fairness,
    advise_on_steadiness,
    describe_changed,
)
from callscope.interfaces.web.views.rubrics.probe_form import FIELDS, is_confirmed, keep_typed, read_form
from callscope.interfaces.web.views.rubrics.probe_names import (
    GROUP_NAMES,
    KIND_NAMES,
    QUESTIONS,
    STATE_NAMES,
)
from callscope.messages.translation import translate
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.probes.copying import list_groups
from callscope.pipeline.rubric_changes.probes.progress import (
    Progress,
    list_probes,
    read_agreement,
    read_changed_calls,
    read_progress,
    read_states,
)
from callscope.pipeline.rubric_changes.probes.stopping import stop_probe
from callscope.pipeline.rubric_changes.replays.drafts import find_comparable
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reviews.reading import HiddenCalls, list_hidden

MAX_LISTED = 20


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def probes(request: HttpRequest, project_id: int) -> HttpResponse:
    """List the probes; on POST state what one will cost, and start it once that is confirmed."""
    project = project_access.get_project_or_404(request, project_id)
    context: dict[str, object] = {}
    status = 200
    if request.method == "POST":
        project_access.require_writer(request, project)
        try:
            asked = read_form(project, request.POST)
            plan = asked.plan(project)
        except requests.InvalidProbe as error:
            status = 400
            context = {"typed": keep_typed(request.POST, error)}
            if error.field not in FIELDS:
                messages.error(request, translate(error.message))
        else:
            if not plan.calls:
                messages.error(request, _("No call has a transcript yet: there is nothing to judge."))
                return HttpResponseRedirect(request.path)
            if is_confirmed(request.POST.get("confirmed"), plan):
                made = requests.request_probe(project, plan, by=current_user(request))
                return HttpResponseRedirect(reverse("web:project-probe", args=[project.pk, made.pk]))
            context = {
                "asked": asked,
                "estimate": plan.estimate,
                "seed": plan.seed,
                "question": QUESTIONS[asked.kind],
                "asked_groups": [GROUP_NAMES[name] for name in GROUPS if name in asked.groups],
            }
    ids = Probe.objects.filter(project=project).order_by("-pk").values_list("pk", flat=True)[:MAX_LISTED]
    rows = sorted(
        (probe for kind in KIND_NAMES for probe in list_probes(project, kind, ids=list(ids))),
        key=lambda probe: -probe.pk,
    )
    states = read_states(rows)
    changed = read_changed_calls(rows)
    context |= {
        **project_access.project_context(request, project, "probes"),
        "probes": [
            (
                probe,
                KIND_NAMES[probe.kind],
                STATE_NAMES[states[probe.pk]],
                _describe_changed(probe, changed.get(probe.pk)),
            )
            for probe in rows
        ],
        "groups": [(name, GROUP_NAMES[name]) for name in GROUPS if name != REPEAT],
        "chosen_groups": list_groups(project),
        "limits": requests,
        "few": FEW_CALLS,
        "is_judged_by_rules": engines_for_projects(project).llm is None,
        "has_calls": find_comparable(project).exists(),
    }
    return render(request, "web/projects/probes.html", context, status=status)


@signed_in_page
@require_safe
def show(request: HttpRequest, project_id: int, probe_id: int) -> HttpResponse:
    """Show how far a probe is, and what it comes to."""
    project = project_access.get_project_or_404(request, project_id)
    probe = _get_probe(project, probe_id)
    found = read_progress(probe)
    names = {c.id: c.name for _section, c in parse(probe.config, is_stored=True).rubric.criteria()}
    hidden = list_hidden(current_user(request))
    context = {
        **project_access.project_context(request, project, "probes"),
        "probe": probe,
        "kind": KIND_NAMES[probe.kind],
        "found": found,
        "estimate": found.estimate,
        "is_open": found.state in ("queued", "running"),
        "drawn_calls": probe.estimate["calls"],
        "asked_groups": [name for name in probe.variants if name in GROUPS and name != REPEAT],
        "repeats": len(probe.variants) if probe.kind == Probe.Kind.STEADINESS else 0,
        "here": request.get_full_path(),
        "is_judged_by_rules": engines_for_projects(project).llm is None,
        **_show_outcome(project, probe, found, names, hidden),
    }
    return render_page_or_fragment(
        request, "web/projects/probe.html", "web/projects/probe_body.html", context
    )


@signed_in_page
@require_POST
def stop(request: HttpRequest, project_id: int, probe_id: int) -> HttpResponse:
    """Stop a probe; what was judged so far is kept."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    probe = _get_probe(project, probe_id)
    if stop_probe(probe, by=current_user(request)):
        messages.success(request, _("The probe is stopped. What was judged so far is kept."))
    else:
        messages.info(request, _("The probe has already ended."))
    return HttpResponseRedirect(reverse("web:project-probe", args=[project.pk, probe.pk]))


def _get_probe(project: Project, probe_id: int) -> Probe:
    probe = Probe.objects.filter(project=project, pk=min(probe_id, MAX_ID)).first()
    if probe is None:
        raise Http404
    return probe


def _show_outcome(
    project: Project, probe: Probe, found: Progress, names: Mapping[str, str], hidden: HiddenCalls
) -> dict[str, object]:
    if found.steadiness:
        return _show_steadiness(project, probe, found.steadiness, names, hidden)
    return _show_fairness(project, probe, found.fairness, names, hidden) if found.fairness else {}


def _show_steadiness(
    project: Project, probe: Probe, outcome: Any, names: Mapping[str, str], hidden: HiddenCalls
) -> dict[str, object]:
    is_by_rules = not probe.engine
    agreements = read_agreement(project)
    criteria = [
        (names.get(row["criterion_id"], row["criterion_id"]), row, agreements.get(row["criterion_id"]))
        for row in outcome["criteria"]
    ]
    changed = [each for each in criteria if each[1]["flips"]]
    steady = [each for each in criteria if not each[1]["flips"]]
    flips = {row["call_id"] for row in outcome["flipped"]}
    calls = Call.objects.filter(project=project).in_bulk(flips - hidden.all)
    flipped = [
        (
            calls[row["call_id"]],
            names.get(row["criterion_id"], row["criterion_id"]),
            [(ANSWERS.get(answer, answer), times) for answer, times in row["answers"].items()],
        )
        for row in outcome["flipped"]
        if row["call_id"] in calls
    ]
    return {
        "verdict": sum_up_steadiness(outcome["overall"], is_by_rules=is_by_rules),
        "advice": advise_on_steadiness(project, probe, outcome, changed, has_places=bool(flipped)),
        "changed": changed,
        "steady": steady,
        "overall": outcome["overall"],
        "cannot_change": is_by_rules and not outcome["overall"]["flips"],
        "has_kappa": _have_kappa(changed),
        "steady_has_kappa": _have_kappa(steady),
        "flipped": flipped,
        "left_out": hidden.among(flips),
    }


def _have_kappa(criteria: Collection[tuple[str, Any, Any]]) -> bool:
    return any(agreement and agreement.kappa is not None for _name, _row, agreement in criteria)


def sum_up_steadiness(overall: Mapping[str, Any], *, is_by_rules: bool = False) -> str:
    """Return in one sentence what the probe says; what is still possible over so few calls is part of it.

    Rules say the same each time, however few the calls are.
    """
    calls, flips, high = overall["calls"], overall["flips"], overall["high"]
    if is_by_rules and calls and not flips:
        return _("No answer changed: rules always give the same answer to the same words.")
    if not calls or high is None:
        return _("No call could be judged twice, so nothing is known.")
    names = {"calls": number(calls), "flips": number(flips), "high": number(high, 1)}
    if not flips:
        if high < FEW_IS_OVER_PCT:
            return (
                _("No answer changed in %(calls)s calls: they change in less than %(high)s %% of calls.")
                % names
            )
        text = ngettext(
            "No answer changed in %(calls)s call. "
            "With so few, up to %(high)s %% of calls could still have one.",
            "No answer changed in %(calls)s calls. "
            "With so few, up to %(high)s %% of calls could still have one.",
            calls,
        )
        return text % names
    text = _(
        "An answer changed in %(flips)s of %(calls)s calls: %(share)s %%, 95 %% interval %(low)s to %(high)s."
    )
    return text % {**names, "share": number(overall["flip_pct"], 1), "low": number(overall["low"], 1)}


def _describe_changed(probe: Probe, changed: tuple[int, int] | None) -> str:
    """Return "changed in 2 of 40 calls"; of a fairness probe, of the copies that change most."""
    if not changed or not changed[1]:
        return ""
    names = {"flips": number(changed[0]), "calls": number(changed[1])}
    is_fairness = probe.kind == Probe.Kind.FAIRNESS
    if is_fairness and changed[0]:
        text = _("changed in up to %(flips)s of %(calls)s calls") % names
    else:
        text = _("changed in %(flips)s of %(calls)s calls") % names
    if (is_fairness or probe.engine) and probe.estimate["calls"] < FEW_CALLS:
        return _("%(result)s, too few for a verdict") % {"result": text}
    return text


def _show_fairness(
    project: Project, probe: Probe, outcome: Any, names: Mapping[str, str], hidden: HiddenCalls
) -> dict[str, object]:
    moves = {row["call_id"] for row in outcome["moved"]}
    calls = Call.objects.filter(project=project).in_bulk(moves - hidden.all)
    groups = [
        (
            GROUP_NAMES.get(group["group"], group["group"]),
            group,
            [
                (names.get(row["criterion_id"], row["criterion_id"]), row)
                for row in group["criteria"]
                if row["flips"]
            ],
        )
        for group in outcome["groups"]
    ]
    by_copy: dict[tuple[int, str], list[Any]] = {}
    for row in outcome["moved"]:
        if row["call_id"] in calls:
            by_copy.setdefault((row["call_id"], row["group"]), []).append(row)
    moved = [
        (
            calls[call_id],
            GROUP_NAMES.get(group, group),
            [
                (
                    names.get(row["criterion_id"], row["criterion_id"]),
                    ANSWERS.get(row["before"], row["before"]),
                    ANSWERS.get(row["after"], row["after"]),
                )
                for row in rows
            ],
            rows[0],  # the scores are those of the whole copy
        )
        for (call_id, group), rows in by_copy.items()
    ]
    shifts = [group["score_shift"] for group in outcome["groups"]]
    is_zeroing = probe.config.get("rubric", {}).get("on_critical_error") == "zero_score"
    return {
        "groups": groups,
        "moved": moved,
        "left_out": hidden.among(moves),
        "has_zeroed": is_zeroing and any(0 in (row["score_before"], row["score_after"]) for *_, row in moved),
        "verdict": sum_up_fairness(outcome, is_by_rules=not probe.engine),
        "advice": advise_on_fairness(
            project,
            outcome,
            is_clear=is_clearly_unfair(outcome, is_by_rules=not probe.engine),
            is_by_rules=not probe.engine,
        ),
        "few": FEW_CALLS,
        "has_interval": any(group["overall"]["low"] is not None for group in outcome["groups"]),
        "has_shift_interval": any(
            each["calls"] >= FEW_CALLS and each["low"] != each["high"] for each in shifts
        ),
    }


def is_clearly_unfair(outcome: Mapping[str, Any], *, is_by_rules: bool = False) -> bool:
    """Return whether a group of copies changes more answers than the same words again do.

    Rules answer the same words alike, so that chance has no part in what a copy changes.
    """
    measured = {group["group"]: group["overall"] for group in outcome["groups"] if group["overall"]["calls"]}
    same = measured.pop(REPEAT, None)
    most = max(measured.values(), key=lambda each: each["flips"] / each["calls"], default=None)
    if most is None or not most["flips"]:
        return False
    is_exact = is_by_rules and not (same and same["flips"])
    return is_exact or not same or same["high"] is None or most["low"] > same["high"]


def sum_up_fairness(outcome: Mapping[str, Any], *, is_by_rules: bool = False) -> str:
    """Return in one sentence whether copies change answers more than the same words again do."""
    calls = outcome["calls"]
    if calls < FEW_CALLS:
        text = ngettext(
            "%(calls)s call was compared with its copies: at least %(least)s are needed to say anything.",
            "%(calls)s calls were compared with their copies: at least %(least)s are needed to say anything.",
            calls,
        )
        return text % {"calls": number(calls), "least": number(FEW_CALLS)}
    measured = {group["group"]: group["overall"] for group in outcome["groups"] if group["overall"]["calls"]}
    same = measured.pop(REPEAT, None)
    name, most = max(
        measured.items(), key=lambda each: each[1]["flips"] / each[1]["calls"], default=("", None)
    )
    if most is None:
        return _("No call had a copy that differs from it, so nothing is known.")
    names = {
        "group": str(GROUP_NAMES.get(name, name)),
        "flips": number(most["flips"]),
        "calls": number(most["calls"]),
    }
    if not most["flips"]:
        return _describe_unchanged(measured)
    if not is_clearly_unfair(outcome, is_by_rules=is_by_rules):
        return (
            _(
                "No copies clearly change more answers than the same words again do. Most changed with "
                "%(group)s: %(flips)s of %(calls)s calls."
            )
            % names
        )
    if is_by_rules and not (same and same["flips"]):
        return describe_changed(outcome)
    text = _(
        "Copies with %(group)s change more answers than the same words again do: %(flips)s of %(calls)s "
        "calls, against %(same_flips)s of %(same_calls)s."
    )
    same = same or {"flips": 0, "calls": 0}
    return text % {**names, "same_flips": number(same["flips"]), "same_calls": number(same["calls"])}


def _describe_unchanged(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Return over how many copies no answer changed, and of which group there were the fewest."""
    fewest, overall = min(measured.items(), key=lambda each: each[1]["calls"])
    names = {
        "copies": number(sum(each["calls"] for each in measured.values())),
        "group": str(GROUP_NAMES.get(fewest, fewest)),
        "calls": number(overall["calls"]),
    }
    if len(measured) == 1:
        return _("No answer changed in %(calls)s copies with %(group)s.") % names
    return _("No answer changed in %(copies)s copies. The fewest had %(group)s: %(calls)s.") % names
