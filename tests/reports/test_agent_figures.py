"""The figures of an agent's page are those of reports over the same calls, for one read of their facts."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from reports.story import DAYS, SCRIPT, Story, call_lines

from callscope.calls.models import Agent
from callscope.reports.details.agent_figures import read_agent_figures
from callscope.reports.details.agent_page import WEEKS, build_agent_page
from callscope.reports.overview.report import build_report
from callscope.reports.store import version
from callscope.reports.store.compaction import compact_all
from callscope.reports.window import Window, end_of_week, find_week
from tests.web.conftest import bring, line

pytestmark = pytest.mark.django_db
WINDOWS = (Window(), Window(DAYS[1], DAYS[3]), Window(None, DAYS[2]), Window(DAYS[1], None))


def rows_of(report):
    """Return the scorecard without what the page of an agent does not show."""
    return [replace(row, changed_in=None, for_person=False) for row in report.scorecard]


class TestReadAgentFigures:
    @given(
        lines=st.lists(call_lines(), min_size=1, max_size=14),
        window=st.sampled_from(WINDOWS),
        compacts=st.booleans(),
    )
    @SCRIPT
    def test_equals_reports_of_the_window_of_each_week_and_of_all_calls(self, alice, lines, window, compacts):
        story = Story(alice)
        story.play("import", lines, 0)
        if compacts:
            compact_all()
        mondays = sorted({find_week(day.toordinal()) for day in DAYS})
        weeks = [Window(monday, end_of_week(monday)) for monday in mondays]
        for project in story.projects:
            for agent in Agent.objects.filter(calls__project=project).distinct():
                found = read_agent_figures(project, agent.pk, window, weeks, with_everyone=True)

                whole = build_report([project], window, agent.pk)
                assert found.own.headline == whole.headline
                assert found.own.scorecard == rows_of(whole)
                assert (found.previous, found.changes) == (whole.previous_headline, whole.changes)
                assert found.weeks == [
                    [uncompared(row) for row in rows_of(build_report([project], week, agent.pk))]
                    for week in weeks
                ]
                if not whole.headline.total_calls:
                    assert found.everyone is None
                    continue
                everyone = build_report([project], window)
                assert found.everyone.headline == everyone.headline
                assert found.everyone.scorecard == [uncompared(row) for row in rows_of(everyone)]

    def test_asks_as_much_for_many_weeks_as_for_none(self, project):
        bring(project, *[line(n, agent_name="Ana Ruiz") for n in range(1, 29)])
        agent = Agent.objects.get(name="Ana Ruiz")
        version.ensure_current()

        def count(call, **given):
            with CaptureQueriesContext(connection) as asked:
                call(**given)
            return len(asked)

        def read(weeks):
            read_agent_figures(project, agent.pk, Window(), weeks, with_everyone=True)

        read([])  # what is kept in memory from then on
        assert count(read, weeks=[Window(DAYS[1], DAYS[2])] * WEEKS) == count(read, weeks=[]) <= 10
        page = {"shows_notes": True, "is_own": False}
        assert count(lambda: build_agent_page(project, agent, **page)) <= 20  # 149 as ten reports


def uncompared(row):
    """Return a row of a window whose window before was not read: the page compares the agent alone."""
    return replace(
        row,
        previous_pct=None,
        delta_pct=None,
        delta_pct_interval=None,
        previous_calls=0,
        previous_evaluated_pct=None,
        previous_evaluated_calls=0 if is_recorded(row) or not row.not_applicable_calls else None,
        evaluated_delta_pct=None,
        evaluated_delta_pct_interval=None,
    )


def is_recorded(row):
    return row.evaluated_calls + row.not_applicable_calls == row.calls
