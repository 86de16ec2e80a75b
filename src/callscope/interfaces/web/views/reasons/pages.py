"""The list of a project's contact reasons with its history, and the page of one reason."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from callscope.accounts.models import User
from callscope.calls.namesakes import label_known
from callscope.contact_reasons import listing
from callscope.contact_reasons.assignment import list_codes
from callscope.contact_reasons.editing import MAX_DESCRIPTION, MAX_NAME, InvalidReason
from callscope.contact_reasons.history import ReasonConflict
from callscope.contact_reasons.models import ContactReason
from callscope.db.snapshot import snapshot
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters import reasons as presenter
from callscope.interfaces.web.presenters.reasons import offer_regrouping
from callscope.interfaces.web.presenters.report_page.reasons import explain_courses
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.request_data import NO_ID, parse_id
from callscope.interfaces.web.templatetags.formatting import number
from callscope.interfaces.web.views.reasons import list_portion
from callscope.interfaces.web.views.reasons.changes import get_reason_or_404
from callscope.interfaces.web.views.reasons.list_portion import Portion
from callscope.messages.translation import translate
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.files import regrouping
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reports.details.reason_detail import count_hidden, load_courses, load_reason_detail
from callscope.reports.overview.coverage import describe_removed_results
from callscope.reports.overview.missing_calls import count_removed_of_both
from callscope.reports.overview.reason_weeks import count_reason_weeks
from callscope.reports.window import ALL_TIME
from callscope.reviews.reading import list_hidden

CHANGES = 20  # of the history on one page
CALLS = 100  # of a reason on one page
CODE = "code:"  # before the name of a code that calls are moved to


class Lacking(NamedTuple):
    """What the form lacks for the button that was pressed; it is said next to the field."""

    do: str = ""  # split, move or edit
    text: str = ""
    calls: bool = False  # no call is selected, or the wrong ones are
    field: str = ""  # of what is edited


@signed_in_page
@require_safe
def list_reasons(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the contact reasons of the project, some at a time, and what was changed in them, newest first."""
    project = project_access.get_project_or_404(request, project_id)
    here = reverse("web:project-reasons", args=[project.pk])
    before = parse_id(request.GET.get("before", ""))
    with snapshot():  # list, figures and history belong to the same moment
        context = _list_context(request, project, here, before)
    return render(request, "web/reasons/list.html", context)


def _list_context(request: HttpRequest, project: Project, here: str, before: int) -> TemplateContext:
    weeks = count_reason_weeks([project], ALL_TIME)
    found = listing.list_history([project.pk], before=None if before == NO_ID else before, most=CHANGES + 1)
    shown = found[:CHANGES]
    names = dict(ContactReason.objects.filter(project=project).values_list("pk", "name"))
    portion = list_portion.read_portion(request)
    lines = presenter.arrange(listing.list_reasons([project.pk]))
    lines = presenter.add_figures(lines, weeks, load_courses(project.pk))
    older = {**portion.query, "before": shown[-1].id if shown else None}
    outlook = regrouping.find_outlook(project)
    may_regroup = permissions.can_write(current_user(request), project) and regrouping.is_open_ended(project)
    return {
        **_project_context(request, project),
        **_old_context(project, lines),
        "regrouping": offer_regrouping(outlook, project.name) if may_regroup else None,
        **_portion_context(portion, lines),
        "with_reason": sum(line.row.calls for line in lines if line.share_pct is not None),
        "course_ends": (weeks.mondays[0], weeks.mondays[-1]),
        "course_notes": explain_courses(weeks),
        "removed_results": describe_removed_results(count_removed_of_both([project.pk], ALL_TIME), 0, number),
        "is_regrouping": outlook.is_under_way,
        "changes": [presenter.describe_change(row, names) for row in shown],
        "older_url": with_query(here, older) if len(found) > CHANGES else "",
        "newest_url": with_query(here, portion.query) if before != NO_ID else "",
    }


def _old_context(project: Project, lines: Sequence[presenter.ReasonLine]) -> TemplateContext:
    """Return which reasons of a project with codes are none of them, and which codes no call has."""
    codes = list_codes(project.configuration)
    if codes is None:  # the page looks each name up once a row, and for one that is missing ten times as long
        return {"old": set(), "old_calls": 0, "unused_codes": []}
    old = [line.row for line in lines if line.row.calls and line.row.name not in codes]
    there = {line.row.name for line in lines if line.row.calls}
    return {
        "old": {row.id for row in old},
        "old_calls": sum(row.calls for row in old),
        "unused_codes": [
            each.code for each in project.configuration.contact_reasons.codes if each.code not in there
        ],
    }


