"""Draw calls to review, and look one draw up: from what, for whom, why, and what became of it."""

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from callscope.accounts.models import User
from callscope.calls.models import Agent, Call
from callscope.calls.namesakes import label_agents
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.report_request import explain_day
from callscope.interfaces.web.templatetags.formatting import day, number
from callscope.interfaces.web.views.reviewing.draw_filters import describe_filters, list_choices
from callscope.messages.translation import translate
from callscope.pipeline.decisions.filtered_draws import FILTERS, draw_filtered
from callscope.projects.models import Project
from callscope.projects.permissions import list_writers
from callscope.reports.overview.missing_calls import count_removed_results
from callscope.reports.window import InvalidWindow, parse_window
from callscope.reviews.calibration.sessions import MAX_CALLS
from callscope.reviews.calibration.visibility import list_open_places
from callscope.reviews.models import ReviewSample
from callscope.reviews.reading import find_unblinded, list_hidden
from callscope.reviews.sampling.draw import (
    MAX_PER_AGENT,
    MAX_REVIEWERS,
    MAX_SEED,
    InvalidSample,
    SamplePlan,
    count_drawable,
    select_drawable,
)
from callscope.reviews.sampling.listing import (
    RESULTS_REMOVED,
    list_sampled_calls,
    read_drawn_reviews,
    read_later_revisions,
    sum_up,
)
from callscope.reviews.sampling.withdrawing import find_unbegun, withdraw_sample
from callscope.reviews.sampling.work_list import list_progress


@dataclass(slots=True)
class SampleForm:
    """What was typed to draw a sample, and what is wrong with it by input."""

    per_agent: str = "5"
    uncertain_pct: str = "0"
    seed: str = ""
    start_date: str = ""
    end_date: str = ""
    due: str = ""
    leave_out_drawn: bool = True
    filters: dict[str, str] = field(default_factory=dict)
    reviewers: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sent: QueryDict) -> "SampleForm":
        form = cls(reviewers=sent.getlist("reviewer")[: MAX_REVIEWERS + 1], filters=read_filters(sent))
        for name in ("per_agent", "uncertain_pct", "seed", "start_date", "end_date", "due"):
            setattr(form, name, sent.get(name, "").strip()[:40])
        form.leave_out_drawn = "leave_out_drawn" in sent
        return form

    def read_number(self, name: str, lowest: int, highest: int) -> int:
        """Return the number that was typed; 0 where it is wrong, noted by its input."""
        return read_number(self.errors, name, getattr(self, name), lowest, highest)


