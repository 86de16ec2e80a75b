"""Sentences that send a reader somewhere are known, however they are spelled."""

import pytest

from callscope.language.addresses import drop_addresses, has_address

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize(
    "text",
    [
        "Log in at https://evil.example/x now.", "See www.evil.example.", "Visit evil-bank.com for help.",
        "Go to evil.example/login", "Write to ana@example.com.", "Write to ana at example dot com.",
        "Escriba a ana arroba ejemplo punto com.", "Call +34 912 34 56 78.", "Call 555-123-4567 today.",
        "Llame al 912 34 56 78.", "Llame al 612345678.", "javascript:alert(1)", "Visit ｗｗｗ．evil．example",
        "Ask (555) 123-4567.", "Open 10.1.2.3 in a browser.", "Go to callscope dot io.",
    ],
)  # fmt: skip
def test_an_address_is_known(text):
    assert has_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "The average score is 85.5 %, up by 3.20 points.", "1,234,567 calls came in.",
        "Llegaron 1.234.567 llamadas.",
        "From 2026-01-05 to 2026-02-28.", "On 05/01/2026 it was 72.2 %.", "E.g. greetings, i.e. the opening.",
        "Calls at 10:30 a.m. scored best.", "At night the score was 60.1.", "Order 12345678 was sent.",
        "Greets (10 of 10). Verifies.", "", "The agent said [card number].",
    ],
)  # fmt: skip
def test_other_texts_are_none(text):
    assert not has_address(text)


def test_only_the_sentences_with_an_address_are_dropped():
    text = "The score rose. Log in at www.evil.example to see more. Greetings are weak."

    assert drop_addresses(text) == "The score rose. Greetings are weak."
    assert drop_addresses("The score rose to 85.5 %.") == "The score rose to 85.5 %."
