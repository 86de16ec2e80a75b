"""Correct what is known of a call from outside its audio: a form for who may write the project."""

import msgspec
from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from callscope.calls.metadata import MetadataConflict
from callscope.calls.models import Agent, Call
from callscope.calls.reviewed_agents import read_placed
from callscope.db.limits import MAX_ID
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.call_page.details_form import AGENT_FIELDS, DIRECTIONS, DetailsForm
from callscope.interfaces.web.project_access import require_writer
from callscope.interfaces.web.query_string import with_query
from callscope.pipeline.files import corrections, intake
from callscope.projects import permissions
from callscope.reports.window import zone_name
from callscope.reviews.placements.agents import list_agents
from callscope.reviews.reading import list_hidden_calls

UNDO_FORM = "undo-details"  # the id of the form on the page of the call, with the number of the call
SALT = "callscope.details"
UNDO_FOR = 3600  # seconds


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def details(request: HttpRequest, call_id: int) -> HttpResponse:
    """Show the details in a form, and save those that were changed."""
    call, status = _get_call(request, call_id), 200
    require_writer(request, call.project)
    call_url = with_query(reverse("web:call", args=[call.pk]), request.GET.dict())
    if "undo" in request.POST:
        take_back(request, call)
        return redirect(call_url)
    if request.method == "POST":
        form, status = DetailsForm.of(call, request.POST), 400
        changes = form.read(timezone.now())
        if not form.errors:
            try:
                _save(request, form, call, changes)
            except MetadataConflict as error:
                call, status = _get_call(request, call_id), 409
                form.follow(call, error.fields)
            except Call.DoesNotExist:  # gone since it was looked up
                raise Http404 from None
            else:
                return redirect(call_url)
    else:
        form = DetailsForm.of_call(call)
    context = {
        "call": call,
        "call_url": call_url,
        "form": form,
        "inputs": form.list_inputs(list_agents(call.project_id)),
        "directions": DIRECTIONS.items(),
        "zone": zone_name(),
        "uses_upload_time": call.call_datetime_source == Call.DatetimeSource.UPLOAD_TIME,
        **_describe_review(request, call),
    }
    return render(request, "web/call/details.html", context, status=status)


def _get_call(request: HttpRequest, call_id: int) -> Call:
    """Return the call; Http404 where it does not exist or is not visible, as for who sees own calls alone."""
    calls = Call.objects.filter(project__in=permissions.visible_to(current_user(request)))
    call = calls.select_related("project__owner", "agent").filter(pk=min(call_id, MAX_ID)).first()
    if call is None:
        raise Http404
    return call


def _save(request: HttpRequest, form: DetailsForm, call: Call, changes: dict[str, str]) -> None:
    """Write the changes, and say what came of them. Raises MetadataConflict and Call.DoesNotExist."""
    if not changes:
        messages.info(request, _("Nothing was changed."))
        return
    user = current_user(request)
    saved, earlier = intake.describe_call(call.pk, call.project, changes, user, seen=form.seen)
    said = [changes[name].strip() for name in AGENT_FIELDS if name in changes]
    if saved.agent and said and not any(said):
        messages.warning(
            request,
            _("The call keeps its agent, %(agent)s. Clear both the agent and the ID to leave it without one.")
            % {"agent": saved.agent.name},
        )
        if changes.keys() <= set(AGENT_FIELDS):
            return
    undo = ""
    if earlier is not None:
        if call.pk in list_hidden_calls(user):  # what a review said must not be read from it
            earlier = msgspec.structs.replace(earlier, placed=None)
        sent = signing.dumps([user.pk, call.pk, msgspec.to_builtins(earlier)], salt=SALT, compress=True)
        undo = f"{UNDO_FORM}-{call.pk}:{sent}"
    messages.success(request, _("The details were saved."), extra_tags=undo)


def take_back(request: HttpRequest, call: Call) -> None:
    """Undo what the visitor saved in the last hour, and say what came of it."""
    user = current_user(request)
    try:
        of_user, of_call, known = signing.loads(request.POST["undo"], salt=SALT, max_age=UNDO_FOR)
        if (of_user, of_call) != (user.pk, call.pk):
            raise signing.BadSignature
        corrections.take_back(call.pk, call.project, msgspec.convert(known, corrections.Earlier), user)
    except signing.SignatureExpired:
        said = _("Nothing was undone: this was saved more than an hour ago. Edit the details instead.")
    except (signing.BadSignature, msgspec.ValidationError):  # or from another version of this server
        said = _("Nothing was undone: you can only undo what you saved for this call yourself.")
    except MetadataConflict:
        said = _("Nothing was undone: someone has changed the same details since. Edit the details instead.")
    except Agent.DoesNotExist:
        said = _("Nothing was undone: the earlier agent is no longer there. Edit the details instead.")
    except Call.DoesNotExist:
        raise Http404 from None
    else:
        messages.success(request, _("The details are as they were before."))
        return
    messages.error(request, said)


def _describe_review(request: HttpRequest, call: Call) -> TemplateContext:
    """Return whose the call is by a review, unless what people decided is hidden from the visitor."""
    if call.pk in list_hidden_calls(current_user(request)) or call.pk not in read_placed([call.pk]):
        return {"is_placed": False}
    return {"is_placed": True, "placed_agent": call.agent.name if call.agent else ""}
