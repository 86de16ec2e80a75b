"""A regrouping writes the rows of calls that move, and no others."""

import re
from collections import Counter
from contextlib import contextmanager

import pytest
from django.db import connection
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.contact_reasons import grouping
from callscope.contact_reasons.models import CallReason
from callscope.reports.store import facts
from tests.contact_reasons.test_grouping import BILLS, PASSWORDS, SHIPPING, add_call, regroup

pytestmark = pytest.mark.django_db
TOPICS = [*BILLS, *PASSWORDS, *SHIPPING]
EACH = 6  # calls of a topic
WRITES = re.compile(r'(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM) "?(\w+)')


@contextmanager
def count_written():
    """Yield a counter that fills with the rows that are inserted, updated and deleted, by table."""
    written: Counter[str] = Counter()

    def count(execute, sql, params, many, context):
        found = execute(sql, params, many, context)
        if match := WRITES.match(sql):
            written[match[1]] += context["cursor"].rowcount
        return found

    with connection.execute_wrapper(count):
        yield written


@pytest.fixture
def calls(project, monkeypatch):
    """Calls whose reasons last, each topic said by several."""
    monkeypatch.setattr(grouping, "SETTLES_AFTER", -grouping.SETTLES_AFTER)
    found = [add_call(project, topic) for topic in TOPICS for _ in range(EACH)]
    facts.refresh([call.pk for call in found])
    facts.refresh(regroup(project))
    return found


class TestARegrouping:
    def test_without_new_calls_writes_no_row_of_a_call(self, project, calls):
        with count_written() as written:
            facts.refresh(regroup(project))

        assert not {"contact_reasons_callreason", "reports_callfact", "reports_journalentry"} & written.keys()

    def test_writes_the_rows_of_the_calls_that_move(self, project, calls):
        new = [add_call(project, topic) for topic in ("invoice is wrong today", "reset of my password")]
        CallAnalysis.objects.filter(call__in=new).update(completed_at=timezone.now())
        facts.refresh([call.pk for call in new])
        before = dict(CallReason.objects.values_list("call_id", "reason_id"))

        with count_written() as written:
            shown = regroup(project)
            facts.refresh(shown)

        after = dict(CallReason.objects.values_list("call_id", "reason_id"))
        moved = [call for call, reason in after.items() if before.get(call) != reason]
        assert set(moved) >= {call.pk for call in new}
        assert written["contact_reasons_callreason"] == len(moved) < len(calls) / 4
        assert shown == sorted(moved)
        # In its place; where rows cannot be changed in bulk, one away and one in its place.
        assert len(moved) <= written["reports_callfact"] <= 2 * len(moved)
