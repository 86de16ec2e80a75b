"""Phrases found in other words, and words that only look like a phrase."""

import re

import pytest

from callscope.analysis.matching.likelihood import SAID_FROM, UNSURE_FROM
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.rules import judge
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.projects.configuration import Criterion


def judged(call, phrase, *, rivals=(), language="en"):
    matcher = SemanticMatcher(BuiltInEmbedder(), language, phrases=[phrase, *rivals])
    criterion = Criterion.model_validate(
        {"id": "c", "name": "C", "max_points": 1, "rule": {"any_of": [phrase]}}
    )
    return judge.judge_criterion(criterion, call, matcher)


class TestOtherWords:
    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
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
        ],
    )
    def test_are_found(self, talk, phrase, said):
        call = talk("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

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
    def test_are_found_in_spanish(self, talk, phrase, said):
        call = talk("agent: Hola.", f"agent: {said}", "agent: Vale, un momento.", language="es")

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
    def test_are_not_seen_where_something_else_is_said(self, talk, phrase, said):
        call = talk("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        assert judged(call, phrase).answer == "not_met"


class TestRivals:
    def test_take_the_sentence_that_they_fit_better(self, talk):
        call = talk("agent: Hello.", "agent: When do you check out of the hotel?", "agent: Fine.")

        alone = judged(call, "When do you come to the hotel?")
        with_rival = judged(
            call, "When do you come to the hotel?", rivals=["When do you check out of the hotel?"]
        )

        assert (alone.answer, with_rival.answer) == ("met", None)
        assert "When do you check out" in with_rival.reason

    @pytest.mark.parametrize(
        ("phrase", "rival", "said"),
        [
            (
                "I will transfer you to a supervisor",
                "I will transfer the amount",
                "I will transfer the full amount today.",
            ),
            (
                "Agent asks for the policy number",
                "Agent asks for the phone number",
                "Which phone number can we call?",
            ),
        ],
    )
    def test_take_what_shares_words_with_both(self, talk, phrase, rival, said):
        call = talk("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        assert judged(call, phrase, rivals=[rival]).answer != "met"
        assert judged(call, rival, rivals=[phrase]).answer == "met"


class TestActs:
    """What a clause does decides before what it is about."""

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Which evening suits you?", "Have a good evening."),
            ("Which department do you want?", "Shall I put you through to the department?"),
            ("Your seat is booked.", "A seat costs 40."),
            ("The transfer is done.", "The transfer did not go through."),
            ("Thanks for holding.", "I will put you on hold."),
            ("What is the price of a seat?", "A seat costs 40."),
            ("Which seat would you like?", "So that is seat 40, is that right?"),
            ("I have cancelled it", "I could not cancel it."),
            ("states that the order was placed", "Would you like to place an order?"),
        ],
    )
    def test_another_one_is_not_taken_for_it(self, talk, phrase, said):
        call = talk("agent: Hello.", f"agent: {said}", "agent: The depot is on your left.")

        assert judged(call, phrase).answer == "not_met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("¿Qué tarde le viene bien?", "Que pase buena tarde."),
            ("¿Qué departamento quiere?", "¿Le paso con el departamento?"),
            ("La reserva está hecha.", "No he podido hacer la reserva."),
            ("Gracias por esperar.", "Espere un momento, por favor."),
        ],
    )
    def test_another_one_is_not_taken_for_it_in_spanish(self, talk, phrase, said):
        call = talk("agent: Hola.", f"agent: {said}", "agent: Está a la izquierda.", language="es")

        assert judged(call, phrase, language="es").answer == "not_met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("says goodbye", "Cheerio then, take care."),
            ("Have a nice day.", "All the best, bye."),
            ("good morning", "Hello, this is Ana."),
            ("offers further help", "Anything else today?"),
            ("Is there anything else I can do?", "Do you have any other questions?"),
            ("Let me read that back, is that right?", "So that is two for the ninth, have I got that right?"),
            ("reads back the order", "Let me repeat that: two lamps and a rug. Correct?"),
            ("apologizes", "I am terribly sorry about this."),
            ("That has gone through.", "The payment went through."),
            ("It would not let me change it", "I was unable to change it, I am afraid."),
            ("states that the change failed", "The system won't let me change that."),
            ("Until when is the contract?", "And until when?"),
        ],
    )
    def test_may_be_all_that_a_phrase_wants(self, talk, phrase, said):
        call = talk("agent: The depot is on your left.", f"agent: {said}")

        assert judged(call, phrase).answer == "met"

    def test_each_of_two_questions_in_one_turn_meets_its_criterion(self, talk):
        call = talk("agent: Lovely. And which floor is the flat on, and is there a lift in the building?")
        floor, lift = "Which floor do you live on?", "Is there a lift?"

        assert judged(call, floor, rivals=[lift]).answer == "met"
        assert judged(call, lift, rivals=[floor]).answer == "met"

    def test_a_question_may_run_on_over_two_cues(self, talk):
        call = talk("agent: And which floor", "agent: do you live on?")

        assert judged(call, "What floor is the flat on?").answer == "met"


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
    def test_are_found_as_they_are_said(self, talk, phrase, said):
        call = talk("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

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
    def test_are_found_in_spanish(self, talk, phrase, said):
        call = talk("agent: Hola.", f"agent: {said}", "agent: Vale, un momento.", language="es")

        assert judged(call, phrase, language="es").answer == "met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Agent asks for the policy number", "Your policy number is on the letter."),
            ("Advisor asks when the damage happened", "Where did you park?"),
            ("Agent explains that the contract renews itself", "Does the contract renew itself?"),
            ("customer service", "Is your service working again?"),
            ("date of birth", "Have a good night!"),
        ],
    )
    def test_are_not_seen_where_something_else_is_said(self, talk, phrase, said):
        call = talk("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        assert judged(call, phrase).answer == "not_met"


class TestList:
    """One question that asks for several things."""

    THINGS = ("May I have your name?", "What is your policy number?", "When were you born?")

    @pytest.mark.parametrize("phrase", THINGS)
    def test_answers_each_phrase_although_another_is_nearer(self, talk, phrase):
        said = "Could I take your full name, your policy number and date of birth please?"
        call = talk("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        found = judged(call, phrase, rivals=self.THINGS)

        assert (found.answer, found.quote.text if found.quote else "") == ("met", said)

    def test_leaves_out_what_it_does_not_ask(self, talk):
        call = talk("agent: Could I take your name and your policy number, please?", "agent: Thank you.")

        assert judged(call, "What is your phone extension?", rivals=self.THINGS).answer == "not_met"


class TestRepeatedWords:
    """The more of a phrase a clause repeats, the more its other words count."""

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Breakfast is included.", "Parking is included."),
            ("I have changed your address.", "I have changed your appointment."),
            ("Do you have any allergies?", "Do you have any pets?"),
            ("The price is going up in January.", "The price is going down in January."),
            ("Would you like me to put you on the list?", "Would you like me to take you off the list?"),
            ("When would you like to be picked up?", "Where would you like to be picked up?"),
            ("You need to bring your passport.", "You don't need to bring your passport."),
            ("Good morning.", "Good evening."),
        ],
    )
    def test_say_something_else_with_one_other(self, talk, phrase, said):
        call = talk("agent: The depot is on your left.", f"agent: {said}")

        assert judged(call, phrase).answer != "met"

    def test_say_something_else_in_spanish_too(self, talk):
        call = talk("agent: Vale.", "agent: El aparcamiento está incluido.", language="es")

        assert judged(call, "El desayuno está incluido.", language="es").answer != "met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("The price is going up in January.", "The price is going up again in January."),
            ("Your car is ready.", "Your vehicle is ready."),
            ("Are there any pets in the house?", "Are there any dogs or other pets in the house?"),
        ],
    )
    def test_say_the_same_with_a_word_that_does(self, talk, phrase, said):
        call = talk("agent: The depot is on your left.", f"agent: {said}")

        assert judged(call, phrase).answer == "met"


