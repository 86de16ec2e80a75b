"""A draft of the settings judged on past calls: start it, watch or stop it, read its result, publish it."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from callscope.calls.models import Call
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import render_page_or_fragment
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.request_data import read_json
from callscope.interfaces.web.settings_parts.field_words import list_errors
from callscope.interfaces.web.views.rubrics import publish_form, rounding
from callscope.interfaces.web.views.rubrics.answers import ANSWERS, LEFT_OPEN_BY
from callscope.interfaces.web.views.rubrics.changed_calls import (
    name_all_criteria,
    show_changed_calls,
    show_one_sided,
)
from callscope.interfaces.web.views.rubrics.draft_changes import describe_draft
from callscope.interfaces.web.views.rubrics.publication import find_publication, name_sides
from callscope.interfaces.web.views.rubrics.replay_besides import show_besides
from callscope.interfaces.web.views.rubrics.replay_heads import describe_draw
from callscope.interfaces.web.views.rubrics.time_left import describe_time_left
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.pipeline.ledger.estimates import find_engines
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.probes.warnings import check_steadiness
from callscope.pipeline.rubric_changes.replays import drafts, publishing
from callscope.pipeline.rubric_changes.replays.answers import NOT_EVALUATED
from callscope.pipeline.rubric_changes.replays.comparison import MOST_CHANGED, ChangedCriterion
from callscope.pipeline.rubric_changes.replays.progress import Progress, is_stopping, read_progress
from callscope.pipeline.rubric_changes.replays.stopping import stop_replay
from callscope.projects.configuration import InvalidConfiguration, parse
from callscope.projects.models import Project
from callscope.projects.services import ProtectedSetting
from callscope.projects.versions import (
    Document,
    find_document,
    list_changed_settings,
    list_criteria,
)
from callscope.reviews.reading import list_hidden


@dataclass(frozen=True, slots=True)
class Move:
    """So many calls went from one answer to another."""

    before: str | Promise
    after: str | Promise
    calls: int
    is_open: bool  # it goes to "not evaluated"


@dataclass(frozen=True, slots=True)
class ShownCriterion:
    """How the answers to one criterion moved; only the moves, most calls first."""

    name: str
    calls: int  # that both judgments answer
    changed: int
    kappa: float | None
    moves: list[Move]  # those last that go to "not evaluated"
    calls_url: str
    left_open: list[tuple[str | Promise, int]]  # why these do, and in how many calls


@signed_in_page
@require_POST
def start(request: HttpRequest, project_id: int) -> HttpResponse:
    """Queue a replay of {"document": …, "sample": n} and answer its address, or its cost alone."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    asked = read_json(request)
    sample = asked.get("sample")
    if isinstance(sample, bool) or not isinstance(sample, int) or not 0 < sample <= drafts.MOST_CALLS:
        detail = _("Choose a number of calls from 1 to %(most)s.") % {"most": drafts.MOST_CALLS}
        return JsonResponse({"detail": detail}, status=400)
    try:
        if asked.get("document") is None:
            raise InvalidConfiguration([("", Message("no_settings"))])
        plan = drafts.plan_replay(project, asked["document"], sample=sample)
    except InvalidConfiguration as error:
        errors = list_errors(error)
        return JsonResponse({"errors": errors}, status=400)
    if asked.get("estimate_only") is True:
        changed = list_changed_settings(project, project.config_version, plan.config.as_document())
        has_work = bool(changed and plan.calls)
        context = {"estimate": plan.estimate, "is_unchanged": not changed, "drawn_from": plan.drawn_from}
        context["asked"] = sample
        stated = render_to_string("web/projects/estimate.html", context, request)
        return JsonResponse({"estimate": stated, "has_work": has_work})
    replay = drafts.start_replay(project, plan, by=current_user(request))
    address = reverse("web:project-replay", args=[project.pk, replay.pk])
    return JsonResponse({"url": address, "replay": replay.pk})


