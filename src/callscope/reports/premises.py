"""What the stored sums were counted with: the time zone of their days and hours, and their layout.

When the zone of the settings changes, or a new version of Callscope counts other
tables, the store is made anew before the next report is read.
"""

import hashlib
import logging

from django.db import transaction

from callscope.reports import counting, packing, store, sums, window
from callscope.reports.models import CallFact, StoreState
from callscope.reports.rebuild import rebuild

CHUNK = 5000  # facts changed in one transaction
LAYOUT = hashlib.blake2b(
    repr((sums.TABLES, counting.HEAD, packing.ENTRY.descr)).encode(), digest_size=8
).hexdigest()
logger = logging.getLogger(__name__)


def remember() -> None:
    """Note the premises in a store that has none noted yet."""
    StoreState.objects.get_or_create(pk=1, defaults={"time_zone": window.zone_name(), "layout": LAYOUT})


def ensure() -> None:
    """Make the store anew if it was counted with other premises; else cost one small query."""
    if _is_current():
        return
    with store.lock(wait=True):
        noted = StoreState.objects.get(pk=1)
        if noted.time_zone != window.zone_name():
            logger.warning("The time zone is %s now. Days and hours are counted anew.", window.zone_name())
            _count_days_anew()
        if not _is_current():  # nobody else did it while we waited
            _rebuild()


def are_current(noted: tuple[str, str] | None) -> bool:
    """Whether a store with these premises noted may be read as it is."""
    return noted is None or noted == (window.zone_name(), LAYOUT)


def _is_current() -> bool:
    return are_current(StoreState.objects.values_list("time_zone", "layout").first())


def _rebuild() -> None:
    rebuild()
    StoreState.objects.filter(pk=1).update(time_zone=window.zone_name(), layout=LAYOUT)


def _count_days_anew() -> None:
    latest = 0
    facts = CallFact.objects.order_by("pk").only("at_us", "day", "hour")
    while some := list(facts.filter(pk__gt=latest)[:CHUNK]):
        latest = some[-1].pk
        with transaction.atomic():
            CallFact.objects.bulk_update(
                [fact for fact in some if _moved(fact)], ["day", "hour"], batch_size=500
            )


def _moved(fact: CallFact) -> bool:
    """Give the fact its day and hour in the present zone; False if they are what they were."""
    moment = window.moment_of(fact.at_us)
    before = (fact.day, fact.hour)
    fact.day = window.day_of(moment)
    fact.hour = None if fact.hour is None else window.hour_of(moment)
    return (fact.day, fact.hour) != before
