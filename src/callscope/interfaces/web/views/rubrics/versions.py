"""The versions of a project's settings: what changed, by whom and when, and the way back."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_POST, require_safe

from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.query_string import with_query
from callscope.messages.translation import translate
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.pipeline.models import Replay
from callscope.projects import versions
from callscope.projects.configuration import Configuration, InvalidConfiguration
from callscope.projects.services import ProtectedSetting

PAGE_SIZE = 20
MAX_REPLAYS = 10  # listed
MAX_SHOWN = 300  # characters of a value
CRITERIA = "rubric.criteria."
FIELD_NAMES: Mapping[str, Promise] = {
    "name": pgettext_lazy("setting of a criterion", "name"),
    "guideline": pgettext_lazy("setting of a criterion", "guideline"),
    "max_points": pgettext_lazy("setting of a criterion", "points"),
    "critical": pgettext_lazy("setting of a criterion", "failing it is a critical error"),
    "critical_class": pgettext_lazy("setting of a criterion", "class"),
    "partial_credit": pgettext_lazy("setting of a criterion", "half the points when partly met"),
    "may_not_apply": pgettext_lazy("setting of a criterion", "may not apply to a call"),
    "applies_when": pgettext_lazy("setting of a criterion", "applies when"),
    "target_pct": pgettext_lazy("setting of a criterion", "target for its average, %"),
    "rule": pgettext_lazy("setting of a criterion", "rule"),
}


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One change as the page shows it; a value that is not set is ""."""

    path: str
    name: str  # of a criterion and its setting, in words; "" of others
    kind: str
    former: str
    new: str


@signed_in_page
@require_safe
def list_versions(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the versions of the settings, newest first."""
    project = project_access.get_project_or_404(request, project_id)
    listed = Paginator(range(versions.count_versions(project)), PAGE_SIZE).get_page(request.GET.get("page"))
    page = versions.list_versions(project, first=listed.start_index() - 1, count=PAGE_SIZE)
    here = reverse("web:project-versions", args=[project.pk])
    names = name_criteria(project.configuration)
    shown = [(version, show_changes(version.changes, names)) for version in page]
    context = {
        **project_access.project_context(request, project, "versions"),
        "versions": shown,
        "replays": Replay.objects.filter(project=project)
        .select_related("created_by")
        .order_by("-pk")[:MAX_REPLAYS],
        "previous_url": with_query(here, {"page": listed.number - 1}) if listed.has_previous() else "",
        "next_url": with_query(here, {"page": listed.number + 1}) if listed.has_next() else "",
    }
    return render(request, "web/projects/versions.html", context)


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


def name_criteria(config: Configuration) -> dict[str, str]:
    """Return what the criteria of settings are called, by id."""
    return {criterion.id: criterion.name for _section, criterion in config.rubric.criteria()}


def show_changes(changes: Iterable[versions.Change], names: Mapping[str, str]) -> list[ShownChange]:
    """Return changes of settings as `projects/changes.html` shows them; `names` are those of criteria."""
    return [
        ShownChange(c.path, name_setting(c.path, names), c.change, _shorten(c.former), _shorten(c.new))
        for c in changes
    ]


def name_setting(path: str, names: Mapping[str, str]) -> str:
    """Return the criterion and its setting in words; "" for a path that has none."""
    if not path.startswith(CRITERIA):
        return ""
    criterion_id, _dot, field = path.removeprefix(CRITERIA).partition(".")
    if not field:  # added or removed, and its name is the value
        return _("Criterion")
    if criterion_id not in names or field not in FIELD_NAMES:
        return ""
    return _("%(criterion)s: %(setting)s") % {
        "criterion": names[criterion_id],
        "setting": FIELD_NAMES[field],
    }


def _shorten(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
