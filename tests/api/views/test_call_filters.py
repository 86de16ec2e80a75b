"""Filters of the call list over HTTP: what they choose, and what they refuse in which words."""

import copy
import io
import json

import pytest

from callscope.accounts.models import User
from callscope.contact_reasons.models import ContactReason
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project

CALLS, REPORT = "/calls/api/calls/", "/calls/api/report/"
SCORES = {"met": 10, "partly": 5, "not_met": 0}


def judged(number, **fields):
    scores = {"criterion_id": "g", "name": "G", "max_points": 10, "applicability": "evaluated", **fields}
    return {
        "file_name": f"c{number}.wav",
        "call_datetime": f"2026-03-{number:02}T10:00:00+00:00",
        "copc": {"criterion_scores": [scores]},
    }


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A project of Alice's with five calls."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        bring_calls(project)
        return project


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def alice(project):
    return project.owner


def bring_calls(project):
    quote = {"group": None, "text": "Acme", "speaker": "customer", "start": 1.0}
    lines = [judged(number, score=score) for number, score in enumerate(SCORES.values(), 1)]
    lines.append(judged(4, score=10, applicability="not_applicable"))
    left_out = [{"criterion_id": "g", "name": "G", "section": "", "reason": "unheard"}]
    lines.append(judged(5) | {"copc": {"criterion_scores": [], "not_evaluated": left_out}})
    lines[0] |= {"topic": "invoice", "contact_reason": "Billing"}
    lines[1] |= {"topic": "Billing"}  # not placed in the reason, and counted under its name
    lines[2] |= {"insights": {"trackers": [{"id": "rival", "quotes": [quote]}]}}
    lines[3] |= {"insights": {"trackers": [{"id": "rival", "quotes": []}]}}
    result = import_calls(project, io.BytesIO("\n".join(map(json.dumps, lines)).encode()))
    assert not result.errors


def numbers(client, query):
    answer = client.get(f"{CALLS}?ordering=call_datetime&{query}")
    assert answer.status_code == 200, answer.content
    found = [int(item["file_name"][1]) for item in answer.json()["results"]]
    assert answer.json()["count"] == len(found)
    return found


class TestChoice:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("criterion=g", [1, 2, 3, 4]),
            ("criterion=g&result=met", [1]),
            ("criterion=g&result=partly", [2]),
            ("criterion=g&result=not_met", [3]),
            ("criterion=g&result=not_applicable", [4]),
            ("criterion=g&result=not_evaluated", [5]),
            ("criterion=g&result=not_evaluated&search=c5", [5]),
            ("criterion=g&result=met&search=c", [1]),
            ("criterion=other&result=met", []),
            ("min_score=50", [1, 2, 4]),
            ("max_score=50", [2, 3]),
            ("min_score=50&max_score=50.00", [2]),
            ("min_score=&max_score=", [1, 2, 3, 4, 5]),
            ("tracker=rival", [3]),
            ("tracker=rival&criterion=g&result=not_met&max_score=1&search=c3", [3]),
            ("tracker=unheard", []),
            ("reason=999999999999999999999", []),
        ],
    )
    def test_is_the_same_in_every_order(self, as_alice, query, found):
        assert numbers(as_alice, query) == found
        for order in ("-call_datetime", "score_percentage", "agent__name", "mistake_count"):
            answer = as_alice.get(f"{CALLS}?{query}&ordering={order}").json()
            assert sorted(int(item["file_name"][1]) for item in answer["results"]) == found, order

    def test_by_reason_is_as_many_calls_as_the_report_counts(self, as_alice):
        reason = ContactReason.objects.get(name="Billing")
        counted = {r["topic"]: r["calls"] for r in as_alice.get(REPORT).json()["contact_reasons"]}

        assert len(numbers(as_alice, f"reason={reason.pk}")) == counted["Billing"] == 2

    def test_knows_no_reason_of_others(self, as_alice, as_carol):
        reason = ContactReason.objects.get(name="Billing")

        assert numbers(as_carol, f"reason={reason.pk}") == []


class TestRefusal:
    @pytest.mark.parametrize(
        ("query", "parameter", "words"),
        [
            ("criterion=g&result=good", "result", ['"good"', "met, partly, not_met"]),
            ("result=met", "result", ['"met"', "criterion"]),
            ("min_score=low", "min_score", ['"low"', "0 to 100"]),
            ("max_score=101", "max_score", ['"101"', "0 to 100"]),
            ("min_score=60&max_score=40", "max_score", ["40", "60"]),
            ("reason=Billing", "reason", ['"Billing"', "whole number"]),
            ("tracker=%20", "tracker", ['" "', "letters"]),
            ("tracker=" + "x" * 5000, "tracker", ["x" * 40]),
        ],
    )
    def test_shows_the_value_and_what_is_allowed(self, as_alice, query, parameter, words):
        answer = as_alice.get(f"{CALLS}?{query}")

        assert answer.status_code == 400
        [message] = answer.json()[parameter]
        assert all(word in message for word in words), message
        assert len(message) < 200

    @pytest.mark.parametrize("name", ["criterion", "result", "min_score", "max_score", "reason", "tracker"])
    @pytest.mark.parametrize(
        "value", ["%00", "%ED%A0%80", "-1", "9" * 400, "%27%22%3B--", "é", "NaN", "true"]
    )
    def test_of_hostile_values_is_never_an_error_of_the_server(self, as_alice, name, value):
        assert as_alice.get(f"{CALLS}?{name}={value}").status_code in (200, 400)


class TestTranscript:
    def test_of_calls_that_came_without_one_is_empty(self, as_alice):
        assert numbers(as_alice, "transcript=refund") == []
        assert "snippets" not in as_alice.get(CALLS).json()["results"][0]

    def test_that_is_too_long_is_refused(self, as_alice):
        answer = as_alice.get(f"{CALLS}?transcript={'a' * 501}")

        assert answer.status_code == 400
        assert answer.json() == {
            "transcript": ["At most 500 characters can be searched in transcripts, not 501."]
        }

    @pytest.mark.parametrize(
        "value", ["%22", "%00", "NOT%20(", "%ED%A0%80", "a*%20OR", "%F0%9F%98%80", "%27"]
    )
    def test_of_hostile_syntax_finds_nothing_and_no_error(self, as_alice, value):
        assert numbers(as_alice, f"transcript={value}") == []
