"""Other wordings of a phrase, and the parts of what was said."""

import pytest

from callscope.analysis.matching.paraphrases import read_phrase, split_compound_question


class TestCompoundQuestion:
    @pytest.mark.parametrize(
        ("said", "language", "things"),
        [
            (
                "¿Me dice su nombre, la calle y el código postal, por favor?",
                "es",
                ("su nombre?", "la calle?", "el código postal?"),
            ),
            ("What is your name and postcode?", "en", ("your name?", "your postcode?")),
            ("What day/time would suit you?", "en", ()),
            ("Is it raining, and have you an umbrella?", "en", ()),
            ("May I have your name?", "en", ()),
        ],
    )
    def test_is_taken_apart_only_where_it_names_things(self, said, language, things):
        assert split_compound_question(said, language) == things


class TestPhrase:
    @pytest.mark.parametrize(
        ("phrase", "language", "readings"),
        [
            (
                "Agent asks for the passenger's name",
                "en",
                [("your name", "asks")],
            ),
            ("Your parcel is on its way.", "en", [("Your parcel is on its way.", "states")]),
            ("nombre del paciente", "es", [("nombre del paciente", "names"), ("su nombre", "names")]),
        ],
    )
    def test_is_read_as_it_is_written_and_as_the_agent_says_it(self, phrase, language, readings):
        assert [(r.text, r.form) for r in read_phrase(phrase, language)] == readings
