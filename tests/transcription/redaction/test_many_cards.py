"""Several cards in one turn, whatever the turn before asks for, and the account numbers next to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.transcription.redaction.cards import find_in_answer, has_check_digit
from callscope.transcription.redaction.number_runs import collect_number_runs
from callscope.transcription.redaction.utterances import read_utterances
from callscope.transcription.redaction.vocabulary.spoken_numbers import tokenize_numbers
from tests.transcription.redaction.dialogs import redact

pytestmark = pytest.mark.one_database
CARDS = "4539 1488 0343 6467", "5425 2334 3010 9903", "2223 0000 4841 0010"
DIGITS = {
    "en": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    "es": ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"],
}
TURNS = {
    "en": [
        "How can I help?", "What is your account number?", "I see your account.", "And the order number?",
        "The reference, please?", "What is your phone number?", "Your customer number?", "What is your PIN?",
        "And your IBAN?", "Can I have your date of birth?",
    ],
    "es": [
        "Dígame.", "¿Cuál es su número de cuenta?", "Veo su cuenta.", "¿Y el número de pedido?",
        "La referencia, por favor.", "¿Su número de teléfono?", "¿Su número de cliente?", "¿Su PIN?",
        "¿Y el IBAN?", "¿Su fecha de nacimiento?",
    ],
}  # fmt: skip
ASKING_FOR_OTHERS = {lang: turns[1:2] + turns[3:7] for lang, turns in TURNS.items()}
ANSWERS = {
    "en": ["my card is {}", "My cards are {}.", "the card number is {}", "my Visa, {}"],
    "es": ["mi tarjeta es {}", "Mis tarjetas son {}.", "el número de la tarjeta es {}", "mi Visa, {}"],
}
BARE = {"en": ["{}", "Sure, {}."], "es": ["{}", "Claro, {}."]}
JOINTS = {"en": [" ", " and ", ", ", ". ", " then "], "es": [" ", " y ", ", ", ". ", " luego "]}
MANNERS = "written", "grouped", "dashes", "spoken", "paused"


@st.composite
def card_digits(draw):
    prefix = draw(st.sampled_from(["4", "52", "55", "2230", "34", "37", "6011", "62"]))
    size = (15 if prefix[0] == "3" else 16) - len(prefix) - 1
    body = prefix + "".join(draw(st.lists(st.sampled_from("0123456789"), min_size=size, max_size=size)))
    return next(body + last for last in "0123456789" if has_check_digit(body + last))


def say(digits, manner, lang):
    """Return the digits as they are written or read out."""
    groups = [digits[at : at + 4] for at in range(0, len(digits), 4)]
    spoken = [" ".join(DIGITS[lang][int(digit)] for digit in group) for group in groups]
    return {
        "written": digits,
        "grouped": " ".join(groups),
        "dashes": "-".join(groups),
        "spoken": " ".join(spoken),
        "paused": ", ".join(spoken),
    }[manner]


@st.composite
def turns_with_cards(draw):
    lang, manner = draw(st.sampled_from(["en", "es"])), draw(st.sampled_from(MANNERS))
    cards = draw(st.lists(card_digits(), min_size=1, max_size=8))
    # A single card that answers "your order number?" without a word may be an order number.
    answers = ANSWERS[lang] + (BARE[lang] if len(cards) > 1 else [])
    said = draw(st.sampled_from(JOINTS[lang])).join(say(card, manner, lang) for card in cards)
    return draw(st.sampled_from(TURNS[lang])), draw(st.sampled_from(answers)).format(said)


@st.composite
def accounts(draw):
    lang, manner = draw(st.sampled_from(["en", "es"])), draw(st.sampled_from(["written", "spoken"]))
    digits = "".join(draw(st.lists(st.sampled_from("123456789"), min_size=8, max_size=12)))
    return draw(st.sampled_from(ASKING_FOR_OTHERS[lang])), say(digits, manner, lang)


@given(turns_with_cards())
def test_nothing_is_left_of_one_to_eight_cards(turns):
    question, answer = turns

    left = redact(f"A: {question}", f"C: {answer}")[1]

    assert not any(token.digits for token in tokenize_numbers(left))


@given(accounts(), card_digits())
def test_a_number_of_another_kind_stays_with_a_card_and_without(account, card):
    question, number = account

    assert redact(f"A: {question}", f"C: {number}.")[1] == f"{number}."
    assert redact(f"A: {question}", f"C: {number}. {card}.")[1] == f"{number}. [card number]."


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("{} {}", "[card number]"),
        ("{}, 09/27, 457, {}", "[card number], 09/27, [security code], [card number]"),
        ("{} 0927 457", "[card number] 0927 [security code]"),
        ("8573 1890. {}.", "8573 1890. [card number]."),
        ("8573 1890 1 {}", "8573 1890 1 [card number]"),
        ("{}. 8573 1890.", "[card number]. 8573 1890."),
        ("My card is {} {}", "My card is [card number]"),
    ],
)
def test_an_account_question_hides_no_card(answer, left):
    assert redact("A: What is your account number?", f"C: {answer.format(*CARDS)}")[1] == left


@pytest.mark.parametrize(
    "number",
    [
        "ES91 2100 0418 4502 0005 1332",
        "8573 4539 1488 0343 6467",  # a card in a longer number: chance
        "DE89 3704 0044 0532 0130 00",
    ],
)
def test_a_long_account_number_stays(number):
    assert redact("A: What is your account number?", f"C: {number}")[1] == number


def test_what_is_plainly_an_order_number_stays():
    assert redact("A: Your order number?", f"C: {CARDS[0]}")[1] == CARDS[0]
    assert redact("A: Your PIN?", f"C: The order number is {CARDS[0]}.")[1].endswith(f"{CARDS[0]}.")


def test_the_ends_of_sentences_are_read_no_more_often_where_there_are_more_cards():
    class Breaks(list):
        reads = 0

        def __iter__(self):
            self.reads += 1
            return super().__iter__()

    def count_reads(cards):
        said = ". ".join(CARDS[0].replace(" ", "") * cards)
        utterances = list(read_utterances([{"start": 0.0, "end": 9.0, "speaker": "customer", "text": said}]))
        (run,) = collect_number_runs(utterances)
        run.breaks = Breaks(run.breaks)
        assert len(list(find_in_answer(run))) == cards
        return run.breaks.reads

    assert count_reads(20) == count_reads(2)
