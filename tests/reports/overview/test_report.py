"""The report over a few calls whose figures can be checked by hand."""

import copy
import datetime as dt
import json
from dataclasses import replace

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent, Call
from callscope.contact_reasons.models import ContactReason
from callscope.projects.models import ConfigVersion, Project
from callscope.projects.services import configure_project
from callscope.reports.call_list.conditions import to_queries
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.details.agent_page import build_agent_page
from callscope.reports.judged_versions import choose_judged, choose_used
from callscope.reports.models import CallFact
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.overview.rubric_marks import describe_rubric_changes
from callscope.reports.window import ALL_TIME, Window, day_of

RUBRIC = {
    "rubric": {
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {"id": "greeting", "name": "Greets", "max_points": 10},
                    {"id": "identity", "name": "Checks identity", "max_points": 30},
                ],
            }
        ]
    }
}


def scored(score, most=10, *, criterion="greeting", name="Greets", applicability="evaluated", critical=False):
    return {
        "criterion_id": criterion,
        "name": name,
        "section": "Opening",
        "score": score,
        "max_points": most,
        "applicability": applicability,
        "is_critical_error": critical,
    }


def line(number, **fields):
    return {
        "file_name": f"c{number}.wav",
        "uploaded_at": "2026-03-10T12:00:00+00:00",
        "call_datetime": "2026-03-10T10:00:00+00:00",
    } | fields


def copc(*scores, **rest):
    return {"criterion_scores": list(scores), **rest}


@pytest.fixture
def rubric_project(alice):
    return Project.objects.create(name="Service line", owner=alice, config=RUBRIC)


class TestHeadline:
    def test_leaves_every_percentage_null_when_nothing_was_measured(self, project, bring_in):
        bring_in(project, line(1, no_protocol={"mistakes": [], "missing_prompts": []}))

        headline = build_report([project], ALL_TIME).headline

        assert headline.total_calls == 1
        assert headline.average_score is None
        assert headline.weighted_compliance is None
        assert headline.critical_error_pct is None
        assert headline.negative_sentiment_pct is None
        assert headline.goal_reached_pct is None

    def test_counts_the_calls_that_a_share_covers(self, project, bring_in):
        bring_in(
            project,
            line(1, sentiment="negative"),
            line(2, sentiment="neutral", goal_reached=True),
            line(3, goal_reached=False, topic="Refund"),
        )

        report = build_report([project], ALL_TIME)

        assert (report.headline.sentiment_calls, report.headline.outcome_calls) == (2, 2)
        assert report.headline.negative_sentiment_pct == 50.0

    def test_is_zero_without_any_project(self, db):
        report = build_report([], ALL_TIME)

        assert report.headline.total_calls == 0
        assert report.headline.analyzed_hours == 0.0
        assert report.trend == []
        assert (report.shift_hours.day_start, report.shift_hours.day_end) == (None, None)

    def test_averages_scores_plainly_and_weighs_compliance_by_points(self, project, bring_in):
        bring_in(
            project,
            line(1, copc=copc(scored(10, 10))),
            line(2, copc=copc(scored(0, 10), scored(10, 20, criterion="b"))),
        )

        headline = build_report([project], ALL_TIME).headline

        assert headline.average_score == 66.67
        assert headline.weighted_compliance == 50.0
        assert headline.scored_calls == 2

    def test_counts_a_call_zeroed_by_a_critical_error_with_its_points_as_earned(self, project, bring_in):
        zeroed = copc(scored(0, critical=True), scored(30, 30, criterion="b"), on_critical_error="zero_score")
        bring_in(project, line(1, copc=zeroed), line(2, copc=copc(scored(10))))

        headline = build_report([project], ALL_TIME).headline

        assert headline.average_score == 50.0
        assert headline.weighted_compliance == 80.0
        assert headline.critical_error_pct == 50.0

    def test_counts_the_calls_that_a_critical_error_zeroes_as_the_list_finds_them(self, project, bring_in):
        rows = (scored(0, critical=True), scored(30, 30, criterion="b"))
        zeroed = copc(*rows, on_critical_error="zero_score")
        nothing = copc(scored(0, critical=True), on_critical_error="zero_score")
        bring_in(
            project,
            line(1, copc=zeroed, agent_name="Ana Reyes"),
            line(2, copc=copc(scored(10)), agent_name="Ana Reyes"),
            line(3, copc=zeroed, agent_name="Ana Reyes", call_datetime="2026-04-01T12:00:00"),
            line(4, copc=nothing, agent_name="Ben Okafor"),  # has no points to lose
        )
        ana = Agent.objects.get(name="Ana Reyes")
        march = Window(dt.date(2026, 3, 1), dt.date(2026, 3, 31))

        counted = [build_report([project], each).zeroed_calls for each in (ALL_TIME, march)]

        assert counted == [3, 2]
        assert build_report([project], ALL_TIME, ana.pk).zeroed_calls == 2
        assert build_agent_page(project, ana, shows_notes=False, is_own=False).zeroed_calls == 2
        filters = CallFilters.from_query({"critical": "true", "max_score": "0"})
        assert CallFact.objects.filter(*to_queries(filters.conditions())).count() == 3

    def test_counts_no_call_as_zeroed_where_the_rubric_only_flags(self, project, bring_in):
        bring_in(project, line(1, copc=copc(scored(0, critical=True))), line(2, copc=copc(scored(10))))

        assert build_report([project], ALL_TIME).zeroed_calls == 0

    def test_rounds_half_even_only_at_the_edge(self, project, bring_in):
        # 1/8 of 100 % is 12.5; over 1,000 calls a mean of 0.125 shows as 0.12, not 0.13.
        bring_in(project, line(0, copc=copc(scored(1, 8))))
        bring_in(project, *[line(n, copc=copc(scored(0, 8))) for n in range(1, 100)])

        assert build_report([project], ALL_TIME).headline.average_score == 0.12

    def test_says_how_many_calls_the_window_leaves_out(self, project, bring_in):
        bring_in(project, line(1, sentiment="negative"))

        report = build_report([project], Window(dt.date(2026, 4, 1), dt.date(2026, 4, 30)))

        assert report.headline.total_calls == 0
        assert report.total_calls_all_time == 1

    def test_adds_enormous_points_without_passing_64_bits(self, project, bring_in):
        most = 1_000_000
        huge = copc(*[scored(most, most, criterion=f"c{n}") for n in range(400)])
        bring_in(project, *[line(n, copc=huge, duration_seconds=1e6) for n in range(30)])

        headline = build_report([project], ALL_TIME).headline

        assert headline.average_score == 100.0
        assert headline.weighted_compliance == 100.0


