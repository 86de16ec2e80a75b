"""The time zone in which days and hours were counted.

Facts hold the day and hour of the server's zone. When the setting changes they
are counted anew, before the next report is read.
"""

import logging

from django.db import transaction

from callscope.reports import store, window
from callscope.reports.models import CallFact, StoreState

CHUNK = 5000  # facts changed in one transaction
logger = logging.getLogger(__name__)


def remember() -> None:
    """Note the zone in a store that has none noted yet."""
    StoreState.objects.get_or_create(pk=1, defaults={"time_zone": window.zone_name()})


def ensure() -> None:
    """Count days and hours anew if the store was filled under another zone; else cost one small query."""
    if not _is_current():
        with store.lock(wait=True):
            if not _is_current():  # nobody else did it while we waited
                logger.warning(
                    "The time zone is %s now. Days and hours are counted anew.", window.zone_name()
                )
                _recount()


def _is_current() -> bool:
    noted = StoreState.objects.values_list("time_zone", flat=True).first()
    return noted is None or noted == window.zone_name()


def _recount() -> None:
    from callscope.reports.rebuild import rebuild

    latest = 0
    while facts := list(
        CallFact.objects.filter(pk__gt=latest).order_by("pk").only("at_us", "day", "hour")[:CHUNK]
    ):
        latest = facts[-1].pk
        with transaction.atomic():
            _move([fact for fact in facts if _replaced(fact)])
    rebuild()
    StoreState.objects.filter(pk=1).update(time_zone=window.zone_name())


def _replaced(fact: CallFact) -> bool:
    """Give the fact its day and hour in the present zone; False if they are what they were."""
    moment = window.moment_of(fact.at_us)
    before = (fact.day, fact.hour)
    fact.day = window.day_of(moment)
    fact.hour = None if fact.hour is None else window.hour_of(moment)
    return (fact.day, fact.hour) != before


def _move(facts: list[CallFact]) -> None:
    CallFact.objects.bulk_update(facts, ["day", "hour"], batch_size=500)
