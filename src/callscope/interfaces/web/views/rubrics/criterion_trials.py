"""A criterion of a draft tried on the newest calls of its project: first what it costs, then call by call."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from callscope.accounts.models import User
from callscope.analysis.analyze import AnalysisTooLong
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.db.limits import MAX_ID
from callscope.engines.errors import EngineUnavailable
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.presenters import trial
from callscope.interfaces.web.request_data import read_json
from callscope.interfaces.web.settings_parts.field_words import list_errors
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.pipeline.ledger import usage
from callscope.pipeline.ledger.estimates import estimate_work, find_engines
from callscope.pipeline.rubric_changes.replays.drafts import find_comparable
from callscope.projects.configuration import Configuration, InvalidConfiguration, parse
from callscope.projects.models import Project
from callscope.reviews.reading import list_hidden

CALLS = 20  # the newest that have a result and a transcript


@signed_in_page
@require_POST
def try_criterion(request: HttpRequest, project_id: int) -> HttpResponse:
    """Judge a call by {"document": …, "criterion": id, "call": id} and show one row of the comparison.

    Without "call", show the calls to try it on and what a language model would cost. No result is stored;
    what the engines cost is entered as usage.
    """
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    asked = read_json(request)
    try:
        if asked.get("document") is None:
            raise InvalidConfiguration([("", Message("no_settings"))])
        config = parse(asked["document"])
    except InvalidConfiguration as error:
        errors = list_errors(error)
        return JsonResponse({"errors": errors}, status=400)
    names = {criterion.id: criterion.name for _section, criterion in config.rubric.criteria()}
    chosen = asked.get("criterion")
    if not isinstance(chosen, str) or chosen not in names:
        known = ", ".join(names) or "–"
        detail = _("“%(id)s” is not a criterion of these settings. They have: %(known)s.")
        return JsonResponse({"detail": detail % {"id": str(chosen)[:64], "known": known}}, status=400)
    if "call" in asked:
        return _judge(request, project, config, chosen, asked["call"])
    user = current_user(request)
    calls = list_newest_calls(project, user)
    context = {
        "calls": calls,
        "criterion": chosen,
        "name": names[chosen],
        "side": trial.Side(trial.find_version(find_engines(project, project.configuration), project)),
        "estimate": estimate_work(project, config, calls=len(calls), judgments=len(calls)),
    }
    return render(request, "web/settings/criterion_trial.html", context)


def list_newest_calls(project: Project, user: User) -> list[int]:
    """Return the newest calls that can be compared, without those whose results are kept from the user."""
    found = find_comparable(project).exclude(call__in=list_hidden(user).all)
    return list(found.order_by("-call__call_datetime", "-call").values_list("call", flat=True)[:CALLS])


def _judge(
    request: HttpRequest, project: Project, config: Configuration, criterion: str, named: Any
) -> HttpResponse:
    user = current_user(request)
    call = _find_call(project, named, user)
    if call is None:
        detail = _("Choose a call of this project that has a transcript.")
        return JsonResponse({"detail": detail}, status=404)
    transcript = trial.find_transcript(call)
    # As replays choose them: what was estimated is what is asked, and a draft sends no private call away.
    engines, now = find_engines(project, config), find_engines(project, project.configuration)
    try:
        found = trial.analyze_as_trial(transcript, config, by=user, engines=engines)
        usage.record_trial(user, transcript.file, found.usage)
        current = trial.analyze_by_current(transcript, by=user, engines=now)
    except AnalysisTooLong as error:
        return JsonResponse({"detail": translate(error.message)}, status=400)
    except EngineUnavailable as error:
        usage.record_trial(user, transcript.file, error.usage)
        return JsonResponse({"detail": translate(error.message)}, status=503)
    if current:
        usage.record_trial(user, transcript.file, current.usage)
    compared = trial.compare(call, found, current)
    context = {"trial": compared, "call": call, "row": compared.find_criterion(criterion)}
    return render(request, "web/settings/criterion_trial_row.html", context)


def _find_call(project: Project, named: Any, user: User) -> Call | None:
    if isinstance(named, bool) or not isinstance(named, int) or not 0 < named <= MAX_ID:
        return None
    if named in list_hidden(user).all:
        return None
    results: Any = find_comparable(project).filter(call=named)
    live: CallAnalysis | None = results.select_related("call__newest_file").first()
    return live.call if live else None