class TestScorecard:
    def test_shows_rubric_criteria_in_order_with_null_averages_before_any_call(self, rubric_project):
        rows = build_report([rubric_project], ALL_TIME).scorecard

        assert [(r.criterion_id, r.weight_pct, r.average_pct, r.calls) for r in rows] == [
            ("greeting", 25.0, None, 0),
            ("identity", 75.0, None, 0),
        ]

    def test_appends_criteria_that_only_older_results_carry(self, rubric_project, bring_in):
        bring_in(rubric_project, line(1, copc=copc(scored(5, criterion="a", name="Old"), scored(10))))

        rows = build_report([rubric_project], ALL_TIME).scorecard

        assert [r.criterion_id for r in rows] == ["greeting", "identity", "a"]
        assert rows[2].weight_pct is None
        assert rows[2].average_pct == 50.0

    def test_counts_calls_of_a_renamed_criterion_in_the_row_of_the_rubric(self, rubric_project, bring_in):
        bring_in(rubric_project, line(1, copc=copc(scored(5, name="Says hello"))))

        rows = build_report([rubric_project], ALL_TIME).scorecard

        assert [(r.criterion_id, r.name, r.calls) for r in rows] == [
            ("greeting", "Greets", 1),
            ("identity", "Checks identity", 0),
        ]

    def test_says_how_many_of_100_possible_points_each_criterion_cost(self, rubric_project, bring_in):
        bring_in(
            rubric_project,
            line(1, copc=copc(scored(5), scored(30, 30, criterion="identity"))),
            line(2, copc=copc(scored(5))),  # the other one was not evaluated
            line(3, copc=copc(scored(10), scored(18, 30, criterion="identity"))),
        )

        report = build_report([rubric_project], ALL_TIME)

        lost = [row.points_lost for row in report.scorecard]
        assert lost == [11.11, 13.33]  # 10 and 12 of 90
        assert sum(lost) == pytest.approx(100 - report.headline.weighted_compliance, abs=0.02)

    def test_counts_what_criteria_of_no_rubric_cost(self, rubric_project, bring_in):
        bring_in(
            rubric_project,
            line(1, copc=copc(scored(5), scored(10, 30, criterion="before"))),
            line(2, copc=copc(scored(5))),
        )

        report = build_report([rubric_project], ALL_TIME)

        found = {row.criterion_id: (row.is_retired, row.points_lost) for row in report.scorecard}
        assert found == {"greeting": (False, 20.0), "identity": (False, None), "before": (True, 40.0)}
        assert 100 - report.headline.weighted_compliance == 20 + 40

    def test_tells_evaluated_calls_from_not_applicable_and_unrecorded_ones(self, rubric_project, bring_in):
        bring_in(
            rubric_project,
            line(1, copc=copc(scored(0, critical=True))),
            line(2, copc=copc(scored(10, applicability="not_applicable"))),
            line(3, copc=copc(scored(5, applicability=None))),
        )

        row = build_report([rubric_project], ALL_TIME).scorecard[0]

        assert (row.calls, row.evaluated_calls, row.not_applicable_calls) == (3, 1, 1)
        assert row.critical_errors == 1
        assert row.average_pct == 50.0

    def test_compares_with_the_window_of_the_same_length_just_before(self, rubric_project, bring_in):
        bring_in(
            rubric_project,
            line(1, call_datetime="2026-03-09T23:59:59+00:00", copc=copc(scored(4))),
            line(2, call_datetime="2026-03-10T00:00:00+00:00", copc=copc(scored(9))),
            line(3, call_datetime="2026-03-06T00:00:00+00:00", copc=copc(scored(10))),
        )

        closed = build_report([rubric_project], Window(dt.date(2026, 3, 10), dt.date(2026, 3, 12))).scorecard[
            0
        ]
        half_open = build_report([rubric_project], Window(dt.date(2026, 3, 10), None)).scorecard[0]

        assert (closed.average_pct, closed.previous_pct, closed.delta_pct) == (90.0, 40.0, 50.0)
        assert (half_open.previous_pct, half_open.delta_pct) == (None, None)

    def test_merges_rows_of_several_projects_with_the_same_id_and_name(self, alice, bring_in):
        first = Project.objects.create(name="One", owner=alice, config=RUBRIC)
        second = Project.objects.create(name="Two", owner=alice, config=RUBRIC)
        bring_in(first, line(1, copc=copc(scored(10))))
        bring_in(second, line(1, copc=copc(scored(0), scored(30, 30, criterion="identity"))))

        rows = build_report([first, second], ALL_TIME).scorecard

        assert [(r.criterion_id, r.calls, r.average_pct, r.weight_pct) for r in rows] == [
            ("greeting", 2, 50.0, 40.0),
            ("identity", 1, 100.0, 60.0),
        ]


