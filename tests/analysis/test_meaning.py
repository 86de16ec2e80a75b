"""Phrases found in other words, and words that only look like a phrase."""

import pytest

from callscope.analysis import rules
from callscope.analysis.meaning import MeaningMatcher
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.projects.configuration import Criterion


def judged(call, phrase, *, rivals=(), language="en"):
    matcher = MeaningMatcher(LexicalEmbedder(), language, phrases=[phrase, *rivals])
    criterion = Criterion.model_validate(
        {"id": "c", "name": "C", "max_points": 1, "rule": {"any_of": [phrase]}}
    )
    return rules.judge(criterion, call, matcher)


class TestOtherWords:
    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("may I have your name", "Who do I have the pleasure of speaking with?"),
            ("may I have your account number", "What is the number of your account?"),
            ("I apologize for the inconvenience", "I'm sorry for the trouble this caused."),
            ("do you agree to the terms", "Do you accept our terms and conditions?"),
            ("how can I help you", "What can I do for you today?"),
            ("can I put you on hold", "Would you mind holding for a minute?"),
            ("your refund has been processed", "We have processed your refund."),
        ],
    )
    def test_are_found(self, told, phrase, said):
        call = told("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        found = judged(call, phrase)

        assert (found.answer, found.quote.text if found.quote else "") == ("met", said)

    def test_are_found_in_spanish(self, told):
        call = told("agent: Hola.", "agent: ¿Me dice su nombre, por favor?", "agent: Vale.", language="es")

        assert judged(call, "¿Con quién tengo el gusto?", language="es").answer == "met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("is there anything else I can help you with", "How can I help you today?"),
            ("how can I help you", "Is there anything else I can help you with?"),
            ("may I have your account number", "Your account number is on the card."),
            ("we cannot give a refund", "We can give you a refund."),
            ("I have opened a claim", "Should I open a claim for you?"),
            ("I will call you back within 24 hours", "We will call you back in 48 hours."),
            ("I will transfer you to a supervisor", "I will transfer the money today."),
            ("thank you for calling Acme", "Thank you."),
            ("you won't have to do anything", "I don't write the bills, sir."),
            ("date of birth", "The due date is the eighteenth."),
            ("to sum up", "It is in the email you got when you signed up."),
            ("when did it start", "Yeah. When?"),
        ],
    )
    def test_are_not_seen_where_something_else_is_said(self, told, phrase, said):
        call = told("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        assert judged(call, phrase).answer == "not_met"


class TestRivals:
    def test_take_the_sentence_that_they_fit_better(self, told):
        call = told("agent: Hello.", "agent: When do you check out of the hotel?", "agent: Fine.")

        alone = judged(call, "When do you come to the hotel?")
        beside = judged(
            call, "When do you come to the hotel?", rivals=["When do you check out of the hotel?"]
        )

        assert (alone.answer, beside.answer) == ("met", "not_met")
