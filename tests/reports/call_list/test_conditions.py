"""Conditions: Django's query, the SQL text and the numpy mask choose the same calls."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.call_list.stored_calls import EXAMPLES, FIRST, add_call, add_drawn, facts, moments, start_over

from callscope.db import raw_sql
from callscope.reports.call_list.conditions import (
    Condition,
    MarkSought,
    Operator,
    Where,
    to_mask,
    to_queries,
    to_where,
)
from callscope.reports.models import CallFact, CallMark
from callscope.reports.store.aggregates import NO_AGENT, TABLES
from callscope.reports.store.marks import NOT_EVALUATED, TRACKER

EQUALS, IN, IN_HOURS = Operator.EQUALS, Operator.IN, Operator.IN_HOURS_OF_PROJECT


def holds(condition, fact):
    """True if a fact meets a condition, by plain Python."""
    stored = getattr(fact, condition.column)
    match condition.operator:
        case Operator.EQUALS:
            return stored == condition.value
        case Operator.IS_NULL:
            return stored is None
        case Operator.NOT_NULL:
            return stored is not None
        case Operator.IN:
            return stored in condition.value
        case Operator.AT_LEAST:
            return stored is not None and stored >= condition.value
        case Operator.AT_MOST:
            return stored is not None and stored <= condition.value
        case Operator.HAS_MARK:
            sought = condition.value
            marks = CallMark.objects.filter(call=fact.pk, kind=sought.kind, key=sought.key)
            return fact.project_id in sought.project_ids and marks.exists()
        case Operator.IN_HOURS_OF_PROJECT:
            return stored in dict(condition.value).get(fact.project_id, ())


plain_conditions = st.lists(
    st.sampled_from(
        [
            Condition("agent_id", EQUALS, 1),
            Condition("agent_id", Operator.IS_NULL),
            Condition("sentiment", EQUALS, 3),
            Condition("direction", EQUALS, 2),
            Condition("critical", EQUALS, True),
            Condition("goal_reached", EQUALS, True),
            Condition("goal_reached", EQUALS, False),
            Condition("max_points", Operator.NOT_NULL),
            Condition("hour", Operator.NOT_NULL),
            Condition("topic_id", IN, (5, 6)),
            Condition("topic_id", IN, (6,)),
            Condition("topic_id", IN, ()),
            Condition("score_bp", Operator.AT_LEAST, 3333),
            Condition("score_bp", Operator.AT_MOST, 6667),
        ]
    ),
    unique=True,
    max_size=3,
)


class TestReadings:
    @given(
        drawn=st.lists(st.tuples(moments, facts), min_size=4, max_size=12),
        conditions=plain_conditions,
        hours=st.sampled_from([None, ((8, 19), (8, 19)), ((8, 19), (0, 23)), ((), (7,))]),
        by_agent=st.booleans(),
    )
    @EXAMPLES
    def test_choose_the_same_calls_as_plain_python(
        self, project, other_project, drawn, conditions, hours, by_agent
    ):
        start_over()
        stored = add_drawn(project, drawn[::2]) | add_drawn(other_project, drawn[1::2])
        if hours is not None:
            of_projects = zip((project.pk, other_project.pk), hours, strict=True)
            conditions = [*conditions, Condition("hour", IN_HOURS, tuple(of_projects))]
        where = to_where(conditions, by_agent=by_agent)
        statement = f"SELECT call_id FROM reports_callfact WHERE 1 = 1{where.sql}"

        by_query = set(CallFact.objects.filter(*to_queries(conditions)).values_list("pk", flat=True))
        by_sql = {row[0] for row in raw_sql.fetch_rows(statement, where.parameters)}

        assert by_query == {pk for pk, fact in stored.items() if all(holds(c, fact) for c in conditions)}
        assert by_sql == by_query

    @given(
        rows=st.lists(
            st.tuples(
                st.sampled_from([NO_AGENT, 1, 2]), st.integers(0, 2), st.integers(0, 3), st.integers(0, 1)
            ),
            max_size=20,
        ),
        conditions=plain_conditions.map(lambda drawn: [c for c in drawn if c.is_counted]),
    )
    def test_mask_rows_of_the_sums_likewise(self, rows, conditions):
        schema = TABLES["list"]
        matrix = np.zeros((len(rows), schema.width), np.int64)
        for row, values in enumerate(rows):
            for name, value in zip(("agent", "direction", "sentiment", "critical"), values, strict=True):
                matrix[row, schema.column(name)] = value

        mask = to_mask(conditions, matrix)

        expected = [
            all(
                {
                    "agent_id": agent == (condition.value or NO_AGENT),
                    "direction": direction == condition.value,
                    "sentiment": sentiment == condition.value,
                    "critical": bool(critical) is condition.value,
                }[condition.column]
                for condition in conditions
            )
            for agent, direction, sentiment, critical in rows
        ]
        assert mask.tolist() == expected


class TestMarks:
    def test_are_read_alike_within_the_projects_that_are_named(self, project, other_project):
        ours, theirs = project.pk, other_project.pk
        calls = [add_call(each) for each in (project, project, other_project, other_project)]
        for number, (kind, key) in enumerate([(TRACKER, "rival"), (NOT_EVALUATED, "rival")] * 2):
            of_project = ours if number < 2 else theirs
            CallMark.objects.create(
                call_id=calls[number], project_id=of_project, day=FIRST.toordinal(), kind=kind, key=key
            )
        for projects, kind, expected in [
            ((ours, theirs), TRACKER, {calls[0], calls[2]}),
            ((ours,), TRACKER, {calls[0]}),
            ((theirs,), NOT_EVALUATED, {calls[3]}),
            ((), TRACKER, set()),
        ]:
            condition = Condition("call_id", Operator.HAS_MARK, MarkSought(projects, kind, "rival"))
            where = to_where([condition], by_agent=False)
            statement = f"SELECT call_id FROM reports_callfact WHERE 1 = 1{where.sql}"

            by_sql = {row[0] for row in raw_sql.fetch_rows(statement, where.parameters)}

            assert by_sql == expected
            assert (
                set(CallFact.objects.filter(*to_queries([condition])).values_list("pk", flat=True))
                == expected
            )
            assert {fact.pk for fact in CallFact.objects.all() if holds(condition, fact)} == expected


class TestWhere:
    @pytest.mark.parametrize(
        ("condition", "sql", "parameters"),
        [
            (Condition("sentiment", EQUALS, 3), " AND sentiment = %s", (3,)),
            (Condition("critical", EQUALS, True), " AND critical", ()),
            (Condition("goal_reached", EQUALS, False), " AND NOT goal_reached", ()),
            (Condition("max_points", Operator.NOT_NULL), " AND max_points IS NOT NULL", ()),
            (Condition("topic_id", IN, (4, 9)), " AND topic_id IN (%s, %s)", (4, 9)),
            (Condition("topic_id", IN, ()), " AND 1 = 0", ()),
            (Condition("hour", IN_HOURS, ((1, (8, 9)), (2, (8, 9)))), " AND hour IN (%s, %s)", (8, 9)),
            (
                Condition("hour", IN_HOURS, ((1, (8,)), (2, (9,)))),
                " AND ((project_id IN (%s) AND hour IN (%s)) OR (project_id IN (%s) AND hour IN (%s)))",
                (1, 8, 2, 9),
            ),
            (Condition("hour", IN_HOURS, ()), " AND (1 = 0)", ()),
        ],
    )
    def test_writes_each_operator(self, condition, sql, parameters):
        assert to_where([condition], by_agent=True) == Where(sql, parameters)

    def test_hides_the_agent_from_its_index_unless_that_is_wanted(self):
        agent, none = Condition("agent_id", EQUALS, 7), Condition("agent_id", Operator.IS_NULL)

        assert to_where([agent], by_agent=True).sql == " AND agent_id = %s"
        assert to_where([agent], by_agent=False).sql == " AND +agent_id = %s"
        assert to_where([none], by_agent=False).sql == " AND +agent_id IS NULL"

    def test_keeps_parameters_in_the_order_of_their_places(self):
        conditions = [Condition("sentiment", EQUALS, 1), Condition("topic_id", IN, (2, 3))]

        where = Where(" AND day >= %s", (9,)) + to_where(conditions, by_agent=False)

        assert where == Where(" AND day >= %s AND sentiment = %s AND topic_id IN (%s, %s)", (9, 1, 2, 3))
