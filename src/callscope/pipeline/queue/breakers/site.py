"""The engines of the whole installation, as the live processes of all hosts state them.

A web process need not know the engines that its workers ask, and still shows their state.
"""

import datetime as dt

from django.db.models import Q, QuerySet
from django.utils import timezone

from callscope.engines.identity import EngineId, public_address
from callscope.pipeline.models import EngineState, Job, SiteProcess
from callscope.pipeline.queue.breakers import needs

ALIVE = dt.timedelta(seconds=60)  # since a process last stated its settings; it does so every 15 s
# What a process states of its engines, and which work needs them.
ENGINES = {
    "CALLSCOPE_TRANSCRIBER": ("speech", needs.SPEECH),
    "CALLSCOPE_PRIVATE_TRANSCRIBER": ("speech", needs.PRIVATE_SPEECH),
    "CALLSCOPE_LLM_URL": ("language", needs.LANGUAGE),
    "CALLSCOPE_PRIVATE_LLM_URL": ("language", needs.PRIVATE_LANGUAGE),
    "CALLSCOPE_EMBED_URL": ("embeddings", needs.EMBEDDINGS),
}


def list_stated_engines() -> dict[str, set[EngineId]]:
    """Return the servers that live processes state, by the needs of the work that asks them; one query."""
    alive = SiteProcess.objects.filter(seen_at__gte=timezone.now() - ALIVE)
    stated: dict[str, set[EngineId]] = {}
    for values in alive.exclude(role=SiteProcess.Role.PAST).values_list("settings", flat=True):
        for setting, (kind, name) in ENGINES.items():
            address = str(values.get(setting, ""))
            if address.startswith(("http://", "https://")):
                stated.setdefault(name, set()).add(EngineId(kind, public_address(address)))
    return stated


def find_blocked_needs() -> set[str]:
    """Return the needs of jobs that wait for an engine or a bucket in trouble."""
    rows = EngineState.objects.exclude(state=EngineState.State.WORKING).values_list("kind", "address")
    trouble = {EngineId(kind, address) for kind, address in rows}
    if not trouble:
        return set()
    blocked = {name for name in needs.NAMES if trouble.intersection(needs.list_engines(name))}
    # Where hosts ask different servers, the work goes on as long as one of them works.
    return blocked | {name for name, engines in list_stated_engines().items() if engines <= trouble}


def list_waiting_jobs() -> tuple[QuerySet[Job], QuerySet[Job]]:
    """Return the queued jobs that a worker could take now, and those that wait for a time or an engine."""
    waits = Q(run_after__gt=timezone.now()) | Q(needs__in=find_blocked_needs())
    queued = Job.objects.filter(state=Job.State.QUEUED)
    return queued.exclude(waits), queued.filter(waits)