class TestTrend:
    def test_shows_every_week_between_the_first_call_and_the_last(self, project, bring_in):
        bring_in(
            project,
            line(1, call_datetime="2026-03-01T23:00:00+00:00", sentiment="negative"),
            line(2, call_datetime="2026-03-16T00:00:00+00:00", sentiment="positive"),
        )

        trend = build_report([project], ALL_TIME).trend

        assert [(b.week.isoformat(), b.calls, b.negative_sentiment_pct) for b in trend] == [
            ("2026-02-23", 1, 100.0),
            ("2026-03-02", 0, None),
            ("2026-03-09", 0, None),
            ("2026-03-16", 1, 0.0),
        ]


class TestContactReasons:
    def test_puts_everything_after_the_top_ten_into_one_row(self, project, bring_in):
        bring_in(project, line(0, topic="t00"), *[line(n + 1, topic=f"t{n:02}") for n in range(12)])

        rows = report_json(build_report([project], ALL_TIME))["contact_reasons"]

        unknown = {
            "reason_id": None,
            "change_pct": None,
            "is_new": False,
            "course": None,
            "calls_with_reason": 13,
            "previous_calls": None,
            "previous_calls_with_reason": None,
        }
        assert rows[0] == {"topic": "t00", "calls": 2, "volume_pct": 15.38, **unknown}
        assert [r["topic"] for r in rows[1:10]] == [f"t{n:02}" for n in range(1, 10)]
        assert rows[10] == {"topic": "", "calls": 2, "volume_pct": 15.38, "other_topics": 2, **unknown}

    def test_prefers_the_contact_reason_to_the_raw_topic(self, project, bring_in):
        bring_in(
            project, line(1, topic="wrong invoice", contact_reason="Billing"), line(2, sentiment="neutral")
        )

        rows = build_report([project], ALL_TIME).contact_reasons

        assert [(r.topic, r.calls, r.volume_pct) for r in rows] == [("Billing", 1, 100.0)]


