"""When a report is due by mail, and which days it is about."""

import datetime as dt

import pytest

from callscope.pipeline.report_mail.schedule import find_days, find_latest_due, find_next_due
from callscope.reports.window import find_day_at_work, server_zone

MONDAY = dt.date(2026, 3, 2)


class TestADueDate:
    @pytest.mark.parametrize(
        ("rhythm", "today", "latest", "following"),
        [
            ("weekly", "2026-03-02", "2026-03-02", "2026-03-09"),
            ("weekly", "2026-03-08", "2026-03-02", "2026-03-09"),
            ("weekly", "2027-01-01", "2026-12-28", "2027-01-04"),
            ("monthly", "2026-03-01", "2026-03-01", "2026-04-01"),
            ("monthly", "2026-01-31", "2026-01-01", "2026-02-01"),
            ("monthly", "2026-12-31", "2026-12-01", "2027-01-01"),
        ],
    )
    def test_is_a_monday_or_the_first(self, rhythm, today, latest, following):
        found = [find(rhythm, dt.date.fromisoformat(today)) for find in (find_latest_due, find_next_due)]

        assert [each.isoformat() for each in found] == [latest, following]

    def test_begins_in_the_morning_of_the_server(self):
        for hour, today in ((5, MONDAY - dt.timedelta(days=1)), (6, MONDAY), (23, MONDAY)):
            assert find_day_at_work(dt.datetime(2026, 3, 2, hour, 59, tzinfo=server_zone())) == today


class TestTheDays:
    def test_are_the_week_or_month_before(self):
        assert find_days("weekly", MONDAY) == (dt.date(2026, 2, 23), dt.date(2026, 3, 1))
        assert find_days("monthly", dt.date(2026, 3, 1)) == (dt.date(2026, 2, 1), dt.date(2026, 2, 28))
