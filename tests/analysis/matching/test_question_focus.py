"""What a question asks for."""

import pytest

from callscope.analysis.matching.question_focus import find_focus, load_question_lists, strip_request_frame
from callscope.language.tokens import tokenize


class TestFocus:
    @pytest.mark.parametrize(
        ("question", "asked_for"),
        [
            ("Could you tell me the name of the hotel?", "name hotel"),
            ("And at what time would you like to eat?", "what time"),
            ("I will need your account number.", "account number"),
            ("How many guests are coming?", "how many guests"),
            ("What color is the top cable?", "what color"),
            ("Have you paid the fee?", "have you paid the fee"),
        ],
    )
    def test_is_what_the_question_wants_to_know(self, question, asked_for):
        tokens = tokenize(strip_request_frame(question, "en"))

        found = sorted(find_focus(tokens, load_question_lists("en")))

        assert " ".join(tokens[i] for i in found) == asked_for
