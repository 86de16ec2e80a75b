"""Topic, outcome, sentiment, name and reason without a language model."""

import pytest

from callscope.analysis import questions
from callscope.analysis.agent_names import agent_name
from callscope.analysis.goal import outcome
from callscope.analysis.insights import insights, reason_code
from callscope.analysis.sentiment import customer_sentiment
from callscope.analysis.topics import topic
from callscope.projects.configuration import Goal, parse


class TestTopic:
    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("Hi, I'd like to cancel my subscription please.", "cancel my subscription"),
            (
                "Hello, my name is Ann Lee and I need to change my delivery address.",
                "change my delivery address",
            ),
            ("I'm calling about a wrong invoice from March.", "wrong invoice"),
            ("Yes hi, can you help me book a flight to Boston on Friday?", "book a flight"),
            ("I have a question about my bill, it's too high.", "bill"),
            ("My internet has been down since yesterday.", "internet has been down"),
        ],
    )
    def test_is_the_first_need_in_the_customers_words(self, told, said, expected):
        found = topic(told("agent: How can I help?", "customer: Hello.", f"customer: {said}"))

        assert found == expected

    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("Hola, quería cancelar mi suscripción, por favor.", "cancelar mi suscripción"),
            ("Buenos días, llamo porque no me funciona internet.", "no me funciona internet"),
            ("Tengo una consulta sobre mi factura.", "factura"),
            (
                "Necesito cambiar la dirección de entrega de mi pedido.",
                "cambiar la dirección de entrega de mi pedido",
            ),
        ],
    )
    def test_is_read_in_spanish_too(self, told, said, expected):
        assert topic(told("agent: ¿En qué puedo ayudarle?", f"customer: {said}", language="es")) == expected

    def test_is_never_a_name_that_answers_a_question(self, told):
        call = told("customer: Hi, I want to cancel.", "agent: Your name?", "customer: Bethany Crowe.")

        assert topic(call) == "cancel"

    def test_prefers_what_happened_to_a_vague_wish(self, told):
        call = told("customer: I've got a late payment fee on my bill.", "customer: I want it taken off.")

        assert topic(call) == "late payment fee on my bill"

    def test_never_shows_what_was_redacted(self, told):
        found = topic(told("customer: I want to pay with my card [card number] today."))

        assert found == "pay with my card"

    def test_is_empty_when_the_customer_states_nothing(self, told):
        assert topic(told("agent: How can I help?", "customer: Hello.", "customer: Bye.")) == ""

    def test_does_not_take_the_agents_question_where_speakers_are_unknown(self, told):
        assert topic(told("?: How can I help you today?", "?: I lost my card.")) == "lost my card"


class TestOutcome:
    def test_is_reached_by_a_phrase_of_the_project(self, told):
        found = outcome(Goal(phrases=["that solves it"]), told("customer: Great, that solves it."))

        assert (found.reached, found.quote.text) == (True, "Great, that solves it.")

    def test_is_missed_when_the_last_word_is_a_failure(self, told):
        call = told("agent: Your room is booked.", "agent: Sorry, it turns out there is no room available.")

        assert outcome(Goal(), call).reached is False

    def test_is_not_known_when_nobody_tells(self, told):
        assert outcome(Goal(phrases=["that solves it"]), told("customer: Hm.", "agent: Bye.")).reached is None

    def test_does_not_take_a_question_or_a_condition_for_a_result(self, told):
        call = told("customer: Is it confirmed?", "agent: Once it is confirmed we write to you.")

        assert outcome(Goal(), call).reached is None


