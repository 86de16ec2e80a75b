"""Phrases of a rubric that describe what the agent does."""

import pytest

from callscope.analysis.acts.kinds import choose_likeliest
from callscope.analysis.acts.reported import find_reported_act, read_phrase_acts, say_reported


class TestReportedAct:
    @pytest.mark.parametrize(
        ("phrase", "language", "act", "about"),
        [
            ("asks for the PIN", "en", "asks_which", "the PIN"),
            ("Agent asks where the damage is", "en", "asks_which", "where the damage is"),
            ("the agent should ask if the door was locked", "en", "asks_whether", "the door was locked"),
            ("asks the customer to hold", "en", "requests", "hold"),
            ("offers further help", "en", "offers_more_help", "further help"),
            ("offers a discount", "en", "offers", "a discount"),
            ("states that it was cancelled", "en", "states_done", "it was cancelled"),
            (
                "states that the order could not be placed",
                "en",
                "states_failed",
                "the order could not be placed",
            ),
            ("tells the caller the price", "en", "states_fact", "the price"),
            ("reads back the address", "en", "confirms", "the address"),
            ("thanks the customer for waiting", "en", "thanks", "waiting"),
            ("says goodbye", "en", "takes_leave", ""),
            ("apologizes for the delay", "en", "apologizes", "the delay"),
            ("promises to call back", "en", "promises", "call back"),
            ("pregunta por la póliza", "es", "asks_which", "la póliza"),
            ("El agente pregunta si tiene cuenta", "es", "asks_whether", "tiene cuenta"),
            ("ofrece más ayuda", "es", "offers_more_help", "más ayuda"),
            ("informa de que se ha cancelado", "es", "states_done", "se ha cancelado"),
            ("indica que no se pudo cambiar", "es", "states_failed", "no se pudo cambiar"),
            ("confirma el pedido", "es", "confirms", "el pedido"),
            ("se despide", "es", "takes_leave", ""),
        ],
    )
    def test_is_read_with_what_it_is_about(self, phrase, language, act, about):
        found = find_reported_act(phrase, language)

        assert (choose_likeliest(found.acts), found.about) == (act, about)

    @pytest.mark.parametrize(
        "phrase",
        ["May I have your name?", "Will you need a receipt?", "Please tell me your name.", "account number"],
    )
    def test_is_not_seen_in_what_the_agent_says(self, phrase):
        assert find_reported_act(phrase, "en") is None

    def test_can_be_put_as_the_agent_would_say_it(self):
        reported = find_reported_act("asks for the delivery address", "en")

        assert say_reported(reported, "en") == "What is the delivery address?"


class TestPhraseActs:
    def test_leave_out_a_courtesy_next_to_something_else(self):
        assert choose_likeliest(read_phrase_acts("I'm sorry, we couldn't book it.", "en")) == "states_failed"
