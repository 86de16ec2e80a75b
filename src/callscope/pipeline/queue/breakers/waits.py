"""What the queued work of files waits for, to show to the people of its project.

Only codes are given, no sentence of an engine: the failure may be that of another project's call.
"""

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from django.db.models import Count, Q
from django.db.models.functions import Now

from callscope.engines.identity import EngineId
from callscope.pipeline.models import Job
from callscope.pipeline.queue.breakers import listing, needs, site

QUEUED = Job.objects.filter(kind__in=(Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE), state=Job.State.QUEUED)
ALONE = "alone"  # the engine works for others, and asked this job to come back later
ASKED_MOST = ("language", "speech", "embeddings", "storage")


@dataclass(frozen=True, slots=True)
class EngineWait:
    """Work that waits for an engine or a bucket."""

    kind: str  # speech, language, embeddings or storage
    address: str  # a URL without credentials; in a worker's process, the model and the machine
    reason: str  # a Trouble, failing, or ALONE
    since: dt.datetime
    until: dt.datetime  # when it is tried again by itself
    files: int = 1


def find_waits(file_ids: Collection[int]) -> dict[int, EngineWait]:
    """Return what each of these files waits for; those that wait for nothing are left out."""
    paused = _find_paused_by_needs()
    waits: dict[int, EngineWait] = {}
    for job in QUEUED.filter(subject_id__in=file_ids).annotate(has_pause=Q(run_after__gt=Now())):
        if job.needs in paused:
            waits[job.subject_id] = paused[job.needs]
        elif job.parked_at is not None and job.has_pause and (engines := _list_asked(job.needs)):
            engine = engines[0]
            waits[job.subject_id] = EngineWait(
                engine.kind, engine.address, ALONE, job.parked_at, job.run_after
            )
    return waits


def _list_asked(name: str) -> list[EngineId]:
    """Return the engines of a need with the one that is asked most first: a bucket and embeddings come last.

    Which of them asked a single job to wait is not stored.
    """
    return sorted(needs.list_engines(name), key=lambda engine: ASKED_MOST.index(engine.kind))


def list_waits(project_ids: Iterable[int]) -> list[EngineWait]:
    """Return the engines in trouble for which files of these projects wait, each once, and how many do."""
    paused = _find_paused_by_needs()
    if not paused:
        return []
    queued = QUEUED.filter(project__in=list(project_ids), needs__in=paused)
    found: dict[EngineId, EngineWait] = {}
    for name, files in queued.values_list("needs").annotate(files=Count("pk")).order_by("needs"):
        wait = paused[name]
        engine = EngineId(wait.kind, wait.address)
        known = found[engine].files if engine in found else 0
        found[engine] = replace(wait, files=known + files)
    return sorted(found.values(), key=lambda wait: wait.since)


def _find_paused_by_needs() -> dict[str, EngineWait]:
    """Return the needs that wait, and for which engine: the one that has been in trouble for longest."""
    waits = {
        EngineId(status.kind, status.address): EngineWait(
            status.kind, status.address, status.reason, status.since, status.next_probe_at
        )
        for status in listing.list_engines_in_trouble()
        if status.since is not None and status.next_probe_at is not None
    }
    if not waits:
        return {}
    asked = {name: set(needs.list_engines(name)) for name in needs.NAMES}
    for (name, _), engines in site.list_stated_engines().items():
        asked[name] |= engines
    paused = {}
    for name in site.find_blocked_needs():
        known = [waits[engine] for engine in asked[name] if engine in waits]
        if known:
            paused[name] = min(known, key=lambda wait: wait.since)
    return paused
