"""What people and the machine say of calls of a period that were drawn at random."""

from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import Count, QuerySet

from callscope.analysis.models import CallAnalysis
from callscope.analysis.scoring import add_up
from callscope.db.chunks import chunked
from callscope.projects.models import Project
from callscope.reports.models import ReviewedCall
from callscope.reports.window import Window, to_microseconds
from callscope.reviews.models import Review, SampledCall
from callscope.reviews.sampling.true_score import ScoredTwice
from callscope.reviews.sampling.work_list import reviewed_calls

MOST = 1000  # calls that are compared, since the machine's results of each are read
IDS_AT_ONCE = 500
SPREAD = 2_654_435_761  # odd, so that it orders calls without regard to when they came


class SampledScores(NamedTuple):
    """Drawn calls by agent with both scores, and in how many calls of each agent a person's score counts."""

    drawn: Mapping[int | None, list[ScoredTwice]]
    by_people: Mapping[int | None, int]
    outdated: int = 0  # drawn and reviewed calls without a person's score by the criteria of today


NOTHING_SAMPLED = SampledScores({}, {})


def select_reviewed(
    project_ids: list[int], window: Window, agent_id: int | None = None
) -> QuerySet[ReviewedCall]:
    """Return the calls of the window with a review that stands."""
    first, after = (to_microseconds(moment) for moment in window.moments)
    reviewed = ReviewedCall.objects.filter(project__in=project_ids, at_us__gte=first, at_us__lt=after)
    return reviewed if agent_id is None else reviewed.filter(agent_id=agent_id)


def read_sampled_scores(project_ids: list[int], window: Window) -> SampledScores:
    """Return the scores of the calls of the window that were drawn at random and reviewed as a whole since.

    Those of a draw that somebody had chosen to review before it are not a random part of it. Both scores are
    by the criteria and the rule of the result that is live: a review that does not fit them is left out.
    """
    drawn = reviewed_calls().filter(
        sample__project__in=project_ids,
        sample__filters={},  # those that filters left say nothing about the others
        reason=SampledCall.Reason.RANDOM,
    )
    if not drawn.exists():
        return NOTHING_SAMPLED
    partial = Review.objects.filter(project__in=project_ids, is_current=True, is_partial=True)
    reviewed = select_reviewed(project_ids, window).filter(score_bp__isnull=False)
    whole = reviewed.exclude(call__in=partial.values("call"))  # nobody scored all of the others
    rows = whole.filter(call__in=drawn.values("call")).values_list("call_id", "agent_id", "score_bp")
    chosen = sorted(rows, key=lambda row: row[0] * SPREAD % 2**32)[:MOST]
    machine = score_by_machine([call_id for call_id, _agent, _score in chosen])
    found: dict[int | None, list[ScoredTwice]] = {}
    for call_id, agent, score in chosen:
        if (of_machine := machine.get(call_id)) is not None:
            found.setdefault(agent, []).append(ScoredTwice(int(score or 0) / 100, of_machine))
    final = [
        project.pk
        for project in Project.objects.filter(pk__in=project_ids)
        if project.configuration.reviews.counts == "final"
    ]
    counted = whole.filter(project__in=final).order_by().values_list("agent_id").annotate(n=Count("pk"))
    first, after = (to_microseconds(moment) for moment in window.moments)
    outdated = (
        Review.objects.filter(project__in=project_ids, is_current=True, is_partial=False)
        .filter(call__fact__at_us__gte=first, call__fact__at_us__lt=after, call__in=drawn.values("call"))
        .exclude(call__in=reviewed.values("call"))
    )
    return SampledScores(found, dict(counted), outdated.count())


def score_by_machine(call_ids: list[int]) -> dict[int, float]:
    """Return the machine's own score of each of these calls that it scored, in percent."""
    found = {}
    for chunk in chunked(call_ids, IDS_AT_ONCE):
        analyses = CallAnalysis.objects.filter(call__in=chunk, is_live=True)
        for analysis in analyses.only("call_id", "copc", "machine_copc"):
            copc = analysis.read_machine_copc() or {}
            scored = add_up(
                copc.get("criterion_scores") or [], on_critical_error=copc.get("on_critical_error", "flag")
            )
            if scored["score_percentage"] is not None:
                found[analysis.call_id] = float(scored["score_percentage"])
    return found
