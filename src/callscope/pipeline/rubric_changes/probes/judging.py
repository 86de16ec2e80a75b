"""Judge the calls of a probe, portion by portion. Every judgment is one of its own: none sees another."""

import copy
from collections.abc import Sequence
from typing import TypedDict, cast

from django.utils import timezone

from callscope.analysis.counterfactuals.groups import GROUPS
from callscope.analysis.counterfactuals.protection import Protection
from callscope.calls.private_words import engines_for_file
from callscope.pipeline.ledger import engine_notes, usage
from callscope.pipeline.models import Job, Probe, ProbedCall
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.probes.copying import load_transcript, read_copier
from callscope.pipeline.rubric_changes.probes.fairness import FairnessOutcome, compare_groups
from callscope.pipeline.rubric_changes.probes.steadiness import (
    SteadinessOutcome,
    Stopped,
    compare_judgments,
)
from callscope.pipeline.rubric_changes.replays.answers import Answers, read_answers
from callscope.pipeline.rubric_changes.replays.portions import judge_portion
from callscope.projects import configuration
from callscope.projects.configuration import Configuration


class Judged(TypedDict):
    """One judgment; without answers where the copy would be the call itself, or nothing could be judged."""

    answers: Answers | None
    is_same: bool  # as the call: there was nothing to change


UNCHANGED: Judged = {"answers": None, "is_same": True}


def probe_portion(job: Job) -> None:
    """Judge the next calls of a probe; the last portion compares them all."""
    probe = Probe.objects.filter(pk=job.subject_id).select_related("project", "created_by").first()
    if probe is None or probe.completed_at is not None:  # stopped
        jobs.finish(job)
        return
    config = configuration.parse(probe.config, is_stored=True)
    protection = Protection(config)
    judge_portion(
        job,
        ProbedCall.objects.filter(probe=probe, judgment__isnull=True).order_by("pk"),
        "judgment",
        judge=lambda row: _judge(probe, row, config, protection),
        complete=lambda: complete(probe),
        is_stopped=lambda: Probe.objects.filter(pk=probe.pk, completed_at__isnull=False).exists(),
    )


def complete(probe: Probe) -> None:
    """Store what the judgments come to, also those of a probe that is stopped before it has all.

    Of such a one the calls count that were judged as every variant: a call that was judged less often
    changes less often.
    """
    rows = list(ProbedCall.objects.filter(probe=probe).order_by("pk"))
    unfinished = {row.call_id for row in rows if row.judgment is None}
    whole = [row for row in rows if row.call_id not in unfinished]
    outcome = compare(probe, whole)
    if unfinished:
        judged = len({row.call_id for row in whole})
        outcome["stopped"] = Stopped(calls=judged, drawn=judged + len(unfinished))
    probe.outcome = outcome
    probe.completed_at = timezone.now()
    probe.save(update_fields=["outcome", "completed_at"])


def compare(probe: Probe, rows: Sequence[ProbedCall]) -> SteadinessOutcome | FairnessOutcome:
    """Return the outcome of a probe whose calls are all judged, or of its calls that are."""
    if probe.kind == Probe.Kind.STEADINESS:
        return compare_judgments([(row.call_id, cast(Judged, row.judgment)["answers"]) for row in rows])
    by_call: dict[int, dict[str, Answers | None]] = {}
    unchanged: dict[str, int] = {}
    for row in rows:
        judged = cast(Judged, row.judgment)
        if judged["is_same"]:
            unchanged[row.variant] = unchanged.get(row.variant, 0) + 1
        else:
            by_call.setdefault(row.call_id, {})[row.variant] = judged["answers"]
    return compare_groups(by_call, groups=probe.variants[1:], unchanged=unchanged)


def _judge(probe: Probe, row: ProbedCall, config: Configuration, protection: Protection) -> Judged:
    """Judge one call as one variant."""
    from callscope.analysis.analyze import AnalysisTooLong, analyze, read_agent_name
    from callscope.engines.errors import BadOutput

    transcript = load_transcript(row.call_id)
    if transcript is None:  # removed since the probe was asked for
        return {"answers": None, "is_same": False}
    agent_name = read_agent_name(transcript)
    if row.variant in GROUPS:
        made = read_copier(transcript, config, protection).make_copy(row.variant)
        if made is None:
            return UNCHANGED
        agent_name = made.agent_name
        transcript = copy.copy(transcript)  # never saved
        segments = transcript.segments or []
        transcript.segments = [{**s, "text": t} for s, t in zip(segments, made.texts, strict=True)]
    # The stored settings and the file decide as well: a draft must not send a private call away.
    engines = engines_for_file(transcript.file, config, transcript.project.configuration)
    engine_notes.note_trial(probe.created_by, transcript.file, engines)
    try:
        found = analyze(transcript, config, engines, agent_name=agent_name)
    except (AnalysisTooLong, BadOutput):
        return {"answers": None, "is_same": False}
    usage.record_trial(probe.created_by, transcript.file, found.usage)
    return {"answers": read_answers(found.copc), "is_same": False}
