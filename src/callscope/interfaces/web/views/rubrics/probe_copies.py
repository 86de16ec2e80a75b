"""One copy of a fairness probe next to its call: which words were changed, and what each answer quotes."""

from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from callscope.calls.models import Call
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import render_page_or_fragment
from callscope.interfaces.web.views.rubrics.answers import ANSWERS, LEFT_OPEN_BY
from callscope.interfaces.web.views.rubrics.probe_names import GROUP_NAMES
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes.changes import load_change
from callscope.projects.configuration import parse
from callscope.reviews import reading

if TYPE_CHECKING:
    from callscope.analysis.rules.decisive import DecisiveWords


@signed_in_page
@require_safe
def show_copy(
    request: HttpRequest, project_id: int, probe_id: int, call_id: int, variant: str
) -> HttpResponse:
    """Show what one copy changed, and what tipped each answer that moved."""
    project = project_access.get_project_or_404(request, project_id)
    probe = Probe.objects.filter(project=project, pk=min(probe_id, MAX_ID), kind=Probe.Kind.FAIRNESS).first()
    call = Call.objects.filter(project=project, pk=min(call_id, MAX_ID)).first()
    if probe is None or call is None or call.pk in reading.list_hidden(current_user(request)).all:
        raise Http404
    change = load_change(probe, call.pk, variant)
    if change is None:
        raise Http404
    names = {c.id: c.name for _section, c in parse(probe.config, is_stored=True).rubric.criteria()}
    bands = {
        words.band
        for each in change.answers
        for pair in each.words
        for words in pair
        if words.likelihood_pct is not None
    }
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
                LEFT_OPEN_BY.get(each.before_left_open_by, ""),
                ANSWERS.get(each.after, each.after),
                LEFT_OPEN_BY.get(each.after_left_open_by, ""),
                each,
                [
                    (pair.before, describe_words(pair.before), pair.after, describe_words(pair.after))
                    for pair in each.words
                ],
            )
            for each in change.answers
        ],
        "bands": [(round(band.unsure_from * 100), round(band.said_from * 100)) for band in bands],
    }
    return render_page_or_fragment(
        request, "web/projects/probe_copy.html", "web/projects/probe_copy_body.html", context
    )


def describe_words(words: "DecisiveWords") -> str:
    """Return what the quoted words count for; where there are none, what was looked for."""
    if words.role == "applies":
        return _("makes the criterion apply") if words.quote else _("Nothing makes the criterion apply.")
    if words.role == "forbidden":
        return _("must not be said") if words.quote else _("Nothing is said that must not be.")
    if words.quote is None:
        return _("Nothing comes near to a phrase.")
    names = {"phrase": words.phrase, "percent": words.likelihood_pct}
    if words.likelihood_pct is None:
        return _("says “%(phrase)s”") % names
    return _("%(percent)s %% likely to say “%(phrase)s”") % names
