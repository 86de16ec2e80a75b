"""The course of contact reasons: twelve weeks, each with the calls of a reason and of all."""

import datetime as dt

import pytest

from callscope.calls.models import Agent
from callscope.reports.overview import reason_weeks
from callscope.reports.overview.reason_weeks import count_reason_weeks
from callscope.reports.store.compaction import compact_all
from callscope.reports.window import ALL_TIME, Window
from tests.web.conftest import CONFIGURATION, bring, line

pytestmark = pytest.mark.django_db
FIRST = dt.date(2026, 1, 5)  # a Monday


@pytest.fixture
def project(alice):
    from callscope.projects.services import create_project

    return create_project(alice, "Service line", document=CONFIGURATION)


@pytest.fixture
def calls(project):
    """In week n of 14 weeks n calls of "outage" and one of another reason; one call without a reason."""
    lines = []
    for week in range(14):
        day = FIRST + dt.timedelta(weeks=week, days=2)
        for topic in ["outage"] * week + ["late fee", ""]:
            moment = f"{day.isoformat()}T12:00:00+00:00"
            agent = "Ana Ruiz" if topic == "late fee" else "Ben Okafor"
            lines.append(line(len(lines) + 1, topic=topic, call_datetime=moment, agent_name=agent))
    return bring(project, *lines)


def test_reaches_back_beyond_the_window_to_twelve_weeks(project, calls):
    window = Window(FIRST + dt.timedelta(weeks=12), FIRST + dt.timedelta(weeks=12, days=6))

    recent = count_reason_weeks([project], window)
    compact_all()

    assert recent.mondays == [FIRST + dt.timedelta(weeks=week) for week in range(1, 13)]
    assert recent.by_text == {"outage": list(range(1, 13)), "late fee": [1] * 12}
    assert recent.with_reason == list(range(2, 14))
    assert count_reason_weeks([project], window) == recent


def test_knows_that_only_a_part_of_its_last_week_is_counted(project, calls):
    monday = FIRST + dt.timedelta(weeks=12)  # calls are on Wednesdays alone

    ends = [monday + dt.timedelta(days=n) for n in (1, 2)]
    before, after = (count_reason_weeks([project], Window(monday, end)).parts for end in ends)

    assert before == [11]
    assert after == []


def test_ends_today_where_the_window_has_no_end(project, calls, monkeypatch):
    monkeypatch.setattr(reason_weeks, "day_of", lambda _now: dt.date(2026, 2, 4).toordinal())

    found = count_reason_weeks([project], ALL_TIME)

    assert found.mondays[-1] == dt.date(2026, 2, 2)
    assert found.by_text["outage"] == [0] * 7 + list(range(5))


def test_is_of_one_agent_alone(project, calls):
    ana = Agent.objects.get(name="Ana Ruiz")

    found = count_reason_weeks([project], Window(FIRST, FIRST + dt.timedelta(weeks=13)), ana.pk)

    assert set(found.by_text) == {"late fee"}


@pytest.mark.parametrize("end", [dt.date.min, dt.date(1, 1, 3), dt.date.max])
def test_keeps_within_the_calendar(project, calls, end):
    assert len(count_reason_weeks([project], Window(None, end)).mondays) in (1, 12)


def test_of_no_project_is_empty():
    found = count_reason_weeks([], ALL_TIME)

    assert found.by_text == {}
    assert sum(found.with_reason) == 0