class TestCourse:
    def lines(self, month, topics):
        """Return lines of one month, a call of each topic so often."""
        every = [topic for topic, calls in topics.items() for _ in range(calls)]
        return [
            {
                "file_name": f"{month}-{n}.wav",
                "call_datetime": f"2026-{month:02}-10T10:00:00+00:00",
                "topic": "words",
                "contact_reason": topic,
            }
            for n, topic in enumerate(every)
        ]

    def test_marks_what_is_new_what_grows_and_what_shrinks(self, project, bring_in):
        bring_in(project, *self.lines(4, {"Billing": 60, "Access": 100, "Refund": 10}))
        bring_in(project, *self.lines(5, {"Billing": 60, "Access": 30, "Refund": 50, "Outage": 30}))

        april_and_may = Window(dt.date(2026, 5, 1), dt.date(2026, 5, 30))
        rows = {row.topic: row for row in build_report([project], april_and_may).contact_reasons}

        marks = {topic: (row.course, row.is_new) for topic, row in rows.items()}
        assert marks == {
            "Billing": ("steady", False),
            "Access": ("shrinking", False),
            "Refund": ("growing", False),
            "Outage": ("growing", True),
        }
        assert rows["Outage"].change_pct == 17.65
        reasons = ContactReason.objects.in_bulk([row.reason_id for row in rows.values()])
        assert {pk: reason.name for pk, reason in reasons.items()} == {
            row.reason_id: topic for topic, row in rows.items()
        }

    def test_names_no_reason_where_two_projects_share_a_row(self, alice, project, bring_in):
        other = Project.objects.create(name="Other", type="call", owner=alice)
        for each in (project, other):
            bring_in(each, *self.lines(5, {"Billing": 1}))

        (row,) = build_report([project, other], ALL_TIME).contact_reasons
        (of_one,) = build_report([other], ALL_TIME).contact_reasons

        assert (row.calls, row.reason_id) == (2, None)
        assert of_one.reason_id == ContactReason.objects.get(project=other).pk


class TestTrackers:
    def test_are_counted_in_every_week_of_the_trend(self, project, bring_in):
        rule = {"any_of": ["Acme"]}
        trackers = [{"id": each, "name": each.title(), "rule": rule} for each in ("rival", "silent")]
        project.config = {"trackers": trackers}
        project.save()
        found = {"trackers": [{"id": "rival", "quotes": [{"text": "Acme", "start": 1.0}]}]}
        days = ("2026-03-02", "2026-03-03", "2026-03-17")
        bring_in(
            project,
            *(
                {"file_name": day, "call_datetime": f"{day}T10:00:00+00:00", "topic": "t", "insights": found}
                for day in days
            ),
        )

        report = report_json(build_report([project], ALL_TIME))
        of_march_2 = build_report([project], Window(dt.date(2026, 3, 2), dt.date(2026, 3, 2)))

        weeks = ["2026-03-02", "2026-03-09", "2026-03-16"]
        assert report["trackers"] == [
            {
                "id": "rival",
                "name": "Rival",
                "calls": 3,
                "weeks": [{"week": w, "calls": n} for w, n in zip(weeks, (2, 0, 1), strict=True)],
            },
            {
                "id": "silent",
                "name": "Silent",
                "calls": 0,
                "weeks": [{"week": w, "calls": 0} for w in weeks],
            },
        ]
        assert [row.calls for row in of_march_2.trackers] == [1, 0]


