"""Draw calls to review every week: the plans of a project, the form for one, its change and its end."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from callscope.accounts.models import User
from callscope.db.limits import MAX_ID
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.views.reviewing.draw_filters import describe_filters, list_choices, list_kept
from callscope.interfaces.web.views.reviewing.overview import list_samples
from callscope.interfaces.web.views.reviewing.samples import choose_reviewers, read_filters, read_number
from callscope.messages.translation import translate
from callscope.pipeline.decisions.filtered_draws import check_filters
from callscope.projects.models import Project
from callscope.projects.permissions import list_writers
from callscope.reviews.models import ReviewSample, SamplingPlan
from callscope.reviews.sampling.draw import MAX_PER_AGENT, MAX_REVIEWERS, InvalidSample
from callscope.reviews.sampling.plans import (
    MAX_DUE_DAYS,
    NewPlan,
    change_plan,
    create_plan,
    end_plan,
    list_plans,
)

NUMBER, SHARE = "number", "share"


@dataclass(slots=True)
class PlanForm:
    """What was typed to draw every week, and what is wrong with it by input."""

    amount: str = "3"
    unit: str = NUMBER
    uncertain_pct: str = "0"
    due_days: str = "7"
    filters: dict[str, str] = field(default_factory=dict)
    reviewers: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sent: QueryDict) -> "PlanForm":
        form = cls(reviewers=sent.getlist("reviewer")[: MAX_REVIEWERS + 1], filters=read_filters(sent))
        for name in ("amount", "uncertain_pct", "due_days"):
            setattr(form, name, sent.get(name, "").strip()[:40])
        form.unit = SHARE if sent.get("unit") == SHARE else NUMBER
        return form

    @classmethod
    def of_plan(cls, plan: SamplingPlan) -> "PlanForm":
        """Return the form of a plan as it is."""
        reviewers = plan.reviewers.select_related("user").order_by("position")
        return cls(
            amount=str(plan.share_pct or plan.per_agent),
            unit=SHARE if plan.share_pct else NUMBER,
            uncertain_pct=str(plan.uncertain_pct),
            due_days=str(plan.due_days),
            filters=dict(plan.filters),
            reviewers=[each.user.email for each in reviewers],
        )

    def read(self) -> NewPlan:
        """Return what the form asks for; what is wrong is noted by its input."""
        is_share = self.unit == SHARE
        amount = read_number(self.errors, "amount", self.amount, 1, 100 if is_share else MAX_PER_AGENT)
        if not self.reviewers:
            self.errors["reviewers"] = _("Choose at least one reviewer.")
        return NewPlan(
            per_agent=None if is_share else amount,
            share_pct=amount if is_share else None,
            reviewers=self.reviewers,
            uncertain_pct=read_number(self.errors, "uncertain_pct", self.uncertain_pct, 0, 100),
            due_days=read_number(self.errors, "due_days", self.due_days, 1, MAX_DUE_DAYS),
        )


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def plans(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the plans that have not ended, and the form for another one; store it."""
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    project_access.require_writer(request, project)
    writers = [user.email for user in list_writers(project)]
    form, status = PlanForm(reviewers=choose_reviewers(writers, current_user(request))), 200
    if request.method == "POST":
        form = PlanForm.of(request.POST)
        if _store_plan(project, form, current_user(request)):
            messages.success(
                request, _("The first calls will be drawn next Monday from the calls of this week.")
            )
            return HttpResponseRedirect(reverse("web:project-plans", args=[project.pk]))
        status = 400
    context = {
        **project_access.project_context(request, project, "reviews"),
        "form": form,
        "plans": [
            (plan, describe_filters(project, plan["filters"]), set(writers).isdisjoint(plan["reviewers"]))
            for plan in list_plans([project], with_ended=False)
        ],
        "filter_choices": list_choices(project, form.filters),
        "writers": writers,
    }
    return render(request, "web/reviewing/plans.html", context, status=status)


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, project_id: int, plan_id: int) -> HttpResponse:
    """Show a plan with what it has drawn, and the form that changes it; store that."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    plan = _get_plan(project, plan_id)
    writers = [user.email for user in list_writers(project)]
    form, status = PlanForm.of_plan(plan), 200
    left_out = [email for email in form.reviewers if email not in writers]
    if request.method == "POST":
        form = PlanForm.of(request.POST)
        if _change_plan(plan, form, current_user(request)):
            messages.success(request, _("The weekly sample is saved. It counts from the next sample on."))
            return HttpResponseRedirect(reverse("web:project-plans", args=[project.pk]))
        status = 400
    drawn = ReviewSample.objects.filter(plan=plan).select_related("created_by").order_by("-pk")
    context = {
        **project_access.project_context(request, project, "reviews"),
        "plan": plan,
        "form": form,
        "filter_choices": list_choices(project, form.filters),
        "kept_filters": list_kept(project, form.filters),
        "writers": writers,
        "left_out": left_out,
        "samples": list_samples(list(drawn)),
        "today": timezone.localdate(),
    }
    return render(request, "web/reviewing/plan.html", context, status=status)


@signed_in_page
@require_POST
def end(request: HttpRequest, project_id: int, plan_id: int) -> HttpResponse:
    """End a plan; what it has drawn stays."""
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    end_plan(_get_plan(project, plan_id), current_user(request))
    messages.success(request, _("The weekly sample has ended. Calls that were already drawn are kept."))
    return redirect("web:project-plans", project.pk)


def _get_plan(project: Project, plan_id: int) -> SamplingPlan:
    plan = SamplingPlan.objects.filter(project=project, pk=min(plan_id, MAX_ID)).first()
    if plan is None:
        raise Http404
    return plan


def _store_plan(project: Project, form: PlanForm, by: User) -> bool:
    return _store(form, lambda given: create_plan(project, given, by, today=timezone.localdate()))


def _change_plan(plan: SamplingPlan, form: PlanForm, by: User) -> bool:
    """Change the plan; False where something is wrong, noted by its input. Http404 if it has ended."""

    def store(given: NewPlan) -> None:
        if not change_plan(plan, given, by):
            raise Http404

    return _store(form, store)


def _store(form: PlanForm, store: Callable[[NewPlan], object]) -> bool:
    """Store what the form asks for; False where something is wrong, noted by its input."""
    given = form.read()
    if form.errors:
        return False
    try:
        store(replace(given, filters=check_filters(form.filters)))
    except InvalidSample as error:
        known = error.field in ("reviewers", "filters")
        form.errors[error.field if known else "amount"] = translate(error.message)
        return False
    return True