def _portion_context(portion: Portion, lines: Sequence[presenter.ReasonLine]) -> TemplateContext:
    """Return what the page shows of the list, and what its form remembers of the rest."""
    listed = portion.show(lines)
    shown = {line.row.id for line in listed}
    elsewhere = [line for line in lines if line.row.id in portion.selected and line.row.id not in shown]
    return {
        "has_reasons": bool(lines),
        "has_portions": len(shown) < len(lines),
        "reasons": listed,
        "parted": {line.row.id for line in listed if line.is_below and line.row.parent not in shown},
        "elsewhere": elsewhere,
        "selected": portion.selected,
        "into": portion.into,
        "filter": portion.filter,
        "portion": with_query("", portion.query),
    }


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def show_reason(request: HttpRequest, project_id: int, reason_id: int) -> HttpResponse:
    """Show one reason with its calls; edit it, split calls off, or move them, as the pressed button says.

    What cannot be done is said on the same page, with everything that was filled in.
    """
    project = project_access.get_project_or_404(request, project_id)
    if request.method == "POST":
        project_access.require_writer(request, project)
    reason = get_reason_or_404(project, reason_id)
    lacking = find_lacking(request)
    if request.method == "POST" and not lacking.do:
        try:
            address = _change(request, reason)
        except InvalidReason as error:
            is_about_calls = error.field == "call_ids"
            pressed = request.POST.get("do", "")
            lacking = Lacking(pressed, translate(error.message), is_about_calls, error.field)
        except ReasonConflict as error:
            messages.error(request, translate(error.message))
        except ContactReason.DoesNotExist:  # gone since it was looked up
            raise Http404 from None
        else:
            return HttpResponseRedirect(address)
    return _show(request, project, reason, lacking)


def find_lacking(request: HttpRequest) -> Lacking:
    """Return what calls cannot be split off or moved without; nothing for another button."""
    pressed = request.POST.get("do", "")
    if pressed not in ("split", "move"):
        return Lacking()
    if not _chosen(request):
        return Lacking(pressed, _("Select at least one call above."), calls=True)
    if pressed == "split" and not request.POST.get("new_name", "").strip():
        return Lacking(pressed, _("Give the new reason a name."))
    if pressed == "move" and not request.POST.get("into"):
        return Lacking(pressed, _("Choose a reason."))
    return Lacking()


def _change(request: HttpRequest, reason: ContactReason) -> str:
    """Do what the pressed button says and return the address to go on with."""
    here = reverse("web:project-reason", args=[reason.project_id, reason.pk])
    user, pressed = current_user(request), request.POST.get("do", "")
    calls = _chosen(request)
    moved = {"count": number_format(len(calls))}
    if pressed == "split":
        new = reason_edits.split_reason(reason.pk, calls, request.POST.get("new_name", ""), user)
        text = ngettext(
            "%(count)s call is now in “%(name)s”.", "%(count)s calls are now in “%(name)s”.", len(calls)
        )
        messages.success(request, text % {**moved, "name": new.name})
        return reverse("web:project-reason", args=[reason.project_id, new.pk])
    if pressed == "move":
        target = _move(reason, calls, request.POST.get("into", ""), user)
        text = ngettext(
            "%(count)s call is now in “%(name)s”.", "%(count)s calls are now in “%(name)s”.", len(calls)
        )
        messages.success(request, text % {**moved, "name": target.name})
    elif pressed == "edit":
        changed = reason_edits.edit_reason(reason.pk, _edited(request), user)
        messages.success(request, _("“%(name)s” was saved.") % {"name": changed.name})
    return here


def _move(reason: ContactReason, calls: Collection[int], sent: str, user: User) -> ContactReason:
    """Move the calls into the reason of this id, or of this code after "code:". Return where they are."""
    code = sent.removeprefix(CODE)
    if sent != code:
        return reason_edits.move_calls_to_code(reason.project, code, calls, user)
    into = ContactReason.objects.filter(project=reason.project, pk=parse_id(sent)).first()
    if into is None:
        raise InvalidReason("into", "unknown_reason", value=sent[:80])
    return reason_edits.move_calls(into.pk, calls, user)


