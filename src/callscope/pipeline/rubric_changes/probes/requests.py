"""Start a probe: draw past calls and queue the job that judges them. Nothing that counts is written."""

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.counterfactuals.groups import GROUPS, REPEAT
from callscope.db.transactions import run_in_transaction
from callscope.messages.message import Message, MessageError
from callscope.pipeline.ledger.estimates import Estimate, estimate_work, find_engines
from callscope.pipeline.models import Job, Probe, ProbedCall
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.probes.copying import find_unchanged
from callscope.pipeline.rubric_changes.probes.fairness import ORIGINAL
from callscope.pipeline.rubric_changes.probes.judging import UNCHANGED
from callscope.pipeline.rubric_changes.replays.drafts import find_comparable
from callscope.projects import configuration
from callscope.projects.configuration import Configuration
from callscope.projects.locking import get_locked_project
from callscope.projects.models import Project

STEADINESS_CALLS = 50
FAIRNESS_CALLS = 30
REPETITIONS = 3
MOST_CALLS = 1_000
MOST_REPETITIONS = 20
MOST_JUDGMENTS = 5_000
ROWS_AT_ONCE = 500
MAX_SEED = 2**53


class InvalidProbe(MessageError):
    """A probe cannot be made like this; `field` names the input."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


@dataclass(frozen=True, slots=True)
class Plan:
    """A probe that could be started, and what it will cost."""

    kind: Probe.Kind
    config: Configuration
    variants: list[str]
    calls: list[int]
    engine: str
    estimate: Estimate
    seed: int  # of the draw: the same one draws the same calls
    unchanged: frozenset[tuple[int, str]]  # calls and variants in which there is nothing to change


def plan_steadiness(
    project: Project,
    document: Any = None,
    *,
    sample: int | None = None,
    repetitions: int | None = None,
    seed: int | None = None,
) -> Plan:
    """Plan to judge drawn calls several times by a draft, by default by the settings as they are.

    Raises InvalidConfiguration and InvalidProbe.
    """
    times = repetitions or REPETITIONS
    variants = [str(number) for number in range(1, times + 1)]
    return _plan(project, Probe.Kind.STEADINESS, document, variants, sample or STEADINESS_CALLS, seed)


def plan_fairness(
    project: Project,
    document: Any = None,
    *,
    sample: int | None = None,
    groups: Sequence[str] | None = None,
    seed: int | None = None,
) -> Plan:
    """Plan to judge drawn calls and their copies of these groups, by default of all.

    The same words again are always among them: how far answers move without any change is what
    the groups are held against. Raises InvalidConfiguration and InvalidProbe.
    """
    if groups is not None and not groups:
        raise InvalidProbe("groups", "no_group")
    asked = list(groups or ())
    for number, group in enumerate(asked):
        if group not in GROUPS:
            raise InvalidProbe("groups", "unknown_group", value=group[:40], allowed=", ".join(GROUPS))
        if group in asked[:number]:
            raise InvalidProbe("groups", "group_twice", value=group)
    chosen = [name for name in GROUPS if name == REPEAT or not asked or name in asked]
    variants = [ORIGINAL, *chosen]
    return _plan(project, Probe.Kind.FAIRNESS, document, variants, sample or FAIRNESS_CALLS, seed)


def request_probe(project: Project, plan: Plan, *, by: User | None) -> Probe:
    """Queue a planned probe; `by` is None for an operator."""

    def write() -> Probe:
        locked = get_locked_project(project.pk)
        probe = Probe.objects.create(
            kind=plan.kind,
            project=locked,
            config=plan.config.as_document(),
            config_version=locked.config_version,
            engine=plan.engine[:128],
            variants=plan.variants,
            estimate=plan.estimate,
            created_by=by,
        )
        rows = [
            ProbedCall(
                probe=probe,
                call_id=call_id,
                variant=variant,
                judgment=UNCHANGED if (call_id, variant) in plan.unchanged else None,
            )
            for call_id in plan.calls
            for variant in plan.variants
        ]
        ProbedCall.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
        jobs.enqueue(Job.Kind.PROBE, locked, probe.pk)
        audit.record(
            by,
            "project.probed",
            f"project {project.pk}",
            probe=probe.pk,
            kind=plan.kind,
            calls=len(plan.calls),
        )
        return probe

    return run_in_transaction(write)


def _plan(
    project: Project, kind: Probe.Kind, document: Any, variants: list[str], sample: int, seed: int | None
) -> Plan:
    config = configuration.parse(project.config if document is None else document, is_stored=document is None)
    count = sample * len(variants)
    if count > MOST_JUDGMENTS:
        raise InvalidProbe("sample", "probe_too_large", count=f"{count:,}", most=f"{MOST_JUDGMENTS:,}")
    there = list(find_comparable(project).order_by("call").values_list("call", flat=True))
    seed = secrets.randbelow(MAX_SEED) if seed is None else seed
    drawn = sorted(random.Random(seed).sample(there, min(sample, len(there))))  # noqa: S311
    unchanged = find_unchanged(drawn, variants, config)
    llm = find_engines(project, config).llm
    return Plan(
        kind,
        config,
        variants,
        drawn,
        llm.name if llm else "",
        estimate_work(
            project, config, calls=len(drawn), judgments=len(drawn) * len(variants) - len(unchanged)
        ),
        seed,
        unchanged,
    )
