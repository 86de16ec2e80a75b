"""Which question a number answers: one that is asked back, one that names nothing, one of before."""

import pytest

from tests.transcription.redaction.dialogs import CODE, redact

pytestmark = pytest.mark.one_database


class TestAQuestionOfTheCustomer:
    @pytest.mark.parametrize(
        ("turns", "kept", "answer"),
        [
            (
                [
                    "C: Can you tell me the PIN for the tablet?",
                    "A: Which room?",
                    "C: Room 62.",
                    "A: It's 724581.",
                ],
                "Room 62.",
                f"It's {CODE}.",
            ),
            (
                ["C: ¿Me dice el PIN de la tableta?", "A: ¿Qué sala?", "C: La 54.", "A: Es 243166."],
                "La 54.",
                f"Es {CODE}.",
            ),
        ],
    )
    def test_stays_open_while_the_agent_asks_back(self, turns, kept, answer):
        assert redact(*turns)[2:] == [kept, answer]

    def test_is_answered_after_another_number_of_the_same_turn(self):
        turns = ["C: ¿Cuál es la combinación del candado?", "A: ¿Reserva 5990942? Es siete cuatro uno nueve."]

        assert redact(*turns)[1] == f"¿Reserva 5990942? Es {CODE}."


class TestAQuestionThatNamesNothing:
    def test_asks_for_the_thing_that_was_named_last(self):
        turns = [
            "A: Le he mandado una clave al móvil acabado en 781.",
            "C: Ese es viejo.",
            "A: ¿Cuál es el nuevo?",
            "C: 775 417 114.",
            "A: Enviada. ¿Y bien?",
            "C: 173405.",
        ]

        assert redact(*turns)[3:] == ["775 417 114.", "Enviada. ¿Y bien?", f"{CODE}."]

    def test_asks_for_another_code_after_one(self):
        turns = ["A: ¿Qué clave le salió?", "C: 309198.", "A: Tarde, ¿el siguiente?", "C: 596863."]

        assert redact(*turns)[3] == f"{CODE}."

    def test_is_none_where_something_is_done_again(self):
        turns = ["C: I was on extension 668 and it dropped.", "A: No problem, let's start again.", "C: 2588."]

        assert redact(*turns, "A: And the code?", "C: 4821.")[2:] == ["2588.", "And the code?", f"{CODE}."]


class TestSeveralQuestions:
    def test_are_answered_in_order_where_one_is_for_the_last_digits(self):
        turns = ["A: What are the last four of the card and the three on the back?", "C: 8348, and 457."]

        assert redact(*turns)[1] == f"8348, and {CODE}."

    def test_are_answered_by_as_many_numbers_as_are_counted(self):
        turns = ["A: And the access code on the letter?", "C: There are two, three seven one three and 2123."]

        assert redact(*turns)[1] == f"There are two, {CODE}."


class TestWhatFollowsACard:
    def test_is_its_date_and_code_though_an_amount_was_spoken_of(self):
        card = "3789 038007 63004"
        turns = [
            "A: Shall I take the deposit of four hundred dollars and seventy-five cents?",
            f"C: Yeah. {card}. Eight twenty-seven. One two seven.",
        ]

        assert redact(*turns)[1] == f"Yeah. [card number]. Eight twenty-seven. {CODE}."
