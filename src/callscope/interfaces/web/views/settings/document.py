"""What the editor of a project's settings asks about the whole document.

The module of the page puts what is in its fields into the stored document. The
addresses here check it, turn it into YAML and back, try it on a call, and save
it; projects.configuration alone decides what is right.
"""

import datetime as dt
from dataclasses import astuple
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from callscope.analysis.analyze import AnalysisTooLong
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.db.limits import MAX_ID, is_storable
from callscope.engines.errors import EngineUnavailable
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.presenters import retention as presenter
from callscope.interfaces.web.presenters import trial
from callscope.interfaces.web.request_data import read_json
from callscope.interfaces.web.settings_parts import catalog, forms
from callscope.interfaces.web.settings_parts.field_words import list_errors
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.pipeline.erasure import due_removal
from callscope.pipeline.erasure.retention import find_next_sweep
from callscope.pipeline.ledger import usage
from callscope.projects import configuration, services
from callscope.projects.configuration import Configuration, InvalidConfiguration
from callscope.projects.engines import project_engines
from callscope.projects.models import Project
from callscope.reviews.reading import list_hidden

DAYS_AHEAD = 7  # for which is said what the retention removes

RULE_SIDES = {  # of a rule: what its words have to stand before or after
    "before": gettext_lazy("Must be said before"),
    "after": gettext_lazy("Must be said after"),
}


def list_unjudged(config: Configuration) -> list[str]:
    """Return the paths of the criteria that nobody can judge: no phrases, and no language model."""
    if project_engines(config).llm is not None:
        return []
    return [
        f"rubric.sections[{at}].criteria[{number}]"
        for at, section in enumerate(config.rubric.sections)
        for number, criterion in enumerate(section.criteria)
        if criterion.rule is None or criterion.rule.is_empty
    ]


@signed_in_page
@require_POST
def check(request: HttpRequest, project_id: int) -> HttpResponse:
    """Answer {"document": …} with its errors, each with its path; nothing is stored."""
    project_access.get_project_or_404(request, project_id)
    config, answer = _parse_document(read_json(request).get("document"))
    return JsonResponse({**answer, "unjudged": list_unjudged(config)} if config else answer)


