"""The versions of a project's settings: what changed, by whom and when, and the way back."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.settings_parts.changes import show_changes
from callscope.interfaces.web.views.rubrics.replay_heads import (
    count_replays,
    find_publishing,
    list_replays,
    name_first,
)
from callscope.messages.translation import translate
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.pipeline.rubric_changes.replays.rescoring import find_open_rescores
from callscope.projects import versions
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.services import ProtectedSetting

PAGE_SIZE = 20
REPLAYS_SIZE = 10  # on a page of their own


@signed_in_page
@require_safe
def list_versions(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the versions of the settings and the replays of drafts, newest first, each list by its pages."""
    project = project_access.get_project_or_404(request, project_id)
    listed = Paginator(range(versions.count_versions(project)), PAGE_SIZE).get_page(request.GET.get("page"))
    page = versions.list_versions(project, first=listed.start_index() - 1, count=PAGE_SIZE)
    replays = Paginator(range(count_replays(project)), REPLAYS_SIZE).get_page(request.GET.get("replays"))
    here = reverse("web:project-versions", args=[project.pk])
    numbers = [version.row.number for version in page]
    published_by, same = find_publishing(project, numbers), versions.find_same(project, numbers)
    found = [(version, show_changes(version.changes, version.criteria)) for version in page]
    shown = [
        (
            version,
            changes,
            name_first(changes),
            published_by.get(version.row.number),
            same.get(version.row.number),
        )
        for version, changes in found
    ]
    context = {
        **project_access.project_context(request, project, "versions"),
        "versions": shown,
        "rescores": find_open_rescores(project),
        "replays": list_replays(project, first=max(replays.start_index() - 1, 0), most=REPLAYS_SIZE),
        "listed_replays": replays,
        **_link_pages(here, listed, replays),
    }
    return render(request, "web/projects/versions.html", context)


def _link_pages(here: str, listed: Page[int], replays: Page[int]) -> dict[str, str]:
    """Return where the other pages of both lists are; the list that is not turned stays where it is."""

    def link(page: int, replays_page: int, anchor: str) -> str:
        query = {"page": page if page > 1 else "", "replays": replays_page if replays_page > 1 else ""}
        return f"{with_query(here, query)}#{anchor}"

    def turn(by: int) -> str:
        return link(listed.number + by, replays.number, "versions-title")

    def turn_replays(by: int) -> str:
        return link(listed.number, replays.number + by, "replays-title")

    return {
        "previous_url": turn(-1) if listed.has_previous() else "",
        "next_url": turn(1) if listed.has_next() else "",
        "newer_replays_url": turn_replays(-1) if replays.has_previous() else "",
        "older_replays_url": turn_replays(1) if replays.has_next() else "",
    }


@signed_in_page
@require_POST
def restore(request: HttpRequest, project_id: int, number: int) -> HttpResponse:
    """Make a version the current one."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    try:
        with follow_settings(project):
            changed = versions.restore_version(project, number, by=current_user(request))
    except versions.NoSuchVersion:
        raise Http404 from None
    except ProtectedSetting as error:
        raise PermissionDenied(translate(error.message)) from None
    except InvalidConfiguration as error:
        messages.error(request, " ".join(f"{path}: {translate(reason)}" for path, reason in error.errors[:5]))
    else:
        names = {"restored": number, "number": project.config_version}
        messages.success(
            request,
            _("Version %(restored)s is restored as version %(number)s.") % names
            if changed
            else _("Version %(restored)s is the same as the current settings.") % names,
        )
    return HttpResponseRedirect(reverse("web:project-versions", args=[project.pk]))
