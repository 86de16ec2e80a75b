"""Phrases found in other words, and words that only look like a phrase."""

import pytest

from callscope.analysis import asked, rules, wordings
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


class TestReported:
    """Phrases that tell what the agent does, where the agent says it."""

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Agent asks for the policy number", "Could you read me the number of your policy?"),
            ("The agent should ask where the damage is", "And where exactly is the dent?"),
            ("asks whether the customer wants to renew", "Would you like to renew it?"),
            ("Ask the caller for their postcode", "What's your postcode, please?"),
            ("Advisor verifies the caller's date of birth", "May I have your date of birth?"),
            ("policyholder's address", "What is the address of the policyholder?"),
            ("guest name", "Who do I have the pleasure of speaking with?"),
            ("Agent explains that the contract renews itself", "The contract will renew itself in May."),
            ("meter reading", "Could you give me the reading on your meter?"),
        ],
    )
    def test_are_found_as_they_are_said(self, told, phrase, said):
        call = told("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        found = judged(call, phrase)

        assert (found.answer, found.quote.text if found.quote else "") == ("met", said)

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("El agente pregunta por el número de póliza", "¿Me dice el número de su póliza?"),
            ("Pedir la fecha de nacimiento", "¿Cuál es su fecha de nacimiento?"),
            ("El agente debe preguntar si quiere renovar", "¿Desea renovar el contrato?"),
            ("nombre del paciente", "¿Con quién tengo el gusto?"),
        ],
    )
    def test_are_found_in_spanish(self, told, phrase, said):
        call = told("agent: Hola.", f"agent: {said}", "agent: Vale, un momento.", language="es")

        assert judged(call, phrase, language="es").answer == "met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Agent asks for the policy number", "Your policy number is on the letter."),
            ("Agent asks for the policy number", "Which phone number can we call?"),
            ("Ask for the date of birth", "Which number can we call?"),
            ("Advisor asks when the damage happened", "Where did you park?"),
            ("Agent explains that the contract renews itself", "Does the contract renew itself?"),
            ("customer service", "Is your service working again?"),
            ("date of birth", "Have a good night!"),
        ],
    )
    def test_are_not_seen_where_something_else_is_said(self, told, phrase, said):
        call = told("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        assert judged(call, phrase).answer == "not_met"


class TestList:
    """One question that asks for several things."""

    THINGS = ("May I have your name?", "What is your policy number?", "When were you born?")

    @pytest.mark.parametrize("phrase", THINGS)
    def test_answers_each_phrase_although_another_is_nearer(self, told, phrase):
        said = "Could I take your full name, your policy number and date of birth please?"
        call = told("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        found = judged(call, phrase, rivals=self.THINGS)

        assert (found.answer, found.quote.text if found.quote else "") == ("met", said)

    def test_leaves_out_what_it_does_not_ask(self, told):
        call = told("agent: Could I take your name and your policy number, please?", "agent: Thank you.")

        assert judged(call, "What is your phone extension?", rivals=self.THINGS).answer == "not_met"

    @pytest.mark.parametrize(
        ("said", "language", "things"),
        [
            (
                "¿Me dice su nombre, la calle y el código postal, por favor?",
                "es",
                ("su nombre?", "la calle?", "el código postal?"),
            ),
            ("What is your name and postcode?", "en", ("your name?", "your postcode?")),
            ("What day/time would suit you?", "en", ()),
            ("Is it raining, and have you an umbrella?", "en", ()),
            ("May I have your name?", "en", ()),
        ],
    )
    def test_is_taken_apart_only_where_it_names_things(self, said, language, things):
        assert wordings.items(said, language) == things
