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
