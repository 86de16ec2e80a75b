"""How many things a name or a guideline promises, in English and Spanish."""

import pytest

from callscope.analysis.lint.promises import count_promises_of_guideline, count_promises_of_name


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("Greets the caller", 1),
        ("Greets and names the company", 2),
        ("Greets, names the company and offers help", 3),
        ("Greets or thanks the caller", 1),
        ("Offers help, or asks whether the moment suits", 1),
        ("Verifies two things", 2),
        ("Checks at least two personal details", 2),
        ("Reads the terms and conditions", 1),
        ("Is there between nine and five", 1),
        ("Says goodbye (thanks and wishes)", 1),
        ("Saluda y nombra a la compañía", 2),
        ("Saluda o agradece", 1),
        ("Comprueba dos datos", 2),
        ("Ofrece ayuda o pregunta si es buen momento", 1),
        ("Envía un e-mail", 1),
        ("and", 1),
        ("", 1),
    ],
)
def test_a_name_promises(name, count):
    assert count_promises_of_name(name) == max(count, 1)


@pytest.mark.parametrize(
    ("guideline", "count"),
    [
        ("Within 30 seconds the agent greets the caller and names the company.", 2),
        ("The agent greets, names the company, and offers help.", 3),
        ("The agent greets the caller. And names nobody.", 1),
        ("The agent asks for plan, address and payments.", 1),
        ("The agent greets or thanks, and says who they are.", 1),
        ("El agente saluda y dice su nombre.", 2),
        ("El agente pide dos datos personales.", 2),
    ],
)
def test_a_guideline_asks_for(guideline, count):
    assert count_promises_of_guideline(guideline) == count


def test_hostile_texts_are_read_at_once():
    for text in ("(" * 4000, "between " * 500, "a and " * 600, ", says" * 600, "two " * 1000, '"' * 3999):
        count_promises_of_name(text)
        count_promises_of_guideline(text)
