"""Move the notes of the spool into the chain of audit events, each exactly once, whatever is killed when."""

import datetime as dt
import json
from collections.abc import Iterable
from functools import partial

from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.trail import spool
from callscope.db.transactions import run_in_transaction

AT_ONCE = 50  # notes in a transaction: 30 ms of the one writer's time on SQLite
MOST = 10_000  # notes in one go


def chain_notes(*, now: dt.datetime | None = None) -> int:
    """Chain what is queued, and the folded notes whose time is over; return how many notes that was."""
    moment = (now or timezone.now()).timestamp()
    chain_batch = partial(_chain_from_file if spool.is_a_file() else _chain_from_table, moment)
    chained = 0
    while chained < MOST and (count := chain_batch()):
        chained += count
    return chained


def _chain_from_file(moment: float) -> int:
    with spool.spool_transaction():
        _queue_folds(moment)
    name, queued = spool.file_name(), spool.read_queue(AT_ONCE)
    if not queued:
        return 0
    last = queued[-1].id

    def append() -> None:
        # The head keeps the place in the file, in the transaction of the events. Who is killed before
        # the notes are forgotten leaves some in the file whose place says that they were chained.
        head = audit.lock_head()
        chained = head.spool_place if head.spool_file == name else 0
        head.spool_file, head.spool_place = name, max(chained, last)
        audit.append_events(head, _read_drafts(note.event for note in queued if note.id > chained))

    run_in_transaction(append)
    spool.forget_queue(last)
    return len(queued)


def _chain_from_table(moment: float) -> int:
    def append() -> int:
        head = audit.lock_head()
        _queue_folds(moment)
        queued = spool.take_queue(AT_ONCE)
        audit.append_events(head, _read_drafts(note.event for note in queued))
        return len(queued)

    # Most times nothing waits, and then nobody has to wait for the head.
    return run_in_transaction(append) if spool.is_due(moment) else 0


def _queue_folds(moment: float) -> None:
    """Queue the folded notes whose time is over, each with how often it was made; in a transaction."""
    for fold in spool.take_folds(moment):
        content = json.loads(fold.event)
        content["detail"]["times"] = fold.times
        spool.add(json.dumps(content))


def _read_drafts(events: Iterable[str]) -> list[audit.Draft]:
    contents = [json.loads(event) for event in events]
    return [
        audit.Draft(
            at=dt.datetime.fromisoformat(content["at"]),
            actor_id=content["actor"],
            action=content["action"],
            subject=content["subject"],
            detail=content["detail"],
        )
        for content in contents
    ]
