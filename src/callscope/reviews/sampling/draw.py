"""Draw calls to review, so many of each agent, and split them evenly between the reviewers.

The order of the draw is a hash of the seed and the call's file name: the same seed draws the
same calls out of the same ones, on every database. A share may go to the calls in which the
machine was least sure of its answers. The random part is drawn first, out of all calls, so that it alone
gives a fair estimate of them. Calls that were drawn before are left out where that is asked for.
"""

import datetime as dt
import hashlib
import secrets
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.messages.message import Message, MessageError
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reviews.models import ReviewSample, SampledCall, SamplingPlan
from callscope.reviews.sampling.doubt import count_doubts
from callscope.reviews.sampling.drawn_before import NOTHING, DrawnBefore, find_drawn_before

MAX_PER_AGENT = 1000
MAX_CALLS = 10_000  # of one draw
MAX_REVIEWERS = 100
MAX_SEED = 2**53  # which every client reads exactly
SEARCHED = 200  # calls of an agent, the first of the draw, among which uncertain ones are looked for


class InvalidSample(MessageError):
    """Nothing can be drawn like this; str() is one sentence, `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """What to draw. `first` and `after` bound the moments of the calls; None leaves a side open."""

    per_agent: int
    reviewers: Sequence[str]  # e-mails
    share_pct: int | None = None  # of each agent's calls, rounded up; in place of per_agent
    uncertain_pct: int = 0
    filters: Mapping[str, str] = field(default_factory=dict)  # of the call list; {}: all calls
    seed: int | None = None  # None: a random one
    first_day: dt.date | None = None
    last_day: dt.date | None = None
    first: dt.datetime | None = None
    after: dt.datetime | None = None
    due: dt.date | None = None
    # Whether calls of earlier draws are left out; None: unless a seed asks for the draw that it gives.
    leave_out_drawn: bool | None = None
    refuses_none: bool = False  # a draw that finds no call is not stored

    @property
    def leaves_out_drawn(self) -> bool:
        return self.seed is None if self.leave_out_drawn is None else self.leave_out_drawn

    def count_wanted(self, calls: int, left: int) -> int:
        """Return how many calls are drawn of an agent who has so many, of which so many are left."""
        wanted = self.per_agent if self.share_pct is None else -(-calls * self.share_pct // 100)
        return min(wanted, left)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call that may be drawn."""

    call_id: int
    agent_id: int | None
    place: bytes  # in the order of the draw


def draw_sample(
    project: Project,
    plan: SamplePlan,
    by: User | None,
    *,
    of_plan: SamplingPlan | None = None,
    among: Set[int] | None = None,
) -> ReviewSample:
    """Draw and store a sample; by a command nobody draws it. Raises InvalidSample.

    Calls without an agent are drawn as if they were of one agent. `among` are the calls that the plan's
    filters leave, None for all: pipeline.reviewing.filtered_draws finds them.
    """
    reviewers = find_reviewers(project, plan.reviewers)
    seed = secrets.randbelow(MAX_SEED) if plan.seed is None else plan.seed
    before = find_drawn_before(project, has_filters=bool(plan.filters)) if plan.leaves_out_drawn else NOTHING
    candidates = list_candidates(project, plan, seed, among)
    left = [each for each in candidates if each.call_id not in before.left_out]
    drawn = sorted(draw_of_agents(candidates, left, plan, before), key=lambda row: row[0].place)
    if plan.refuses_none and not drawn:
        code = "sample_all_drawn" if candidates else "sample_without_calls"
        raise InvalidSample("days", code)
    with transaction.atomic():
        sample = ReviewSample.objects.create(
            project=project,
            plan=of_plan,
            seed=seed,
            per_agent=plan.per_agent,
            share_pct=plan.share_pct,
            uncertain_pct=plan.uncertain_pct,
            filters=dict(plan.filters),
            first_day=plan.first_day,
            last_day=plan.last_day,
            due=plan.due,
            candidates=len(left),
            left_out=len(candidates) - len(left) if plan.leaves_out_drawn else None,
            created_at=timezone.now(),
            created_by=by,
        )
        SampledCall.objects.bulk_create(
            [
                SampledCall(
                    sample=sample,
                    call_id=candidate.call_id,
                    position=position,
                    reviewer=reviewers[position % len(reviewers)],
                    reason=reason,
                )
                for position, (candidate, reason) in enumerate(drawn)
            ]
        )
        audit.record(
            by, "sample.drawn", f"sample {sample.pk}", project=project.pk, seed=seed, calls=len(drawn)
        )
    return sample


def require_fit(plan: SamplePlan, expected: int) -> None:
    """Raise InvalidSample for more calls than one draw may hold."""
    if expected > MAX_CALLS:
        raise InvalidSample(
            "share_pct" if plan.share_pct else "per_agent",
            "sample_share_too_large" if plan.share_pct else "sample_too_large",
            value=plan.share_pct or plan.per_agent,
            count=expected,
            most=MAX_CALLS,
        )


