"""How far a probe is, and what it came to."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, cast

from callscope.analysis.counterfactuals.groups import REPEAT
from callscope.calls.models import Call
from callscope.pipeline.ledger.estimates import Estimate
from callscope.pipeline.models import Job, Probe, ProbedCall
from callscope.pipeline.rubric_changes.probes.fairness import FairnessOutcome
from callscope.pipeline.rubric_changes.probes.steadiness import SteadinessOutcome, Stopped
from callscope.projects.models import Project
from callscope.reviews.agreement.blind_pairs import load_blind_pairs
from callscope.reviews.agreement.measures import Agreement, measure_agreement

State = Literal["queued", "running", "completed", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A probe as the API shows it; one of the outcomes is set once it is completed or stopped."""

    probe: Probe
    state: State
    judgments: int
    done: int
    estimate: Estimate
    steadiness: SteadinessOutcome | None = None
    fairness: FairnessOutcome | None = None
    stopped: Stopped | None = None  # then the outcome is of a part of the calls


def list_probes(project: Project, kind: str, *, ids: Collection[int]) -> list[Probe]:
    """Return these probes of a kind, newest first, without what they came to."""
    rows = Probe.objects.filter(project=project, kind=kind, pk__in=ids).defer("config", "outcome")
    return list(rows.select_related("created_by").order_by("-pk"))


def read_progress(probe: Probe) -> Progress:
    """Return how far a probe is; calls that were erased since are left out.

    Copies without a change are no judgments: nobody is asked about them.
    """
    rows = ProbedCall.objects.filter(probe=probe)
    judgments = rows.count() - rows.filter(judgment__is_same=True).count()
    done = rows.filter(judgment__is_same=False).count()
    estimate = cast(Estimate, probe.estimate)
    if probe.completed_at is None:
        return Progress(probe, read_states([probe])[probe.pk], judgments, done, estimate)
    stopped = cast(SteadinessOutcome | FairnessOutcome, probe.outcome).get("stopped")
    found = Progress(probe, "stopped" if stopped else "completed", judgments, done, estimate, stopped=stopped)
    if probe.kind == Probe.Kind.STEADINESS:
        steadiness = cast(SteadinessOutcome, probe.outcome)
        there = _find_calls(probe, [row["call_id"] for row in steadiness["flipped"]])
        kept = [row for row in steadiness["flipped"] if row["call_id"] in there]
        steadiness = {**steadiness, "flipped": kept}
        return replace(found, steadiness=steadiness)
    fairness = cast(FairnessOutcome, probe.outcome)
    there = _find_calls(probe, [row["call_id"] for row in fairness["moved"]])
    fairness = {**fairness, "moved": [row for row in fairness["moved"] if row["call_id"] in there]}
    return replace(found, fairness=fairness)


def is_open(probe: Probe) -> bool:
    """Return True if the probe waits or runs."""
    return read_states([probe])[probe.pk] in ("queued", "running")


def read_states(probes: list[Probe]) -> dict[int, State]:
    """Return the states of some probes by id: between two portions a job is queued, and the probe runs."""
    jobs = Job.objects.filter(kind=Job.Kind.PROBE, subject_id__in=[probe.pk for probe in probes])
    of_jobs = dict(jobs.order_by("created_at").values_list("subject_id", "state"))
    begun = set(
        ProbedCall.objects.filter(probe__in=[p.pk for p in probes], judgment__is_same=False).values_list(
            "probe", flat=True
        )
    )
    stopped = set(
        Probe.objects.filter(pk__in=[p.pk for p in probes], outcome__has_key="stopped").values_list(
            "pk", flat=True
        )
    )
    states: dict[int, State] = {}
    for probe in probes:
        state = of_jobs.get(probe.pk)
        if probe.completed_at is not None:
            states[probe.pk] = "stopped" if probe.pk in stopped else "completed"
        elif state not in (Job.State.QUEUED, Job.State.RUNNING):
            states[probe.pk] = "failed"
        else:
            is_running = probe.pk in begun or state == Job.State.RUNNING
            states[probe.pk] = "running" if is_running else "queued"
    return states


def read_changed_calls(probes: Collection[Probe]) -> dict[int, tuple[int, int]]:
    """Return how many calls changed, and of how many, by the id of the completed probe.

    Of a fairness probe it is the group of copies with the largest share, of equal ones that of most calls:
    groups have calls in common, and the same words again show noise of the model alone.
    """
    outcomes = Probe.objects.filter(pk__in=[p.pk for p in probes], completed_at__isnull=False)
    steady = outcomes.filter(kind=Probe.Kind.STEADINESS).values_list("pk", "outcome__overall")
    fair = outcomes.filter(kind=Probe.Kind.FAIRNESS).values_list("pk", "outcome__groups")
    found = {pk: [overall] for pk, overall in steady}
    found |= {
        pk: [each["overall"] for each in groups or [] if each["group"] != REPEAT] for pk, groups in fair
    }
    return {pk: _most_changed(measured) for pk, measured in found.items() if any(measured)}


def _most_changed(measured: list[dict[str, int]]) -> tuple[int, int]:
    most = max(
        measured, key=lambda each: (each["flips"] / each["calls"] if each["calls"] else -1.0, each["calls"])
    )
    return most["flips"], most["calls"]


def read_agreement(project: Project) -> dict[str, Agreement]:
    """Return how far machine and people agree in blind reviews of the project, by the id of the criterion."""
    measured = measure_agreement(load_blind_pairs([project.pk], first=None, after=None))
    return {row.criterion_id: row.agreement for row in measured.criteria}


def _find_calls(probe: Probe, call_ids: list[int]) -> set[int]:
    return set(Call.objects.filter(project=probe.project_id, pk__in=call_ids).values_list("pk", flat=True))
