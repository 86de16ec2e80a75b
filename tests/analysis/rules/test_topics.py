"""The reason of a call in the customer's words."""

import pytest

from callscope.analysis.rules.topics import extract_topic


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
    def test_is_the_first_need_in_the_customers_words(self, talk, said, expected):
        found = extract_topic(talk("agent: How can I help?", "customer: Hello.", f"customer: {said}"))

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
    def test_is_read_in_spanish_too(self, talk, said, expected):
        assert (
            extract_topic(talk("agent: ¿En qué puedo ayudarle?", f"customer: {said}", language="es"))
            == expected
        )

    def test_is_never_a_name_that_answers_a_question(self, talk):
        call = talk("customer: Hi, I want to cancel.", "agent: Your name?", "customer: Bethany Crowe.")

        assert extract_topic(call) == "cancel"

    def test_prefers_what_happened_to_a_vague_wish(self, talk):
        call = talk("customer: I've got a late payment fee on my bill.", "customer: I want it taken off.")

        assert extract_topic(call) == "late payment fee on my bill"

    def test_never_shows_what_was_redacted(self, talk):
        found = extract_topic(talk("customer: I want to pay with my card [card number] today."))

        assert found == "pay with my card"

    def test_is_empty_when_the_customer_states_nothing(self, talk):
        assert extract_topic(talk("agent: How can I help?", "customer: Hello.", "customer: Bye.")) == ""

    def test_does_not_take_the_agents_question_where_speakers_are_unknown(self, talk):
        assert extract_topic(talk("?: How can I help you today?", "?: I lost my card.")) == "lost my card"
