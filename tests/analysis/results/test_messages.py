"""The sentences of findings are stored: their wording stays as it is, in both languages."""

import pytest
from django.utils import translation

from callscope.analysis.results.messages import SENTENCES, sentence

STORED = [
    ("met_exact", "en", {"speaker": "agent", "phrase": "100 %"}, "The agent said the phrase “100 %”."),
    ("met_exact", "es", {"speaker": "agent", "phrase": "100 %"}, "Frase dicha por el agente: «100 %»."),
    (
        "not_met",
        "en",
        {"speaker": "any", "window": " in the first 30 seconds"},
        "The speaker said none of the phrases in the first 30 seconds.",
    ),
    (
        "not_met",
        "es",
        {"speaker": "any", "window": " en los primeros 30 segundos"},
        "Ninguna de las frases fue dicha por alguien en la llamada en los primeros 30 segundos.",
    ),
    ("window_last", "es", {"seconds": "7.5"}, " en los últimos 7.5 segundos"),
    ("not_determined", "en", {}, "not determined"),
    ("not_determined", "es", {}, "no determinado"),
    (
        "does_not_apply",
        "es",
        {},
        "Este criterio no se aplica: no se mencionó ninguna de sus condiciones.",
    ),
]


class TestSentence:
    @pytest.mark.parametrize(("name", "language", "values", "expected"), STORED)
    def test_is_what_was_stored_before(self, name, language, values, expected):
        assert sentence(name, language, **values) == expected

    @pytest.mark.parametrize("name", SENTENCES)
    def test_speaks_the_language_of_the_project_and_not_of_the_reader(self, name):
        values = {"speaker": "agent", "phrase": "p", "window": "", "seconds": 1, "reasons": "", "problem": ""}
        values |= {"quote": "q", "percent": 40, "most": 2, "times": 3, "held": 1, "count": 2, "needed": 2}
        values |= {"missing": "m"}

        with translation.override("es"):
            english = sentence(name, "en", **values)

        assert english == sentence(name, "en", **values)
        assert sentence(name, "es", **values) != english
