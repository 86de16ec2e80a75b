"""A message is a code with parameters: English for the API and the tables, translated for the pages."""

import re

import pytest
from django.utils import translation

from callscope.messages import catalog
from callscope.messages.catalog import CATALOG, Plural
from callscope.messages.former_texts import FORMER_TEXTS
from callscope.messages.message import Message, MessageError, quoted
from callscope.messages.translation import MAX_SENTENCE, recognize, translate, translate_stored
from callscope.projects import configuration

WRONG_DOCUMENTS = [
    [],
    {"language": "de", "colour": "red", "shift_hours": {"day_start": 8, "day_end": 8}},
    {"shift_hours": {"day_start": "early", "day_end": 24}, "redact": "cards", "private_transcription": 7},
    {"rubric": {"sections": [{"name": "", "criteria": [{"name": "x" * 300, "max_points": 0}]}]}},
    {
        "rubric": {
            "sections": [{"name": "A", "criteria": [{"id": "a", "name": "n", "max_points": "ten"}] * 2}]
        }
    },
    {"rubric": {"sections": [{"name": "A", "criteria": []}, {"name": "A", "criteria": []}]}},
    {"rubric": {"sections": [{"name": "A", "criteria": [{"id": "é", "name": "n", "max_points": 2e6}]}]}},
    {"custom_questions": ["Why?", "Why?"], "vocabulary": [7], "goal": []},
    {"contact_reasons": {"mode": "predefined"}, "no_protocol": {"prompts": [{"id": "p", "text": "t"}]}},
    {"no_protocol": {"prompts": [{"id": "p", "text": "t", "any_of": []}]}},
]
WRONG_YAML = ["", "a: [", "a: 1\na: 2", "a: &b 1\nc: *b", "- 1"]


def reasons(check, wrong):
    with pytest.raises(configuration.InvalidConfiguration) as caught:
        check(wrong)
    return [reason for _, reason in caught.value.errors]


def example(code):
    """Return a message of this code in which every parameter has a value."""
    text = CATALOG[code]
    english = text.other if isinstance(text, Plural) else text
    names = {part.partition(")")[0] for part in english.split("%(")[1:]}
    params = dict.fromkeys(names, "7")
    if isinstance(text, Plural):
        params["count"] = 7
    if "rule" in params:
        params["rule"] = Message("not_text")
    return Message(code, **params)


class TestMessage:
    def test_is_english_in_every_language(self):
        with translation.override("es"):
            assert str(Message("unknown_email", value="x@y")) == 'No user has the e-mail "x@y".'

    def test_quotes_another_message(self):
        rule = Message("not_above", least=0)

        assert str(Message("but_is", rule=rule, value="-1")) == "must be above 0, not -1"
        with translation.override("es"):
            assert translate(Message("but_is", rule=rule, value="-1")) == "debe ser mayor que 0, no -1"

    def test_chooses_the_plural(self):
        assert "1 word;" in str(Message("few_words", count=1, least=10))
        assert "0 words;" in str(Message("few_words", count=0, least=10))
        with translation.override("es"):
            assert "1 palabra;" in translate(Message("few_words", count=1, least=10))

    def test_is_the_text_of_its_error(self):
        error = MessageError(Message("empty_file"))

        assert (str(error), error.message.code) == ("The file is empty.", "empty_file")

    def test_shows_a_text_of_another_program_as_it_came(self):
        with translation.override("es"):
            assert translate(quoted("100 % of %(x)s")) == "100 % of %(x)s"


class TestCatalog:
    def test_has_each_code_and_each_sentence_once(self):
        groups = [value for name, value in vars(catalog).items() if name.isupper() and name != "CATALOG"]
        groups = [group for group in groups if isinstance(group, dict)]
        texts = [text for group in groups for text in group.values()]

        assert sum(map(len, groups)) + 1 == len(CATALOG)
        assert len(set(texts)) == len(texts)

    @pytest.mark.parametrize("code", [code for code in CATALOG if code != "quoted"])
    def test_has_a_translation_of(self, code):
        message = example(code)

        with translation.override("es"):
            assert translate(message) != str(message)


class TestConfiguration:
    @pytest.mark.parametrize("document", WRONG_DOCUMENTS, ids=str)
    def test_says_what_is_wrong_in_both_languages(self, document):
        for reason in reasons(configuration.parse, document):
            with translation.override("es"):
                assert translate(reason) != str(reason)

    @pytest.mark.parametrize("text", WRONG_YAML)
    def test_says_what_is_wrong_with_yaml_in_both_languages(self, text):
        for reason in reasons(configuration.parse_yaml, text):
            with translation.override("es"):
                assert translate(reason) != str(reason)


class TestStoredSentences:
    @pytest.fixture(autouse=True)
    def _spanish(self):
        with translation.override("es"):
            yield

    def test_are_left_alone_on_english_pages(self):
        with translation.override("en"):
            assert translate_stored("filename is blank") == "filename is blank"

    @pytest.mark.parametrize("code", [code for code in CATALOG if code not in ("quoted", "but_is")])
    def test_are_recognized(self, code):
        said = str(example(code))

        assert translate_stored(said) == translate(example(code))

    @pytest.mark.parametrize(("code", "text"), FORMER_TEXTS)
    def test_are_recognized_as_they_were_worded_before(self, code, text):
        names = re.findall(r"%\((\w+)\)s", text)
        before = text % dict.fromkeys(names, "7")

        assert before != str(Message(code, **dict.fromkeys(names, "7")))
        assert translate_stored(before) == translate(example(code))

    def test_keep_their_values(self):
        said = "matches several files: a, b, %(x)s % and 12 more"

        assert recognize(said) == Message("ambiguous_files", files="a, b, %(x)s %", count="12")
        assert (
            translate_stored("row 4, a, b.wav: filename is blank") == "fila 4, a, b.wav: filename está vacío"
        )
        assert translate_stored("row 4, (no file name): filename is blank").startswith("fila 4, (sin nombre")

    def test_are_found_after_a_file_name_with_a_colon(self):
        for name in ("a: b: c.wav", "a:b: .wav", "a: "):
            said = f"row 4, {name}: filename is blank"
            assert translate_stored(said) == f"fila 4, {name}: filename está vacío"
        assert translate_stored("row 4, a: b.wav: of another kind") == "fila 4, a: b.wav: of another kind"

    def test_have_numbers_where_numbers_belong(self):
        assert (
            translate_stored("The transcript is larger than many MB.")
            == "The transcript is larger than many MB."
        )

    @pytest.mark.parametrize("text", ["", "gpt said no", "x" * (MAX_SENTENCE + 1), ": ", "row , : "])
    def test_that_are_not_of_the_catalog_stay_as_they_are(self, text):
        assert translate_stored(text) == text

    def test_cost_no_more_for_a_hostile_text(self, monkeypatch):
        """The work is bounded by the catalog: no text makes it look more often than this."""
        from callscope.messages import translation as module

        looks = []
        read = module._Template.read
        monkeypatch.setattr(module._Template, "read", lambda self, text: looks.append(1) or read(self, text))
        for hostile in (
            "row 1, a: " * 90,
            "is not a date" * 70,
            ": " * 480,
            "matches several files: and " * 35,
        ):
            looks.clear()
            translate_stored(hostile[:MAX_SENTENCE])
            assert len(looks) < (module.MAX_SPLITS + 2) * len(CATALOG)
