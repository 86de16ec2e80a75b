"""The version of the store: the time zone and the layout that its days, hours and tables were counted with.

When the zone of the settings changes, or a new version of Callscope counts other
tables, the store is rebuilt before the next report is read.
"""

import hashlib
import logging

from django.db import models, transaction

from callscope.db import raw_sql
from callscope.reports import window
from callscope.reports.models import CallFact, CallMark, StoreState
from callscope.reports.store import aggregate, aggregates, packing
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.store.rollups import write_lock

FACTS_AT_ONCE = 5000  # changed in one transaction

# Stored since the first release over the repr of the tables, whose class was called Layout then: another
# digest would rebuild every store once.
LAYOUT = hashlib.blake2b(
    repr((aggregates.TABLES, aggregate.CALL_COLUMNS, packing.ENTRY.descr))
    .replace("TableSchema(", "Layout(")
    .encode(),
    digest_size=8,
).hexdigest()

logger = logging.getLogger(__name__)

StoreVersion = tuple[str, str]  # time zone and layout, as StoreState has them


def record_version() -> None:
    """Record the present version in a store that has none yet."""
    StoreState.objects.get_or_create(pk=1, defaults={"time_zone": window.zone_name(), "layout": LAYOUT})


def is_current(stored: StoreVersion | None) -> bool:
    """True if a store with this version recorded may be read as it is; an empty store has None."""
    return stored is None or stored == (window.zone_name(), LAYOUT)


def ensure_current() -> None:
    """Rebuild the store if it was counted with another version; else cost one small query."""
    if is_current(_read_version()):
        return
    with write_lock(wait=True):
        stored = StoreState.objects.get(pk=1)
        if stored.time_zone != window.zone_name():
            logger.warning("The time zone is %s now. Days and hours are recomputed.", window.zone_name())
            _recompute_days()
        if not is_current(_read_version()):  # another process may have done it while this one waited
            rebuild_rollups()
            StoreState.objects.filter(pk=1).update(time_zone=window.zone_name(), layout=LAYOUT)


def _read_version() -> StoreVersion | None:
    rows = raw_sql.fetch_prepared("SELECT time_zone, layout FROM reports_storestate WHERE id = %s", [1])
    return (rows[0][0], rows[0][1]) if rows else None


def _recompute_days() -> None:
    """Give every fact its day and hour in the present time zone."""
    latest = 0
    facts = CallFact.objects.order_by("pk").only("at_us", "day", "hour")
    while chunk := list(facts.filter(pk__gt=latest)[:FACTS_AT_ONCE]):
        latest = chunk[-1].pk
        moved = []
        for fact in chunk:
            moment = window.to_datetime(fact.at_us)
            day, hour = window.day_of(moment), None if fact.hour is None else window.hour_of(moment)
            if (day, hour) != (fact.day, fact.hour):
                fact.day, fact.hour = day, hour
                moved.append(fact)
        with transaction.atomic():
            CallFact.objects.bulk_update(moved, ["day", "hour"], batch_size=500)
            of_fact = CallFact.objects.filter(pk=models.OuterRef("call_id")).values("day")
            CallMark.objects.filter(call__in=[fact.pk for fact in moved]).update(day=models.Subquery(of_fact))