class TestAgents:
    def test_are_ordered_by_calls_and_then_by_folded_name(self, project, bring_in):
        names = ["bea", "Ana", "Zoë", "Zoë"]
        bring_in(
            project,
            *[line(n, agent_name=name, topic="x") for n, name in enumerate(names)],
            line(9, topic="x"),
        )

        rows = build_report([project], ALL_TIME).agents

        assert [(r.agent, r.calls) for r in rows] == [("Zoë", 2), ("Ana", 1), ("bea", 1)]


class TestShifts:
    def test_wrap_over_midnight_when_the_day_starts_late(self, alice, bring_in):
        hours = {"shift_hours": {"day_start": 20, "day_end": 6}}
        project = Project.objects.create(name="Night owls", owner=alice, config=hours)
        times = ["05:59:59", "06:00:00", "19:59:59", "20:00:00"]
        bring_in(
            project, *[line(n, call_datetime=f"2026-03-10T{t}+00:00", topic="x") for n, t in enumerate(times)]
        )

        shifts = build_report([project], ALL_TIME).shifts

        assert [(s.shift, s.headline.total_calls) for s in shifts] == [("day", 2), ("night", 2)]

    def test_leave_out_calls_without_a_real_time(self, project, bring_in):
        bring_in(project, line(1, call_datetime=None, topic="x"))

        report = build_report([project], ALL_TIME)

        assert [s.headline.total_calls for s in report.shifts] == [0, 0]
        assert report.headline.calls_with_metadata == 0

    def test_hide_their_hours_when_projects_differ(self, alice, project):
        other = Project.objects.create(name="Other", owner=alice, config={"shift_hours": {"day_start": 9}})

        assert build_report([project], ALL_TIME).shift_hours.day_start == 8
        assert build_report([project, other], ALL_TIME).shift_hours.day_start is None


def looking_for(error_class):
    """Return settings whose rubric has one criterion, critical for a class."""
    critical = {"id": "b", "name": "B", "max_points": 10, "critical": True, "critical_class": error_class}
    return {"rubric": {"sections": [{"name": "S", "criteria": [critical]}]}}


class TestCopcRates:
    def test_are_null_when_nothing_was_scored(self, project):
        rates = build_report([project], ALL_TIME).copc_rates

        assert rates.customer_critical_accuracy_pct is None
        assert rates.non_critical_accuracy_pct is None

    def test_are_null_for_a_class_that_no_criterion_looks_for(self, project, bring_in):
        bring_in(project, line(1, copc=copc(scored(10, criterion="b"))))

        assert build_report([project], ALL_TIME).copc_rates.business_critical_accuracy_pct is None

        project.config = looking_for("business")
        project.save()

        rates = build_report([project], ALL_TIME).copc_rates
        assert rates.business_critical_accuracy_pct == 100.0
        assert rates.customer_critical_accuracy_pct is rates.compliance_critical_accuracy_pct is None

    def test_count_calls_without_an_error_of_the_class(self, project, bring_in):
        customer = scored(0, critical=True) | {"critical_class": "customer", "critical": True}
        bring_in(
            project,
            line(1, copc=copc(customer, scored(5, criterion="b"))),
            line(2, copc=copc(scored(10, criterion="b"))),
        )

        rates = build_report([project], ALL_TIME).copc_rates

        assert rates.customer_critical_accuracy_pct == 50.0
        assert rates.non_critical_accuracy_pct == 50.0

    def test_count_only_calls_of_projects_that_look_for_the_class(self, project, rubric_project, bring_in):
        project.config = looking_for("business")
        project.save()
        error = scored(0, critical=True) | {"critical_class": "business", "critical": True}
        bring_in(project, line(1, copc=copc(error)), line(2, copc=copc(scored(10))))
        bring_in(rubric_project, *[line(n, copc=copc(scored(10))) for n in range(3, 9)])

        rates = build_report([project, rubric_project], ALL_TIME).copc_rates

        assert (rates.business_critical_accuracy_pct, rates.business_critical_calls) == (50.0, 2)
        assert (rates.customer_critical_accuracy_pct, rates.customer_critical_calls) == (None, None)
        assert rates.scored_calls == 8

    def test_are_null_where_only_projects_that_do_not_look_have_calls(
        self, project, rubric_project, bring_in
    ):
        project.config = looking_for("business")
        project.save()
        bring_in(rubric_project, line(1, copc=copc(scored(10))))

        rates = build_report([project, rubric_project], ALL_TIME).copc_rates

        assert (rates.business_critical_accuracy_pct, rates.business_critical_calls) == (None, 0)


