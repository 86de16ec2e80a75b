"""A page for each part of a project's settings. It saves what is on it and leaves every other setting alone.

A module of the page sends JSON; without scripts the same fields come as a form, and lists as YAML.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.request_data import parse_id, read_json
from callscope.interfaces.web.settings_parts import catalog, forms
from callscope.interfaces.web.settings_parts.field_words import describe_reason, list_errors
from callscope.interfaces.web.settings_parts.fields import Part
from callscope.interfaces.web.settings_parts.setting_names import UNNAMED_RUBRIC
from callscope.interfaces.web.settings_parts.starts import STARTER, Starts, list_rubrics, name_starter
from callscope.interfaces.web.views.rubrics import criterion_trials
from callscope.interfaces.web.views.settings import conflicts
from callscope.interfaces.web.views.settings.document import RULE_SIDES, list_unjudged
from callscope.interfaces.web.views.settings.draft import find_replay, show_draft
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.pipeline.models import Replay
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.engines import project_engines
from callscope.projects.models import Project
from callscope.projects.saving import Saved, SettingsChanged, save_settings
from callscope.projects.services import ProtectedSetting
from callscope.reports.window import zone_name
from callscope.reviews.reading import list_hidden

CALLS_TO_TRY = 100  # the newest; any other is found by its name


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, project_id: int, part: str | None = None) -> HttpResponse:
    """Show one part of the settings, the first where none is named; save it."""
    project = project_access.get_project_or_404(request, project_id)
    is_judged = project.type == Project.Type.CALL
    chosen = catalog.find_part(part or ("rubric" if is_judged else "calls"), is_judged=is_judged)
    if chosen is None or chosen.slug == "general":  # which has a view of its own
        raise Http404
    if request.method != "POST":
        return show_part(request, project, chosen, draft_of=find_replay(request, project))
    project_access.require_writer(request, project)
    if request.content_type == "application/json":
        return save_json(request, project, chosen)
    return save_form(request, project, chosen)


@signed_in_page
@require_safe
def load_rubric(request: HttpRequest, project_id: int) -> HttpResponse:
    """Answer with the rubric that was chosen to start from, for the editor to show; nothing is stored."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    language = project.configuration.language
    starts = starts_of_rubrics(request, project)
    chosen = starts.load(request.GET.get("start", ""), None if language == "auto" else language)
    if chosen is None:
        raise Http404
    return JsonResponse({"errors": [], "document": {"rubric": chosen["rubric"]}})


def starts_of_rubrics(request: HttpRequest, project: Project) -> Starts:
    """Return what the rubric of a project can start from: other call projects that have criteria."""
    others = (each for each in project_access.list_projects(request) if each.pk != project.pk)
    return list_rubrics(each for each in others if each.type == Project.Type.CALL)


def save_json(request: HttpRequest, project: Project, part: Part) -> HttpResponse:
    """Store {"document": settings, "version": …}; 409, with a notice, when others changed the same of them.

    With "over", the version that the notice was about, what was sent wins over that.
    """
    asked = read_json(request)
    document = asked.get("document")
    since, over = (each if isinstance(each, int) else None for each in map(asked.get, ("version", "over")))
    try:
        if not isinstance(document, dict):
            raise InvalidConfiguration([("", Message("no_settings"))])
        saved = save_part(request, project, part, document, since, over)
    except InvalidConfiguration as error:
        wrong = list_errors(error)
        return JsonResponse({"errors": wrong}, status=400)
    except SettingsChanged as error:
        notice = conflicts.write_conflict(request, project, part, error)
        return JsonResponse({"errors": [], "notice": notice}, status=409)
    except ProtectedSetting as error:
        return JsonResponse({"detail": translate(error.message)}, status=403)
    if saved.is_merged:  # the page is loaded again
        conflicts.say_saved(request, part, saved)
    return JsonResponse(
        {
            "errors": [],
            "changed": saved.is_changed,
            "merged": saved.is_merged,
            "version": project.config_version,
            "document": project.configuration.as_document(),
        }
    )