@signed_in_page
@require_POST
def save(request: HttpRequest, project_id: int) -> HttpResponse:
    """Store {"document": …, "version": …}; 409 when somebody else has saved since that version."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    asked = read_json(request)
    if asked.get("version") != project.config_version:
        detail = _(
            "Someone else has saved other settings in the meantime. Copy yours as YAML, then reload the page."
        )
        return JsonResponse({"detail": detail}, status=409)
    config, answer = _parse_document(asked.get("document"))
    if config is None:
        return JsonResponse(answer, status=400)
    try:
        with follow_settings(project):
            changed = services.configure_project(project, config.as_document(), by=current_user(request))
    except services.ProtectedSetting as error:
        return JsonResponse({"detail": translate(error.message)}, status=403)
    return JsonResponse(
        {
            "errors": [],
            "changed": changed,
            "version": project.config_version,
            "document": config.as_document(),
        }
    )


@signed_in_page
@require_POST
def as_yaml(request: HttpRequest, project_id: int) -> HttpResponse:
    """Answer {"document": …} with its YAML, or {"yaml": "…"} with its document, and the errors of either.

    With "part", the name of a part of the settings, only its settings go out and come in.
    """
    project = project_access.get_project_or_404(request, project_id)
    asked = read_json(request)
    text, named = asked.get("yaml"), asked.get("part")
    slug, is_judged = named if isinstance(named, str) else "", project.type == Project.Type.CALL
    part = catalog.find_part(slug, is_judged=is_judged) or catalog.WHOLE
    if isinstance(text, str):
        try:
            stored = project.configuration.as_document()
            config = configuration.parse({**stored, **forms.read_part(text, part)})
        except InvalidConfiguration as error:
            wrong = [{"path": path, "reason": translate(reason)} for path, reason in error.errors]
            return JsonResponse({"errors": wrong}, status=400)
        return JsonResponse({"errors": [], "document": config.as_document()})
    config_or_none, answer = _parse_document(asked.get("document"))
    if config_or_none is not None:
        return JsonResponse({**answer, "yaml": forms.write_part(config_or_none.as_document(), part)})
    try:  # unfinished settings can be copied away too
        return JsonResponse({**answer, "yaml": forms.write_part(asked.get("document"), part)})
    except (RecursionError, ValueError):  # nested a thousand deep, or a number of thousands of digits
        return JsonResponse({**answer, "yaml": ""}, status=400)


@signed_in_page
@require_POST
def forecast_retention(request: HttpRequest, project_id: int) -> HttpResponse:
    """Answer {"document": …} with what its days would remove now and soon: a sentence, "" where it has
    none, and the question before that is saved, "" where no more is removed than with the saved days.

    `counts` are those of what falls due soon, by the moment `until`, in seconds. Who asks again after a
    confirmation sends that moment along, so that time alone makes it no more.
    """
    project = project_access.get_project_or_404(request, project_id)
    config, answer = _parse_document((asked := read_json(request)).get("document"))
    if config is None:
        return JsonResponse(answer, status=400)
    sentence, question = "", ""
    counts: tuple[int, ...] = ()
    now, until = timezone.now(), asked.get("until")
    week = now + dt.timedelta(days=DAYS_AHEAD)
    if type(until) is int and now.timestamp() <= until <= week.timestamp():
        week = dt.datetime.fromtimestamp(until, dt.UTC)
    if config.retention.is_set:
        sweep = find_next_sweep(project, now=now)
        first, soon = (due_removal.forecast_removal(project, config.retention, at) for at in (sweep, week))
        saved, are_saved = soon, config.retention == project.configuration.retention
        if not are_saved:
            saved = due_removal.forecast_removal(project, project.configuration.retention, week)
        sentence = presenter.describe_forecast(
            first,
            soon,
            DAYS_AHEAD,
            next_sweep=None if sweep == now else sweep,
            saved=None if are_saved else saved,
        )
        question = presenter.ask_before(soon, DAYS_AHEAD) if soon.exceeds(saved) else ""
        counts = astuple(soon)
    found = {"sentence": sentence, "question": question, "counts": counts, "until": int(week.timestamp())}
    return JsonResponse({"errors": [], **found})


@signed_in_page
@require_POST
def try_out(request: HttpRequest, project_id: int) -> HttpResponse:
    """Judge one call by {"document": …} and show it next to what is found now.

    No result is stored; what the engines cost is entered as usage.
    """
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    asked = read_json(request)
    config, answer = _parse_document(asked.get("document"))
    if config is None:
        return JsonResponse(answer, status=400)
    call = _find_call(project.pk, asked.get("call"))
    if call is not None and call.newest_file and call.newest_file.transcript_removed_at:
        return JsonResponse({"detail": translate(Message("transcript_removed"))}, status=409)
    if call is None:
        detail = _("Choose a call of this project that has a transcript.")
        return JsonResponse({"detail": detail}, status=404)
    if call.pk in list_hidden(current_user(request)).all:
        detail = _("You have this call to rate or to review blind: its results are hidden until then.")
        return JsonResponse({"detail": detail}, status=409)
    user, transcript = current_user(request), trial.find_transcript(call)
    current = None
    try:
        found = trial.analyze_as_trial(transcript, config, by=user)
        usage.record_trial(user, transcript.file, found.usage)
        if CallAnalysis.objects.filter(call=call, is_live=True).exists():
            current = trial.analyze_by_current(transcript, by=user)
    except AnalysisTooLong as error:
        return JsonResponse({"detail": translate(error.message)}, status=400)
    except EngineUnavailable as error:
        usage.record_trial(user, transcript.file, error.usage)
        return JsonResponse({"detail": translate(error.message)}, status=503)
    if current:
        usage.record_trial(user, transcript.file, current.usage)
    context = {"trial": trial.compare(call, found, current), "call": call}
    return render(request, "web/settings/trial.html", context)


def _find_call(project_id: int, name_or_id: Any) -> Call | None:
    """Return the call by its id or, as a text, its file name; only one whose newest file has a transcript,
    or had one until the retention removed it.
    """
    has_transcript = Q(newest_file__transcript__isnull=False) | Q(
        newest_file__transcript_removed_at__isnull=False
    )
    calls = Call.objects.filter(has_transcript, project=project_id).select_related("newest_file")
    if isinstance(name_or_id, int) and not isinstance(name_or_id, bool) and 0 < name_or_id <= MAX_ID:
        return calls.filter(pk=name_or_id).first()
    if isinstance(name_or_id, str) and is_storable(name_or_id):
        return calls.filter(file_name=name_or_id.strip()[:255]).first()
    return None


def _parse_document(
    document: Any,
) -> tuple[configuration.Configuration | None, dict[str, list[dict[str, str]]]]:
    try:
        if document is None:
            raise InvalidConfiguration([("", Message("no_settings"))])
        return configuration.parse(document), {"errors": []}
    except InvalidConfiguration as error:
        return None, {"errors": list_errors(error)}
