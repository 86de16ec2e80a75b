"""Quotes for custom questions without a language model."""

from callscope.analysis.rules import questions


class TestQuestions:
    def test_show_the_best_quotes_and_leave_the_answer_open(self, talk):
        call = talk("agent: Hello.", "customer: A competitor offers it for less.", "agent: I see.")

        answer = questions.build_undetermined_answer("Did the caller mention a competitor?", call)

        assert answer == {
            "answer": "not determined",
            "quotes": ["[00:05] A competitor offers it for less."],
        }

    def test_answer_in_the_language_of_the_project(self, talk):
        call = talk("customer: Hola.", language="es")

        assert questions.build_undetermined_answer("¿Mencionó la competencia?", call) == {
            "answer": "no determinado",
            "quotes": [],
        }

    def test_quote_no_words_that_stand_in_any_call(self, talk):
        call = talk(
            "customer: I pay the bill before you cut me off.",
            "agent: You'll get a text the evening before.",
            "customer: What a problem. I want to know when.",
        )

        for question in (
            "Had the caller contacted us about this before?",
            "What problem did the caller have?",
            "When does the caller want us to call again?",
        ):
            assert questions.find_best_quotes(question, call) == []

    def test_quote_no_verb_alone_in_spanish(self, talk):
        call = talk("customer: Pone que llamó al timbre.", "agent: Llame antes del lunes.", language="es")

        assert questions.find_best_quotes("¿Había llamado antes el cliente por lo mismo?", call) == []

    def test_ask_for_a_second_word_where_a_question_has_two_subjects(self, talk):
        call = talk(
            "customer: My bill is ninety dollars.",
            "customer: Is there a discount on the bill?",
            "agent: I offer you a discount.",
        )

        quotes = questions.find_best_quotes("Was a discount on the bill offered?", call)

        assert [quote.text for quote in quotes] == [
            "Is there a discount on the bill?",
            "I offer you a discount.",
        ]
        assert [q.text for q in questions.find_best_quotes("Was any discount offered?", call)] == [
            "Is there a discount on the bill?",
            "I offer you a discount.",
        ]
