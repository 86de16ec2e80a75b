"""What a share link shows to anyone who has it: one call with its recording, or a report without calls."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note_once
from callscope.calls import share_links
from callscope.calls.models import ShareLink
from callscope.interfaces.guard import byte_ranges, rate_limit
from callscope.interfaces.web.presenters import shared_report
from callscope.interfaces.web.presenters.call_page.call import describe_persons_part
from callscope.interfaces.web.views.call import build_findings, build_recording
from callscope.interfaces.web.views.errors import too_many_requests
from callscope.interfaces.web.views.sharing.shared_parts import find_playable
from callscope.projects import permissions
from callscope.reports.call_list.call_detail import CallDetail, find_call
from callscope.reports.details.absences import load_judging_configuration
from callscope.reports.details.results_alone import leave_out_comments, leave_out_words
from callscope.reports.judged_versions import find_judged_from
from callscope.reports.overview.kept_back.calls import KeptBack, find_kept_back
from callscope.reports.overview.kept_back.whole_report import hide_in_report
from callscope.reports.overview.report import build_report
from callscope.reports.overview.targets import read_targets
from callscope.reports.window import Window, zone_name
from callscope.reviews import reading
from callscope.reviews.calibration.visibility import is_blinded
from callscope.reviews.reading import list_hidden_calls

HOUR_S = 3600.0  # openings within it count as one in the audit trail


def shared_page(
    view: Callable[[HttpRequest, ShareLink], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Decorate a view of an open link: for everybody who has it, within the rate limit, unknown to others."""

    @wraps(view)
    @require_safe
    def opened(request: HttpRequest, token: str) -> HttpResponseBase:
        origin = rate_limit.number_origin(request.META.get("REMOTE_ADDR", ""))
        wait_s = rate_limit.find_wait(origin)
        response: HttpResponseBase
        if wait_s is not None:
            response = too_many_requests(request, wait_s)
        else:
            try:
                response = view(request, share_links.find_link(token, now=timezone.now()))
            except (share_links.NoSuchLink, Http404):
                response = render(request, "web/shared/gone.html", status=404)
        # The address is the key: no search engine may list it, and no other site may see it.
        response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return opened


@gzip_page
@shared_page
def shared(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """Show what the link opens."""
    user = request.user
    if link.call_id is not None and isinstance(user, User):
        hidden = reading.list_hidden(user)
        if link.call_id in hidden.all:
            return ask_first(request, link, hidden)
    note_opening(link, "share_link.opened")
    about = {"link": link, "made_on": timezone.localtime(link.created_at).date(), "zone": zone_name()}
    if link.call_id is None:
        window = Window(link.start_date, link.end_date)
        targets = read_targets(link.project.config)
        whole = build_report([link.project], window, None, is_drawn=True)
        whole = replace(whole, judged_from=find_judged_from(whole.parting_change, window))
        report = hide_in_report(whole, find_kept(link, user), [link.project])
        context = shared_report.build_context(report, targets, hides=report != whole)
        return render(request, "web/shared/report.html", {**context, **about})
    detail = leave_out_comments(find_detail(link))
    if link.results_only:
        detail = leave_out_words(detail)
    # Who rates the call in a calibration shows its answers to nobody either.
    is_hidden = is_blinded(detail.call.pk, link.created_by)
    if not is_hidden and isinstance(user, User) and permissions.can_write(user, link.project):
        reading.note_reading(detail.call.pk, user)
    config = load_judging_configuration(link.project, detail.analysis)
    recording = build_recording(detail)
    if link.results_only or find_playable(recording) is None:
        recording["audio_url"] = ""
    else:
        token = request.resolver_match.kwargs["token"] if request.resolver_match else ""
        recording["audio_url"] = reverse("web:shared-recording", args=[token])
    context = {
        **about,
        "detail": detail,
        "call": detail.call,
        "item": detail.item,
        **build_findings(detail, config, shows_phrases=False),
        **recording,
        # Who opens the link is not to see reviews, nor what they changed.
        "persons_part": describe_persons_part(detail, shows_machine=False),
        "reviewed": {"is_hidden": is_hidden},
        "correct_url": "",
        "is_shared": True,
    }
    return render(request, "web/shared/call.html", context)


def find_kept(link: ShareLink, visitor: User | AnonymousUser) -> KeptBack:
    """Return the calls that wait for a blind review of who made the link, or of who opens it signed in."""
    people = [each for each in (link.created_by, visitor) if isinstance(each, User)]
    return find_kept_back([link.project], frozenset().union(*map(list_hidden_calls, people)))


def ask_first(request: HttpRequest, link: ShareLink, hidden: reading.HiddenCalls) -> HttpResponse:
    """Say that the results are kept from the visitor, as the page of the call does."""
    token = request.resolver_match.kwargs["token"] if request.resolver_match else ""
    context = {
        "call": link.call,
        "waits_blind": link.call_id in hidden.to_review,
        "is_rated": link.call_id in hidden.rated,
        "token": token,
    }
    return render(request, "web/shared/hidden.html", context)


@shared_page
def shared_recording(request: HttpRequest, link: ShareLink) -> HttpResponseBase:
    """Answer the recording of a shared call, with what is redacted silenced."""
    if link.call_id is None or link.results_only:
        raise Http404
    file = find_playable(build_recording(find_detail(link)))
    if file is None:
        raise Http404
    key = file.playback_key or file.storage_key
    try:
        response = byte_ranges.range_response(
            key,
            method=request.method or "GET",
            headers=request.headers,
            name=file.original_filename,
            etag=key.rsplit("/", 1)[-1],
            modified=file.created_at,
        )
    except FileNotFoundError:
        raise Http404 from None
    note_opening(link, "share_link.played")
    return response


def find_detail(link: ShareLink) -> CallDetail:
    """Return the call of a link. Http404 where it is in no report any more."""
    detail = find_call([link.project], link.call_id or 0)
    if detail is None:
        raise Http404
    return detail


def note_opening(link: ShareLink, action: str) -> None:
    """Note that somebody opened the link, once an hour: anyone who has it could fill the trail."""
    subject = share_links.name_subject(link)
    note_once(None, action, subject, within_s=HOUR_S, project=link.project_id, link=link.pk)
