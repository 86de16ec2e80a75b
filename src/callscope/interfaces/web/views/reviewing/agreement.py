"""How far machine and people agree in blind reviews: weak criteria first, disagreements one click away."""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.views.decorators.http import require_safe

from callscope.calls.models import Call
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import signed_in_page
from callscope.interfaces.web.presenters.review import ANSWER_NAMES
from callscope.messages.translation import translate
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, InvalidWindow, parse_window
from callscope.reviews.agreement.blind_agreement import Apart, measure_blind_reviews
from callscope.reviews.agreement.measures import Agreement
from callscope.reviews.weak_criteria.holding import read_held


class Disagreement(NamedTuple):
    """A call in which machine and person gave other answers."""

    call_id: int
    file_name: str
    machine: str | Promise
    person: str | Promise


class ShownCriterion(NamedTuple):
    """The agreement on one criterion, with calls to look at."""

    name: str
    is_weak: bool
    waits: bool  # for a person: the machine's answers count nowhere
    agreement: Agreement
    differing: int
    calls: list[Disagreement]


@signed_in_page
@require_safe
def show_agreement(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the agreement over the calls of a window, for everybody who sees the project."""
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    days = {name: request.GET.get(name, "").strip() for name in ("start_date", "end_date")}
    window, problem = ALL_TIME, ""
    try:
        window = parse_window(days, now=timezone.now())
    except InvalidWindow as error:
        problem = translate(error.message)
    first, after = window.moments
    measured, apart = measure_blind_reviews(
        [project.pk],
        first=None if window.start is None else first,
        after=None if window.end is None else after,
    )
    wanted = {pair.call_id for found in apart.values() for pair in found.examples}
    names = dict(Call.objects.filter(pk__in=wanted).values_list("pk", "file_name"))
    waits = project.configuration.reviews.weak_criteria == "ask_a_person"
    held = read_held([project.pk]).get(project.pk, []) if waits else []
    waiting = {each["criterion_id"] for each in held}
    criteria = []
    for row in measured.criteria:
        found = apart.get((row.criterion_id, row.name), Apart(0, []))
        calls = [
            Disagreement(
                each.call_id, names[each.call_id], ANSWER_NAMES[each.machine], ANSWER_NAMES[each.person]
            )
            for each in found.examples
            if each.call_id in names
        ]
        criteria.append(
            ShownCriterion(
                row.name, row.is_weak, row.criterion_id in waiting, row.agreement, found.calls, calls
            )
        )
    context = {
        **project_access.project_context(request, project, "reviews"),
        "measured": measured,
        "criteria": criteria,
        "days": days,
        "problem": problem,
    }
    return render(request, "web/reviewing/agreement.html", context, status=400 if problem else 200)