class TestContrasts:
    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Would you like a receipt?", "Did you get the receipt I sent?"),  # over, not to come
            ("The warranty lasts two years.", "The warranty ended two years ago."),
            ("The internet is back on.", "The internet should be back on tonight."),  # hoped for
            ("I'll look into it for you.", "You'll have to look into it yourself."),  # by whom
            ("You'll need to fill in a form.", "I've filled in the form for you."),
            ("Delivery takes three days.", "Delivery costs three dollars."),  # how long, how much
            ("Are you over eighteen?", "Are you over sixty-five?"),
            ("When did the boiler stop working?", "Has the boiler stopped working again?"),  # the known
            ("I've blocked your card.", "I've unblocked your card."),
            ("Your reservation is confirmed.", "Your reservation has been canceled."),
            ("Shall I renew the pass?", "Have you renewed the pass?"),  # what was done, what is offered
            ("How far is the hotel?", "How long does the hotel transfer take?"),
        ],
    )
    def test_say_something_else(self, talk, phrase, said):
        call = talk(f"agent: {said}")

        assert judged(call, phrase).answer == "not_met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Podemos enviarle uno nuevo.", "No podemos enviarle uno nuevo."),
            ("¿Hay ascensor?", "No hay ascensor, lo siento."),
            ("La garantía es de dos años.", "La garantía venció hace dos años."),
            ("Hemos bloqueado su tarjeta.", "Hemos desbloqueado su tarjeta."),
            ("¿Por qué quiere darse de baja?", "¿Cuándo quiere darse de baja?"),
            ("No encuentro su pedido.", "Ya he encontrado su pedido."),
            ("Hemos encontrado su maleta.", "Seguimos buscando su maleta."),
            ("Tiene que firmar el contrato.", "No tiene que firmar el contrato."),
            ("¿Es correcto?", "No es correcto."),
            ("¿De quién es el recibo?", "¿Desde cuándo es el recibo?"),
        ],
    )
    def test_say_something_else_in_spanish(self, talk, phrase, said):
        call = talk(f"agent: {said}", language="es")

        assert judged(call, phrase, language="es").answer == "not_met"

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("Podemos enviarle uno nuevo.", "¿Roto? No, podemos enviarle uno nuevo."),
            ("Gracias por llamar.", "No gracias por llamar a usted."),
        ],
    )
    def test_leave_the_very_words_that_nothing_denies(self, talk, phrase, said):
        call = talk(f"agent: {said}", language="es")

        assert judged(call, phrase, language="es").answer == "met"

    @pytest.mark.parametrize(
        ("phrase", "said", "language"),
        [
            ("The shop is closed on Mondays.", "The shop is not open on Mondays.", "en"),
            ("Delivery is free on Mondays.", "You do not pay for delivery on Mondays.", "en"),
            ("Cerramos los lunes.", "Los lunes no abrimos.", "es"),
        ],
    )
    def test_say_the_same_where_the_opposite_is_denied(self, talk, phrase, said, language):
        call = talk(f"agent: {said}", language=language)

        assert judged(call, phrase, language=language).answer == "met"

    def test_of_a_doer_are_not_taken(self, talk):
        call = talk("agent: Would you like to come out and see the hall?")

        assert judged(call, "Would you like a technician to come out?").answer != "met"

    def test_of_a_time_are_examples(self, talk):
        call = talk("agent: My colleague's going to ring you back this evening with the exact price.")

        assert judged(call, "We'll call you back this afternoon.").answer == "met"