def _edited(request: HttpRequest) -> Mapping[str, Any]:
    """Return what the form holds of name, description and parent; fields that are not sent stay."""
    values: dict[str, Any] = {
        name: request.POST[name] for name in ("name", "description") if name in request.POST
    }
    if "description" in values:  # browsers send line breaks as two characters
        values["description"] = values["description"].replace("\r\n", "\n")
    if "parent" in request.POST:
        values["parent"] = parse_id(request.POST["parent"]) if request.POST["parent"] else None
    return values


def _chosen(request: HttpRequest) -> list[int]:
    return sorted({parse_id(text) for text in request.POST.getlist("call")} - {NO_ID})


def _show(request: HttpRequest, project: Project, reason: ContactReason, lacking: Lacking) -> HttpResponse:
    with snapshot():  # figures and calls belong to the same moment
        context = _reason_context(request, project, reason)
    if lacking.text and not _has_place(lacking, context):
        messages.error(request, lacking.text)
    return render(request, "web/reasons/reason.html", {**context, "lacking": lacking})


def _has_place(lacking: Lacking, context: TemplateContext) -> bool:
    """Return whether the page has the field where this is said; without calls it has none to move them."""
    row = cast(listing.ReasonRow, context["row"])
    if lacking.do == "edit":
        has_parents = bool(context["parents"] or row.parent)
        return lacking.field in ("name", "description") or (lacking.field == "parent" and has_parents)
    if row.is_heading or not context["calls"]:
        return False
    if lacking.do == "split":
        return not context["has_codes"]
    return bool(context["codes"] or context["others"])


def _reason_context(request: HttpRequest, project: Project, reason: ContactReason) -> TemplateContext:
    rows = listing.list_reasons([project.pk])
    row = next(iter(listing.list_reasons([project.pk], reason_id=reason.pk)), None)
    if row is None:
        raise Http404
    here = reverse("web:project-reason", args=[project.pk, reason.pk])
    listed = Paginator(range(row.calls), CALLS).get_page(request.GET.get("page"))
    has_children = any(each.parent == row.id for each in rows)
    sent = request.POST
    lines = presenter.arrange(rows)
    codes = list_codes(project.configuration)
    hidden = list_hidden(current_user(request)).all
    waiting = count_hidden(reason, hidden)
    figures = load_reason_detail(reason, hidden=hidden if waiting else ())
    agents = label_known({each.id: each.name for each in figures.agents})
    meanings = {each.code: each.description for each in project.configuration.contact_reasons.codes}
    return {
        **_project_context(request, project),
        "row": row,
        "meaning": meanings.get(row.name, ""),
        "is_old": codes is not None and row.name not in codes,
        "line": presenter.ReasonLine(row, presenter.calls_url(row), False, ""),
        "below": [each for each in lines if each.row.parent == row.id],
        "calls_url": presenter.calls_url(row),
        "figures": figures,
        "waiting_calls": sum(waiting.values()),
        "waiting_agents": set(waiting),
        "agents": [(each, agents[each.id]) for each in figures.agents],
        "confidence": presenter.write_confidence(figures),
        "week_calls": sum(week.calls for week in figures.weeks),
        "week_project_calls": sum(week.share.n for week in figures.weeks),
        "passages": presenter.list_passages(figures.quotes),
        "chart": presenter.draw_weeks(figures.weeks, presenter.calls_url(row), today=timezone.localdate()),
        "weeks": figures.weeks[::-1],
        "name": sent.get("name", row.name),
        "description": sent.get("description", row.description),
        "parent": parse_id(sent.get("parent", "")) if "parent" in sent else row.parent,
        "parents": [each for each in rows if each.id != row.id and each.parent is None and not has_children],
        "codes": [(f"{CODE}{name}", name) for name in codes or () if name != row.name],
        "others": [each for each in rows if each.id != row.id and each.name not in (codes or ())],
        "calls": listing.list_calls(row.id, first=max(listed.start_index() - 1, 0), count=CALLS),
        "listed": listed,
        "chosen": set(_chosen(request)),
        "new_name": sent.get("new_name", ""),
        "into": sent.get("into", ""),
        "max_name": MAX_NAME,
        "max_description": MAX_DESCRIPTION,
        "previous_url": with_query(here, {"page": listed.number - 1}) if listed.has_previous() else "",
        "next_url": with_query(here, {"page": listed.number + 1}) if listed.has_next() else "",
    }


def _project_context(request: HttpRequest, project: Project) -> TemplateContext:
    context = project_access.project_context(request, project, "reasons")
    # The names of predefined codes stand in the settings: they are not given, merged or split here.
    context["has_codes"] = project.configuration.contact_reasons.mode == "predefined"
    return context