def save_form(request: HttpRequest, project: Project, part: Part) -> HttpResponse:
    """Store what a form sends, its fields or the part as YAML; show it again with what is wrong with it."""
    text, since = request.POST.get("yaml"), parse_id(request.POST.get("version", ""))
    document: Mapping[str, Any] = {}
    wrong: list[tuple[str, str]] = []
    status, conflict = 400, None
    try:
        if text is None:
            if part.is_protecting and "fields" not in request.POST:  # cut off: without fields, all is off
                raise InvalidConfiguration([("", Message("no_settings"))])
            document = forms.read_form(part, request.POST)
        else:
            document = forms.read_part(text, part)
        saved = save_part(request, project, part, document, since, parse_id(request.POST.get("over", "")))
    except InvalidConfiguration as error:
        describe = describe_reason if text is None else translate  # YAML has the names of settings
        wrong = [(path, describe(reason)) for path, reason in error.errors]
    except SettingsChanged as error:
        conflict, status = conflicts.show_conflict(request, project, error), 409
    except ProtectedSetting as error:
        wrong, status = [("", translate(error.message))], 403
    else:
        conflicts.say_saved(request, part, saved)
        return redirect("web:project-settings-part", project.pk, part.slug)
    refused: TemplateContext = {
        "edited": since,
        "conflict": conflict,
        "conflict_form": "editor" if text is None else "as-yaml",
    }
    return show_part(
        request, project, part, sent=document, text=text, wrong=wrong, status=status, refused=refused
    )


def save_part(
    request: HttpRequest,
    project: Project,
    part: Part,
    document: Mapping[str, Any],
    since: int | None,
    over: int | None,
) -> Saved:
    """Store the settings of a part. Raises what save_settings raises."""
    forms.refuse_other_settings(document, part)
    with follow_settings(project):
        saved = save_settings(project, document, since, by=current_user(request), over=over)
    project.refresh_from_db()
    return saved


def show_part(
    request: HttpRequest,
    project: Project,
    part: Part,
    *,
    sent: Mapping[str, Any] | None = None,
    text: str | None = None,
    wrong: list[tuple[str, str]] | None = None,
    status: int = 200,
    refused: TemplateContext | None = None,
    draft_of: Replay | None = None,
) -> HttpResponse:
    """Show the page of a part, with what was sent where it could not be saved, or with a draft.

    `refused` has the version that was edited, from which a second try starts, and what it conflicts with.
    """
    from callscope.contact_reasons.codes.proposal import has_candidates

    document = project.configuration.as_document()
    around = layout(request, project, part)
    shows = {name: bool(around[name]) for name in ("may_write", "may_change")}
    of_draft = show_draft(project, part, draft_of, **shows)
    draft = of_draft["draft"]
    errors = defaultdict(list)
    for path, reason in wrong or []:
        errors[path].append(reason)
    shown = {**document, **(sent or draft)}
    context = {
        **around,
        "document": document,
        **of_draft,
        "missing_draft": "" if draft_of or request.method == "POST" else request.GET.get("draft", "")[:20],
        "yaml": forms.write_part({**document, **draft}, part) if text is None else text,
        "is_yaml_sent": text is not None,
        "blocks": forms.show_fields(part, shown, errors if text is None else {}),
        "wrong": wrong,
        "version": project.config_version,
        **(refused or {"edited": project.config_version}),
        "zone": zone_name(),
        "hours_over_midnight": None if wrong else project.configuration.shift_hours.hours_over_midnight,
    }
    if part.slug == "reasons":
        context["has_candidates"] = has_candidates(project)
    if part.judges:
        context |= judging(project, current_user(request))
    if part.slug == "rubric":
        context["unnamed_rubric"] = UNNAMED_RUBRIC
    if part.slug == "rubric" and context["may_change"] and not project.configuration.rubric.criteria():
        copies = starts_of_rubrics(request, project).list_copies()
        context["starts"] = [(STARTER, name_starter()), *copies]
    return render(
        request,
        "web/settings/yaml.html" if part.slug == "yaml" else "web/settings.html",
        context,
        status=status,
    )


def layout(request: HttpRequest, project: Project, part: Part) -> TemplateContext:
    """Return what stands around every part: the other parts, and whether this one can be changed here."""
    around = project_access.project_context(request, project, "settings")
    is_locked = part.is_protecting and not around["may_manage"]
    return {
        **around,
        "part": part,
        "groups": catalog.list_groups(is_judged=project.type == Project.Type.CALL),
        "may_change": around["may_write"] and not is_locked,
        "lock_notice": project_access.manager_notice(project) if is_locked and around["may_write"] else "",
    }


def judging(project: Project, user: User) -> TemplateContext:
    """Return what the parts need that can be tried on calls: those that the user may see judged."""
    config = project.configuration
    calls = Call.objects.filter(project=project, newest_file__transcript__isnull=False).order_by("-pk")
    calls = calls.exclude(pk__in=list_hidden(user).all)
    return {
        "calls": calls.values("pk", "file_name")[:CALLS_TO_TRY],
        "calls_in_trial": criterion_trials.CALLS,
        "rule_sides": RULE_SIDES.items(),
        "has_model": project_engines(config).llm is not None,
        "unjudged": list_unjudged(config),
    }
