"""What the buttons of the list of contact reasons do: merge, mark, regroup, undo."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from callscope.contact_reasons.editing import InvalidReason
from callscope.contact_reasons.history import ReasonConflict
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.request_data import NO_ID, parse_id
from callscope.interfaces.web.views.reasons.list_portion import read_portion
from callscope.messages.translation import translate
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.files import regrouping
from callscope.projects.models import Project

MARKS = {
    "set-aside": {"is_set_aside": True},
    "take-back": {"is_set_aside": False},
    "pin": {"is_pinned": True},
    "unpin": {"is_pinned": False},
}


@signed_in_page
@require_POST
def merge(request: HttpRequest, project_id: int) -> HttpResponse:
    """Merge the chosen reasons into another one."""
    project = get_writable_project(request, project_id)
    into = find_reason(project, parse_id(request.POST.get("into", "")))
    # The one that stays may be chosen, too: people choose all that belong together.
    chosen = {parse_id(text) for text in request.POST.getlist("reason")} - {NO_ID}
    merged = sorted(chosen - {into.pk}) if into else []
    if into is None:
        messages.error(request, _("Choose the contact reason to keep."))
    elif not merged:
        messages.error(request, _("Choose at least one contact reason to merge."))
    else:
        try:
            stays = reason_edits.merge_reasons(into.pk, merged, current_user(request))
            text = ngettext(
                "%(count)s contact reason was merged into “%(name)s”.",
                "%(count)s contact reasons were merged into “%(name)s”.",
                len(merged),
            )
            messages.success(request, text % {"count": len(merged), "name": stays.name})
        except (InvalidReason, ReasonConflict) as error:
            messages.error(request, translate(error.message))
        except ContactReason.DoesNotExist:  # somebody else was faster
            raise Http404 from None
    return _back_to_list(request, project)


@signed_in_page
@require_POST
def mark(request: HttpRequest, project_id: int, reason_id: int) -> HttpResponse:
    """Set a reason aside, take it back, pin or unpin it, as the button that was pressed says."""
    project = get_writable_project(request, project_id)
    reason = get_reason_or_404(project, reason_id)
    pressed = request.POST.get("do", "")
    texts = {
        "set-aside": _("“%(name)s” is set aside: reports count its calls under no contact reason."),
        "take-back": _("“%(name)s” counts again."),
        "pin": _("“%(name)s” is pinned: it stays, even without calls."),
        "unpin": _("“%(name)s” is no longer pinned."),
    }
    if pressed in MARKS:
        try:
            reason_edits.edit_reason(reason.pk, MARKS[pressed], current_user(request))
            messages.success(request, texts[pressed] % {"name": reason.name})
        except (InvalidReason, ReasonConflict) as error:
            messages.error(request, translate(error.message))
        except ContactReason.DoesNotExist:
            raise Http404 from None
    if request.POST.get("back") == "reason":
        return HttpResponseRedirect(reverse("web:project-reason", args=[project.pk, reason.pk]))
    return _back_to_list(request, project)


@signed_in_page
@require_POST
def regroup(request: HttpRequest, project_id: int) -> HttpResponse:
    """Ask for another grouping of the topics of all calls."""
    project = get_writable_project(request, project_id)
    if regrouping.request_regrouping([project], by=current_user(request)):
        messages.info(
            request, _("The contact reasons are being regrouped. The history will show what changed.")
        )
    else:
        messages.error(
            request, _("The contact reasons of this project are its codes, so they are not regrouped.")
        )
    return _back_to_list(request, project)


@signed_in_page
@require_POST
def undo(request: HttpRequest, project_id: int, change_id: int) -> HttpResponse:
    """Put back what one change replaced; say why where that is not possible."""
    project = get_writable_project(request, project_id)
    if not ReasonChange.objects.filter(project=project, pk=min(change_id, MAX_ID)).exists():
        raise Http404
    try:
        reason_edits.undo_change(change_id, current_user(request))
        messages.success(request, _("Change %(number)s was undone.") % {"number": change_id})
    except (InvalidReason, ReasonConflict) as error:
        messages.error(request, translate(error.message))
    except ReasonChange.DoesNotExist:
        raise Http404 from None
    return _back_to_list(request, project)


def get_writable_project(request: HttpRequest, project_id: int) -> Project:
    """Return the project; Http404 where the visitor does not see it, PermissionDenied for viewers."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    return project


def find_reason(project: Project, reason_id: int) -> ContactReason | None:
    """Return the reason of this project with the id, None if there is none."""
    return ContactReason.objects.filter(project=project, pk=min(reason_id, MAX_ID)).first()


def get_reason_or_404(project: Project, reason_id: int) -> ContactReason:
    """Return the reason of this project with the id; Http404 if there is none."""
    reason = find_reason(project, reason_id)
    if reason is None:
        raise Http404
    return reason


def _back_to_list(request: HttpRequest, project: Project) -> HttpResponseRedirect:
    """Return to the portion of the list that the address of the request names."""
    here = reverse("web:project-reasons", args=[project.pk])
    return HttpResponseRedirect(with_query(here, read_portion(request).query))