@signed_in_page
@require_POST
def start_again(request: HttpRequest, project_id: int, replay_id: int) -> HttpResponse:
    """Queue a replay of the same draft on today's settings; where a model judges, once its cost is read."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    replay = get_replay_or_404(project, replay_id)
    try:
        plan = drafts.plan_replay_again(replay)
    except InvalidConfiguration as error:
        messages.error(request, " ".join(f"{path}: {translate(reason)}" for path, reason in error.errors[:5]))
    else:
        if plan.estimate["requests"] and "confirmed" not in request.POST:
            return _show_replay(request, project, replay, estimate=plan.estimate, drawn_from=plan.drawn_from)
        replay = drafts.start_replay(project, plan, by=current_user(request))
    return HttpResponseRedirect(reverse("web:project-replay", args=[project.pk, replay.pk]))


@signed_in_page
@require_safe
def show(request: HttpRequest, project_id: int, replay_id: int) -> HttpResponse:
    """Show how far a replay is, and what it comes to."""
    project = project_access.get_project_or_404(request, project_id)
    return _show_replay(request, project, get_replay_or_404(project, replay_id))


def _show_replay(
    request: HttpRequest, project: Project, replay: Replay, *, status: int = 200, **more: object
) -> HttpResponse:
    """Show a replay; with what another costs, or what was chosen for earlier calls where its day is wrong."""
    found = read_progress(replay)
    elapsed_s = (timezone.now() - replay.created_at).total_seconds()
    draft = parse(replay.config, is_stored=True)
    former = find_document(project, replay.config_version) or {}
    names = name_all_criteria(former, replay)
    changed_settings = list_changed_settings(project, replay.config_version, draft.as_document())
    changed = {row["call_id"] for row in found.most_changed}
    hidden = list_hidden(current_user(request))
    calls = Call.objects.filter(project=project).in_bulk(changed - hidden.all)
    changed_calls = show_changed_calls(replay, found.most_changed, calls, names, former)
    page = project_access.project_context(request, project, "versions")
    context = {
        **page,
        "replay": replay,
        "found": found,
        "is_open": found.state in ("queued", "running") or found.is_stopping,
        "time_left": describe_time_left(found.done, found.calls, elapsed_s),
        "publication": find_publication(project, replay),
        "sides": name_sides(replay),
        **describe_draft(replay, project),
        "drawn": describe_draw(replay, found.calls),
        "criteria": _show_criteria(found, replay, names),
        "one_sided": show_one_sided(found.one_sided, names),
        "unchanged_criteria": sum(not row["changed"] for row in found.criteria),
        "untouched_names": _name_untouched(former, replay, found, names),
        "has_model": find_engines(project, draft).llm is not None,
        "buckets": _pair_buckets(found),
        "changed_calls": changed_calls,
        "is_cut": len(found.most_changed) == MOST_CHANGED,
        "besides": show_besides(replay, found.besides, changed_settings, hidden),
        "is_unchanged": not changed_settings,
        "is_still": not changed_settings and _is_still(found),
        "left_out": hidden.among(changed),
        "unscored": 0 if found.change is None else found.done - found.change["calls"],
        "calls_round_apart": any(each.rounds_apart for each in changed_calls),
        **_describe_change(found),
        "has_reviews": any(each.reviewed_score is not None for each in changed_calls),
        "here": request.get_full_path(),
        "chosen": "none",
        **publish_form.describe_form(
            replay, project, hidden=hidden.all, is_offered=bool(page["may_write"] and changed_settings)
        ),
        **more,
    }
    if status != 200:
        return render(request, "web/projects/replay.html", context, status=status)
    return render_page_or_fragment(
        request, "web/projects/replay.html", "web/projects/replay_body.html", context
    )


@signed_in_page
@require_POST
def stop(request: HttpRequest, project_id: int, replay_id: int) -> HttpResponse:
    """Stop a replay; what was judged so far is kept."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    replay = get_replay_or_404(project, replay_id)
    if stop_replay(replay, by=current_user(request)):
        replay.refresh_from_db()
        if is_stopping(replay):
            said = _("No more calls are judged. Those that are being judged are still added to the result.")
        else:
            said = _("The replay is stopped. What was judged so far is kept.")
        messages.success(request, said)
    else:
        messages.info(request, _("The replay has already ended."))
    return HttpResponseRedirect(reverse("web:project-replay", args=[project.pk, replay.pk]))


