"""Phrases found in other words, and words that only look like a phrase."""

import pytest

from callscope.analysis import asked, rules
from callscope.analysis.kinds import kind
from callscope.analysis.meaning import MeaningMatcher
from callscope.engines.embeddings import words
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
            ("Could you tell me which hotel you are staying at?", "And the name of your hotel, please?"),
            ("Please state your first and last name.", "May I have your name?"),
            ("Let me know the party size.", "For how many people should I book?"),
            ("When would you like to come?", "What time shall I put you down for?"),
            ("symptoms of the patient", "Could you describe your symptoms?"),
            ("Do you have a preferred price or area?", "I can filter by price, area and stars."),
        ],
    )
    def test_are_found(self, told, phrase, said):
        call = told("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        found = judged(call, phrase)

        assert (found.answer, found.quote.text if found.quote else "") == ("met", said)

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("¿Con quién tengo el gusto?", "¿Me dice su nombre, por favor?"),
            ("Dígame su número de cuenta.", "¿Me puede facilitar el número de su cuenta?"),
            ("¿A qué hora quiere venir?", "¿A partir de qué hora podría acudir?"),
            ("¿Tiene alguna alergia?", "¿Hay algo que no pueda comer?"),
            ("Lamento las molestias.", "Le pido disculpas por el inconveniente."),
            ("su número de teléfono", "¿Me da un teléfono de contacto?"),
        ],
    )
    def test_are_found_in_spanish(self, told, phrase, said):
        call = told("agent: Hola.", f"agent: {said}", "agent: Vale, un momento.", language="es")

        assert judged(call, phrase, language="es").answer == "met"

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
            ("when did it start", "When it's fixed it's fixed."),
            ("what is your name", "What is your mother's name?"),
            ("how can I help you", "How many people are coming?"),
            ("which hotel would you like", "Your hotel is on the left."),
            ("in summary", "The summary is in the email."),
            ("you can take your time", "Take the bus to the station."),
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


class TestAsked:
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
        tokens = words.words(asked.without_frame(question, "en"))

        found = sorted(asked.places(tokens, "en"))

        assert " ".join(tokens[i] for i in found) == asked_for

    @pytest.mark.parametrize(
        ("sentence", "does"),
        [
            ("give me the address", "asks"),
            ("where are you going", "asks"),
            ("I can filter by price", "offers"),
            ("your order is on its way", "states"),
            ("account number", "names"),
        ],
    )
    def test_kinds_are_told_without_a_question_mark(self, sentence, does):
        assert kind(sentence, "en") == does
