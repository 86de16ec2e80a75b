"""What is not known of a draft that is about to be published: how steady a model judges by it."""

from dataclasses import dataclass
from typing import cast

from callscope.pipeline.ledger.estimates import find_engines
from callscope.pipeline.models import Probe, Replay
from callscope.pipeline.rubric_changes.probes.steadiness import SteadinessOutcome
from callscope.projects import configuration

LEAST_CALLS = 30  # of which no flip leaves the share under 12 %, as Wilson's interval has it
LATEST = 20  # probes that are looked at


@dataclass(frozen=True, slots=True)
class DraftSteadiness:
    """What is known of how steady a draft is judged."""

    is_needed: bool  # a language model judges, and too few calls were judged again
    required_calls: int
    calls: int  # judged several times by this draft
    probe: Probe | None  # the one with the most calls


def check_steadiness(replay: Replay) -> DraftSteadiness:
    """Return whether the draft of a replay was judged several times on enough calls."""
    config = configuration.parse(replay.config, is_stored=True)
    probes = Probe.objects.filter(
        project=replay.project_id, kind=Probe.Kind.STEADINESS, completed_at__isnull=False
    ).order_by("-pk")
    best: Probe | None = None
    for probe in probes[:LATEST]:
        if probe.config == replay.config and (best is None or _count_calls(probe) > _count_calls(best)):
            best = probe
    calls = _count_calls(best) if best else 0
    has_model = find_engines(replay.project, config).llm is not None
    return DraftSteadiness(has_model and calls < LEAST_CALLS, LEAST_CALLS, calls, best)


def _count_calls(probe: Probe) -> int:
    return cast(SteadinessOutcome, probe.outcome)["calls"]
