"""What judging calls will ask and cost, by what the ledger holds of calls that were judged before."""

from collections.abc import Sequence
from typing import TypedDict

from callscope.calls.private_words import hold_private
from callscope.engines.registry import Engines
from callscope.pipeline.models import Job, UsageEntry
from callscope.projects.configuration import Configuration
from callscope.projects.engines import project_engines
from callscope.projects.models import Project

LATEST = 200  # entries and jobs that an estimate is based on


class Estimate(TypedDict):
    """What is expected; None where the project has nothing to go by. The rules ask no model."""

    calls: int
    judgments: int
    requests: int  # of the model, at least: an answer that is wrong is asked for again
    input_tokens: int | None
    output_tokens: int | None
    cost_micros: int | None
    seconds: float | None  # of one worker
    based_on: int  # entries of the ledger


def find_engines(project: Project, config: Configuration) -> Engines:
    """Return the engines that a draft is judged with: a draft sends no private call away."""
    return project_engines(config, project.configuration, holds_private=hold_private([project.pk]))


def estimate_work(project: Project, config: Configuration, *, calls: int, judgments: int) -> Estimate:
    """Return what so many judgments of so many calls by a draft come to."""
    engines = find_engines(project, config)
    if engines.llm is None:
        return Estimate(
            calls=calls,
            judgments=judgments,
            requests=0,
            input_tokens=0,
            output_tokens=0,
            cost_micros=0,
            seconds=_scale(_read_seconds(project), judgments),
            based_on=0,
        )
    kinds = (UsageEntry.Kind.ANALYSIS, UsageEntry.Kind.TRIAL)
    entries = list(
        UsageEntry.objects.filter(project=project, kind__in=kinds, engine=engines.llm.name)
        .order_by("-at")
        .values_list("input_tokens", "output_tokens", "cost_micros")[:LATEST]
    )
    costs = [cost for _, _, cost in entries if cost is not None]
    return Estimate(
        calls=calls,
        judgments=judgments,
        requests=judgments,
        input_tokens=_whole(_scale([row[0] for row in entries], judgments)),
        output_tokens=_whole(_scale([row[1] for row in entries], judgments)),
        cost_micros=_whole(_scale(costs, judgments)),
        seconds=_scale(_read_seconds(project), judgments),
        based_on=len(entries),
    )


def add_estimates(first: Estimate, second: Estimate) -> Estimate:
    """Return what both pieces of work come to, the second one on calls of the first."""
    if not second["judgments"]:
        return first
    return Estimate(
        calls=first["calls"],
        judgments=first["judgments"] + second["judgments"],
        requests=first["requests"] + second["requests"],
        input_tokens=_add(first["input_tokens"], second["input_tokens"]),
        output_tokens=_add(first["output_tokens"], second["output_tokens"]),
        cost_micros=_add(first["cost_micros"], second["cost_micros"]),
        seconds=None
        if first["seconds"] is None or second["seconds"] is None
        else round(first["seconds"] + second["seconds"], 1),
        based_on=max(first["based_on"], second["based_on"]),
    )


def _add(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def _read_seconds(project: Project) -> list[float]:
    """Return how long the latest analyses of the project took."""
    done = Job.objects.filter(
        project=project, kind=Job.Kind.ANALYZE, state=Job.State.DONE, claimed_at__isnull=False
    )
    moments = done.order_by("-created_at").values_list("claimed_at", "finished_at")[:LATEST]
    return [(end - begin).total_seconds() for begin, end in moments if begin and end]


def _scale(samples: Sequence[float], count: int) -> float | None:
    return round(sum(samples) / len(samples) * count, 1) if samples else None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