@signed_in_page
@require_POST
def publish(request: HttpRequest, project_id: int, replay_id: int) -> HttpResponse:
    """Make the draft the settings of the project; `rescore` says what happens to history."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    replay = get_replay_or_404(project, replay_id)
    here = reverse("web:project-replay", args=[project.pk, replay.pk])
    draft = parse(replay.config, is_stored=True).as_document()
    if not list_changed_settings(project, replay.config_version, draft):
        messages.error(request, _("The draft changes no setting."))
        return HttpResponseRedirect(here)
    is_new = replay.published_version is None
    if is_new and check_steadiness(replay).is_needed and not request.POST.get("unsteady"):
        messages.error(
            request,
            _("It is unknown how steadily the model judges with this draft. Confirm this, or measure it."),
        )
        return HttpResponseRedirect(here)
    try:
        window = publish_form.read_window(request, project)
        published = publishing.publish_draft(replay, by=current_user(request), rescore=window)
    except ProtectedSetting as error:
        raise PermissionDenied(translate(error.message)) from None
    except publish_form.WrongDay as error:
        return _show_replay(request, project, replay, status=400, chosen="from", day_error=str(error))
    except publishing.NotPublishable as error:
        messages.error(request, translate(error.message))
        return HttpResponseRedirect(here)
    said = _("The draft is version %(version)s of the settings.") % {"version": published.version}
    if published.rescore is not None:
        count = published.rescore.calls
        queued = ngettext(
            "%(count)s call is being scored again.", "%(count)s calls are being scored again.", count
        )
        said = f"{said} {queued % {'count': count}}"
    messages.success(request, said)
    return HttpResponseRedirect(reverse("web:project-versions", args=[project.pk]))


@signed_in_page
@require_safe
def count_calls(request: HttpRequest, project_id: int, replay_id: int) -> HttpResponse:
    """Show how many calls would be scored again from ?start_date= on, below its field."""
    project = project_access.get_project_or_404(request, project_id)
    context = publish_form.describe_day(
        request.GET.get("start_date", ""),
        get_replay_or_404(project, replay_id),
        project,
        hidden=list_hidden(current_user(request)).all,
    )
    return render(request, "web/projects/replay_day.html", context)


def get_replay_or_404(project: Project, replay_id: int) -> Replay:
    """Return a replay of the project. Raises Http404."""
    replay = Replay.objects.filter(project=project, pk=min(replay_id, MAX_ID)).first()
    if replay is None:
        raise Http404
    return replay


def _describe_change(found: Progress) -> dict[str, bool]:
    """Return what is said of the difference; averages over other calls than its own have another one."""
    before, after, change = found.before, found.after, found.change
    if before is None or after is None or change is None:
        return {}
    return {
        "has_interval": rounding.has_interval(change["low"], change["high"]),
        "rounds_apart": before["calls"] == after["calls"] == change["calls"]
        and rounding.rounds_apart(before["average_score"], after["average_score"], change["average"]),
    }


def _name_untouched(
    settings: Document, replay: Replay, found: Progress, names: Mapping[str, str]
) -> list[str]:
    """Return the criteria whose answers move although the draft has them as they are in these settings."""
    former = list_criteria(settings.get("rubric") or {})
    draft = list_criteria(replay.config.get("rubric") or {})
    changed = [row["criterion_id"] for row in found.criteria if row["changed"]]
    return [
        names.get(each, each)
        for each in changed
        if each in former and each in draft and former[each] == draft[each]
    ]


def _is_still(found: Progress) -> bool:
    """Return whether no score and no answer moved in any call, nor anything besides."""
    besides = found.besides["kinds"] if found.besides else []
    moved = [row["changed"] for row in [*found.criteria, *besides]]
    return found.baseline is not None and not found.most_changed and not any(moved)


def _show_criteria(found: Progress, replay: Replay, names: Mapping[str, str]) -> list[ShownCriterion]:
    """Return the criteria whose answers moved in at least one call."""
    return [
        _show(
            row,
            names.get(row["criterion_id"], row["criterion_id"]),
            replay,
            found.left_open.get(row["criterion_id"], {}),
        )
        for row in found.criteria
        if row["changed"]
    ]


def _show(row: ChangedCriterion, name: str, replay: Replay, left_open: Mapping[str, int]) -> ShownCriterion:
    moves = [
        Move(ANSWERS.get(before, before), ANSWERS.get(after, after), calls, after == NOT_EVALUATED)
        for before, found in row["table"].items()
        for after, calls in found.items()
        if before != after
    ]
    calls = sum(count for found in row["table"].values() for count in found.values())
    here = reverse("web:project-replay-calls", args=[replay.project_id, replay.pk])
    return ShownCriterion(
        name,
        calls,
        row["changed"],
        row["kappa"],
        sorted(moves, key=lambda move: (move.is_open, -move.calls)),
        with_query(here, {"criterion": row["criterion_id"]}),
        [(LEFT_OPEN_BY.get(reason, reason), calls) for reason, calls in left_open.items()],
    )


def _pair_buckets(found: Progress) -> list[tuple[int, int, int, int]]:
    """Return lowest and highest score of each ten, and the calls in it before and after."""
    if found.before is None or found.after is None:
        return []
    pairs = zip(found.before["distribution"], found.after["distribution"], strict=True)
    return [(old["low"], old["high"], old["calls"], new["calls"]) for old, new in pairs]
