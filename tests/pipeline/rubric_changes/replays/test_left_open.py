"""Why a criterion is not evaluated, kept without a word of the call."""

import pytest

from callscope.analysis.results.messages import sentence
from callscope.pipeline.rubric_changes.replays.answers import LEFT_OPEN_BY, read_answers
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers

VALUES = {"speaker": "agent", "phrase": "a (b)", "quote": "c", "percent": 40, "missing": "d"}


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("name", LEFT_OPEN_BY)
def test_is_read_from_the_sentence_of_a_result(name, language):
    reason = "1 of 2. " + sentence(name, language, **VALUES)
    copc = {"not_evaluated": [{"criterion_id": "greeting", "reason": reason}]}

    answers = read_answers(copc)

    assert answers["criteria"] == {"greeting": "not_evaluated"}
    assert answers["left_open"] == {"greeting": name}


def test_is_not_known_of_other_words():
    copc = {"not_evaluated": [{"criterion_id": "greeting", "reason": "The model said so."}]}

    assert read_answers(copc)["left_open"] == {}


def test_is_counted_where_the_former_settings_have_an_answer():
    def judged(answer, **more):
        return {"score": 50.0, "has_critical_error": False, "criteria": {"greeting": answer}, **more}

    draft = judged("not_evaluated", left_open={"greeting": "half_heard"})
    rows = [
        (number, {"before": judged(old), "after": draft}) for number, old in enumerate(["met", "not_met"])
    ]
    rows.append((3, {"before": judged("not_evaluated"), "after": draft}))

    assert compare_answers(rows)["left_open"] == {"greeting": {"half_heard": 2}}