class TestVeryWords:
    """A phrase that stands in a turn is met, whatever stands around it."""

    @pytest.mark.parametrize(
        "said",
        [
            ["I will call you back tomorrow."],
            ["Right, as I said, I WILL CALL YOU, back tomorrow, not today"],
            ["Well, I will call", "you back tomorrow then."],
        ],
    )
    def test_are_always_met(self, talk, said):
        call = talk("agent: Hello.", *(f"agent: {text}" for text in said))

        found = judged(call, "I will call you back tomorrow.", rivals=["I will call you back today."])

        assert (found.answer, "%" in found.justification) == ("met", False)


class TestGreyBand:
    """What may mean the phrase or something else is left open, and a judgment says how near it was."""

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("What is wrong with the bike?", "What is it doing that it should not be?"),
            ("Do you have a preferred price or area?", "I can filter by price, area and stars."),
            ("Ask for the date of birth", "Which number can we call?"),
        ],
    )
    def test_is_left_open_with_the_words_that_may_say_it(self, talk, phrase, said):
        call = talk("agent: Hello.", f"agent: {said}", "agent: Your parcel left the depot yesterday.")

        found = judged(call, phrase)

        assert (found.answer, found.quote) == (None, None)
        assert said in found.reason
        assert UNSURE_FROM <= percent_in(found.reason) / 100 <= SAID_FROM

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("What's the name of your school?", "What's the name of your teacher?"),
            ("You can park behind the building.", "You can smoke behind the building."),
            ("Please hold the line for a moment.", "Please hold the ladder for a moment."),
        ],
    )
    def test_holds_what_repeats_a_phrase_with_another_thing(self, talk, phrase, said):
        call = talk(f"agent: {said}")

        assert judged(call, phrase).answer is None

    def test_is_named_in_spanish_too(self, talk):
        call = talk("agent: Hola.", "agent: Le escribiremos pronto.", language="es")

        found = judged(call, "Le llamamos mañana.", language="es")

        assert found.answer is None
        assert "probabilidad" in found.reason

    def test_a_judgment_by_meaning_says_how_near_it_was(self, talk):
        call = talk("agent: Hello.", "agent: What is the number of your account?")

        met = judged(call, "may I have your account number")
        missed = judged(call, "which film would you like to see")

        assert met.answer == "met"
        assert percent_in(met.justification) / 100 >= SAID_FROM
        assert missed.answer == "not_met"
        assert percent_in(missed.justification) / 100 <= UNSURE_FROM
        assert met.margin == pytest.approx(percent_in(met.justification) / 100 - SAID_FROM, abs=0.005)
        assert missed.margin == pytest.approx(UNSURE_FROM - percent_in(missed.justification) / 100, abs=0.01)

    def test_the_very_words_are_never_left_open(self, talk):
        call = talk("agent: Hello.", "agent: Which number can we call?")

        found = judged(call, "Which number can we call?")

        assert (found.answer, "%" in found.justification) == ("met", False)
        assert found.margin is None


def percent_in(text):
    return int(re.search(r"(\d+) %", text)[1])
