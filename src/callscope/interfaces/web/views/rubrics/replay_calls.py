"""All calls of a replay in which one thing changes, those first whose score moves most."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.views.decorators.http import require_safe

from callscope.calls.models import Call
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.views.rubrics.changed_calls import name_all_criteria, show_changed_calls
from callscope.interfaces.web.views.rubrics.publication import name_sides
from callscope.interfaces.web.views.rubrics.replay_besides import CHANGES, show_found
from callscope.interfaces.web.views.rubrics.replays import get_replay_or_404
from callscope.pipeline.rubric_changes.replays.changed_calls import ChangedPart, list_changed_calls
from callscope.pipeline.rubric_changes.replays.progress import Progress, read_progress
from callscope.projects.versions import find_document
from callscope.reviews.reading import list_hidden

PAGE_SIZE = 20


@signed_in_page
@require_safe
def list_calls(request: HttpRequest, project_id: int, replay_id: int) -> HttpResponse:
    """Show the calls in which ?criterion= or ?kind= changes, without both the score."""
    project = project_access.get_project_or_404(request, project_id)
    replay = get_replay_or_404(project, replay_id)
    back = reverse("web:project-replay", args=[project.pk, replay.pk])
    if replay.completed_at is None:
        return HttpResponseRedirect(back)
    part = _read_part(request, read_progress(replay))
    former = find_document(project, replay.config_version) or {}
    names = name_all_criteria(former, replay)
    rows = list_changed_calls(replay, part)
    hidden = list_hidden(current_user(request))
    shown = [row for row in rows if row["call_id"] not in hidden.all]
    listed = Paginator(shown, PAGE_SIZE).get_page(request.GET.get("page"))
    on_page = list(listed.object_list)
    found = Call.objects.filter(project=project).in_bulk([row["call_id"] for row in on_page])
    calls = {row["call_id"]: found[row["call_id"]] for row in on_page if row["call_id"] in found}
    here = reverse("web:project-replay-calls", args=[project.pk, replay.pk])
    query = {"criterion": part.criterion_id, "kind": part.kind or ""}
    changed = (
        []
        if part.kind
        else show_changed_calls(replay, on_page, calls, names, former, criterion_id=part.criterion_id)
    )
    context = {
        **project_access.project_context(request, project, "versions"),
        "replay": replay,
        "back_url": back,
        "from_list": urlencode({"from": with_query(here, {**query, "page": listed.number})}),
        "changed_count": len(rows),
        "sides": name_sides(replay),
        "part": part,
        "title": _name_part(part, names),
        "found": show_found(replay, part.kind, calls) if part.kind else [],
        "changed_calls": changed,
        "calls_round_apart": any(each.rounds_apart for each in changed),
        "has_reviews": any(each.reviewed_score is not None for each in changed),
        "left_out": hidden.among([row["call_id"] for row in rows]),
        "listed": listed,
        "previous_url": with_query(here, {**query, "page": listed.number - 1})
        if listed.has_previous()
        else "",
        "next_url": with_query(here, {**query, "page": listed.number + 1}) if listed.has_next() else "",
    }
    return render(request, "web/projects/replay_calls.html", context)


def _read_part(request: HttpRequest, progress: Progress) -> ChangedPart:
    """Return what the address asks for. Raises Http404 where the replay does not compare it."""
    criterion, kind = request.GET.get("criterion", ""), request.GET.get("kind", "")
    if kind:
        compared = progress.besides["kinds"] if progress.besides else []
        for row in compared:
            if row["kind"] == kind:
                return ChangedPart(kind=row["kind"])
    elif not criterion or any(row["criterion_id"] == criterion for row in progress.criteria):
        return ChangedPart(criterion)
    raise Http404


def _name_part(part: ChangedPart, names: dict[str, str]) -> str | Promise:
    if part.kind:
        return CHANGES[part.kind]
    return names.get(part.criterion_id, part.criterion_id)
