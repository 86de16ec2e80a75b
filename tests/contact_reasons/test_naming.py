"""Names of reasons, made of the words in which customers name a topic."""

import pytest

from callscope.contact_reasons.naming import form_gerund, name_topic, stands_alone


class TestNameTopic:
    @pytest.mark.parametrize(
        ("topic", "expected"),
        [
            ("cancel my subscription", "Canceling the subscription"),
            ("how do i change my PIN", "Changing the PIN"),
            ("can you help me add another user", "Adding another user"),
            ("is there any way to stop a transfer", "Stopping a transfer"),
            ("top up my account", "Topping up the account"),
            ("what is the closest ATM", "Closest ATM"),
            ("why is there an extra charge on my statement", "Extra charge on the statement"),
            ("see a duplicate payment", "Duplicate payment"),
            ("lost my credit card", "Lost credit card"),
            ("forgot my password", "Forgotten password"),
            ("late payment fee on my bill", "Late payment fee on the bill"),
        ],
    )
    def test_is_a_noun_phrase_in_sentence_case(self, topic, expected):
        assert name_topic(topic) == expected

    @pytest.mark.parametrize(
        ("topic", "expected"),
        [
            ("refund is not showing", "Refund not showing"),
            ("internet has been down", "Internet down"),
            ("card hasn't been working", "Card not working"),
            ("transfer was not approved", "Transfer not approved"),
            ("top-up didn't go through", "Top-up not going through"),
            ("card isn’t letting me purchase something", "Card not letting me purchase something"),
        ],
    )
    def test_says_what_is_the_case_without_a_verb(self, topic, expected):
        assert name_topic(topic) == expected

    @pytest.mark.parametrize(
        "topic",
        [
            "the card was working",  # is it not working now?
            "fear that my card was stolen",
            "credit cards you are offering",
            "payment in the app",
            "reason that my payment failed",
            "how long do transfers take",
        ],
    )
    def test_does_not_change_what_is_said(self, topic):
        kept = topic.removeprefix("the ").replace("my", "the") if not topic.startswith("how") else topic

        assert name_topic(topic) == kept[:1].upper() + kept[1:]

    @pytest.mark.parametrize(
        ("topic", "expected"),
        [
            ("cómo puedo cancelar mi suscripción", "Cancelar mi suscripción"),
            ("cuál es el horario de la tienda", "Horario de la tienda"),
            ("acabo de recibir mi primera factura y no", "Acabo de recibir mi primera factura"),
            ("por qué hay un cargo en mi cuenta", "Cargo en mi cuenta"),
        ],
    )
    def test_is_read_in_spanish_too(self, topic, expected):
        assert name_topic(topic) == expected

    @pytest.mark.parametrize(
        ("topic", "expected"),
        [
            ("Help me. My transfer was declined. How could this happen?", "Transfer declined"),
            ("Why is my card being declined? I keep running into it.", "Card being declined"),
            ("My card isn't letting me pay and I wanted to know why", "Card not letting me pay"),
            ("Hi there, cancel my subscription", "Canceling the subscription"),
            ("Hello, my name is Gary Vance. I would like to add a user.", "Adding a user"),
            ("Soy Ana Ruiz y quiero cambiar mi dirección", "Cambiar mi dirección"),
            ("Buenos días, quiero cancelar mi suscripción. No funciona.", "Cancelar mi suscripción"),
            ("Mi tarjeta no funciona y quería saber por qué", "Mi tarjeta no funciona"),
        ],
    )
    def test_comes_from_one_clause_of_several(self, topic, expected):
        assert name_topic(topic) == expected
        assert stands_alone(name_topic(topic))

    def test_leaves_a_statement_of_the_caller_as_it_is(self):
        said = "Charge for something I didn't receive"

        assert name_topic(said) == said

    @pytest.mark.parametrize(
        "topic", ["how do i get my card on the", "where the funds are at", "billing for my"]
    )
    def test_never_ends_in_half_a_sentence(self, topic):
        assert not name_topic(topic).lower().endswith((" the", " at", " are", " my", " for", " on"))

    @pytest.mark.parametrize(
        "topic", ["", "?", "PIN", "my", "no", "WHY IS THERE A FEE", "契約を解除したい", "..."]
    )
    def test_takes_any_text(self, topic):
        name = name_topic(topic)

        assert name == name.strip()
        assert bool(name) == any(letter.isalnum() for letter in topic)

    def test_is_the_same_for_its_own_name(self):
        for topic in ("cancel my subscription", "refund is not showing", "lost my card"):
            assert name_topic(name_topic(topic)) == name_topic(topic)


class TestStandsAlone:
    @pytest.mark.parametrize(
        "name", ["Canceling the subscription", "Refund not showing", "Cargo en mi cuenta"]
    )
    def test_names_do(self, name):
        assert stands_alone(name)

    @pytest.mark.parametrize(
        "name",
        [
            "Reactivate",
            "How long do transfers take",
            "I want to leave",
            "Made a transfer",
            "Acabo de recibir mi factura",
            "Card declined. Please help with the card",
            "Hello, subscription of the family",
            "Card " * 13,
        ],
    )
    def test_sentences_and_single_words_do_not(self, name):
        assert not stands_alone(name)


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("make", "making"), ("see", "seeing"), ("stop", "stopping"), ("pay", "paying"),
        ("cancel", "canceling"), ("transfer", "transferring"), ("book", "booking"), ("die", "dying"),
        ("fix", "fixing"), ("be", "being"), ("open", "opening"), ("set", "setting"), ("quit", "quitting"),
    ],
)  # fmt: skip
def test_the_gerund_follows_english_spelling(verb, expected):
    assert form_gerund(verb) == expected
