"""Filters: what an address asks for, and what is refused or ignored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.reports.call_list.conditions import Condition, Operator
from callscope.reports.call_list.drilldown import DrilldownFilter
from callscope.reports.call_list.filters import (
    NO_SUCH_AGENT,
    NO_SUCH_REASON,
    CallFilters,
    InvalidFilter,
    Order,
)
from callscope.reports.models import DirectionCode, Sentiment

EQUALS = Operator.EQUALS
DAY_HOURS = tuple(range(8, 20))  # of a project with all defaults


class TestAddress:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({}, CallFilters()),
            ({"agent": ""}, CallFilters()),
            ({"agent": "7"}, CallFilters(agent=7)),
            ({"agent": "+7"}, CallFilters(agent=7)),
            ({"agent": "none"}, CallFilters(without_agent=True)),
            ({"sentiment": "negative"}, CallFilters(sentiment=Sentiment.NEGATIVE)),
            ({"sentiment": "Negative"}, CallFilters()),
            ({"direction": "outbound"}, CallFilters(direction=DirectionCode.OUTBOUND)),
            ({"direction": ""}, CallFilters()),
            ({"critical": "TRUE"}, CallFilters(critical=True)),
            ({"critical": "1"}, CallFilters(critical=True)),
            ({"critical": "yes"}, CallFilters()),
            ({"min_score": "72.5"}, CallFilters(min_score_bp=7250)),
            ({"min_score": "0.001", "max_score": "99.999"}, CallFilters(min_score_bp=1, max_score_bp=9999)),
            ({"min_score": "0", "max_score": "100."}, CallFilters(min_score_bp=0, max_score_bp=10_000)),
            ({"criterion": "c"}, CallFilters(drilldown=DrilldownFilter(criterion="c"))),
            (
                {"criterion": "c", "result": "partly"},
                CallFilters(drilldown=DrilldownFilter(criterion="c", outcome="partly")),
            ),
            ({"tracker": "rival"}, CallFilters(drilldown=DrilldownFilter(tracker="rival"))),
            ({"reason": "7"}, CallFilters(drilldown=DrilldownFilter(reason=7))),
            ({"reason": "0"}, CallFilters(drilldown=DrilldownFilter(reason=NO_SUCH_REASON))),
            ({"reason": "9" * 5000}, CallFilters(drilldown=DrilldownFilter(reason=NO_SUCH_REASON))),
            ({"search": " a "}, CallFilters(search=" a ")),
            ({"ordering": "-agent__name"}, CallFilters(ordering="-agent__name")),
            ({"ordering": "--score_percentage"}, CallFilters()),
            ({"ordering": "id"}, CallFilters()),
        ],
    )
    def test_is_read_as_filters(self, query, expected):
        assert CallFilters.from_query(query) == expected

    # The sums keep calls without an agent under 0: an address must not reach them by a number.
    @pytest.mark.parametrize("text", ["0", "-0", "-5", "9" * 19, "9" * 5000])
    def test_that_names_an_impossible_agent_chooses_nobody(self, text):
        assert CallFilters.from_query({"agent": text}).agent == NO_SUCH_AGENT

    @pytest.mark.parametrize("text", ["x", "1.5", "1e3", "٣", "NONE", " 7", "7 "])
    def test_that_names_no_number_is_refused_with_its_parameter(self, text):
        with pytest.raises(InvalidFilter) as refused:
            CallFilters.from_query({"agent": text})

        assert refused.value.field == "agent"

    @pytest.mark.parametrize(
        ("query", "parameter", "shown"),
        [
            ({"min_score": "-1"}, "min_score", '"-1"'),
            ({"min_score": "100.01"}, "min_score", '"100.01"'),
            ({"max_score": "nan"}, "max_score", '"nan"'),
            ({"max_score": "1e1"}, "max_score", '"1e1"'),
            ({"min_score": "٣"}, "min_score", '"٣"'),
            ({"min_score": "9" * 5000}, "min_score", '"' + "9" * 40 + '"'),
            ({"min_score": "50", "max_score": "49.9"}, "max_score", "49.9 is below the min_score 50"),
            ({"result": "met"}, "result", "criterion"),
            ({"criterion": "c", "result": "Met"}, "result", '"Met"'),
            ({"criterion": "c", "result": "met\x00"}, "result", "not_applicable"),
            ({"tracker": "a b"}, "tracker", '"a b"'),
            ({"tracker": "a" * 65}, "tracker", '"' + "a" * 40 + '"'),
            ({"reason": "Billing"}, "reason", '"Billing"'),
        ],
    )
    def test_with_a_value_that_nothing_has_is_refused_and_shown(self, query, parameter, shown):
        with pytest.raises(InvalidFilter) as refused:
            CallFilters.from_query(query)

        assert refused.value.field == parameter
        assert shown in str(refused.value.message)

    @pytest.mark.parametrize(
        ("ordering", "order"),
        [
            ("-call_datetime", Order("call_datetime", descending=True)),
            ("mistake_count", Order("mistake_count", descending=False)),
        ],
    )
    def test_gives_the_field_and_direction_of_the_order(self, ordering, order):
        assert CallFilters.from_query({"ordering": ordering}).order == order


class TestConditions:
    @pytest.mark.parametrize(
        ("filters", "conditions"),
        [
            (CallFilters(), ()),
            (CallFilters(search="x", ordering="agent__name"), ()),
            (CallFilters(agent=7), (Condition("agent_id", EQUALS, 7),)),
            (CallFilters(without_agent=True), (Condition("agent_id", Operator.IS_NULL),)),
            (
                CallFilters(sentiment=3, direction=1, critical=True),
                (
                    Condition("sentiment", EQUALS, 3),
                    Condition("direction", EQUALS, 1),
                    Condition("critical", EQUALS, True),
                ),
            ),
        ],
    )
    def test_are_those_of_the_filters_that_are_set(self, filters, conditions):
        assert filters.conditions() == conditions

    @given(
        st.fixed_dictionaries(
            {},
            optional={
                "agent": st.sampled_from(["1", "none"]),
                "sentiment": st.sampled_from(["positive", "neutral", "negative"]),
                "direction": st.sampled_from(["inbound", "outbound"]),
                "critical": st.just("true"),
            },
        )
    )
    def test_are_all_kept_by_the_sums_for_the_filters_of_the_api(self, query):
        conditions = CallFilters.from_query(query).conditions()

        assert len(conditions) == len(query)
        assert all(condition.is_counted for condition in conditions)


class TestDrilldown:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"goal": "true"}, DrilldownFilter(goal=True)),
            ({"goal": "false"}, DrilldownFilter(goal=False)),
            ({"goal": "1"}, DrilldownFilter()),
            ({"scored": "true", "timed": "true"}, DrilldownFilter(scored=True, timed=True)),
            ({"scored": "false"}, DrilldownFilter()),
            ({"shift": "night"}, DrilldownFilter(shift="night")),
            ({"shift": "evening"}, DrilldownFilter()),
            ({"topic": "a\x00b"}, DrilldownFilter(topic="ab")),
            ({"criterion": "c", "found": "critical"}, DrilldownFilter(criterion="c", outcome="critical")),
            ({"criterion": "c", "found": "passed"}, DrilldownFilter(criterion="c")),
        ],
    )
    def test_is_read_from_an_address(self, query, expected):
        assert DrilldownFilter.from_query(query) == expected

    def test_without_its_criterion_keeps_the_rest(self):
        drilldown = DrilldownFilter(goal=True, criterion="c", outcome="critical")

        assert drilldown.without_criterion == DrilldownFilter(goal=True)
        assert not drilldown.without_criterion.is_all
        assert DrilldownFilter(criterion="c").without_criterion.is_all

    @pytest.mark.parametrize(
        ("drilldown", "condition"),
        [
            (DrilldownFilter(goal=False), Condition("goal_reached", EQUALS, False)),
            (DrilldownFilter(scored=True), Condition("max_points", Operator.NOT_NULL)),
            (DrilldownFilter(timed=True), Condition("hour", Operator.NOT_NULL)),
            (DrilldownFilter(topic="unheard"), Condition("topic_id", Operator.IN, ())),
        ],
    )
    def test_asks_one_condition_that_the_sums_of_the_list_do_not_keep(self, project, drilldown, condition):
        assert drilldown.conditions([project.pk]) == (condition,)
        assert not condition.is_counted

    def test_asks_nothing_about_its_criterion(self, project):
        assert DrilldownFilter(criterion="c", outcome="critical").conditions([project.pk]) == ()

    def test_takes_the_hours_of_each_project(self, project, other_project):
        other_project.config = {"shift_hours": {"day_start": 22, "day_end": 6}}
        other_project.save()

        (condition,) = DrilldownFilter(shift="night").conditions([project.pk, other_project.pk])

        assert condition.operator is Operator.IN_HOURS_OF_PROJECT
        assert dict(condition.value) == {
            project.pk: tuple(h for h in range(24) if h not in DAY_HOURS),
            other_project.pk: tuple(range(6, 22)),
        }

    def test_divides_the_hours_between_day_and_night(self, project):
        ((_, day),) = DrilldownFilter(shift="day").conditions([project.pk])[0].value
        ((_, night),) = DrilldownFilter(shift="night").conditions([project.pk])[0].value

        assert day == DAY_HOURS
        assert sorted(day + night) == list(range(24))

    def test_finds_a_topic_in_each_project_that_has_it(self, project, other_project):
        from callscope.reports.models import Topic

        ids = [
            Topic.objects.create(project=each, digest=text, text=text).pk
            for each in (project, other_project)
            for text in ("Billing", "billing")
        ]

        (condition,) = DrilldownFilter(topic="Billing").conditions([project.pk, other_project.pk])
        (of_one,) = DrilldownFilter(topic="Billing").conditions([other_project.pk])

        assert sorted(condition.value) == [ids[0], ids[2]]
        assert of_one.value == (ids[2],)
