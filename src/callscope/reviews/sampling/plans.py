"""Plans that draw calls to review every week: so many of each agent, or a share of them.

On a Monday the calls of the week before are drawn, from a seed that follows from the plan's own and the
week. So an outage draws nothing else, and everybody can draw the same calls again out of the same ones.
Calls that were drawn before are left out.
"""

import datetime as dt
import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypedDict

from django.db import transaction
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reviews.models import PlanReviewer, ReviewSample, SamplingPlan
from callscope.reviews.sampling.draw import MAX_SEED, InvalidSample, SamplePlan, draw_sample, find_reviewers

MAX_PLANS = 20  # of one project, that have not ended
MAX_DUE_DAYS = 90
DEFAULT_DUE_DAYS = 7
WEEK = dt.timedelta(days=7)


@dataclass(frozen=True, slots=True)
class NewPlan:
    """What to draw every week: so many calls of each agent, or a share; the other one is None."""

    per_agent: int | None
    share_pct: int | None
    reviewers: Sequence[str]  # e-mails
    uncertain_pct: int = 0
    filters: Mapping[str, str] = field(default_factory=dict)  # of the call list; {}: all calls
    due_days: int = DEFAULT_DUE_DAYS
    seed: int | None = None  # None: a random one


class PlanRow(TypedDict):
    """One plan as it is shown."""

    id: int
    project_id: int
    per_agent: int | None
    share_pct: int | None
    uncertain_pct: int
    filters: dict[str, str]
    due_days: int
    seed: int
    reviewers: list[str]
    next_draw: dt.date | None
    created_at: dt.datetime
    created_by: str | None
    ended_at: dt.datetime | None
    samples: list[int]  # the newest first


def create_plan(project: Project, given: NewPlan, by: User, *, today: dt.date) -> SamplingPlan:
    """Store a plan; it draws the calls of this week first, next Monday. Raises InvalidSample."""
    reviewers = _check(project, given)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        if SamplingPlan.objects.filter(project=project, ended_at=None).count() >= MAX_PLANS:
            raise InvalidSample("project_id", "too_many_plans", value=project.pk, most=MAX_PLANS)
        plan = SamplingPlan.objects.create(
            project=project,
            per_agent=given.per_agent,
            share_pct=given.share_pct,
            uncertain_pct=given.uncertain_pct,
            filters=dict(given.filters),
            due_days=given.due_days,
            seed=secrets.randbelow(MAX_SEED) if given.seed is None else given.seed,
            next_week=today - dt.timedelta(days=today.weekday()),
            created_at=timezone.now(),
            created_by=by,
        )
        _store_reviewers(plan, reviewers)
        audit.record(by, "sampling_plan.created", f"sampling plan {plan.pk}", project=project.pk)
    return plan


def change_plan(plan: SamplingPlan, given: NewPlan, by: User) -> bool:
    """Change what a plan draws from its next week on; False where it has ended. Raises InvalidSample.

    Its seed, its weeks and what it has drawn stay.
    """
    reviewers = _check(plan.project, given)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=plan.project_id)
        changed = SamplingPlan.objects.filter(pk=plan.pk, ended_at=None).update(
            per_agent=given.per_agent,
            share_pct=given.share_pct,
            uncertain_pct=given.uncertain_pct,
            filters=dict(given.filters),
            due_days=given.due_days,
        )
        if changed:
            plan.reviewers.all().delete()
            _store_reviewers(plan, reviewers)
            audit.record(by, "sampling_plan.changed", f"sampling plan {plan.pk}", project=plan.project_id)
    return bool(changed)


def _check(project: Project, given: NewPlan) -> list[User]:
    """Return the reviewers of what is asked for. Raises InvalidSample."""
    if (given.per_agent is None) == (given.share_pct is None):
        raise InvalidSample("per_agent", "plan_number_or_share")
    return find_reviewers(project, given.reviewers)


def _store_reviewers(plan: SamplingPlan, reviewers: Sequence[User]) -> None:
    PlanReviewer.objects.bulk_create(
        [PlanReviewer(plan=plan, position=n, user=user) for n, user in enumerate(reviewers)]
    )


def end_plan(plan: SamplingPlan, by: User) -> None:
    """End the plan; one that has ended stays as it is."""
    with transaction.atomic():
        ended = SamplingPlan.objects.filter(pk=plan.pk, ended_at=None).update(ended_at=timezone.now())
        if ended:
            audit.record(by, "sampling_plan.ended", f"sampling plan {plan.pk}", project=plan.project_id)


def draw_week(
    plan: SamplingPlan,
    *,
    first: dt.datetime,
    after: dt.datetime,
    today: dt.date,
    among: Set[int] | None = None,
) -> ReviewSample | None:
    """Draw the next week of a plan, whose calls are from `first` to before `after`; return the draw.

    It is due so many days after `today`, on which it is drawn: after an outage that is not its Monday.
    `among` are the calls that the filters of the plan leave, None for all.

    None where nobody is left to review: then the week waits until somebody is. Who cannot review any more is
    left out, and the others get all calls. Call in a transaction that holds the lock of the plan.
    Raises InvalidSample for more calls than one draw may hold.
    """
    reviewers = list_reviewers(plan)
    if not reviewers:
        return None
    week = plan.next_week
    plan.next_week = week + WEEK
    plan.save(update_fields=["next_week"])
    wanted = SamplePlan(
        per_agent=plan.per_agent or 0,
        share_pct=plan.share_pct,
        reviewers=[user.email for user in reviewers],
        uncertain_pct=plan.uncertain_pct,
        filters=plan.filters,
        seed=find_seed(plan.seed, week),
        leave_out_drawn=True,
        first_day=week,
        last_day=week + WEEK - dt.timedelta(days=1),
        first=first,
        after=after,
        due=today + dt.timedelta(days=plan.due_days),
    )
    return draw_sample(plan.project, wanted, None, of_plan=plan, among=among)


def find_seed(seed: int, week: dt.date) -> int:
    """Return the seed of a week."""
    digest = hashlib.blake2b(f"{seed}:{week.isoformat()}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) % MAX_SEED


def list_reviewers(plan: SamplingPlan) -> list[User]:
    """Return those who may still review, in their order."""
    users = [each.user for each in plan.reviewers.select_related("user").order_by("position")]
    return [user for user in users if user.is_active and permissions.can_write(user, plan.project)]


def list_plans(projects: Iterable[Project], *, with_ended: bool) -> list[PlanRow]:
    """Return the plans of these projects, the newest first."""
    plans = SamplingPlan.objects.filter(project__in=list(projects)).order_by("-pk")
    if not with_ended:
        plans = plans.filter(ended_at=None)
    fetched = plans.select_related("created_by").prefetch_related("reviewers__user", "samples")
    return [describe_plan(plan) for plan in fetched]


def describe_plan(plan: SamplingPlan) -> PlanRow:
    """Return the row of one plan."""
    reviewers = sorted(plan.reviewers.all(), key=lambda each: each.position)
    return {
        "id": plan.pk,
        "project_id": plan.project_id,
        "per_agent": plan.per_agent,
        "share_pct": plan.share_pct,
        "uncertain_pct": plan.uncertain_pct,
        "filters": plan.filters,
        "due_days": plan.due_days,
        "seed": plan.seed,
        "reviewers": [each.user.email for each in reviewers],
        "next_draw": plan.next_week + WEEK if plan.ended_at is None else None,
        "created_at": plan.created_at,
        "created_by": plan.created_by.email if plan.created_by else None,
        "ended_at": plan.ended_at,
        "samples": sorted((each.pk for each in plan.samples.all()), reverse=True),
    }
