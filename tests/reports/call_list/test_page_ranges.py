"""Page ranges: any page of any ranges is the slice of their calls, and no call before it is read."""

import dataclasses
import datetime as dt
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.call_list.stored_calls import EXAMPLES, FIRST, add_call, start_over

from callscope.db import raw_sql
from callscope.reports.call_list import page_ranges
from callscope.reports.call_list.conditions import Where
from callscope.reports.call_list.page_ranges import (
    CallRange,
    days_condition,
    intersect,
    moments_condition,
    read_page,
    split_by_date,
)
from callscope.reports.models import CallFact
from callscope.reports.window import ALL_TIME, Window

MARCH = dt.date(2026, 3, 1)


class FakeRange:
    """A range of numbers that remembers what was read of it."""

    def __init__(self, numbers, sub_ranges=None):
        self.numbers = numbers
        self.count = len(numbers)
        self.sub_ranges = sub_ranges
        self.reads = []

    def rows(self, start, size):
        self.reads.append((start, size))
        return self.numbers[start : start + size]


def ranges_of(sizes, *, split=False):
    """Return ranges of consecutive numbers of these sizes, each split into ranges of one if so asked."""
    ranges, first = [], 0
    for size in sizes:
        numbers = list(range(first, first + size))
        parts = [FakeRange([number]) for number in numbers]
        ranges.append(FakeRange(numbers, partial(iter, parts) if split else None))
        first += size
    return ranges


class TestReadPage:
    @given(
        sizes=st.lists(st.integers(0, 5), max_size=8),
        start=st.integers(0, 40),
        size=st.integers(1, 7),
        split=st.booleans(),
        near=st.integers(0, 6),
    )
    def test_is_the_slice_of_all_ranges(self, sizes, start, size, split, near):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(page_ranges, "NEAR_CALLS", near)

            page = read_page(ranges_of(sizes, split=split), start, size)

        assert page == list(range(sum(sizes)))[start : start + size]

    def test_reads_nothing_of_the_ranges_around_the_page(self):
        ranges = ranges_of([5, 5, 5, 5])

        assert read_page(ranges, 7, 4) == [7, 8, 9, 10]
        assert [each.reads for each in ranges] == [[], [(2, 4)], [(0, 1)], []]

    def test_stops_before_a_range_that_nobody_needs(self):
        def ranges():
            yield FakeRange([0, 1, 2])
            raise AssertionError("the page was full")

        assert read_page(ranges(), 0, 3) == [0, 1, 2]

    def test_splits_a_range_only_where_the_page_lies_far_into_it(self, monkeypatch):
        monkeypatch.setattr(page_ranges, "NEAR_CALLS", 4)
        (near,), (far,) = ranges_of([9], split=True), ranges_of([9], split=True)

        assert read_page([near], 1, 3) == [1, 2, 3]
        assert read_page([far], 5, 3) == [5, 6, 7]

        assert near.reads == [(1, 3)]
        assert far.reads == []


