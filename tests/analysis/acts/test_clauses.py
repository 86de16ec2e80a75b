"""What was said in one turn, clause by clause."""

import pytest

from callscope.analysis.acts.clauses import read_clauses


def acts_of(text, language="en"):
    return [(clause.text.strip(" ,"), clause.act) for clause in read_clauses(text, language)]


class TestTurn:
    def test_is_split_where_it_begins_to_do_something_else(self):
        said = "Thanks for that. And which floor is it on, and is there a lift?"

        assert acts_of(said) == [
            ("Thanks for that.", "thanks"),
            ("And which floor is it on", "asks_which"),
            ("and is there a lift?", "asks_whether"),
        ]

    def test_is_split_without_a_comma_too(self):
        said = "what is your name and when were you born"

        assert acts_of(said) == [
            ("what is your name", "asks_which"),
            ("and when were you born", "asks_which"),
        ]

    def test_keeps_a_condition_with_what_it_is_a_condition_of(self):
        assert acts_of("If you like, we can send a van.") == [("If you like, we can send a van.", "offers")]

    def test_leaves_a_courtesy_apart_from_what_comes_after_it(self):
        assert acts_of("I'm sorry, the part has not arrived.") == [
            ("I'm sorry", "apologizes"),
            ("the part has not arrived.", "states_failed"),
        ]

    @pytest.mark.parametrize(
        ("said", "language"),
        [
            ("That's 0161 496 0733. Is that right?", "en"),
            ("0161 496 0733, have I got that right?", "en"),
            ("Let me read that back to you. Elm Street, number four.", "en"),
            ("Son dos mesas para el viernes. ¿Es correcto?", "es"),
        ],
    )
    def test_confirms_what_stands_next_to_the_question_whether_it_is_right(self, said, language):
        confirming = [c.text for c in read_clauses(said, language) if c.act == "confirms"]

        assert any(
            any(ch.isdigit() for ch in text) or "Elm" in text or "mesas" in text for text in confirming
        )

    def test_knows_where_each_clause_begins(self):
        said = "Lovely. Thank you, and what is your name?"

        assert all(said[c.start :].startswith(c.text) for c in read_clauses(said, "en"))

    def test_splits_spanish_at_the_opening_mark(self):
        assert acts_of("Lo tengo, ¿y a nombre de quién?", "es")[-1] == ("¿y a nombre de quién?", "asks_which")
