"""Choose calls for a calibration by chance, of those that nobody rated or reviewed: all raters are blind."""

import itertools
import random
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from callscope.pipeline.decisions.filtered_draws import check_filters, find_filtered
from callscope.projects.models import Project
from callscope.reports.models import CallFact
from callscope.reviews.models import CalibratedCall, Review


class ChosenByChance(NamedTuple):
    """The calls, in an order that says nothing about their scores."""

    call_ids: list[int]
    candidates: int
    left_out: int  # calls that somebody rates, rated or reviewed


def choose_for_calibration(
    project: Project,
    count: int,
    *,
    spreads: bool,
    filters: Mapping[str, str],
    chance: random.Random | None = None,
) -> ChosenByChance:
    """Choose so many scored calls among those that the filters leave. Raises InvalidSample for a filter.

    `spreads` takes one of each of so many parts, from the lowest scores to the highest: raters differ most
    where calls differ, and ten calls by chance alone are often ten good ones.
    """
    chance = chance or secrets.SystemRandom()
    among = find_filtered(project, check_filters(filters))
    facts = CallFact.objects.filter(project=project, score_bp__isnull=False)
    scored = [
        pk
        for pk in facts.order_by("score_bp", "pk").values_list("pk", flat=True)
        if among is None or pk in among
    ]
    seen = find_seen(project)
    left = [pk for pk in scored if pk not in seen]
    count = min(count, len(left))
    if spreads:
        bounds = [len(left) * n // max(count, 1) for n in range(count + 1)]
        chosen = [chance.choice(left[low:high]) for low, high in itertools.pairwise(bounds)]
    else:
        chosen = chance.sample(left, count)
    chance.shuffle(chosen)
    return ChosenByChance(chosen, len(left), len(scored) - len(left))


def find_seen(project: Project) -> frozenset[int]:
    """Return the calls that people rate, rated or reviewed."""
    placed = CalibratedCall.objects.filter(calibration__project=project).values_list("call_id", flat=True)
    submitted = Review.all_objects.filter(project=project, state=Review.State.SUBMITTED)
    return frozenset(placed) | frozenset(submitted.values_list("call_id", flat=True))