class TestRubricVersions:
    @pytest.fixture
    def changed(self, rubric_project, bring_in):
        """A rubric that changed on 11 March, a day after its first call."""
        bring_in(rubric_project, line(1, copc=copc(scored(10))))
        document = copy.deepcopy(RUBRIC)
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 20
        configure_project(rubric_project, document)
        publish(rubric_project, 2, dt.datetime(2026, 3, 11, 9, tzinfo=dt.UTC))
        return rubric_project

    def test_stand_in_the_week_of_their_publication(self, changed):
        report = report_json(build_report([changed], ALL_TIME))

        assert report["rubric_versions"] == [
            {
                "project_id": changed.pk,
                "version": 2,
                "published_at": "2026-03-11T09:00:00+00:00",
                "criteria": {"greeting": "changed"},
                "week": "2026-03-09",
            }
        ]
        assert json.dumps(report)

    def test_mark_the_criteria_that_they_changed(self, changed):
        judge(changed, 2)

        greeting, identity = report_json(build_report([changed], ALL_TIME))["scorecard"]

        assert greeting["changed_in"] == {
            "version": 2,
            "published_at": "2026-03-11T09:00:00+00:00",
            "change": "changed",
        }
        assert identity["changed_in"] is None

    def test_count_from_the_week_of_the_first_call_on_or_within_the_window(self, changed):
        publish(changed, 2, dt.datetime(2026, 3, 8, 23, tzinfo=dt.UTC))

        assert build_report([changed], ALL_TIME).rubric_changes == []
        week_before = Window(dt.date(2026, 3, 2), dt.date(2026, 3, 8))
        assert [each.version for each in build_report([changed], week_before).rubric_changes] == [2]

    def test_mark_nothing_while_no_call_was_judged_by_them(self, changed):
        judge(changed, 1)

        report = build_report([changed], ALL_TIME)

        assert [each.version for each in report.rubric_changes] == [2]
        assert report.judged_changes == []
        greeting, identity = report.scorecard
        assert greeting.changed_in is None
        assert (greeting.unused_change.version, greeting.unused_change.change) == (2, "changed")
        assert identity.unused_change is None

    def test_count_by_the_last_one_that_judged_calls_of_the_window(
        self, changed, bring_in, django_assert_num_queries
    ):
        bring_in(changed, line(2, copc=copc(scored(10)), call_datetime="2026-04-14T10:00:00+00:00"))
        document = copy.deepcopy(changed.config)
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 5
        configure_project(changed, document)
        publish(changed, 3, dt.datetime(2026, 3, 12, 9, tzinfo=dt.UTC))
        first, second = changed.calls.order_by("call_datetime")
        judge(changed, 2, call=first)
        judge(changed, 3, call=second)
        march = Window(dt.date(2026, 3, 1), dt.date(2026, 3, 31))

        report = build_report([changed], march)

        assert [each.version for each in report.judged_changes] == [2]
        greeting, _ = report.scorecard
        assert (greeting.changed_in.version, greeting.unused_change.version) == (2, 3)
        both = build_report([changed], ALL_TIME)
        assert [each.version for each in both.judged_changes] == [2, 3]
        assert (both.judged_calls, both.headline.scored_calls) == (1, 2)
        assert both.marked_changes == both.judged_changes
        assert (report.judged_calls, report.headline.scored_calls) == (1, 1)
        assert report.marked_changes == []  # it judged the calls of the weeks before it, too
        assert both.scorecard[0].changed_in.version == 3
        assert both.scorecard[0].unused_change is None
        with django_assert_num_queries(1):
            assert choose_judged(both.rubric_changes, ALL_TIME) == both.judged_changes
        with django_assert_num_queries(2):
            assert choose_judged(both.rubric_changes, march) == report.judged_changes
        with django_assert_num_queries(0):
            assert choose_judged([], march) == []

    def test_say_that_the_calls_of_the_period_before_were_judged_by_earlier_versions(self, changed, bring_in):
        bring_in(changed, line(2, copc=copc(scored(10)), call_datetime="2026-03-20T10:00:00+00:00"))
        first, second = changed.calls.order_by("call_datetime")
        week = day_of(second.call_datetime) - day_of(first.call_datetime)
        window = Window(second.call_datetime.date() - dt.timedelta(week - 1), second.call_datetime.date())
        publish(changed, 2, second.call_datetime)
        judge(changed, 1, call=first)
        judge(changed, 2, call=second)

        def describe():
            report = build_report([changed], window)
            return " ".join(describe_rubric_changes(report, str, str, with_project=False))

        said = "judged 1 of 1 scored call of the period before: changes compare different rubrics."
        assert said in describe()
        judge(changed, 2)
        assert "period before" not in describe()
        judge(changed, 1)
        assert "period before" not in describe()

    def test_mark_no_version_that_another_followed_before_it_judged_a_call(
        self, changed, bring_in, django_assert_num_queries
    ):
        bring_in(changed, line(2, copc=copc(scored(10)), call_datetime="2026-04-14T10:00:00+00:00"))
        document = copy.deepcopy(changed.config)
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 5
        configure_project(changed, document)
        publish(changed, 3, dt.datetime(2026, 3, 12, 9, tzinfo=dt.UTC))
        first, second = changed.calls.order_by("call_datetime")
        judge(changed, 1, call=first)
        judge(changed, 3, call=second)

        report = build_report([changed], ALL_TIME)

        assert [each.version for each in report.judged_changes] == [2, 3]
        assert [each.version for each in report.used_changes] == [3]
        assert report.marked_changes == report.used_changes
        with django_assert_num_queries(1):
            assert choose_used(report.judged_changes, ALL_TIME) == report.used_changes
        with django_assert_num_queries(0):
            assert choose_used(report.used_changes, ALL_TIME) == report.used_changes
        judge(changed, 2, call=first)
        assert build_report([changed], ALL_TIME).used_changes == report.judged_changes

    def test_mark_no_version_after_the_day_from_which_a_later_one_judged_all(self, changed):
        judge(changed, 2)
        report = build_report([changed], ALL_TIME)
        [earlier] = report.judged_changes
        last = replace(earlier, version=3)
        day = day_of(earlier.published_at)
        two = replace(
            report,
            headline=replace(report.headline, scored_calls=9),
            judged_changes=[earlier, last],
            used_changes=[earlier, last],
        )

        def mark(judged_from):
            return [each.version for each in replace(two, judged_from=judged_from).marked_changes]

        assert mark(day - 30) == mark(day) == [3]
        assert mark(day + 30) == [2, 3]

    def test_of_an_agent_count_by_the_calls_of_that_agent(self, changed, bring_in):
        for number, name in enumerate(("Ana Ruiz", "Ben Okafor"), 2):
            bring_in(changed, line(number, copc=copc(scored(10)), agent_name=name))
        judge(changed, 1)
        judge(changed, 2, call__in=Call.objects.filter(agent__name="Ben Okafor"))
        ben, ana = (Agent.objects.get(name=name).pk for name in ("Ben Okafor", "Ana Ruiz"))

        assert [each.version for each in build_report([changed], ALL_TIME, ben).judged_changes] == [2]
        assert build_report([changed], ALL_TIME, ana).judged_changes == []


def judge(project, number, **those):
    """Let these calls be judged by this version, now."""
    found = CallAnalysis.objects.filter(project=project, **those)
    found.update(config_version=number, completed_at=dt.datetime(2026, 5, 1, tzinfo=dt.UTC))


def publish(project, number, at):
    ConfigVersion.objects.filter(project=project, number=number).update(created_at=at)
