"""Which stored answers rest on little."""

import pytest

from callscope.analysis.results.messages import sentence
from callscope.reviews.sampling.doubt import count_doubts, is_in_doubt

pytestmark = pytest.mark.one_database


def near(name, answer, percent, language):
    text = sentence(name, language, speaker="agent", phrase="say 5 %", percent=percent)
    if name == "nearest":
        text = f"{sentence('not_met', language, speaker='agent', window='')} {text}"
    return {"answer": answer, "justification": text, "verified": True}


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    ("name", "answer", "percent", "expected"),
    [
        ("met_meaning", "met", 60, True),
        ("met_meaning", "met", 69, True),
        ("met_meaning", "met", 70, False),
        ("met_meaning", "met", 99, False),
        ("nearest", "not_met", 29, True),
        ("nearest", "not_met", 20, True),
        ("nearest", "not_met", 19, False),
        ("nearest", "not_met", 1, False),
    ],
)
def test_is_in_doubt_near_a_bar_of_meaning(language, name, answer, percent, expected):
    assert is_in_doubt(near(name, answer, percent, language)) is expected


def test_is_in_doubt_with_words_that_were_asked_for_again_in_vain():
    assert is_in_doubt({"answer": "met", "justification": "", "verified": False})


def test_reads_no_percentage_that_somebody_else_wrote():
    for text in ("The agent offers a discount of 25 %.", "Likely (65 %).", "", None):
        assert not is_in_doubt({"answer": "not_met", "justification": text})


def test_counts_criteria_that_were_not_evaluated_too():
    result = {
        "criterion_scores": [near("met_meaning", "met", 61, "en"), near("met_meaning", "met", 90, "en")],
        "not_evaluated": [{"criterion_id": "a"}, {"criterion_id": "b"}],
    }

    assert count_doubts(result) == 3
    assert count_doubts(None) == count_doubts({}) == 0
