"""What the rooms say is said in the language of the page, with the values that it names."""

import io

import pytest
from django.utils import translation

from callscope.interfaces.web import told as module
from callscope.interfaces.web.told import told
from callscope.projects import configuration
from tests.web.conftest import page

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
MANIFEST = """filename,call_datetime,direction,agent_id
call-1.wav,yesterday,,
call-1.wav,,sideways,
,2026-01-01,,
lonely.wav,,,
long.wav,,,{long}
"""


def reasons(check, wrong):
    with pytest.raises(configuration.WrongConfiguration) as caught:
        check(wrong)
    return [reason for _, reason in caught.value.errors]


class TestTold:
    def test_leaves_english_pages_alone(self):
        with translation.override("en"):
            assert told("must not be blank") == "must not be blank"

    @pytest.mark.parametrize("document", WRONG_DOCUMENTS, ids=str)
    def test_knows_what_the_configuration_says(self, document):
        for reason in reasons(configuration.parse, document):
            with translation.override("es"):
                assert told(reason) != reason

    @pytest.mark.parametrize("text", WRONG_YAML)
    def test_knows_what_is_said_of_yaml(self, text):
        for reason in reasons(configuration.parse_yaml, text):
            with translation.override("es"):
                assert told(reason) != reason

    def test_keeps_the_values(self):
        with translation.override("es"):
            assert told("must be above 0, not 'a, not b'") == "debe ser mayor que 0, no 'a, not b'"
            assert told("row 4, a, b.wav: filename is blank") == "fila 4, a, b.wav: filename está vacío"
            assert told("row 4, (no file name): filename is blank").startswith("fila 4, (sin nombre")
            assert told('the key "%(x)s %" appears twice') == "la clave «%(x)s %» aparece dos veces"

    def test_knows_the_reason_behind_a_file_name_with_a_colon(self):
        with translation.override("es"):
            assert told("row 4, a: b: c.wav: filename is blank") == "fila 4, a: b: c.wav: filename está vacío"
            assert told("row 4, a: b.wav: of another kind") == "fila 4, a: b.wav: of another kind"

    def test_shows_what_it_does_not_know_as_it_is(self):
        with translation.override("es"):
            assert told("gpt said no") == "gpt said no"

    def test_recognises_each_of_its_own_shapes(self):
        with translation.override("es"):
            for shape in module.SHAPES:
                names = module.PLACEHOLDER.findall(shape)
                said = shape % dict.fromkeys(names, "7") if names else shape
                assert told(said) != said, shape


@pytest.mark.django_db
class TestPages:
    SPANISH = {"accept-language": "es"}

    def test_say_in_spanish_why_a_manifest_row_was_skipped(self, as_alice, project, world):
        upload = io.BytesIO(MANIFEST.format(long="9" * 70).encode())
        upload.name = "manifest.csv"
        answer = as_alice.post(
            f"/api/projects/{project.pk}/call-manifest/", {"file": upload}, headers=self.SPANISH
        )
        errors = answer.json()["errors"]
        assert errors[0].startswith("row 2, call-1.wav: unreadable call_datetime")

        said = as_alice.post(
            "/upload/sentences/", {"sentences": errors}, content_type="application/json", headers=self.SPANISH
        ).json()["sentences"]

        assert [line.split(",")[0] for line in said] == ["fila 2", "fila 3", "fila 4", "fila 5", "fila 6"]
        assert said[1] == "fila 3, call-1.wav: dirección desconocida: 'sideways'"
        assert not set(said) & set(errors)

    @pytest.mark.parametrize("sentences", [None, "x", [1], ["x"] * 501])
    def test_refuse_what_is_no_list_of_sentences(self, as_alice, sentences):
        answer = as_alice.post(
            "/upload/sentences/", {"sentences": sentences}, content_type="application/json"
        )

        assert answer.status_code == 400

    def test_say_in_spanish_what_is_wrong_with_settings_and_dates(self, as_alice, project):
        answer = as_alice.post(
            f"/projects/{project.pk}/check/",
            {"document": {"language": "de"}},
            content_type="application/json",
            headers=self.SPANISH,
        )
        assert answer.json()["errors"][0]["reason"].startswith("debe ser ")

        shown = page(as_alice.get("/report/?start_date=2026-02-31", headers=self.SPANISH), 400)
        assert "«2026-02-31» no es una fecha." in shown.text

    def test_leave_the_api_in_english(self, as_alice, project):
        answer = as_alice.get("/calls/api/report/?start_date=nonsense", headers=self.SPANISH)

        assert "is not a date" in answer.content.decode()
