"""Whether the goal of a call was reached."""

import pytest

from callscope.analysis.evidence import verify_quote
from callscope.analysis.rules.goal import detect_goal_outcome
from callscope.projects.configuration import Goal


class TestOutcome:
    @pytest.mark.parametrize(
        "lines",
        [
            ("agent: Your room is booked.", "customer: Perfect, thank you."),
            ("agent: I've put you down for Friday at ten.", "customer: Lovely, see you then."),
            ("agent: That's gone through now.", "customer: Great, thanks."),
            ("agent: It's ready, you can pick it up whenever you like.", "customer: I'll pop in at one."),
            ("agent: We have no green one.", "agent: I have sent you the blue one.", "customer: That works."),
        ],
    )
    def test_is_reached_when_it_is_reported_done(self, talk, lines):
        assert detect_goal_outcome(Goal(), talk(*lines)).reached is True

    @pytest.mark.parametrize(
        "lines",
        [
            ("agent: I'm afraid we are fully booked.", "customer: Oh well, I'll try elsewhere."),
            ("agent: The payment did not go through.", "customer: Forget it."),
            ("agent: We can't do that, you'd have to call back tomorrow.", "customer: I see."),
            ("agent: Your room is booked.", "agent: Sorry, it turns out there is no room available."),
        ],
    )
    def test_is_missed_when_a_failure_has_the_last_word(self, talk, lines):
        assert detect_goal_outcome(Goal(), talk(*lines)).reached is False

    @pytest.mark.parametrize(
        ("lines", "reached"),
        [
            (("agent: Ya queda apuntada para el martes.", "customer: Estupendo, muchas gracias."), True),
            (("agent: Le he enviado el duplicado.", "customer: Perfecto, ya lo tengo."), True),
            (("agent: No nos quedan plazas hasta enero.", "customer: Vaya. Pues nada, buscaré otra."), False),
            (("agent: Lo siento, no se puede. Tendría que llamar mañana.", "customer: Déjelo."), False),
        ],
    )
    def test_is_read_in_spanish(self, talk, lines, reached):
        assert detect_goal_outcome(Goal(), talk(*lines, language="es")).reached is reached

    def test_is_known_where_nobody_knows_who_speaks(self, talk):
        reached = talk("?: Your room is booked.", "?: Perfect, see you then.")
        missed = talk("?: I'm afraid we are fully booked.", "?: Oh no. Then forget it.")

        assert detect_goal_outcome(Goal(), reached).reached is True
        assert detect_goal_outcome(Goal(), missed).reached is False

    def test_is_not_known_when_nobody_tells(self, talk):
        call = talk("customer: Hm.", "agent: Bye.")

        assert detect_goal_outcome(Goal(phrases=["that solves it"]), call).reached is None

    def test_does_not_take_a_question_or_a_condition_for_a_result(self, talk):
        call = talk("customer: Is it confirmed?", "agent: Once it is confirmed we write to you.")

        assert detect_goal_outcome(Goal(), call).reached is None

    def test_quotes_what_shows_it(self, talk):
        call = talk(
            "customer: Could I come on Friday?",
            "agent: Friday is booked for you.",
            "customer: Good.",
            "agent: Bye.",
        )

        quote = detect_goal_outcome(Goal(), call).quote

        assert quote.text == "Friday is booked for you."
        assert verify_quote(quote.text, call) == quote


class TestPhrasesOfTheProject:
    def test_decide_where_nothing_else_does(self, talk):
        call = talk("agent: Here is the leaflet.", "customer: Now I have my tax form.")

        found = detect_goal_outcome(Goal(phrases=["I have my tax form"]), call)

        assert (found.reached, found.quote.text) == (True, "Now I have my tax form.")

    def test_do_not_replace_general_wording(self, talk):
        call = talk("agent: Your room is booked.", "customer: Perfect, thank you.")

        assert detect_goal_outcome(Goal(phrases=["I have my tax form"]), call).reached is True

    def test_are_outweighed_by_a_failure_after_them(self, talk):
        call = talk(
            "customer: So that solves it.",
            "agent: Wait, I am sorry, it did not go through. We cannot do it today.",
            "customer: Oh no. Then forget it.",
        )

        assert detect_goal_outcome(Goal(phrases=["that solves it"]), call).reached is False
