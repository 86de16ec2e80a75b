"""Usual lines are read by compiled code: with the same outcome as by the rules, or not at all."""

import copy
import datetime as dt
import json
import logging

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.pipeline.transfer import prepare as import_batches
from callscope.pipeline.transfer.fast_parser import parse_common_line
from callscope.pipeline.transfer.line_parser import Rules, parse_line
from callscope.pipeline.transfer.prepare import prepare_batch, prepare_batches
from callscope.pipeline.transfer.result_validation import InvalidLine
from callscope.pipeline.transfer.schema import CriterionMarks

MARKS = {"greeting": CriterionMarks(True, "business"), "b": CriterionMarks(True, None)}
RULES = Rules("flag", dt.UTC, MARKS)
SCORE = {
    "criterion_id": "greeting",
    "name": "Greets",
    "section": "Opening",
    "score": 2.5,
    "max_points": 10.0,
    "applicability": "evaluated",
    "is_critical_error": False,
    "justification": "Did.",
    "quote": "[00:03] hi",
    "answer": "partly",
    "critical_class": "customer",
    "quote_start": 3.25,
    "verified": True,
    "margin": 0.0312,
    "asked_again": True,
}
LINE = {
    "file_name": "c1.wav",
    "call_datetime": "2026-01-05T10:00:00+00:00",
    "duration_seconds": 312.4,
    "agent_name": " Ana ",
    "sentiment": "negative",
    "topic": "factura",
    "goal_reached": None,
    "copc": {"criterion_scores": [SCORE, {"criterion_id": "b", "score": 0, "max_points": 5}]},
    "no_protocol": {"mistakes": [{"id": "dismissive", "quote_start": 4}], "missing_prompts": []},
}
ODD = st.sampled_from(
    [
        None,
        "",
        " ",
        "x" * 300,
        "\x00",
        "\ud83d",
        "ñ",
        True,
        False,
        0,
        -1,
        1,
        5,
        10,
        11,
        2.5,
        1e-7,
        0.1234567,
        1e15,
        1e300,
        10**18,
        10**30,
        -0.0,
        [],
        {},
        [1],
        {"a": 1},
        "evaluated",
        "not_applicable",
        "zero_score",
    ]
)
PLACES = [
    *([key] for key in [*LINE, "agent_id", "contact_reason", "insights", "analyzed_at", "custom_questions"]),
    *(["copc", key] for key in ["criterion_scores", "not_evaluated", "on_critical_error", "more"]),
    *(["copc", "criterion_scores", 0, key] for key in [*SCORE, "critical", "more"]),
    *(
        ["copc", "criterion_scores", 1, key]
        for key in ["criterion_id", "score", "quote", "is_critical_error"]
    ),
    ["no_protocol", "mistakes"],
    ["more"],
]


def outcome(read, raw):
    """What a reader makes of a line, as plain values; the reason where it is wrong."""
    try:
        call = read(raw, RULES)
    except InvalidLine as error:
        return error.reason
    if call is None:
        return None
    parts = {name: getattr(call, name) for name in call.__slots__ if name != "score"}
    score = {name: getattr(call.score, name) for name in call.score.__slots__}
    return json.loads(msgspec.json.encode({**parts, "score": score}))


class TestACommonLine:
    def test_is_read_by_compiled_code(self):
        assert outcome(parse_common_line, json.dumps(LINE).encode()) is not None

    def test_keeps_whole_points_whole(self):
        call = parse_common_line(json.dumps(LINE).encode(), RULES)

        first = call.copc["criterion_scores"][0]
        assert (first.score, first.max_points, type(first.max_points)) == (2.5, 10, int)

    @given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), max_size=3))
    def test_has_the_same_outcome_as_by_the_rules(self, changes):
        line = json.loads(json.dumps(LINE))
        for place, value in changes:
            inner = line
            try:
                for step in place[:-1]:
                    inner = inner[step]
                inner[place[-1]] = copy.deepcopy(value)
            except (TypeError, KeyError, IndexError):  # an earlier change took the place away
                continue
        raw = json.dumps(line).encode()

        fast = outcome(parse_common_line, raw)

        assert fast is None or fast == outcome(parse_line, raw)

    @given(st.data())
    def test_is_not_read_when_bytes_of_it_are_broken(self, data):
        raw = bytearray(json.dumps(LINE, ensure_ascii=False).encode())
        for _ in range(data.draw(st.integers(1, 3))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))

        fast = outcome(parse_common_line, bytes(raw))

        assert fast is None or fast == outcome(parse_line, bytes(raw))


class TestPreparing:
    LINES = [
        [(3 * batch + n, json.dumps({**LINE, "file_name": f"c{batch}-{n}.wav"}).encode()) for n in range(2)]
        + [(3 * batch + 2, b"{")]
        for batch in range(9)
    ]

    @pytest.mark.parametrize("count", [0, 1, 2, 3, 9])
    def test_elsewhere_gives_the_same_in_the_same_order(self, count):
        done = list(prepare_batches(self.LINES[:count], RULES))

        assert [lines for lines, _ in done] == self.LINES[:count]
        assert [batch for _, batch in done] == [prepare_batch(lines, RULES) for lines in self.LINES[:count]]

    def test_goes_on_when_the_helper_dies(self, monkeypatch, caplog):
        monkeypatch.setattr(import_batches, "_prepare_encoded", _die)

        with caplog.at_level(logging.WARNING):
            done = list(prepare_batches(self.LINES, RULES))

        assert [batch for _, batch in done] == [prepare_batch(lines, RULES) for lines in self.LINES]
        assert "The import goes on in one process" in caplog.text


def _die(_lines, _rules):
    import os

    os._exit(9)
