"""One copy of a fairness probe next to its call: which words were changed, and what each answer quotes."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from callscope.calls.models import Call
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import render_page_or_fragment
from callscope.interfaces.web.views.rubrics.answers import ANSWERS
from callscope.interfaces.web.views.rubrics.probe_names import GROUP_NAMES
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes.changes import load_change
from callscope.projects.configuration import parse
from callscope.reviews import reading


@signed_in_page
@require_safe
def show_copy(
    request: HttpRequest, project_id: int, probe_id: int, call_id: int, variant: str
) -> HttpResponse:
    """Show what one copy changed, for all criteria whose answers moved or the one that is asked for."""
    project = project_access.get_project_or_404(request, project_id)
    probe = Probe.objects.filter(project=project, pk=min(probe_id, MAX_ID), kind=Probe.Kind.FAIRNESS).first()
    call = Call.objects.filter(project=project, pk=min(call_id, MAX_ID)).first()
    if probe is None or call is None or call.pk in reading.list_hidden(current_user(request)).all:
        raise Http404
    change = load_change(probe, call.pk, variant)
    if change is None:
        raise Http404
    names = {c.id: c.name for _section, c in parse(probe.config, is_stored=True).rubric.criteria()}
    wanted = request.GET.get("criterion")
    context = {
        **project_access.project_context(request, project, "probes"),
        "probe": probe,
        "call": call,
        "group": GROUP_NAMES[variant],
        "change": change,
        "answers": [
            (
                names.get(each.criterion_id, each.criterion_id),
                ANSWERS.get(each.before, each.before),
                ANSWERS.get(each.after, each.after),
                each,
            )
            for each in change.answers
            if wanted in (None, each.criterion_id)
        ],
    }
    return render_page_or_fragment(
        request, "web/projects/probe_copy.html", "web/projects/probe_copy_body.html", context
    )
