"""Pagination: which listing answers which filters, and lists that are walked along."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.call_list.stored_calls import EXAMPLES, FIRST, add_agent, add_call

from callscope.calls.models import Call
from callscope.db import raw_sql
from callscope.reports.call_list import counted_listing, page_ranges, pagination
from callscope.reports.call_list.call_rows import CallRow
from callscope.reports.call_list.conditions import Condition, Operator
from callscope.reports.call_list.counted_listing import CountedListing, group_by_name
from callscope.reports.call_list.drilldown import DrilldownFilter
from callscope.reports.call_list.drilldown_counts import DrilldownCounts
from callscope.reports.call_list.filters import CallFilters, Order
from callscope.reports.call_list.pagination import (
    DrilldownListing,
    FilteredListing,
    SearchListing,
    open_listing,
    select_ids,
    sort_matches,
)
from callscope.reports.call_list.scan_counts import ScanCounts
from callscope.reports.call_list.spoken_listing import SpokenListing
from callscope.reports.store import reader
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.window import ALL_TIME, Window

GOAL = DrilldownFilter(goal=True)
CRITERION = DrilldownFilter(criterion="greeting")
BY_SCORE = "score_percentage"


def listing_of(project, filters, window=ALL_TIME):
    ids = [project.pk]
    return open_listing(ids, window, filters, reader.read_fingerprint(ids, window))


def row(pk):
    return CallRow(
        pk, None, f"{pk}.wav", 0, None, "", "", None, None, None, 0, False, None, None, None, False
    )


class FakeListing:
    """A list of the calls 0, 1, 2, … that remembers how far it was read."""

    def __init__(self, calls):
        self.calls = calls
        self.furthest = 0

    def count(self):
        return self.calls

    def rows(self, start, size):
        self.furthest = max(self.furthest, start + size)
        return [row(pk) for pk in range(start, min(start + size, self.calls))]


class TestOpenListing:
    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (CallFilters(), CountedListing),
            (CallFilters(agent=3, critical=True, ordering=BY_SCORE), CountedListing),
            (CallFilters(search="x", drilldown=GOAL), SearchListing),
            (CallFilters(drilldown=GOAL), DrilldownListing),
            (CallFilters(drilldown=GOAL, ordering="call_datetime"), DrilldownListing),
            (CallFilters(drilldown=GOAL, ordering=BY_SCORE), FilteredListing),
            (CallFilters(drilldown=CRITERION), FilteredListing),
            (CallFilters(transcript="x"), SpokenListing),
            (CallFilters(transcript="x", ordering=BY_SCORE), SearchListing),
            (CallFilters(transcript="x", search="y"), SearchListing),
            (CallFilters(transcript="x", critical=True), SearchListing),
            (CallFilters(transcript="x", drilldown=GOAL), SearchListing),
        ],
    )
    def test_chooses_how_the_calls_are_found(self, project, filters, expected):
        assert type(listing_of(project, filters)) is expected

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (CallFilters(drilldown=GOAL, ordering=BY_SCORE), CountedListing),
            (CallFilters(drilldown=CRITERION), CountedListing),
            (CallFilters(drilldown=CRITERION, search="x"), SearchListing),
            (CallFilters(drilldown=DrilldownFilter(criterion="greeting", goal=True)), DrilldownListing),
            (
                CallFilters(drilldown=DrilldownFilter(criterion="greeting", goal=True), ordering=BY_SCORE),
                FilteredListing,
            ),
        ],
    )
    def test_walks_along_the_list_of_the_other_filters(self, project, filters, expected):
        assert type(listing_of(project, filters).others) is expected

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (CallFilters(drilldown=GOAL), DrilldownCounts),
            (CallFilters(drilldown=GOAL, agent=3), DrilldownCounts),
            (CallFilters(drilldown=GOAL, direction=1), ScanCounts),
            (CallFilters(drilldown=DrilldownFilter(goal=True, scored=True)), ScanCounts),
        ],
    )
    def test_counts_a_figure_by_the_sums_where_they_keep_it(self, project, filters, expected):
        assert type(listing_of(project, filters).counts) is expected

    @pytest.mark.parametrize(
        ("filters", "is_kept"),
        [
            (CallFilters(critical=True), True),
            (CallFilters(agent=3), True),
            (CallFilters(critical=True, ordering="-mistake_count"), True),
            (CallFilters(agent=3, ordering="-mistake_count"), False),
            (CallFilters(campaign="Spring"), False),
        ],
    )
    def test_keeps_no_plan_that_depends_on_how_many_calls_match(self, project, monkeypatch, filters, is_kept):
        call = add_call(project, critical=True, agent_id=3, mistakes=1)
        Call.objects.filter(pk=call).update(campaign="Spring")
        rebuild_rollups()
        listing, kept = listing_of(project, filters), []
        read = raw_sql.fetch_prepared
        monkeypatch.setattr(
            page_ranges.raw_sql,
            "fetch_prepared",
            lambda sql, given: (kept.append("AS place" in sql), read(sql, given))[1],
        )

        assert [each.id for each in listing.rows(0, 25)] == [call]
        assert any(kept) is is_kept

    def test_of_no_projects_is_empty(self, db):
        for filters in (CallFilters(), CallFilters(search="x"), CallFilters(drilldown=GOAL)):
            listing = open_listing([], ALL_TIME, filters, reader.read_fingerprint([], ALL_TIME))

            assert (listing.count(), listing.rows(0, 25)) == (0, [])


class TestFilteredListing:
    @given(
        calls=st.integers(0, 30),
        selected=st.sets(st.integers(0, 29)),
        start=st.integers(0, 30),
        size=st.integers(1, 10),
        at_once=st.integers(1, 8),
    )
    def test_is_the_slice_of_the_selected_calls(self, calls, selected, start, size, at_once):
        kept = [pk for pk in range(calls) if pk in selected]
        listing = FilteredListing(FakeListing(calls), lambda ids: selected & set(ids), len(kept))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pagination, "CALLS_AT_ONCE", at_once)
            rows = listing.rows(start, size)

        assert listing.count() == len(kept)
        assert [each.id for each in rows] == kept[start : start + size]

    def test_stops_once_it_has_as_many_calls_as_it_counted(self, monkeypatch):
        monkeypatch.setattr(pagination, "CALLS_AT_ONCE", 5)
        others = FakeListing(1000)

        rows = FilteredListing(others, lambda ids: {3, 7} & set(ids), 2).rows(0, 25)

        assert [each.id for each in rows] == [3, 7]
        assert others.furthest == 10

    @given(
        calls=st.integers(0, 30),
        selected=st.sets(st.integers(0, 29)),
        start=st.integers(0, 30),
        size=st.integers(1, 10),
        most=st.integers(0, 12),
    )
    def test_sorts_what_a_short_walk_does_not_find(self, calls, selected, start, size, most):
        kept = [pk for pk in range(calls) if pk in selected]
        others, sort = FakeListing(calls), lambda start, size: [row(pk) for pk in kept[start : start + size]]
        listing = FilteredListing(others, lambda ids: selected & set(ids), len(kept), sort)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pagination, "CALLS_AT_ONCE", 4)
            patch.setattr(pagination, "MOST_WALKED", most)
            rows = listing.rows(start, size)

        assert [each.id for each in rows] == kept[start : start + size]
        assert others.furthest <= most + 4  # whole steps

    def test_walks_to_calls_that_are_near(self):
        others = FakeListing(10_000)

        rows = FilteredListing(others, set, 10_000, sort=lambda *_: pytest.fail("sorted")).rows(50, 25)

        assert [each.id for each in rows] == list(range(50, 75))

    @pytest.mark.parametrize("ordering", [BY_SCORE, f"-{BY_SCORE}", "agent__name", "-mistake_count"])
    def test_has_the_same_order_sorted_and_walked(self, project, alice, monkeypatch, ordering):
        agents = [None, *(add_agent(alice, name) for name in ("Zoë", "Ana"))]
        for number in range(12):
            add_call(
                project,
                agent_id=agents[number % 3],
                mistakes=[None, 2, 0, 1][number % 4],
                score_bp=[None, 500, 7000, 7000, 10_000][number % 5],
                max_points=[None, 1, 1, 1, 1][number % 5],
                duration_us=number,
            )
        rebuild_rollups()
        filters = CallFilters(min_length_us=3, max_length_us=10, ordering=ordering)
        walked = listing_of(project, filters).rows(2, 5)

        monkeypatch.setattr(pagination, "MOST_WALKED", 0)
        monkeypatch.setattr(pagination, "select_ids", lambda *_: pytest.fail("walked"))

        assert len(walked) == 5
        assert listing_of(project, filters).rows(2, 5) == walked


class TestSelectIds:
    def test_keeps_the_calls_that_meet_every_condition(self, project):
        reached = add_call(project, goal_reached=True)
        scored = add_call(project, goal_reached=True, max_points=1)
        add_call(project, goal_reached=False, max_points=1)
        elsewhere = add_call(project, goal_reached=True, max_points=1)
        conditions = [Condition("goal_reached", Operator.EQUALS, True)]

        assert select_ids(conditions, [reached, scored]) == {reached, scored}
        conditions.append(Condition("max_points", Operator.NOT_NULL))
        assert select_ids(conditions, [reached, scored]) == {scored}
        assert select_ids(conditions, [elsewhere, 10**9]) == {elsewhere}
        assert select_ids(conditions, []) == set()


class TestSortMatches:
    def test_keeps_matches_in_scope_in_the_order_of_the_list(self, project, other_project):
        low, high = add_call(project, score_bp=10), add_call(project, score_bp=20)
        none, alike = add_call(project), add_call(project, score_bp=20)
        foreign = add_call(other_project, score_bp=15)
        matches = [low, high, none, alike, foreign]

        def ids(ordering, found=matches, **filters):
            return sort_matches(found, [project.pk], ALL_TIME, CallFilters(ordering=ordering, **filters))

        assert ids(BY_SCORE) == [low, alike, high, none]
        assert ids(f"-{BY_SCORE}") == [alike, high, low, none]
        assert ids(BY_SCORE, [high]) == [high]
        assert ids(BY_SCORE, []) == []
        assert ids(BY_SCORE, critical=True) == []


class TestOrders:
    @pytest.fixture
    def sorted_calls(self, project, alice):
        """Four calls, each with another value in every order; None comes last both ways."""
        agents = [add_agent(alice, name) for name in ("Ángel", "zoe", "Bea")]
        facts = [
            {"agent_id": agents[0], "score_bp": 5000, "mistakes": 2, "talk_share_bp": 5000, "hold_ms": 0},
            {"agent_id": agents[1], "score_bp": 9999, "mistakes": 0, "talk_share_bp": 0, "hold_ms": 9},
            {"agent_id": agents[2], "score_bp": 0, "mistakes": 1, "talk_share_bp": 10_000, "hold_ms": 8},
            {},
        ]
        ids = []
        for number, fact in enumerate(facts):
            if "score_bp" in fact:
                fact = fact | {"max_points": 10**6, "points": fact["score_bp"] * 100}
                fact["counted_points"] = fact["points"]
            ids.append(add_call(project, FIRST.replace(day=3 + number), **fact))
        rebuild_rollups()
        return ids

    @pytest.mark.parametrize(
        ("ordering", "expected"),
        [
            ("call_datetime", [0, 1, 2, 3]),
            ("-call_datetime", [3, 2, 1, 0]),
            ("score_percentage", [2, 0, 1, 3]),
            ("-score_percentage", [1, 0, 2, 3]),
            ("mistake_count", [1, 2, 0, 3]),
            ("-mistake_count", [0, 2, 1, 3]),
            ("agent__name", [2, 1, 0, 3]),
            ("-agent__name", [0, 1, 2, 3]),
            ("talk_share", [1, 0, 2, 3]),
            ("-talk_share", [2, 0, 1, 3]),
            ("hold_seconds", [0, 2, 1, 3]),
            ("-hold_seconds", [1, 2, 0, 3]),
        ],
    )
    @pytest.mark.parametrize("days", [None, (1, 31), (4, 6)])
    def test_sort_each_way_with_empty_values_last(self, project, sorted_calls, ordering, expected, days):
        window = Window(*(FIRST.date().replace(day=day) for day in days)) if days else ALL_TIME
        expected = [n for n in expected if days is None or days[0] <= 3 + n <= days[1]]

        rows = listing_of(project, CallFilters(ordering=ordering), window).rows(0, 25)

        assert [sorted_calls.index(each.id) for each in rows] == expected

    @pytest.mark.parametrize("read_cost", [0, 10**9])
    def test_are_the_same_whether_an_agent_or_an_order_is_read_by_its_index(
        self, project, sorted_calls, monkeypatch, read_cost
    ):
        monkeypatch.setattr(counted_listing, "READ_COST", read_cost)
        agent = reader.read_aggregates([project.pk], ALL_TIME, ("agents",)).rows("agents")[0][0]

        rows = listing_of(project, CallFilters(agent=agent, ordering=BY_SCORE)).rows(0, 25)

        assert [each.id for each in rows] == [sorted_calls[0]]

    @pytest.mark.parametrize(("read_cost", "hidden"), [(0, "score_bp"), (10**9, "agent_id")])
    def test_read_the_agent_by_its_index_where_that_is_cheaper(
        self, project, sorted_calls, monkeypatch, read_cost, hidden
    ):
        monkeypatch.setattr(counted_listing, "READ_COST", read_cost)
        ids = [project.pk]
        agent = reader.read_aggregates(ids, ALL_TIME, ("agents",)).rows("agents")[0][0]
        condition = Condition("agent_id", Operator.EQUALS, agent)
        state = reader.read_fingerprint(ids, ALL_TIME)
        listing = CountedListing(ids, ALL_TIME, (condition,), Order(BY_SCORE, descending=False), state)

        scored = next(listing._ranges_by_score())

        assert f"+{hidden}" in f"{scored.column} {scored.where.sql}"
        assert f"{scored.column} {scored.where.sql}".count("+") == 1


class TestGroupByName:
    @given(
        names=st.lists(st.sampled_from(["Ana", "ana", "Bo", "Zoë", "Ángel", "İda", "ß"]), max_size=9),
        descending=st.booleans(),
        first=st.integers(2, 5),
        at_once=st.sampled_from([2, 5000]),
    )
    @EXAMPLES
    def test_yields_namesakes_together_in_the_order_of_the_names(
        self, alice, names, descending, first, at_once
    ):
        alice.agents.all().delete()
        agents = {add_agent(alice, name): name.casefold() for name in names}

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counted_listing, "FIRST_NAMES", first)
            patch.setattr(counted_listing, "IDS_AT_ONCE", at_once)
            groups = list(group_by_name(list(agents), descending=descending))

        keys = [{agents[agent] for agent in group} for group in groups]
        assert keys == [{key} for key in sorted(set(agents.values()), reverse=descending)]
        assert sorted(agent for group in groups for agent in group) == sorted(agents)

    def test_reads_the_first_names_alone(self, alice, django_assert_num_queries, monkeypatch):
        monkeypatch.setattr(counted_listing, "FIRST_NAMES", 3)
        agents = [add_agent(alice, name) for name in "abcde"]

        with django_assert_num_queries(1):
            groups = group_by_name(agents, descending=False)
            assert [next(groups), next(groups)] == [agents[:1], agents[1:2]]
