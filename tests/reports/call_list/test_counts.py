"""Counts of the list, from sums alone: they equal a plain count of the facts, folded or not."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.call_list.stored_calls import EXAMPLES, FIRST, add_drawn, facts, moments, start_over

from callscope.reports.call_list.conditions import Condition, Operator
from callscope.reports.call_list.counts import ALL, PERCENT, CallCounts, add_up, count_sums
from callscope.reports.call_list.drilldown_counts import DrilldownCounts, is_countable
from callscope.reports.call_list.scan_counts import ScanCounts
from callscope.reports.store import reader
from callscope.reports.store.aggregates import TABLES, Aggregates
from callscope.reports.window import ALL_TIME, Window, month_of

EQUALS = Operator.EQUALS
counted_conditions = st.lists(
    st.sampled_from(
        [
            Condition("agent_id", EQUALS, 1),
            Condition("agent_id", Operator.IS_NULL),
            Condition("sentiment", EQUALS, 3),
            Condition("direction", EQUALS, 2),
            Condition("critical", EQUALS, True),
        ]
    ),
    unique_by=lambda condition: condition.column,
    max_size=2,
).map(tuple)
windows = st.sampled_from(
    [
        ALL_TIME,
        Window(FIRST.date(), None),
        Window(None, FIRST.date().replace(month=4)),
        Window(FIRST.date().replace(day=9), FIRST.date().replace(month=4, day=20)),
    ]
)
PLAIN = {"agent_id": None, "direction": 0, "critical": False, "score": None}  # all other facts are null
drawn_calls = st.lists(st.tuples(moments, facts), min_size=2, max_size=14)
DAY_AND_NIGHT = Operator.IN_HOURS_OF_PROJECT
# What a figure of the report asks for, and whether the sums keep it together.
FIGURES = [
    ((), True),
    ((Condition("goal_reached", EQUALS, True),), True),
    ((Condition("goal_reached", EQUALS, False),), True),
    ((Condition("critical", EQUALS, True),), True),
    ((Condition("max_points", Operator.NOT_NULL),), True),
    ((Condition("hour", Operator.NOT_NULL),), True),
    ((Condition("hour", Operator.NOT_NULL), Condition("sentiment", EQUALS, 3)), True),
    ((Condition("agent_id", EQUALS, 1), Condition("goal_reached", EQUALS, False)), True),
    ((Condition("topic_id", Operator.IN, (5, 6)),), True),
    ((Condition("topic_id", Operator.IN, ()),), True),
    ((Condition("topic_id", Operator.IN, (5,)), Condition("critical", EQUALS, True)), False),
    ((Condition("sentiment", EQUALS, 1),), False),
    ((Condition("direction", EQUALS, 1),), False),
    ((Condition("agent_id", Operator.IS_NULL),), False),
    ((Condition("goal_reached", EQUALS, True), Condition("critical", EQUALS, True)), False),
    ((Condition("agent_id", EQUALS, 1), Condition("hour", Operator.NOT_NULL)), False),
    ((Condition("agent_id", EQUALS, 1), Condition("topic_id", Operator.IN, (5,))), False),
]


def meets(fact, conditions):
    for column, operator, value in conditions:
        stored = getattr(fact, column)
        if operator is DAY_AND_NIGHT:
            is_met = stored in dict(value)[fact.project_id]
        elif operator is Operator.IN:
            is_met = stored in value
        elif operator is Operator.NOT_NULL:
            is_met = stored is not None
        else:
            is_met = stored == value
        if not is_met:
            return False
    return True


def chosen(stored, window, conditions):
    first, last = window.days
    return [f for f in stored.values() if first <= f.day <= last and meets(f, conditions)]


def spans_of(facts_chosen, *, by_day):
    """Return first day → project → calls, as each of the counts gives them."""
    spans = {}
    for fact in facts_chosen:
        first = fact.day if by_day else month_of(fact.day)
        spans.setdefault(first, Counter())[fact.project_id] += 1
    return {first: dict(by_project) for first, by_project in spans.items()}


class TestCallCounts:
    @given(drawn=drawn_calls, conditions=counted_conditions, window=windows, by_day=st.booleans())
    @EXAMPLES
    def test_equal_a_plain_count(self, project, other_project, drawn, conditions, window, by_day):
        start_over()
        stored = add_drawn(project, drawn[::2]) | add_drawn(other_project, drawn[1::2])
        ids = [project.pk, other_project.pk]

        counts = CallCounts(ids, window, conditions, reader.read_fingerprint(ids, window))

        expected = chosen(stored, window, conditions)
        assert counts.count == len(expected)
        assert counts.by_project() == dict(Counter(f.project_id for f in expected))
        spans = counts.by_span(by_day=by_day)
        assert {first: by for first, by in spans.items() if by} == spans_of(expected, by_day=by_day)
        by_agent = Counter((f.agent_id or 0, f.project_id) for f in expected)
        assert flat(counts.by("agent")) == dict(by_agent)
        by_mistakes = Counter((-1 if f.mistakes is None else f.mistakes, f.project_id) for f in expected)
        assert flat(counts.by("mistakes")) == dict(by_mistakes)

    @given(drawn=drawn_calls)
    @EXAMPLES
    def test_counts_percents_of_all_calls_whatever_the_conditions(self, project, drawn):
        start_over()
        stored = add_drawn(project, drawn)
        none = (Condition("agent_id", EQUALS, -1),)

        counts = CallCounts([project.pk], ALL_TIME, none, reader.read_fingerprint([project.pk], ALL_TIME))

        scored = [fact.score_bp // 100 for fact in stored.values() if fact.score_bp is not None]
        assert flat(counts.by(PERCENT)) == {(p, project.pk): n for p, n in Counter(scored).items()}
        assert counts.count == 0

    def test_are_remembered_for_a_state_of_the_store(self, project, django_assert_num_queries):
        start_over()
        add_drawn(project, [(FIRST, PLAIN)])
        state = reader.read_fingerprint([project.pk], ALL_TIME)
        CallCounts([project.pk], ALL_TIME, (), state).by_project()

        with django_assert_num_queries(0):
            again = CallCounts([project.pk], ALL_TIME, (), state).by_project()

        assert again == {project.pk: 1}

    def test_are_counted_again_for_another_state(self, project):
        start_over()
        for calls in (1, 2):
            add_drawn(project, [(FIRST, PLAIN)])
            state = reader.read_fingerprint([project.pk], ALL_TIME)

            assert CallCounts([project.pk], ALL_TIME, (), state).by_project() == {project.pk: calls}


def flat(counts):
    return {(value, project): calls for value, by in counts.items() for project, calls in by.items()}


class TestSums:
    @given(
        st.lists(
            st.dictionaries(
                st.integers(0, 2), st.dictionaries(st.integers(1, 2), st.integers(-2, 2)), max_size=3
            ),
            max_size=4,
        )
    )
    def test_add_up_to_what_is_left_without_zeros(self, parts):
        expected = Counter()
        for part in parts:
            for value, by_project in part.items():
                for project, calls in by_project.items():
                    expected[value, project] += calls

        added = add_up(parts)

        assert flat(added) == {key: calls for key, calls in expected.items() if calls}
        assert all(added.values())

    def test_of_no_table_count_nothing(self):
        for name in (ALL, "agent", PERCENT):
            assert count_sums(Aggregates(), (), name) == {}

    def test_take_away_what_the_journal_takes_away(self):
        schema = TABLES["list"]
        row = np.zeros((2, schema.width), np.int64)
        row[:, schema.column("project")] = 4
        row[:, schema.column("calls")] = (3, -1)
        row[1, schema.column("direction")] = 1

        assert count_sums(Aggregates({"list": row}), (), ALL) == {0: {4: 2}}
        assert count_sums(Aggregates({"list": row}), (Condition("direction", EQUALS, 1),), ALL) == {
            0: {4: -1}
        }


class TestDrilldownCounts:
    @pytest.mark.parametrize(("conditions", "expected"), FIGURES)
    def test_know_what_the_sums_keep_together(self, conditions, expected):
        assert is_countable(conditions) is expected

    @given(
        drawn=drawn_calls,
        conditions=st.sampled_from([c for c, countable in FIGURES if countable]),
        window=windows,
        shift=st.booleans(),
        by_day=st.booleans(),
    )
    @EXAMPLES
    def test_equal_a_plain_count(self, project, other_project, drawn, conditions, window, shift, by_day):
        start_over()
        stored = add_drawn(project, drawn[::2]) | add_drawn(other_project, drawn[1::2])
        hours = Condition("hour", DAY_AND_NIGHT, ((project.pk, (8, 19)), (other_project.pk, (0, 23))))
        if shift and is_countable((*conditions, hours)):
            conditions = (*conditions, hours)

        counts = DrilldownCounts([project.pk, other_project.pk], conditions)

        expected = chosen(stored, window, conditions)
        by_project = Counter(fact.project_id for fact in expected)
        assert {p: n for p, n in counts.by_project(window).items() if n} == dict(by_project)
        spans = counts.by_span(window, by_day=by_day)
        kept = {first: {p: n for p, n in by.items() if n} for first, by in spans.items()}
        assert kept == spans_of(expected, by_day=by_day)

    def test_miss_the_goal_only_where_it_is_known(self, project):
        start_over()
        goals = [True, False, False, None]
        add_drawn(project, [(FIRST, PLAIN | {"goal_reached": goal}) for goal in goals])

        counts = DrilldownCounts([project.pk], (Condition("goal_reached", EQUALS, False),))

        assert counts.by_project(ALL_TIME) == {project.pk: 2}


class TestScanCounts:
    @given(
        drawn=drawn_calls,
        conditions=st.sampled_from([conditions for conditions, _ in FIGURES]),
        window=windows,
        by_day=st.booleans(),
    )
    @EXAMPLES
    def test_equal_a_plain_count(self, project, other_project, drawn, conditions, window, by_day):
        start_over()
        stored = add_drawn(project, drawn[::2]) | add_drawn(other_project, drawn[1::2])

        counts = ScanCounts([project.pk, other_project.pk], window, conditions)

        expected = chosen(stored, window, conditions)
        assert counts.by_project(window) == dict(Counter(fact.project_id for fact in expected))
        assert counts.by_span(window, by_day=by_day) == spans_of(expected, by_day=by_day)

    def test_of_a_part_of_the_window_leave_out_the_rest(self, project):
        start_over()
        add_drawn(project, [(FIRST, PLAIN), (FIRST.replace(month=5), PLAIN)])
        march = Window(FIRST.date().replace(day=1), FIRST.date().replace(day=31))

        spans = ScanCounts([project.pk], ALL_TIME, ()).by_span(march, by_day=True)

        assert spans == {FIRST.date().toordinal(): {project.pk: 1}}

    def test_of_no_projects_ask_nothing(self, db, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert ScanCounts([], ALL_TIME, ()).by_project(ALL_TIME) == {}

    def test_read_a_long_window_in_one_pass_and_a_short_one_by_the_index_of_days(
        self, project, django_assert_num_queries
    ):
        day = FIRST.date()
        conditions = []
        for window in (Window(day, day), Window(day, None)):
            with django_assert_num_queries(1) as queries:
                ScanCounts([project.pk], window, ())
            conditions.append(queries.captured_queries[0]["sql"].partition("WHERE")[2])

        short, long = conditions
        assert short.startswith(" project_id IN") and " day >=" in short
        assert long.startswith(" +project_id IN") and " +day >=" in long
