"""The page that makes codes of contact reasons: which, by what phrases, and what happens to the calls."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from callscope.contact_reasons.codes.wish import Mode, Outcome, Wish
from callscope.contact_reasons.editing import InvalidReason
from callscope.contact_reasons.history import ReasonConflict
from callscope.contact_reasons.listing import ReasonRow
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.views.reasons.changes import get_writable_project
from callscope.interfaces.web.views.reasons.code_choice import Choice, mark_phrases, read_choice
from callscope.interfaces.web.views.reasons.code_faults import Fault, find_fault
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.pipeline.decisions import reason_edits
from callscope.projects.configuration import MAX_CODES
from callscope.projects.models import Project

MODES: tuple[Mode, ...] = ("predefined", "open_ended")


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A reason that may become a code, as the form shows it."""

    reason: int
    name: str
    calls: int
    is_pinned: bool
    is_chosen: bool
    phrases: str  # one a line


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def make_codes(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the reasons as codes with the phrases that are proposed; make codes of those that are selected.

    The buttons that name a portion only show it. What cannot be done is said on the same page, with
    everything that was filled in, at the field that it is about.
    """
    from callscope.contact_reasons.codes.proposal import list_candidates

    project, status, fault = get_writable_project(request, project_id), 200, None
    candidates = list_candidates(project)
    choice = read_choice(request, candidates)
    if request.method == "POST" and "page" in request.POST:
        if choice.is_too_large:
            status = 400
            too_many = Message("too_many_codes", most=MAX_CODES, count=len(choice.selected))
            fault = Fault("rows", translate(too_many))
    elif request.method == "POST":
        status = 400
        mode = next((each for each in MODES if each == request.POST.get("mode")), None)
        if mode is None:
            fault = Fault("mode", _("Choose what happens to the calls."))
        else:
            wish = Wish(choice.list_chosen(), mode, request.POST.get("existing") == "replace")
            try:
                outcome = reason_edits.adopt_codes(project, wish, current_user(request))
            except InvalidReason as error:
                kept = 0 if wish.replaces else len(project.configuration.contact_reasons.codes)
                names = {row.id: row.name for row in candidates}
                fault = find_fault(error, choice.selected, names, kept_codes=kept)
            except ReasonConflict as error:
                status = 409
                messages.error(request, translate(error.message))
            else:
                messages.success(request, _describe(mode, len(wish.chosen), outcome))
                return HttpResponseRedirect(reverse("web:project-reasons", args=[project.pk]))
    context = _context(request, project, candidates, choice, fault)
    return render(request, "web/reasons/codes.html", context, status=status)


def _context(
    request: HttpRequest,
    project: Project,
    candidates: Sequence[ReasonRow],
    choice: Choice,
    fault: Fault | None,
) -> TemplateContext:
    from callscope.contact_reasons.codes.proposal import propose_codes

    reasons = project.configuration.contact_reasons
    listed = choice.show(candidates)
    shown = {row.id for row in listed}
    selected = set(choice.selected)
    lines, proposed = [], []
    for each in propose_codes(project, shown):
        own = "\n".join(each.phrases)
        phrases = choice.phrases.get(each.reason, own)
        is_chosen = each.reason in selected
        lines.append(CodeLine(each.reason, each.code, each.calls, each.is_pinned, is_chosen, phrases))
        proposed.append(f"{each.reason}:{mark_phrases(own)}")
    if fault and fault.reason and fault.reason not in shown:
        fault = replace(fault, place="rows")
    there = {row.id for row in candidates}
    elsewhere = [each for each in choice.list_elsewhere(shown) if each[0] in there]
    return {
        **project_access.project_context(request, project, "reasons"),
        "lines": lines,
        "fault": fault,
        "listed": listed,
        "elsewhere": elsewhere,
        "chosen_elsewhere": sum(is_chosen for _id, _phrases, is_chosen in elsewhere),
        "proposed": " ".join(proposed),
        "listing": " ".join(map(str, choice.listing)) if choice.is_limited else "",
        "has_candidates": bool(candidates),
        "has_portions": len(shown) < len(candidates),
        "filter": choice.filter,
        "only_selected": choice.is_limited,
        "existing": len(reasons.codes),
        "is_predefined": reasons.mode == "predefined",
        "mode": request.POST.get("mode", ""),
        "replaces": request.POST.get("existing") == "replace",
    }


def _describe(mode: Mode, codes: int, outcome: Outcome) -> str:
    """Return what was done in words."""
    if mode == "open_ended":
        text = ngettext(
            "%(codes)s code was saved in the settings. Calls keep their contact reasons.",
            "%(codes)s codes were saved in the settings. Calls keep their contact reasons.",
            codes,
        )
        return text % {"codes": number_format(codes)}
    text = ngettext(
        "%(codes)s contact reason is now a code. Calls that keep their reason: %(kept)s; that got a code: "
        "%(coded)s; under Other: %(other)s. The history undoes this in one step.",
        "%(codes)s contact reasons are now codes. Calls that keep their reason: %(kept)s; that got a code: "
        "%(coded)s; under Other: %(other)s. The history undoes this in one step.",
        codes,
    )
    figures = {"kept": outcome.kept, "coded": outcome.coded, "other": outcome.other, "codes": codes}
    return text % {name: number_format(value) for name, value in figures.items()}
