"""The engines of the whole installation, as the live processes of all hosts state them.

A web process need not know the engines that its workers ask, and still shows their state.
"""

import datetime as dt
from collections.abc import Iterator

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from callscope.engines.identity import (
    EngineId,
    identify_local_speech,
    identify_sentence_model,
    public_address,
)
from callscope.environment import IN_PROCESS
from callscope.pipeline.models import EngineState, Job, SiteProcess
from callscope.pipeline.queue.breakers import needs

ALIVE = dt.timedelta(seconds=60)  # since a process last stated its settings; it does so every 15 s
# What a process states of the servers that it asks, and which work needs them.
SERVERS = {
    "CALLSCOPE_TRANSCRIBER": ("speech", (needs.SPEECH,)),
    "CALLSCOPE_PRIVATE_TRANSCRIBER": ("speech", (needs.PRIVATE_SPEECH,)),
    "CALLSCOPE_LLM_URL": ("language", (needs.LANGUAGE, needs.LANGUAGE_VECTORS)),
    "CALLSCOPE_PRIVATE_LLM_URL": ("language", (needs.PRIVATE_LANGUAGE,)),
    "CALLSCOPE_EMBED_URL": ("embeddings", (needs.EMBEDDINGS, needs.LANGUAGE_VECTORS)),
}
COMPARING = (needs.EMBEDDINGS, needs.LANGUAGE_VECTORS, needs.PRIVATE_LANGUAGE, needs.PRIVATE_VECTORS)
UNSET = {*IN_PROCESS, "unset"}  # of a recognizer: it is in the worker's process


def list_stated_engines() -> dict[tuple[str, str], set[EngineId]]:
    """Return the engines that live processes state, by the needs of the work that asks them and their kind.

    Those in a process are of workers alone, that do such work. One query.
    """
    alive = SiteProcess.objects.filter(seen_at__gte=Now() - ALIVE)
    stated: dict[tuple[str, str], set[EngineId]] = {}
    for process in alive.exclude(role=SiteProcess.Role.PAST).only("role", "queues", "host", "settings"):
        for engine, names in _list_engines_of(process):
            for name in names:
                stated.setdefault((name, engine.kind), set()).add(engine)
    return stated


def _list_engines_of(process: SiteProcess) -> Iterator[tuple[EngineId, tuple[str, ...]]]:
    """Yield each engine that a process may ask, and the needs of the work that asks it."""
    values = {name: str(value) for name, value in process.settings.items()}
    folder = values.get("CALLSCOPE_EMBED_MODEL_DIR", "unset")
    for setting, (kind, names) in SERVERS.items():
        address = values.get(setting, "")
        is_unused = setting == "CALLSCOPE_EMBED_URL" and folder != "unset"
        if address.startswith(("http://", "https://")) and not is_unused:
            yield EngineId(kind, public_address(address)), names
    queues = process.queues.split(",") if process.role == SiteProcess.Role.WORKER else []
    address = values.get("CALLSCOPE_TRANSCRIBER", "")
    if "asr" in queues and address in UNSET:
        model = values.get("CALLSCOPE_TRANSCRIBER_MODEL", "").removeprefix("unset")
        yield identify_local_speech(address, model, host=process.host), (needs.SPEECH,)
    if folder != "unset" and {"llm", "default"} & set(queues):
        has_model = values.get("CALLSCOPE_LLM_URL", "unset") != "unset"
        names = COMPARING if has_model else (*COMPARING, needs.LANGUAGE)
        yield identify_sentence_model(folder, host=process.host), names


def find_blocked_needs() -> set[str]:
    """Return the needs of jobs that wait for an engine or a bucket in trouble."""
    rows = EngineState.objects.exclude(state=EngineState.State.WORKING).values_list("kind", "address")
    trouble = {EngineId(kind, address) for kind, address in rows}
    if not trouble:
        return set()
    servers = {engine for engine in trouble if not engine.is_in_process}
    blocked = {name for name in needs.NAMES if servers.intersection(needs.list_engines(name))}
    # Where hosts ask different engines, the work goes on as long as one of them works.
    return blocked | {name for (name, _), engines in list_stated_engines().items() if engines <= trouble}


def list_waiting_jobs() -> tuple[QuerySet[Job], QuerySet[Job]]:
    """Return the queued jobs that a worker could take now, and those that wait for a time or an engine."""
    waits = Q(run_after__gt=Now()) | Q(needs__in=find_blocked_needs())
    queued = Job.objects.filter(state=Job.State.QUEUED)
    return queued.exclude(waits), queued.filter(waits)
