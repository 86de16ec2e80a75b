"""The name that an agent gives in the opening."""

import pytest

from callscope.analysis.conversation.agent_names import find_agent_name


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
    def test_is_what_the_agent_gives_in_english(self, talk, said, expected):
        assert find_agent_name(talk(f"agent: {said}", "customer: I'm Carl.")) == expected

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
    def test_is_what_the_agent_gives_in_spanish(self, talk, said, expected):
        assert find_agent_name(talk(f"agent: {said}", language="es")) == expected

    def test_is_never_the_customers(self, talk):
        assert find_agent_name(talk("customer: My name is Carl.", "agent: Hello Carl.")) == ""