def collect_sample(project: Project, call_ids: Sequence[int], by: User) -> ReviewSample:
    """Store a sample of the calls that a person chose, for that person to review."""
    with transaction.atomic():
        sample = ReviewSample.objects.create(
            project=project,
            seed=0,
            per_agent=0,
            uncertain_pct=0,
            candidates=len(call_ids),
            created_at=timezone.now(),
            created_by=by,
        )
        SampledCall.objects.bulk_create(
            [
                SampledCall(
                    sample=sample, call_id=pk, position=n, reviewer=by, reason=SampledCall.Reason.CHOSEN
                )
                for n, pk in enumerate(call_ids)
            ]
        )
        audit.record(by, "sample.drawn", f"sample {sample.pk}", project=project.pk, calls=len(call_ids))
    return sample


def find_reviewers(project: Project, emails: Sequence[str]) -> list[User]:
    """Return the users with these e-mails, who may all write in the project. Raises InvalidSample."""
    found: list[User] = []
    for email in emails:
        user = User.objects.filter(email__iexact=email.strip(), is_active=True).first()
        if user is None or not permissions.can_write(user, project):
            raise InvalidSample("reviewers", "sample_unknown_reviewer", value=email[:80])
        if user in found:
            raise InvalidSample("reviewers", "sample_reviewer_twice", value=email[:80])
        found.append(user)
    return found


def select_drawable(project: Project) -> QuerySet[CallAnalysis]:
    """Return the results of all calls that a draw can find: those with scores."""
    return CallAnalysis.objects.filter(project=project, is_live=True, copc_state=AnalysisState.COMPLETED)


def list_candidates(
    project: Project, plan: SamplePlan, seed: int, among: Set[int] | None = None
) -> list[Candidate]:
    """Return the calls with scores in the order of the draw; only those `among` these, unless it is None."""
    scored = select_drawable(project)
    if plan.first is not None:
        scored = scored.filter(call__call_datetime__gte=plan.first)
    if plan.after is not None:
        scored = scored.filter(call__call_datetime__lt=plan.after)
    rows = scored.values_list("call_id", "call__agent_id", "call__file_name").iterator(chunk_size=5000)
    return sorted(
        (
            Candidate(call_id, agent_id, hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=16).digest())
            for call_id, agent_id, name in rows
            if among is None or call_id in among
        ),
        key=lambda candidate: candidate.place,
    )


def count_drawable(project: Project) -> list[tuple[int, int]]:
    """Return how many calls of each agent a draw finds, and how many of them no earlier draw holds."""
    scored = select_drawable(project)
    sizes = scored.order_by().values_list("call__agent_id").annotate(n=Count("pk"))
    before = find_drawn_before(project, has_filters=False).left_out
    drawn = scored.filter(call__in=SampledCall.objects.filter(sample__project=project).values("call"))
    rows = drawn.values_list("call_id", "call__agent_id")
    gone = Counter(agent_id for call_id, agent_id in rows if call_id in before)
    return [(n, n - gone[agent_id]) for agent_id, n in sizes]


def draw_of_agents(
    candidates: Sequence[Candidate], left: Sequence[Candidate], plan: SamplePlan, before: DrawnBefore
) -> list[tuple[Candidate, str]]:
    """Return the calls drawn of each agent, with the reason. Raises InvalidSample for too many."""
    sizes = Counter(each.agent_id for each in candidates)
    by_agent: defaultdict[int | None, list[Candidate]] = defaultdict(list)
    for each in left:
        by_agent[each.agent_id].append(each)
    wanted = {agent: plan.count_wanted(sizes[agent], len(calls)) for agent, calls in by_agent.items()}
    require_fit(plan, sum(wanted.values()))
    return [
        row
        for agent, calls in by_agent.items()
        for row in draw_of_agent(calls, wanted[agent], plan.uncertain_pct, before)
    ]


def draw_of_agent(
    calls: Sequence[Candidate], wanted: int, uncertain_pct: int, before: DrawnBefore
) -> list[tuple[Candidate, str]]:
    """Return the calls drawn of one agent, given in the order of the draw, each with the reason."""
    searched = [each for each in calls[:SEARCHED] if each.call_id not in before.not_unsure]
    uncertain = find_uncertain(searched, wanted * uncertain_pct // 100)
    # How many are random follows from how many uncertain calls there are, not from which come first.
    by_chance = calls[: wanted - len(uncertain)]
    chosen = {candidate.call_id for candidate in by_chance}
    rest = [candidate for candidate in searched if candidate.call_id not in chosen]
    return [
        *((each, SampledCall.Reason.UNCERTAIN.value) for each in find_uncertain(rest, len(uncertain))),
        *((each, SampledCall.Reason.RANDOM.value) for each in by_chance),
    ]


def find_uncertain(searched: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return the calls with most criteria in doubt, as count_doubts() counts them; none that has none."""
    if not most or not searched:
        return []
    results = CallAnalysis.objects.filter(call__in=[each.call_id for each in searched], is_live=True)
    doubts = {
        analysis.call_id: count_doubts(analysis.read_machine_copc())
        for analysis in results.only("call_id", "copc", "machine_copc")
    }
    found = [each for each in searched if doubts.get(each.call_id)]
    return sorted(found, key=lambda each: -doubts[each.call_id])[:most]
