"""The parts of a report, each from data made by hand: no call is stored."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import DAY, FEW, MILLION, facts, make_fact

from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.reports.overview.builder import (
    assemble_report,
    build_trend,
    compare_shifts,
    rank_agents,
    rank_contact_reasons,
)
from callscope.reports.overview.headline import HourTotals
from callscope.reports.overview.loader import AgentName, ReportData, ScoredCriterion
from callscope.reports.overview.schemas import ShiftHours
from callscope.reports.overview.scorecard import build_scorecard, judge_row, order_rows
from callscope.reports.store.aggregate import aggregate_calls, call_matrix, criterion_entries
from callscope.reports.store.aggregates import Aggregates
from callscope.reports.store.exact_figures import ExactMean
from callscope.reports.store.packing import CRITICAL_ERROR, EVALUATED, NOT_APPLICABLE, pack_entries
from callscope.reports.window import ALL_TIME, Window

MONDAY = dt.date(2024, 4, 22).toordinal()


def aggregate(*rows):
    return aggregate_calls(call_matrix(rows), criterion_entries(rows))


def rubric(*criteria):
    return {
        "rubric": {
            "sections": [
                {"name": "All", "criteria": [{"id": i, "name": n, "max_points": m} for i, n, m in criteria]}
            ]
        }
    }


def make_data(*rows, configs=None, previous=None, **values):
    """Return report data over these facts, of one project with defaults unless `configs` says otherwise."""
    configurations = {pk: parse(config) for pk, config in (configs or {1: {}}).items()}
    return ReportData(
        **{
            "projects": [Project(pk=pk) for pk in configurations],
            "configurations": configurations,
            "window": ALL_TIME,
            "aggregates": aggregate(*rows),
            "previous": previous,
            "total_calls_all_time": len(rows),
            "criteria": {},
            "topics": {},
            "agents": {},
            **values,
        }
    )


def scored(points, maximum=10, **values):
    points, maximum = points * MILLION, maximum * MILLION
    return make_fact(max_points=maximum, points=points, counted_points=points, **values)


class TestHourTotals:
    def test_are_of_the_chosen_hours_of_each_project(self):
        rows = [make_fact(project_id=project, hour=hour) for project in (1, 2) for hour in (None, 8, 9, 9)]

        totals = HourTotals(aggregate(*rows), lambda project, hour: (project, hour) in {(1, 9), (2, 8)})

        assert totals.counts.calls == 3
        assert totals.headline().calls_with_metadata == 3

    def test_take_all_hours_by_default_and_know_which_are_real(self):
        headline = HourTotals(aggregate(make_fact(), make_fact(hour=0), make_fact(hour=23))).headline()

        assert (headline.total_calls, headline.calls_with_metadata) == (3, 2)

    @given(st.lists(facts(), max_size=6), st.sets(st.integers(0, 23)))
    @FEW
    def test_of_two_halves_are_those_of_the_whole(self, rows, hours):
        aggregates = aggregate(*rows)
        one = HourTotals(aggregates, lambda _project, hour: hour in hours)
        other = HourTotals(aggregates, lambda _project, hour: hour not in hours)

        whole = HourTotals(aggregates)

        assert whole.counts == tuple(a + b for a, b in zip(one.counts, other.counts, strict=True))
        assert (whole.earned, whole.possible) == (one.earned + other.earned, one.possible + other.possible)

    def test_mean_counts_calls_alike_and_compliance_weighs_points(self):
        headline = HourTotals(aggregate(scored(10, 10), scored(0, 90))).headline()

        assert (headline.average_score, headline.weighted_compliance) == (50.0, 10.0)

    def test_without_calls_are_null_and_not_zero(self):
        headline = HourTotals(Aggregates()).headline()

        assert (headline.total_calls, headline.analyzed_hours) == (0, 0.0)
        assert headline.average_score is headline.goal_reached_pct is headline.critical_error_pct is None

    def test_rates_are_of_scored_calls_and_of_judged_criteria(self):
        rows = [
            scored(1, critical=True, error_classes=5, plain_judged=3, plain_met=1),
            scored(1, plain_judged=1, plain_met=1),
            make_fact(),
        ]

        looking = {each: {1} for each in ("customer", "business", "compliance")}
        rates = HourTotals(aggregate(*rows)).copc_rates(looking)

        assert rates.customer_critical_accuracy_pct == rates.compliance_critical_accuracy_pct == 50.0
        assert (rates.business_critical_accuracy_pct, rates.non_critical_accuracy_pct) == (100.0, 50.0)


class TestBuildTrend:
    def test_begins_each_week_on_monday_and_shows_empty_ones(self):
        rows = [make_fact(day=MONDAY), make_fact(day=MONDAY + 6), make_fact(day=MONDAY + 14)]

        trend = build_trend(aggregate(*rows))

        weeks = [dt.date.fromordinal(MONDAY + 7 * n) for n in range(3)]
        assert [(bucket.week, bucket.calls) for bucket in trend] == list(zip(weeks, (2, 0, 1), strict=True))
        assert trend[1].average_score is trend[1].negative_sentiment_pct is None

    def test_averages_the_scores_of_a_week_over_its_days(self):
        rows = [scored(10, day=MONDAY), scored(0, day=MONDAY + 1), scored(1, maximum=4, day=MONDAY + 7)]

        assert [bucket.average_score for bucket in build_trend(aggregate(*rows))] == [50.0, 25.0]

    def test_leaves_the_aggregates_as_they_are(self):
        aggregates = aggregate(scored(5, day=DAY))

        assert build_trend(aggregates) == build_trend(aggregates)

    @pytest.mark.parametrize(
        ("window", "today", "parts"),
        [
            (Window(dt.date.fromordinal(MONDAY), dt.date.fromordinal(MONDAY + 13)), None, [False, False]),
            (Window(dt.date.fromordinal(MONDAY + 1), dt.date.fromordinal(MONDAY + 13)), None, [True, False]),
            (Window(dt.date.fromordinal(MONDAY), dt.date.fromordinal(MONDAY + 10)), None, [False, True]),
            (
                Window(dt.date.fromordinal(MONDAY), dt.date.fromordinal(MONDAY + 13)),
                MONDAY + 9,
                [False, True],
            ),
            # Friday is today, and not over; on Saturday the week is.
            (
                Window(dt.date.fromordinal(MONDAY), dt.date.fromordinal(MONDAY + 13)),
                MONDAY + 11,
                [False, True],
            ),
            (
                Window(dt.date.fromordinal(MONDAY), dt.date.fromordinal(MONDAY + 13)),
                MONDAY + 12,
                [False, False],
            ),
            # On Saturdays and Sundays nobody calls: the week is whole without them.
            (Window(dt.date.fromordinal(MONDAY), dt.date.fromordinal(MONDAY + 11)), None, [False, False]),
        ],
    )
    def test_marks_weeks_of_which_a_part_is_missing(self, window, today, parts):
        days = [MONDAY + day for day in range(12) if day % 7 < 5]
        first, last = window.days
        rows = [make_fact(day=day) for day in days if first <= day <= min(last, today or last)]

        trend = build_trend(aggregate(*rows), window, today=today)

        assert [bucket.is_part for bucket in trend] == parts

    def test_without_dates_goes_by_the_first_and_the_last_call(self):
        days = [*range(MONDAY + 5, MONDAY + 16)]

        trend = build_trend(aggregate(*[make_fact(day=day) for day in days]))

        assert [bucket.is_part for bucket in trend] == [True, False, True]

    def test_of_no_calls_has_no_week(self):
        assert build_trend(Aggregates()) == []


class TestRankContactReasons:
    def test_joins_reasons_of_one_text_and_orders_by_calls_and_text(self):
        rows = [make_fact(topic_id=n) for n in (1, 2, 2, 3, 4, 4)]
        topics = {1: "Bill", 2: "Line", 3: "Bill", 4: "Card"}

        reasons = rank_contact_reasons(make_data(*rows, topics=topics))

        assert [(row.topic, row.calls, row.volume_pct) for row in reasons] == [
            ("Bill", 2, 33.33),
            ("Card", 2, 33.33),
            ("Line", 2, 33.33),
        ]

    def test_counts_everything_after_the_tenth_in_a_last_row(self):
        rows = [make_fact(topic_id=n) for n in range(1, 13) for _ in range(13 - n)]

        *top, others = rank_contact_reasons(make_data(*rows, topics={n: f"t{n:02}" for n in range(1, 13)}))

        assert [row.topic for row in top] == [f"t{n:02}" for n in range(1, 11)]
        assert (others.topic, others.calls, others.other_topics) == ("", 3, 2)
        assert {row.other_topics for row in top} == {None}

    def test_leaves_calls_without_a_reason_out_of_the_base(self):
        (row,) = rank_contact_reasons(make_data(make_fact(), make_fact(topic_id=1), topics={1: "Bill"}))

        assert (row.calls, row.volume_pct) == (1, 100.0)


class TestRankAgents:
    def test_orders_by_calls_then_by_folded_name_then_by_id(self):
        rows = [make_fact(agent_id=agent) for agent in (1, 2, 3, 4, 4)]
        agents = {
            1: AgentName("zoë", "zoë"),
            2: AgentName("Ana", "ana"),
            3: AgentName("ANA", "ana"),
            4: AgentName("Yu", "yu"),
        }

        ranked = rank_agents(make_data(*rows, agents=agents), ExactMean())

        assert [(row.agent, row.agent_id, row.calls) for row in ranked] == [
            ("Yu", 4, 2),
            ("Ana", 2, 1),
            ("ANA", 3, 1),
            ("zoë", 1, 1),
        ]

    def test_shows_rates_of_the_agents_own_calls(self):
        rows = [
            scored(10, agent_id=1, sentiment=3, goal_reached=True),
            scored(0, agent_id=1, critical=True, goal_reached=False),
            scored(0, agent_id=2),
        ]

        data = make_data(*rows)
        first, second = rank_agents(data, HourTotals(data.aggregates).score)

        assert (first.average_score, first.critical_error_pct) == (50.0, 50.0)
        assert (first.negative_sentiment_pct, first.goal_reached_pct) == (100.0, 50.0)
        assert (second.average_score, second.negative_sentiment_pct, second.goal_reached_pct) == (
            0.0,
            None,
            None,
        )


class TestCompareShifts:
    def test_puts_each_call_into_the_shift_of_its_own_project(self):
        rows = [make_fact(project_id=project, hour=hour) for project in (1, 2) for hour in (None, 7, 8, 21)]
        configs = {1: {}, 2: {"shift_hours": {"day_start": 20, "day_end": 8}}}

        (day, night), _ = compare_shifts(make_data(*rows, configs=configs))

        assert (day.shift, day.headline.total_calls) == ("day", 1 + 2)
        assert (night.shift, night.headline.total_calls) == ("night", 2 + 1)

    @given(
        st.lists(facts().map(lambda f: f._replace(project_id=1)), max_size=6),
        st.integers(0, 23),
        st.integers(1, 23),
    )
    @FEW
    def test_splits_the_calls_with_a_real_time(self, rows, start, length):
        hours = {"day_start": start, "day_end": (start + length) % 24}

        shifts, _ = compare_shifts(make_data(*rows, configs={1: {"shift_hours": hours}}))

        timed = sum(f.hour is not None for f in rows)
        assert sum(row.headline.total_calls for row in shifts) == timed
        assert all(row.headline.calls_with_metadata == row.headline.total_calls for row in shifts)


class TestAssembleReport:
    @pytest.mark.parametrize(
        ("configs", "hours"),
        [
            ({1: {}, 2: {}}, ShiftHours(8, 20)),
            ({1: {}, 2: {"shift_hours": {"day_start": 6}}}, ShiftHours(None, None)),
        ],
        ids=["alike", "different"],
    )
    def test_shows_shift_hours_only_where_projects_agree(self, configs, hours):
        assert assemble_report(make_data(configs=configs)).shift_hours == hours

    def test_compares_with_the_window_before_where_there_is_one(self):
        assert assemble_report(make_data()).previous_headline is None
        previous = assemble_report(make_data(previous=aggregate(make_fact(), make_fact()))).previous_headline
        assert previous.total_calls == 2


CRITERIA = {
    1: ScoredCriterion(1, "greet", "Greets", "All", 10 * MILLION),
    2: ScoredCriterion(1, "old", "Old name", "Past", 5 * MILLION),
    3: ScoredCriterion(1, "old", "New name", "Past", 5 * MILLION),
    4: ScoredCriterion(2, "greet", "Greets", "All", 30 * MILLION),
}


def judged(*entries, **values):
    """Return a scored call with (criterion, points, flags) entries."""
    maximum = sum(CRITERIA[criterion].max_points for criterion, _, _ in entries)
    points = sum(earned for _, earned, _ in entries) * MILLION
    pack = pack_entries([(criterion, earned * MILLION, flags) for criterion, earned, flags in entries])
    return make_fact(max_points=maximum, points=points, counted_points=points, pack=pack, **values)


def scorecard(data):
    return build_scorecard(data, possible_points=HourTotals(data.aggregates).possible)


class TestOrderRows:
    def test_lists_the_rubric_first_and_then_retired_criteria_by_id_under_their_latest_name(self):
        data = make_data(
            judged((2, 1, 0), (1, 1, 0)),
            judged((3, 1, 0)),
            configs={1: rubric(("greet", "Greets", 10), ("ask", "Asks", 5))},
            criteria=CRITERIA,
        )

        order = order_rows(data)

        assert list(order.sections) == [("greet", "Greets"), ("ask", "Asks"), ("old", "New name")]
        assert set(order.in_rubric) == {("greet", "Greets"), ("ask", "Asks")}

    def test_gives_a_renamed_criterion_the_row_of_the_rubric(self):
        data = make_data(
            judged((1, 5, EVALUATED)), configs={1: rubric(("greet", "Welcomes", 10))}, criteria=CRITERIA
        )

        (row,) = scorecard(data)

        assert (row.name, row.calls, row.average_pct) == ("Welcomes", 1, 50.0)

    def test_merges_rows_of_projects_that_agree_in_id_and_name(self):
        both = {1: rubric(("greet", "Greets", 10)), 2: rubric(("greet", "Greets", 30))}
        data = make_data(judged((1, 10, 1)), judged((4, 0, 1), project_id=2), configs=both, criteria=CRITERIA)

        (row,) = scorecard(data)

        assert (row.calls, row.average_pct, row.weight_pct) == (2, 50.0, 100.0)


class TestBuildScorecard:
    def test_weighs_by_the_rubric_of_one_project_and_not_at_all_outside_it(self):
        configs = {1: rubric(("greet", "Greets", 10), ("ask", "Asks", 30))}
        data = make_data(judged((1, 5, 1), (3, 5, 1)), configs=configs, criteria=CRITERIA)

        assert [(row.criterion_id, row.weight_pct) for row in scorecard(data)] == [
            ("greet", 25.0),
            ("ask", 75.0),
            ("old", None),
        ]

    def test_has_null_averages_where_nothing_was_judged(self):
        (row,) = scorecard(make_data(configs={1: rubric(("greet", "Greets", 10))}))

        assert row.average_pct is row.previous_pct is row.delta_pct is row.evaluated_pct is None
        assert (row.calls, row.critical_errors) == (0, 0)

    def test_counts_flags_and_compares_with_the_window_before(self):
        now = [judged((1, 10, NOT_APPLICABLE)), judged((1, 0, EVALUATED | CRITICAL_ERROR)), judged((1, 5, 0))]
        data = make_data(
            *now,
            configs={1: rubric(("greet", "Greets", 10))},
            criteria=CRITERIA,
            previous=aggregate(judged((1, 4, EVALUATED))),
        )

        (row,) = scorecard(data)

        assert (row.calls, row.evaluated_calls, row.not_applicable_calls, row.critical_errors) == (3, 1, 1, 1)
        assert (row.average_pct, row.previous_pct, row.delta_pct) == (50.0, 40.0, 10.0)


class TestEvaluatedPercent:
    @pytest.mark.parametrize(
        ("calls", "shown"),
        [
            ([(10, EVALUATED), (5, EVALUATED)], (75.0, 2)),
            ([(10, NOT_APPLICABLE), (5, EVALUATED)], (50.0, 1)),
            ([(10, NOT_APPLICABLE), (10, NOT_APPLICABLE)], (None, 0)),
            ([(10, 0), (5, EVALUATED)], (75.0, 2)),
            ([(0, 0), (10, NOT_APPLICABLE), (5, EVALUATED)], (25.0, 2)),
            ([(10, NOT_APPLICABLE), (0, EVALUATED), (1, EVALUATED)], (5.0, 2)),
        ],
        ids=[
            "all evaluated",
            "one not applicable",
            "none evaluated",
            "one unrecorded",
            "of all kinds",
            "rounded",
        ],
    )
    def test_leaves_calls_out_to_which_the_criterion_does_not_apply(self, calls, shown):
        configs, answers = {1: rubric(("greet", "Greets", 10))}, [judged((1, *call)) for call in calls]

        (now,) = scorecard(make_data(*answers, configs=configs, criteria=CRITERIA))
        (after,) = scorecard(make_data(configs=configs, criteria=CRITERIA, previous=aggregate(*answers)))

        assert (now.evaluated_pct, judge_row(now).calls) == shown
        is_compared = all(flags for _, flags in calls) or all(flags != NOT_APPLICABLE for _, flags in calls)
        previous = after.previous_evaluated_pct, after.previous_evaluated_calls
        assert previous == (shown if is_compared else (None, None))

    @pytest.mark.parametrize(
        ("now", "before", "is_compared"),
        [
            ((EVALUATED, NOT_APPLICABLE), (EVALUATED, EVALUATED), True),
            ((EVALUATED, 0), (EVALUATED, EVALUATED), True),
            ((0, 0), (0, 0), True),
            ((EVALUATED, NOT_APPLICABLE), (0, 0), False),
            ((0, 0), (EVALUATED, NOT_APPLICABLE), False),
            ((0, NOT_APPLICABLE), (EVALUATED, NOT_APPLICABLE), False),
        ],
    )
    def test_is_compared_with_calls_of_the_same_kind_alone(self, now, before, is_compared):
        """Among calls that did not record it some may be full points of calls to which it does not apply."""
        configs = {1: rubric(("greet", "Greets", 10))}
        previous = aggregate(*[judged((1, 10, flags)) for flags in before])
        calls = [judged((1, 10, flags)) for flags in now]

        (row,) = scorecard(make_data(*calls, configs=configs, criteria=CRITERIA, previous=previous))

        found = judge_row(row)
        assert (found.previous_pct is not None, found.delta_pct is not None) == (is_compared, is_compared)
        assert row.delta_pct == 0.0  # of the averages

    def test_is_compared_and_has_an_interval_over_those_calls_alone(self):
        applied = [judged((1, points, EVALUATED)) for points in (10, 0, 0, 0, 0)]
        others = [judged((1, 10, NOT_APPLICABLE))] * 20
        before = [judged((1, 10, EVALUATED))] * 5
        configs = {1: rubric(("greet", "Greets", 10))}

        (row,) = scorecard(
            make_data(*applied, *others, configs=configs, criteria=CRITERIA, previous=aggregate(*before))
        )
        (alone,) = scorecard(
            make_data(*applied, configs=configs, criteria=CRITERIA, previous=aggregate(*before))
        )

        assert (row.average_pct, row.evaluated_pct, row.evaluated_delta_pct) == (84.0, 20.0, -80.0)
        assert row.evaluated_pct_interval == alone.average_pct_interval
        assert row.evaluated_delta_pct_interval == alone.delta_pct_interval
