"""Verification finds what bypassed the journal."""

from callscope.reports.models import CallFact
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.store.verify import find_discrepancies


class TestVerify:
    def test_finds_a_change_that_bypassed_the_journal(self, project, bring_in):
        line = {"file_name": "c.wav", "call_datetime": "2026-03-10T10:00:00+00:00", "topic": "x"}
        bring_in(project, line)
        compact_all()
        CallFact.objects.update(sentiment=3)

        found = find_discrepancies()

        assert [(d.level, d.stored_calls, d.counted_calls) for d in found] == [("day", 1, 1), ("month", 1, 1)]
        rebuild_rollups()
        assert find_discrepancies() == []
