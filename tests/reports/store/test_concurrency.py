"""Readers, writers and compaction at once: every report is consistent in itself, and nothing is lost."""

import os
import threading
import time

import pytest
from django.db import connection, transaction

from callscope.calls.models import Call
from callscope.pipeline.files.intake import update_metadata
from callscope.projects.models import Project
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import find_calls
from callscope.reports.models import CallFact, JournalEntry
from callscope.reports.overview.report import build_report
from callscope.reports.store.compaction import compact_all, compact_once
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.store.verify import find_discrepancies
from callscope.reports.window import ALL_TIME

SECONDS = float(os.environ.get("CALLSCOPE_TEST_CONCURRENCY_S", "3"))
CALLS = 40


def run_until(deadline, work, failures):
    """Repeat work until the deadline in a thread of its own; a failure is kept."""

    def loop():
        try:
            turn = 0
            while time.monotonic() < deadline:
                work(turn)
                turn += 1
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=loop)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
class TestConcurrency:
    def test_every_report_adds_up_while_calls_change(self, alice, bring_in):
        project = Project.objects.create(name="Busy", owner=alice)
        score = {"criterion_id": "g", "name": "G", "score": 5, "max_points": 10}
        bring_in(
            project,
            *[
                {
                    "file_name": f"c{n}.wav",
                    "call_datetime": f"2026-03-{1 + n % 28:02}T10:00:00+00:00",
                    "agent_name": "Ana",
                    "topic": "t",
                    "copc": {"criterion_scores": [score]},
                }
                for n in range(CALLS)
            ],
        )
        files = [
            call.newest_file for call in Call.objects.filter(project=project).select_related("newest_file")
        ]
        failures: list[BaseException] = []
        reports = []

        def describe(turn):
            fields = {
                "call_datetime": f"2026-{1 + turn % 9:02}-{1 + turn % 28:02}T{turn % 24:02}:00:00+00:00",
                "agent_name": ["Ana", "Eva", "Zoë"][turn % 3],
                "agent_id": "",
            }
            update_metadata(files[turn * 7 % CALLS], fields, alice)
            time.sleep(0.01)  # a breath, so that on two cores everybody gets a turn

        def read(turn):
            report = build_report([project], ALL_TIME)
            reports.append(report)
            page = find_calls([project], ALL_TIME, CallFilters())
            assert page.count == CALLS
            assert len({item.id for item in page.items}) == 25

        def tidy(turn):
            if turn % 5:
                compact_once()
            else:
                rebuild_rollups()
            time.sleep(0.05)

        deadline = time.monotonic() + SECONDS
        threads = [run_until(deadline, work, failures) for work in (describe, read, read, tidy)]
        for thread in threads:
            thread.join()

        assert failures == []
        assert reports
        for report in reports:
            assert report.headline.total_calls == report.total_calls_all_time == CALLS
            assert sum(row.calls for row in report.agents) == CALLS
            assert sum(row.calls for row in report.contact_reasons) == CALLS
            assert sum(bucket.calls for bucket in report.trend) == CALLS
            assert sum(row.headline.total_calls for row in report.shifts) == CALLS
            assert [row.calls for row in report.scorecard] == [CALLS]
        assert find_discrepancies() == []
        compact_all()
        assert find_discrepancies() == []

    def test_a_rolled_back_change_leaves_no_trace(self, alice, bring_in):
        project = Project.objects.create(name="Undone", owner=alice)
        bring_in(project, {"file_name": "c.wav", "topic": "x"})
        compact_all()
        file = Call.objects.get(project=project).newest_file

        with pytest.raises(ZeroDivisionError), transaction.atomic():
            update_metadata(file, {"call_datetime": "2026-03-01T00:00:00+00:00"}, alice)
            assert JournalEntry.objects.count() == 1
            raise ZeroDivisionError

        assert JournalEntry.objects.count() == 0
        assert CallFact.objects.get().hour is None