class TestCallRange:
    @given(
        minutes=st.lists(st.integers(0, 6), min_size=1, max_size=14),
        start=st.integers(0, 13),
        size=st.integers(1, 14),
        descending=st.booleans(),
        column=st.sampled_from(["at_us", "+at_us", ""]),
        at_once=st.sampled_from([1, 100]),
    )
    @EXAMPLES
    def test_reads_the_slice_of_its_sorted_calls(
        self, project, other_project, minutes, start, size, descending, column, at_once
    ):
        start_over()
        projects = [project, other_project]
        calls = []
        for number, minute in enumerate(minutes):
            at = FIRST + dt.timedelta(minutes=minute)
            calls.append((minute if column else 0, add_call(projects[number % 2], at)))
        add_call(projects[0], FIRST, sentiment=3)  # the range leaves it out
        counts = {projects[n].pk: len(calls[n::2]) for n in range(2)}
        of_range = CallRange(counts, Where(" AND sentiment IS NULL"), column, descending)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(page_ranges, "PROJECTS_AT_ONCE", at_once)
            rows = of_range.rows(min(start, len(calls) - 1), size)

        sign = -1 if descending else 1
        expected = [pk for _, pk in sorted(calls, key=lambda call: (sign * call[0], -call[1]))]
        assert [row.id for row in rows] == expected[min(start, len(calls) - 1) :][:size]

    def test_reads_its_second_half_from_the_end(self, project, monkeypatch):
        ids = [add_call(project, FIRST + dt.timedelta(minutes=n)) for n in range(10)]
        offsets = []
        read = raw_sql.fetch_prepared
        monkeypatch.setattr(
            page_ranges.raw_sql,
            "fetch_prepared",
            lambda sql, given: (offsets.append(given[-1]), read(sql, given))[1],
        )
        of_range = CallRange({project.pk: 10}, Where(), "at_us", False)

        assert [row.id for row in of_range.rows(2, 2)] == ids[2:4]
        assert [row.id for row in of_range.rows(7, 2)] == ids[7:9]
        assert offsets == [2, 1]

    def test_asks_no_project_without_calls(self, project, other_project, django_assert_num_queries):
        add_call(project)
        of_range = CallRange({project.pk: 1, other_project.pk: 0}, Where(), "at_us", True)

        with django_assert_num_queries(1) as queries:
            assert len(of_range.rows(0, 25)) == 1

        assert "UNION" not in queries.captured_queries[0]["sql"]

    def test_of_no_calls_asks_nothing(self, project, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert CallRange({project.pk: 0}, Where(), "", True).rows(0, 25) == []


class TestSplitByDate:
    def split(self, window, days, *, descending=False):
        """Split a window whose calls are counted by day; return (window, calls, its days) for each month."""
        counted = {dt.date.fromisoformat(day).toordinal(): calls for day, calls in days.items()}

        def count_spans(span, by_day):
            first, last = span.days
            spans = {}
            for day, calls in counted.items():
                if first <= day <= last:
                    key = day if by_day else dt.date.fromordinal(day).replace(day=1).toordinal()
                    spans[key] = {1: spans.get(key, {1: 0})[1] + calls}
            return spans

        def make_range(span, calls, sub_ranges):
            return (str(span.start), str(span.end), calls[1], list(sub_ranges()) if sub_ranges else None)

        return list(split_by_date(window, count_spans, make_range, descending=descending))

    def test_gives_months_and_their_days(self):
        months = self.split(ALL_TIME, {"2026-01-31": 2, "2026-03-01": 1, "2026-03-30": 4})

        assert months == [
            ("2026-01-01", "2026-01-31", 2, [("2026-01-31", "2026-01-31", 2, None)]),
            (
                "2026-03-01",
                "2026-03-31",
                5,
                [("2026-03-01", "2026-03-01", 1, None), ("2026-03-30", "2026-03-30", 4, None)],
            ),
        ]

    def test_keeps_to_the_window_and_turns_round(self):
        window = Window(dt.date(2026, 1, 20), dt.date(2026, 3, 29))

        months = self.split(
            window, {"2026-01-19": 9, "2026-01-31": 2, "2026-03-01": 1, "2026-03-30": 4}, descending=True
        )

        assert [month[:3] for month in months] == [
            ("2026-03-01", "2026-03-29", 1),
            ("2026-01-20", "2026-01-31", 2),
        ]


class TestWindowConditions:
    @pytest.mark.parametrize(
        ("window", "first", "last", "expected"),
        [
            (Window(), 1, 5, (1, 5)),
            (Window(MARCH, None), MARCH.toordinal() - 3, MARCH.toordinal() + 3, (0, 3)),
            (Window(None, MARCH), MARCH.toordinal() - 3, MARCH.toordinal() + 3, (-3, 0)),
        ],
    )
    def test_intersect_keeps_the_narrower_days(self, window, first, last, expected):
        days = intersect(window, first, last).days

        since = MARCH.toordinal() if window != ALL_TIME else 0
        assert (days[0] - since, days[1] - since) == expected

    def test_an_open_window_asks_nothing(self):
        assert moments_condition(ALL_TIME) == days_condition(ALL_TIME, by_index=True) == Where()

    def test_the_last_day_of_the_calendar_has_no_end(self):
        window = Window(None, dt.date.max)

        assert moments_condition(window) == Where()

    def test_days_are_hidden_from_their_index_unless_that_is_wanted(self):
        window = Window(MARCH, MARCH)

        assert days_condition(window, by_index=True).sql == " AND day >= %s AND day <= %s"
        assert days_condition(window, by_index=False).sql == " AND +day >= %s AND +day <= %s"

    @pytest.mark.parametrize("zone", ["UTC", "Europe/Madrid", "America/New_York"])
    @pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25", "2026-03-08", "2026-06-01"])
    def test_moments_and_days_choose_the_same_calls(self, project, settings, zone, day):
        """Days with a change of the clocks are 23 or 25 hours long."""
        settings.TIME_ZONE = zone
        date = dt.date.fromisoformat(day)
        noon = dt.datetime.combine(date, dt.time(12), dt.UTC)
        for hours in range(-26, 27):
            add_call(project, noon + dt.timedelta(hours=hours))
        window = Window(date, date)

        chosen = []
        for where in (moments_condition(window), days_condition(window, by_index=True)):
            statement = f"SELECT call_id FROM reports_callfact WHERE 1 = 1{where.sql} ORDER BY 1"
            chosen.append(raw_sql.fetch_rows(statement, where.parameters))

        assert chosen[0] == chosen[1]
        assert 23 <= len(chosen[0]) <= 25
        assert CallFact.objects.count() == 53


def test_ranges_are_plain_data():
    calls = CallRange({1: 2, 2: 3}, Where(), "", True)

    assert calls.count == 5
    assert dataclasses.replace(calls, calls={}).count == 0