class TestSentiment:
    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("This is ridiculous, I am furious, your service is horrible.", "negative"),
            ("I would like to change my address to the new one.", "neutral"),
            ("You have been wonderful, I am so happy with this, I love it.", "positive"),
        ],
    )
    def test_follows_the_customers_words(self, told, said, expected):
        assert customer_sentiment(told(f"customer: {said}")) == expected

    def test_never_the_agents(self, told):
        call = told("agent: This is horrible, terrible, awful.", "customer: I want to change my address.")

        assert customer_sentiment(call) == "neutral"

    def test_is_null_where_the_customer_is_not_known(self, told):
        assert customer_sentiment(told("?: This is horrible.", "?: I am furious.")) is None

    def test_reads_spanish(self, told):
        angry = told("customer: Esto es una vergüenza, estoy harta de esperar.", language="es")
        calm = told("customer: Quisiera cambiar mi dirección de envío.", language="es")

        assert (customer_sentiment(angry), customer_sentiment(calm)) == ("negative", "neutral")


class TestAgentName:
    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("Thank you for calling Acme, my name is Ana Ruiz. How can I help?", "Ana Ruiz"),
            ("Good morning, this is Peter from Acme.", "Peter"),
            ("Acme Support, Maria speaking.", "Maria"),
            ("Hi, Tom O'Neill here, how can I help?", "Tom O'Neill"),
            ("You're speaking with Grace.", "Grace"),
            ("This is Acme Support. I'm Sorry for the wait.", ""),
            ("This is the billing department.", ""),
            ("i am glad to help, my name is laura", "Laura"),
        ],
    )
    def test_is_what_the_agent_gives_in_english(self, told, said, expected):
        assert agent_name(told(f"agent: {said}", "customer: I'm Carl.")) == expected

    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ("Buenos días, le atiende Lucía Gómez, ¿en qué puedo ayudarle?", "Lucía Gómez"),
            ("Gracias por llamar, mi nombre es José Luis.", "José Luis"),
            ("Hola, soy Marta, de Atención al Cliente.", "Marta"),
            ("Carmen de la Fuente al habla.", "Carmen de la Fuente"),
            ("Atención al Cliente, buenos días.", ""),
        ],
    )
    def test_is_what_the_agent_gives_in_spanish(self, told, said, expected):
        assert agent_name(told(f"agent: {said}", language="es")) == expected

    def test_is_never_the_customers(self, told):
        assert agent_name(told("customer: My name is Carl.", "agent: Hello Carl.")) == ""


class TestReasonCode:
    CONFIG = {
        "contact_reasons": {
            "mode": "predefined",
            "codes": [
                {
                    "code": "Billing dispute",
                    "description": "An invoice is wrong or too high",
                    "phrases": ["my invoice"],
                },
                {"code": "Delivery", "description": "Where a parcel is, changing its address"},
            ],
        }
    }

    def test_goes_by_the_phrases_first(self, told, meaning):
        call = told("customer: I have a question about my invoice and the parcel.")

        assert (
            reason_code(parse(self.CONFIG).contact_reasons, topic(call), call, meaning) == "Billing dispute"
        )

    def test_and_by_the_description_else(self, told, meaning):
        call = told("customer: I want to change the address of my parcel.")

        assert reason_code(parse(self.CONFIG).contact_reasons, topic(call), call, meaning) == "Delivery"

    def test_is_empty_when_nothing_fits(self, told, meaning):
        call = told("customer: I want to speak about the weather forecast.")

        assert reason_code(parse(self.CONFIG).contact_reasons, topic(call), call, meaning) == ""

    def test_is_empty_in_open_ended_projects(self, told, meaning):
        assert insights(parse({}), told("customer: My invoice."), meaning)["contact_reason_code"] == ""


class TestQuestions:
    def test_show_the_best_quotes_and_leave_the_answer_open(self, told):
        call = told("agent: Hello.", "customer: A competitor offers it for less.", "agent: I see.")

        answer = questions.undetermined("Did the caller mention a competitor?", call)

        assert answer == {
            "answer": "not determined",
            "quotes": ["[00:05] A competitor offers it for less."],
        }

    def test_answer_in_the_language_of_the_project(self, told):
        call = told("customer: Hola.", language="es")

        assert questions.undetermined("¿Mencionó la competencia?", call) == {
            "answer": "no determinado",
            "quotes": [],
        }
