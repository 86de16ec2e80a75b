"""What others saved of a part of the settings since it was opened.

Where it came in, a sentence says so; where both changed the same to other values, a notice asks whose counts.
"""

from django.contrib import messages
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.decorators import current_user
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.settings_parts.changes import show_changes
from callscope.interfaces.web.settings_parts.fields import Part
from callscope.interfaces.web.templatetags.formatting import moment, number
from callscope.projects.models import Project
from callscope.projects.saving import Saved, SettingsChanged
from callscope.projects.versions import name_criteria

SHOWN = 5  # settings that both changed; the others are counted


def say_saved(request: HttpRequest, part: Part, saved: Saved) -> None:
    """Let the next page say what became of settings that were sent, and whose changes came in."""
    if saved.is_changed:
        messages.success(request, name_savings(request, saved) if saved.is_merged else str(part.saved))
    elif saved.is_merged:
        messages.info(
            request, _("There were no changes of yours to save. The page now shows what others saved.")
        )
    else:
        messages.info(request, _("There were no changes to save."))


def name_savings(request: HttpRequest, saved: Saved) -> str:
    """Return that settings are saved, and whose changes with them."""
    if not saved.came_in:
        return _("Saved, together with what was changed in the meantime.")
    newest, *earlier = saved.came_in
    named = {"version": number(newest.number)}
    if newest.created_by is None:
        said = _("Saved, together with what was changed in version %(version)s.") % named
    elif newest.created_by == current_user(request):
        said = _("Saved, together with what you changed in another window, in version %(version)s.") % named
    else:
        who = {**named, "who": newest.created_by.email}
        said = _("Saved, together with what %(who)s changed in version %(version)s.") % who
    if not earlier:
        return said
    more = ngettext(
        "%(count)s earlier version came in, too.", "%(count)s earlier versions came in, too.", len(earlier)
    )
    return f"{said} {more % {'count': number(len(earlier))}}"


def show_conflict(request: HttpRequest, project: Project, error: SettingsChanged) -> TemplateContext:
    """Return what the notice shows: who saved, and what both changed."""
    saving = error.savings[0] if error.savings else None
    by = saving.created_by if saving else None
    changes = show_changes(error.conflicts, name_criteria(project.configuration.as_document()))
    return {
        "version": number(saving.number if saving else None),
        "moment": moment(saving.created_at if saving else None),
        "by": by,
        "is_own": by == current_user(request),
        "is_by_several": len({each.created_by_id for each in error.savings}) > 1,
        "changes": changes[:SHOWN],
        "more": max(0, len(changes) - SHOWN),
        "over": error.version,
    }


def write_conflict(request: HttpRequest, project: Project, part: Part, error: SettingsChanged) -> str:
    """Return the notice for a page that is open; its button sends the form of the fields."""
    context = {
        "conflict": show_conflict(request, project, error),
        "conflict_form": "editor",
        "project": project,
        "part": part,
    }
    return render_to_string("web/settings/conflict.html", context, request)
