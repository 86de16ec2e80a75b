"""Which stored answers rest on little."""

import pytest

from callscope.reviews.sampling.doubt import count_doubts, is_in_doubt

pytestmark = pytest.mark.one_database

SURE = {"answer": "met", "justification": "", "verified": True}


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({"margin": 0.0}, True),
        ({"margin": 0.0999}, True),
        ({"margin": 0.1}, False),
        ({"margin": 0.39}, False),
        ({"asked_again": True}, True),
        ({"asked_again": False}, False),
        ({"verified": False}, True),
        ({"margin": None, "asked_again": None, "verified": None}, False),
        ({}, False),
    ],
)
def test_is_in_doubt_as_its_fields_say(stored, expected):
    assert is_in_doubt({**SURE, **stored}) is expected


def test_takes_no_sentence_for_a_figure():
    near = "The agent's words are close in meaning to the phrase “Hello” (likelihood 60 %)."

    assert not is_in_doubt({**SURE, "justification": near})


def test_counts_criteria_that_were_not_evaluated_too():
    result = {
        "criterion_scores": [{**SURE, "margin": 0.01}, {**SURE, "margin": 0.3}],
        "not_evaluated": [{"criterion_id": "a"}, {"criterion_id": "b"}],
    }

    assert count_doubts(result) == 3
    assert count_doubts(None) == count_doubts({}) == 0
