"""One call: as a row, as an item, as JSON and in detail."""

import datetime as dt

import pytest
from reports.call_list.stored_calls import FIRST, add_agent, add_call

from callscope.calls.models import Call
from callscope.reports.call_list.call_detail import detail_json, find_call
from callscope.reports.call_list.call_rows import (
    CallRow,
    item_json,
    item_of_call,
    item_of_row,
    read_rows,
)
from callscope.reports.models import CallFact, Topic

ROW = CallRow(
    id=7,
    file_id=3,
    file_name="a.wav",
    at_us=0,
    agent=None,
    direction="inbound",
    campaign="spring",
    topic=None,
    sentiment=None,
    max_points=None,
    counted_points=0,
    critical=0,
    mistakes=None,
    missing_prompts=None,
    goal_reached=None,
    failed=0,
)


class TestItem:
    @pytest.mark.parametrize(
        ("change", "name", "expected"),
        [
            ({}, "agent", ""),
            ({}, "topic", ""),
            ({}, "sentiment", None),
            ({}, "score_percentage", None),
            ({}, "goal_reached", None),
            ({}, "has_critical_error", False),
            ({"agent": "Ana"}, "agent", "Ana"),
            ({"sentiment": 3}, "sentiment", "negative"),
            ({"max_points": 6}, "score_percentage", 0.0),
            ({"max_points": 6, "counted_points": 5}, "score_percentage", 83.33),
            ({"critical": 1}, "has_critical_error", True),
            ({"goal_reached": 0}, "goal_reached", False),
            ({"goal_reached": 1}, "goal_reached", True),
            ({}, "has_failed_analysis", False),
            ({"failed": 1}, "has_failed_analysis", True),
            ({}, "is_half_heard", False),
            ({"half_heard": 1}, "is_half_heard", True),
            ({"mistakes": 0}, "mistake_count", 0),
            ({"missing_prompts": 2}, "missing_prompt_count", 2),
            ({"at_us": 1_500_000}, "call_datetime", dt.datetime(1970, 1, 1, 0, 0, 1, 500_000, dt.UTC)),
        ],
    )
    def test_shows_the_values_of_its_row(self, change, name, expected):
        shown = getattr(item_of_row(ROW._replace(**change)), name)

        assert shown == expected
        assert isinstance(shown, type(expected))

    def test_is_json_with_the_moment_in_utc(self):
        shown = item_json(item_of_row(ROW._replace(at_us=-1)))

        assert shown["call_datetime"] == "1969-12-31T23:59:59.999999Z"
        assert list(shown)[:4] == ["id", "file_id", "file_name", "call_datetime"]

    def test_of_a_call_is_that_of_its_row(self, project, alice):
        facts = {"sentiment": 1, "score_bp": 5050, "critical": True, "mistakes": 1, "goal_reached": False}
        topic = Topic.objects.create(project=project, digest="d", text="Billing")
        call_id = add_call(project, FIRST, missing_prompts=0, topic_id=topic.pk, **facts)
        Call.objects.filter(pk=call_id).update(agent=add_agent(alice, "Ana"), agent_source="api")
        call = Call.objects.get(pk=call_id)

        (row,) = read_rows([call_id])

        assert item_of_row(row) == item_of_call(call, CallFact.objects.get(pk=call_id), "Billing")

    def test_of_a_call_without_results_shows_what_is_known(self, project):
        call = Call.objects.get(pk=add_call(project))

        shown = item_of_call(call, None, "")

        assert (shown.file_name, shown.call_datetime) == (call.file_name, FIRST)
        assert (shown.sentiment, shown.score_percentage, shown.has_critical_error) == (None, None, False)


class TestReadRows:
    def test_keeps_the_order_of_the_ids_and_leaves_out_unknown_ones(self, project):
        first, second = add_call(project), add_call(project)

        assert [row.id for row in read_rows([second, 10**9, first])] == [second, first]
        assert read_rows([]) == []


class TestDetail:
    def test_of_a_call_elsewhere_is_none(self, project, other_project):
        call_id = add_call(other_project)

        assert find_call([project], call_id) is None
        assert find_call([], call_id) is None
        assert find_call([project, other_project], call_id).call.pk == call_id

    @pytest.mark.parametrize(
        ("fact", "points", "most"),
        [
            ({}, None, None),
            ({"max_points": 3_000_000, "points": 0}, 0.0, 3.0),
            ({"max_points": 3_000_000, "points": 2_335_000}, 2.34, 3.0),
            ({"max_points": 3_000_000, "points": 2_345_000}, 2.34, 3.0),  # half to even
        ],
    )
    def test_shows_points_with_two_decimals(self, project, fact, points, most):
        detail = find_call([project], add_call(project, **fact))

        assert (detail.total_points, detail.max_possible_points) == (points, most)

    def test_of_a_call_that_was_not_analyzed_has_no_parts(self, project):
        shown = detail_json(find_call([project], add_call(project)))

        parts = ("copc", "no_protocol", "custom_questions", "insights", "provenance", "transcript")
        assert [shown[name] for name in parts] == [None] * 6
        assert shown["analysis_errors"] == {}

    def test_shows_what_an_old_result_did_not_record(self, project, bring_in):
        entry = {"criterion_id": "c", "name": "Greets", "score": 1.005, "max_points": 2}
        bring_in(project, {"file_name": "a.wav", "copc": {"criterion_scores": [entry]}})
        call = Call.objects.get()

        (shown,) = detail_json(find_call([project], call.pk))["copc"]["criterion_scores"]

        assert shown["score"] == 1.0
        assert shown["quote"] == shown["section"] == shown["justification"] == ""
        assert shown["is_critical_error"] is False

    def test_shows_every_quote_of_a_criterion_and_the_trackers(self, project, bring_in):
        part = {"group": 1, "text": "This is Acme.", "speaker": "agent", "start": 4.0}
        several = {
            "criterion_id": "a",
            "score": 1,
            "max_points": 1,
            "quote": "[00:04] This is Acme.",
            "quotes": [part],
        }
        one = {
            "criterion_id": "b",
            "score": 1,
            "max_points": 1,
            "quote": "[00:07] Hello.",
            "quote_start": 7.5,
        }
        none = {"criterion_id": "c", "score": 0, "max_points": 1}
        trackers = [{"id": "competitor", "quotes": [part]}]
        line = {"copc": {"criterion_scores": [several, one, none]}, "insights": {"trackers": trackers}}
        bring_in(project, {"file_name": "a.wav", **line})

        shown = detail_json(find_call([project], Call.objects.get().pk))

        assert [row["quotes"] for row in shown["copc"]["criterion_scores"]] == [
            [part],
            [{"group": None, "text": "Hello.", "speaker": None, "start": 7.5}],
            [],
        ]
        assert shown["trackers"] == trackers
        assert "trackers" not in shown["insights"]
