"""The sentiment of the customer's words."""

import pytest

from callscope.analysis.rules.sentiment import classify_sentiment

NEGATIVE_ENGLISH = [
    "This is ridiculous, I am furious, your service is horrible.",
    "That is the third time I call about this and nobody has called me back.",
    "No, just leave it. I will take my business elsewhere.",
    "You promised me Tuesday. I stayed home all day and no one turned up.",
    "Fine, I want to speak to your manager and make a complaint.",
    "I'm really not happy with this. I expected better from you.",
    "Oh great, so another week without heating. Thanks for nothing.",
]
NEGATIVE_SPANISH = [
    "Esto es una vergüenza, estoy harta de esperar.",
    "Es la tercera vez que llamo y nadie me da una solución.",
    "Déjelo, me busco otra empresa. No vuelvo a llamar.",
    "Me prometieron que venían el lunes y aquí no apareció nadie.",
    "Quiero poner una reclamación, esto no es normal.",
    "Muchas gracias por nada. Vaya servicio.",
]
CALM_ENGLISH = [
    "The router is broken and the light is red. Tomorrow works for me.",
    "I'm not angry at all, these things happen.",
    "Okay, that's fine. No rush, I understand.",
    "It was my mistake, I lost the ticket. Is that a problem? Great, see you then.",
]
CALM_SPANISH = [
    "Se me ha roto la lavadora y pierde agua. Perfecto, el martes me viene bien.",
    "No pasa nada, lo entiendo, estas cosas pasan.",
    "No estoy enfadada, de verdad, me viene bien mañana.",
]


class TestNegative:
    @pytest.mark.parametrize("said", NEGATIVE_ENGLISH)
    def test_is_what_a_displeased_customer_says(self, talk, said):
        assert classify_sentiment(talk(f"customer: {said}")) == "negative"

    @pytest.mark.parametrize("said", NEGATIVE_SPANISH)
    def test_is_what_a_displeased_customer_says_in_spanish(self, talk, said):
        assert classify_sentiment(talk(f"customer: {said}", language="es")) == "negative"

    @pytest.mark.parametrize("said", CALM_ENGLISH)
    def test_is_no_trouble_reported_calmly(self, talk, said):
        assert classify_sentiment(talk(f"customer: {said}")) == "neutral"

    @pytest.mark.parametrize("said", CALM_SPANISH)
    def test_is_no_trouble_reported_calmly_in_spanish(self, talk, said):
        assert classify_sentiment(talk(f"customer: {said}", language="es")) == "neutral"

    def test_is_not_erased_by_thanks_at_the_end(self, talk):
        call = talk(
            "customer: I was told on Monday that it was fixed. It is not.",
            "agent: We have nobody free this week.",
            "customer: Then why did nobody tell me? This is a waste of my time.",
            "agent: I am sorry.",
            "customer: Okay, thank you, bye.",
        )

        assert classify_sentiment(call) == "negative"

    def test_is_over_when_the_customer_ends_content(self, talk):
        call = talk(
            "customer: It has been three weeks now and I'm still waiting for my refund.",
            "agent: I have sent it just now, and ten dollars on top.",
            "customer: Oh, that's brilliant, you've been so helpful.",
            "agent: My pleasure.",
            "customer: Thank you so much, that's a relief.",
        )

        assert classify_sentiment(call) != "negative"

    def test_counts_what_is_said_late_for_more(self, talk):
        grumbles, rest = (
            "It is a disgrace. That is all I can say about it.",
            ["agent: I see.", "customer: It is the blue one."],
        )
        early = talk(f"customer: {grumbles}", *rest * 6)
        late = talk(*rest * 6, f"customer: {grumbles}")

        assert (classify_sentiment(early), classify_sentiment(late)) == ("neutral", "negative")

    def test_counts_it_when_the_customer_has_to_say_it_again(self, talk):
        asked = "customer: I said the invoice for March, not for May. March, the third month."
        call = talk(
            asked,
            *["agent: Here is May. I apologize.", asked] * 3,
        )
        calm = talk(asked, "agent: Here is March.", "customer: See you then.")

        assert (classify_sentiment(call), classify_sentiment(calm)) == ("negative", "neutral")


class TestPositive:
    def test_is_a_content_customer(self, talk):
        said = "customer: You have been wonderful, I am so happy with this, I love it."

        assert classify_sentiment(talk(said)) == "positive"

    def test_is_a_content_customer_in_spanish(self, talk):
        said = "customer: Qué bien, muchísimas gracias, ha sido muy amable."

        assert classify_sentiment(talk(said, language="es")) == "positive"


class TestUnknown:
    @pytest.mark.parametrize(
        "said",
        [
            "I would like to change my address to the new one.",
            "Good morning. My name is Ann Lee. Thank you, have a nice day, bye.",
            "Okay.",
        ],
    )
    def test_is_a_call_in_which_nothing_shows_it(self, talk, said):
        assert classify_sentiment(talk(f"customer: {said}")) is None

    def test_is_a_call_of_unknown_speakers(self, talk):
        assert classify_sentiment(talk("?: This is horrible.", "?: I am furious.")) is None

    def test_is_not_filled_in_from_the_agent(self, talk):
        call = talk("agent: This is horrible, terrible, awful.", "customer: I want to change my address.")

        assert classify_sentiment(call) is None

    def test_is_not_read_from_what_redaction_put_in(self, talk):
        assert (
            classify_sentiment(talk("customer: My number is [the worst service] and I am at home.")) is None
        )
