"""The states of engines and buckets, to show: doctor, metrics and pages."""

import datetime as dt
from dataclasses import dataclass

from callscope.db import raw_sql
from callscope.engines.identity import EngineId
from callscope.pipeline.models import EngineState
from callscope.pipeline.queue.breakers import needs, site, states


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """One engine or bucket that this process or another live one may ask."""

    kind: str  # speech, language, embeddings or storage
    address: str  # a URL without credentials
    state: str  # working, paused or probing
    since: dt.datetime | None  # of the first failure since it last answered; None while it works
    reason: str  # a Trouble, or failing; "" while it works
    detail: str  # the latest failure as an English sentence (messages.translation translates it); or ""
    next_probe_at: dt.datetime | None  # when a job tries it again by itself; None while it works
    failures: int  # since it last answered

    @property
    def needs_a_person(self) -> bool:
        """True where waiting does not help: the key, the quota, the model or the address of the settings."""
        return self.reason in states.NEEDS_A_PERSON


def list_engine_states() -> list[EngineStatus]:
    """Return the state of every engine and bucket of this process, and of those in trouble of all live ones.

    Others are left out: they may be gone for good. So are engines in processes that never were in
    trouble: a web process has none of them at work. One query while all work.
    """
    stored = {EngineId(state.kind, state.address): state for state in EngineState.objects.all()}
    configured = needs.list_configured_engines()
    shown = dict.fromkeys(each for each in configured if each in stored or not each.is_in_process)
    trouble = [engine for engine, row in stored.items() if row.state != EngineState.State.WORKING]
    if not shown.keys() >= set(trouble):
        elsewhere = set[EngineId]().union(*site.list_stated_engines().values())
        shown |= dict.fromkeys(engine for engine in trouble if engine in elsewhere)
    return [_status_of(engine, stored.get(engine)) for engine in shown]


def list_engines_in_trouble() -> list[EngineStatus]:
    """Return those of list_engine_states() that are not working; a page asks, and nearly always all work."""
    working = EngineState.State.WORKING.value
    if not raw_sql.fetch_prepared("SELECT 1 FROM pipeline_enginestate WHERE state <> %s LIMIT 1", [working]):
        return []
    return [status for status in list_engine_states() if status.state != EngineState.State.WORKING]


def _status_of(engine: EngineId, row: EngineState | None) -> EngineStatus:
    if row is None or row.state == EngineState.State.WORKING:
        return EngineStatus(
            engine.kind, engine.address, EngineState.State.WORKING.value, None, "", "", None, 0
        )
    return EngineStatus(
        engine.kind,
        engine.address,
        row.state,
        row.since,
        row.reason,
        row.detail,
        row.probe_at,
        row.failures,
    )