class DrawSize(NamedTuple):
    """How much work a draw makes without days and filters; draw_size.js counts the same."""

    calls: int | None  # None: what was typed is no number of calls
    people: int
    is_short: bool = False  # some agents have fewer calls than are wanted of each

    @classmethod
    def of(cls, form: SampleForm, drawable: Iterable[tuple[int, int]]) -> "DrawSize":
        """Return the size for what the form holds, out of the calls that count_drawable() counted."""
        per_agent, people = (
            read_number({}, "per_agent", form.per_agent, 1, MAX_PER_AGENT),
            len(form.reviewers),
        )
        if not per_agent:
            return cls(None, people)
        found = [left if form.leave_out_drawn else n for n, left in drawable]
        is_short = any(each < per_agent for each in found)
        return cls(sum(min(per_agent, each) for each in found), people, is_short)

    @property
    def fewest(self) -> int | None:
        """Return the fewest calls that one reviewer gets; None without reviewers."""
        return None if self.calls is None or not self.people else self.calls // self.people

    @property
    def most(self) -> int | None:
        return None if self.calls is None or not self.people else -(-self.calls // self.people)


def read_filters(sent: QueryDict) -> dict[str, str]:
    """Return the filters that were filled in."""
    return {name: value for name in FILTERS if (value := sent.get(name, "").strip())}


def read_number(errors: dict[str, str], name: str, typed: str, lowest: int, highest: int) -> int:
    """Return the number that was typed; 0 where it is wrong, noted in `errors` by its input."""
    if typed.isascii() and typed.isdigit() and lowest <= int(typed) <= highest:
        return int(typed)
    text = _("“%(typed)s” is not allowed. Type a whole number from %(lowest)s to %(highest)s.")
    if not typed:
        text = _("Type a whole number from %(lowest)s to %(highest)s.")
    errors[name] = text % {"typed": typed, "lowest": number(lowest), "highest": number(highest)}
    return 0


def choose_reviewers(writers: list[str], user: User) -> list[str]:
    """Return who is chosen on a form before anybody chooses: its reader, or who alone can review."""
    return [user.email] if user.email in writers else writers if len(writers) == 1 else []


def refuse_past(errors: dict[str, str], due: dt.date | None) -> None:
    """Note it by its input where work would be due before today."""
    if due is not None and due < timezone.localdate():
        errors["due"] = _("%(day)s is over. Choose today or a later day.") % {"day": day(due)}


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_sample(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the form that draws calls; draw them."""
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    project_access.require_writer(request, project)
    writers = [user.email for user in list_writers(project)]
    form, status = SampleForm(reviewers=choose_reviewers(writers, current_user(request))), 200
    if request.method == "POST":
        form = SampleForm.of(request.POST)
        sample = draw_from_form(project, form, current_user(request))
        if sample is not None:
            messages.success(request, describe_draw(sample))
            return HttpResponseRedirect(reverse("web:project-sample", args=[project.pk, sample.pk]))
        status = 400
    drawable = count_drawable(project)
    context = {
        **project_access.project_context(request, project, "reviews"),
        "form": form,
        "drawable": json.dumps(drawable),
        "size": DrawSize.of(form, drawable),
        "filter_choices": list_choices(project, form.filters),
        "agents": Agent.objects.filter(calls__project=project).distinct().count(),
        "writers": writers,
        "nothing_to_draw": "" if drawable else explain_nothing_to_draw(project),
    }
    return render(request, "web/reviewing/new_sample.html", context, status=status)


def explain_nothing_to_draw(project: Project) -> str:
    """Return why a draw finds no call; "" where it finds one."""
    if select_drawable(project).exists():
        return ""
    calls = Call.objects.filter(project=project).count()
    if not calls:
        return _("There are no calls to draw yet: the project has none.")
    if count_removed_results([project.pk]) == calls:
        return _("There are no calls to draw: none has results any more.")
    if not any(project.configuration.rubric.criteria()):
        return _("There are no calls to draw: the rubric has no criterion to score them by.")
    return _("There are no calls to draw yet: none has a score.")


def describe_draw(sample: ReviewSample) -> str:
    """Return how much work was made, and how much of it will not be blind."""
    calls = sample.calls.count()
    text = ngettext(
        "%(count)s call has been drawn. Its reviewer finds it under Reviews.",
        "%(count)s calls have been drawn. Reviewers find theirs under Reviews.",
        calls,
    )
    read = len(find_unblinded(sample))
    if read:
        also = ngettext(
            "The review of %(read)s of them will not be blind: its reviewer has opened the results.",
            "The reviews of %(read)s of them will not be blind: their reviewers have opened the results.",
            read,
        )
        text = f"{text} {also}"
    return text % {"count": number(calls), "read": number(read)}


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def show_sample(request: HttpRequest, project_id: int, sample_id: int) -> HttpResponse:
    """Show everything about one draw; take back what nobody has begun."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    found = ReviewSample.objects.filter(project=project, pk=min(sample_id, MAX_ID))
    sample = found.select_related("created_by").first()
    if sample is None:
        raise Http404
    if request.method == "POST":
        withdrawn = withdraw_sample(sample, current_user(request))
        text = ngettext("%(count)s call was withdrawn.", "%(count)s calls were withdrawn.", withdrawn)
        messages.success(request, text % {"count": number(withdrawn)})
        return HttpResponseRedirect(reverse("web:project-sample", args=[project.pk, sample.pk]))
    rows = list_sampled_calls(sample)
    reviews, hidden = read_drawn_reviews(sample, user := current_user(request)), list_hidden(user)
    counts = project.configuration.reviews.counts == "final"
    places = list_open_places(user)  # whose form is a rating
    drawn = Call.objects.filter(pk__in=[row["call_id"] for row in rows]).select_related(
        "agent", "newest_file"
    )
    calls = {call.pk: call for call in drawn}
    agents = label_agents(call.agent for call in calls.values())
    judged = [row["call_id"] for row in rows if row["state"] != RESULTS_REMOVED]
    context = {
        **project_access.project_context(request, project, "reviews"),
        "sample": sample,
        "progress": list_progress([sample])[0],
        "unbegun": find_unbegun(sample).count(),
        "unblinded": find_unblinded(sample),
        "filters": describe_filters(project, sample.filters),
        "calls": [
            (
                call,
                agents.get(call.agent_id or 0, ""),
                row,
                None if call.pk in hidden.all else reviews.get(call.pk),
                places.get(call.pk) if row["reviewer"] == user.email else None,
            )
            for row in rows
            if (call := calls.get(row["call_id"]))
        ],
        "result": sum_up(reviews.values()) if reviews else None,
        "later": read_later_revisions(project, reviews, user) if reviews and counts else None,
        "calibration_url": calibration_url(project.pk, judged) if judged else "",
    }
    return render(request, "web/reviewing/sample.html", context)


def calibration_url(project_id: int, call_ids: list[int]) -> str:
    """Return the address of the page that opens a calibration, of these calls."""
    query = urlencode({"call": call_ids[:MAX_CALLS]}, doseq=True)
    return f"{reverse('web:project-new-calibration', args=[project_id])}?{query}"


def draw_from_form(project: Project, form: SampleForm, by: User) -> ReviewSample | None:
    """Draw the sample; None where something is wrong, noted by its input."""
    per_agent = form.read_number("per_agent", 1, MAX_PER_AGENT)
    uncertain = form.read_number("uncertain_pct", 0, 100)
    seed = form.read_number("seed", 0, MAX_SEED) if form.seed else None
    if not form.reviewers:
        form.errors["reviewers"] = _("Choose at least one reviewer.")
    now = timezone.now()
    try:
        window = parse_window({"start_date": form.start_date, "end_date": form.end_date}, now=now)
    except InvalidWindow as error:
        form.errors[error.field] = explain_day(error)
    try:
        due = parse_window({"end_date": form.due}, now=now).end
    except InvalidWindow as error:
        form.errors["due"] = explain_day(error)
    else:
        refuse_past(form.errors, due)
    if form.errors:
        return None
    first, after = window.moments
    plan = SamplePlan(
        per_agent=per_agent,
        reviewers=form.reviewers,
        uncertain_pct=uncertain,
        filters=form.filters,
        seed=seed,
        first_day=window.start,
        last_day=window.end,
        first=None if window.start is None else first,
        after=None if window.end is None else after,
        due=due,
        leave_out_drawn=form.leave_out_drawn,
        refuses_none=True,
    )
    try:
        return draw_filtered(project, plan, by)
    except InvalidSample as error:
        form.errors[error.field] = translate(error.message)
    return None
