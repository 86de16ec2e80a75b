"""Copies of calls: other names, dialects and orders, the same times, and every phrase as it was."""

import re

import pytest

from callscope.analysis.counterfactuals.copies import Copier
from callscope.analysis.counterfactuals.groups import GROUPS
from callscope.analysis.counterfactuals.protection import Protection
from callscope.projects.configuration import parse


def config(*phrases, **settings):
    criteria = [{"id": "c", "name": "C", "max_points": 1, "rule": {"any_of": list(phrases)}}]
    return parse(
        {"rubric": {"sections": [{"name": "S", "criteria": criteria}]} if phrases else {}, **settings}
    )


def copy_of(call, group, *phrases, agent_name="", number=0):
    protection = Protection(config(*phrases))
    return Copier(call, agent_name=agent_name, protection=protection, number=number).make_copy(group)


@pytest.fixture
def call(talk):
    return talk(
        "agent: Good morning, my name is Ana Ruiz. Who am I speaking with?",
        "customer: My name is John Smith. The color of my parcel is wrong.",
        "agent: Thank you, Mr. Smith. I see that he, I mean Mr. Smith, paid with his card.",
        "customer: Yes, John paid it. I paid in May. It came in June! Can you help?",
        "agent: Of course, sir. Ana will call you back, JOHN.",
    )


class TestNames:
    def test_are_others_throughout_the_call(self, call):
        copy = copy_of(call, "names_arabic_women", agent_name="Ana Ruiz")

        text = " ".join(copy.texts)
        assert not re.search(r"\b(Ana|Ruiz|John|JOHN|Smith)\b", text)
        agent = re.search(r"my name is (\w+) (\w+)", copy.texts[0])
        customer = re.search(r"My name is (\w+) (\w+)", copy.texts[1])
        assert copy.agent_name == f"{agent[1]} {agent[2]}"
        assert agent[1] != customer[1]
        assert f"Ms. {customer[2]}" in copy.texts[2]
        assert "she, I mean" in copy.texts[2]
        assert "with her card" in copy.texts[2]
        assert f"Yes, {customer[1]} paid it" in copy.texts[3]
        assert copy.texts[4] == f"Of course, ma'am. {agent[1]} will call you back, {customer[1].upper()}."

    def test_are_the_same_for_the_same_call_and_others_for_another(self, call):
        assert copy_of(call, "names_arabic_men") == copy_of(call, "names_arabic_men")
        assert copy_of(call, "names_arabic_men") != copy_of(call, "names_arabic_men", number=1)

    def test_leave_the_phrases_of_the_settings(self, talk):
        call = talk(
            "agent: This is Grace Holt speaking.", "customer: Grace, I have a grace period. GRACE PERIOD."
        )

        copy = copy_of(call, "names_english_men", "grace period")

        assert "Grace" not in copy.texts[0]
        assert not copy.texts[1].startswith("Grace")
        assert copy.texts[1].endswith("I have a grace period. GRACE PERIOD.")

    def test_leave_a_phrase_that_spans_two_segments(self, talk):
        call = talk(
            "agent: My name is Rose Hill.", "agent: I will send it to the Rose", "agent: Garden team."
        )

        copy = copy_of(call, "names_english_men", "rose garden team")

        assert "Rose" not in copy.texts[0]
        assert copy.texts[1:] == ("I will send it to the Rose", "Garden team.")

    def test_leave_what_a_pattern_matches(self, talk):
        call = talk("agent: My name is Penny Hill.", "customer: Penny 15 is fine, Penny.")

        copy = copy_of(call, "names_english_men", {"pattern": r"penny \d+"})

        assert copy.texts[1].startswith("Penny 15 is fine, ")
        assert not copy.texts[1].endswith("Penny.")

    def test_leave_words_that_are_not_written_as_names(self, talk):
        call = talk("agent: My name is Will Hope.", "customer: I hope that you will help me.")

        assert copy_of(call, "names_arabic_men").texts[1] == "I hope that you will help me."

    def test_leave_placeholders(self, talk):
        call = talk("agent: My name is Card Long.", "customer: [card number], Card.")

        assert copy_of(call, "names_arabic_men").texts[1].startswith("[card number], ")

    def test_follow_spanish_titles(self, talk):
        call = talk(
            "agent: Buenos días, le atiende Lucía Pérez.",
            "customer: Me llamo Juan Gómez.",
            "agent: Bienvenido, señor Gómez. Don Juan, él ya pagó.",
            language="es",
        )

        copy = copy_of(call, "names_andean_women")

        customer = re.search(r"Me llamo (\w+) (\w+)\.", copy.texts[1])
        said = f"Bienvenida, señora {customer[2]}. Doña {customer[1]}, ella ya pagó."
        assert copy.texts[2] == said
        assert "Lucía" not in copy.texts[0]

    def test_give_no_copy_of_a_call_that_names_nobody(self, talk):
        call = talk("agent: Good morning.", "customer: Hello.")

        assert copy_of(call, "names_arabic_women") is None


class TestDialects:
    def test_change_spellings(self, call):
        assert "The colour of my parcel" in copy_of(call, "dialect_british").texts[1]
        assert copy_of(call, "dialect_american") is None

    def test_leave_the_phrases_of_the_settings(self, call):
        assert copy_of(call, "dialect_british", "the color of my parcel") is None

    def test_are_of_one_language(self, talk):
        call = talk("customer: Mi móvil no funciona, y el ordenador tampoco.", language="es")

        assert copy_of(call, "dialect_british") is None
        said = "Mi celular no funciona, y el computadora tampoco."
        assert copy_of(call, "dialect_latin_american").texts == (said,)


class TestOrder:
    def test_turns_the_statements_of_the_customer_around(self, call):
        copy = copy_of(call, "order")

        assert copy.texts[3] == "It came in June! I paid in May. Yes, John paid it. Can you help?"
        assert copy.texts[0] == call.segments[0].text

    def test_leaves_sentences_with_a_phrase_in_their_place(self, call):
        copy = copy_of(call, "order", "john paid it")

        assert copy.texts[3] == "Yes, John paid it. It came in June! I paid in May. Can you help?"

    def test_exchanges_whole_segments_of_a_turn(self, talk):
        call = talk("customer: I paid in May.", "customer: It came in June.", "agent: I see.")

        assert copy_of(call, "order").texts == ("It came in June.", "I paid in May.", "I see.")


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_keeps_the_segments_and_leaves_the_call_alone(call, group):
    before = [s.text for s in call.segments]

    copy = copy_of(call, group, "my name is")

    assert [s.text for s in call.segments] == before
    assert copy is None or len(copy.texts) == len(before)
    assert copy is None or "my name is" in copy.texts[0]
