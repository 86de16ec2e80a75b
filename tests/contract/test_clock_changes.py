"""Weeks, shifts and windows around the clock changes of Madrid, New York and Lord Howe, by hand."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from oracles.report import Oracle
from test_oracle import make_world, without_ids

pytestmark = pytest.mark.django_db

# zone, the day of the change, hours of that day
CHANGES = [
    ("Europe/Madrid", dt.date(2026, 3, 29), 23),
    ("Europe/Madrid", dt.date(2026, 10, 25), 25),
    ("America/New_York", dt.date(2026, 3, 8), 23),
    ("America/New_York", dt.date(2026, 11, 1), 25),
    ("Australia/Lord_Howe", dt.date(2026, 4, 5), 24.5),
    ("Australia/Lord_Howe", dt.date(2026, 10, 4), 23.5),
]
around_changes = pytest.mark.parametrize(("zone", "day", "hours"), CHANGES)


@pytest.fixture
def as_alice(alice, client):
    client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
    return client


def every_quarter(zone: str, day: dt.date) -> list[dict[str, Any]]:
    """Return a call for each quarter of an hour from two days before the change to two days after."""
    start = dt.datetime.combine(day - dt.timedelta(2), dt.time(), ZoneInfo(zone)).astimezone(dt.UTC)
    end = dt.datetime.combine(day + dt.timedelta(3), dt.time(), ZoneInfo(zone)).astimezone(dt.UTC)
    lines = []
    while start < end:
        lines.append({"file_name": start.isoformat(), "call_datetime": start.isoformat(), "topic": "x"})
        start += dt.timedelta(minutes=15)
    return lines


def report(client: Any, start: dt.date | str = "", end: dt.date | str = "") -> dict[str, Any]:
    return client.get("/calls/api/report/", {"start_date": str(start), "end_date": str(end)}).json()


class TestADayOfAChange:
    @around_changes
    def test_has_the_calls_of_all_its_hours_and_its_neighbours_theirs(
        self, alice, as_alice, settings, zone, day, hours
    ):
        settings.TIME_ZONE = zone
        make_world(alice, [{}], [every_quarter(zone, day)])

        counted = [
            report(as_alice, day + dt.timedelta(n), day + dt.timedelta(n))["headline"]["total_calls"]
            for n in (-1, 0, 1)
        ]

        assert counted == [96, hours * 4, 96]

    @around_changes
    def test_shows_each_side_of_its_window_with_the_offset_of_that_moment(
        self, as_alice, settings, zone, day, hours
    ):
        settings.TIME_ZONE = zone

        shown = report(as_alice, day, day)["date_range"]

        start, end = (dt.datetime.fromisoformat(shown[side]) for side in ("start", "end"))
        assert (start.time(), end.time()) == (dt.time(0), dt.time(23, 59, 59))
        assert start.utcoffset() != end.utcoffset()
        assert end - start + dt.timedelta(seconds=1) == dt.timedelta(hours=hours)

    @around_changes
    def test_counts_each_shift_by_the_clock_on_the_wall(self, alice, as_alice, settings, zone, day, hours):
        settings.TIME_ZONE = zone
        make_world(alice, [{"shift_hours": {"day_start": 1, "day_end": 4}}], [every_quarter(zone, day)])

        shifts = report(as_alice, day, day)["shifts"]

        # Every change lies between one and four o'clock: it lengthens or shortens the day shift alone.
        assert [row["total_calls"] for row in shifts] == [(hours - 21) * 4, 84]

    @around_changes
    def test_belongs_to_the_week_of_its_monday(self, alice, as_alice, settings, zone, day, hours):
        settings.TIME_ZONE = zone
        make_world(alice, [{}], [every_quarter(zone, day)])

        trend = report(as_alice)["trend"]

        # Each change is on a Sunday: the week ends with it.
        assert [bucket["week"] for bucket in trend] == [
            str(day - dt.timedelta(6)), str(day + dt.timedelta(1))
        ]  # fmt: skip
        assert [bucket["calls"] for bucket in trend] == [2 * 96 + hours * 4, 2 * 96]

    @around_changes
    def test_is_compared_with_as_many_days(self, alice, as_alice, settings, zone, day, hours):
        settings.TIME_ZONE = zone
        score = {"criterion_id": "g", "name": "G", "section": "", "max_points": 1}
        given = [
            {**line, "copc": {"criterion_scores": [{**score, "score": int(n % 3 == 0)}]}}
            for n, line in enumerate(every_quarter(zone, day))
        ]
        world = make_world(alice, [{}], [given])

        for start, end in ((day, day), (day, day + dt.timedelta(1)), (day + dt.timedelta(1),) * 2):
            assert without_ids(report(as_alice, start, end)) == Oracle(world, zone).report(start, end, None)

    @around_changes
    def test_lists_the_calls_that_its_window_counts(self, alice, as_alice, settings, zone, day, hours):
        settings.TIME_ZONE = zone
        make_world(alice, [{}], [every_quarter(zone, day)])
        query = {"start_date": str(day), "end_date": str(day), "ordering": "call_datetime"}

        page = as_alice.get("/calls/api/calls/", query).json()

        first = dt.datetime.combine(day, dt.time(), ZoneInfo(zone)).astimezone(dt.UTC)
        assert page["count"] == hours * 4
        assert page["results"][0]["call_datetime"] == first.strftime("%Y-%m-%dT%H:%M:%SZ")
