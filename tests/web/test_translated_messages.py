"""What went wrong is shown in the language of the page, with its values; the API stays English."""

import io

import pytest

from tests.web.conftest import page

MANIFEST = """filename,call_datetime,direction,agent_id
call-1.wav,yesterday,,
call-1.wav,,sideways,
,2026-01-01,,
lonely.wav,,,
long.wav,,,{long}
again.wav,,,7
again.wav,,,8
"""


@pytest.mark.django_db
class TestPages:
    SPANISH = {"accept-language": "es"}

    def test_say_in_spanish_why_a_manifest_row_was_skipped(self, as_alice, project, world):
        upload = io.BytesIO(MANIFEST.format(long="9" * 70).encode())
        upload.name = "manifest.csv"
        answer = as_alice.post(
            f"/api/projects/{project.pk}/call-manifest/", {"file": upload}, headers=self.SPANISH
        )
        errors = answer.json()["errors"] + answer.json()["repeated"]
        assert errors[0].startswith("row 2, call-1.wav: unreadable call_datetime")

        said = as_alice.post(
            "/upload/sentences/", {"sentences": errors}, content_type="application/json", headers=self.SPANISH
        ).json()["sentences"]

        assert [line.split(",")[0] for line in said] == [f"fila {number}" for number in range(2, 8)]
        assert said[1] == (
            "fila 3, call-1.wav: direction desconocido: 'sideways'; valores permitidos: inbound, outbound"
        )
        assert said[5] == (
            "fila 7, again.wav: vuelve a nombrarse en la fila 8, "
            "cuyas celdas con contenido son las que cuentan"
        )
        assert not set(said) & set(errors)

    def test_name_the_values_that_a_manifest_may_have(self, as_alice):
        said = as_alice.post(
            "/upload/sentences/",
            {
                "sentences": [
                    "row 3, a: b.wav: unknown direction 'sideways'",
                    "row 4, a.wav: unknown turn 'x'",
                ]
            },
            content_type="application/json",
        ).json()["sentences"]

        assert said == [
            "row 3, a: b.wav: unknown direction 'sideways'; allowed values: inbound, outbound",
            "row 4, a.wav: unknown turn 'x'",
        ]

    @pytest.mark.parametrize("sentences", [None, "x", [1], ["x"] * 101])
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

    @pytest.mark.parametrize(
        ("language", "said"),
        [
            (
                "en",
                "“fortnight” is not a period. Choose one of these: "
                "All time, 30 days, 90 days, This month, Last month, This year.",
            ),
            (
                "es",
                "«fortnight» no es un periodo. Elija uno de estos: "
                "Todo el tiempo, 30 días, 90 días, Este mes, Mes pasado, Este año.",
            ),
        ],
    )
    def test_name_the_periods_as_the_buttons_do(self, as_alice, project, language, said):
        address = "/report/?date_range=fortnight"
        shown = page(as_alice.get(address, headers={"accept-language": language}), 400)

        assert said in shown.text
        assert "last_30_days" not in shown.text

    def test_name_the_periods_of_the_api_by_their_codes(self, as_alice, project):
        answer = as_alice.get("/calls/api/report/?date_range=fortnight", headers=self.SPANISH)

        assert (answer.status_code, answer.json()) == (
            400,
            {
                "date_range": [
                    '"fortnight" is not a known range. '
                    "Known: mtd, last_month, last_30_days, last_90_days, ytd."
                ]
            },
        )

    def test_leave_the_api_in_english(self, as_alice, project):
        answer = as_alice.get("/calls/api/report/?start_date=nonsense", headers=self.SPANISH)

        assert "is not a date" in answer.content.decode()
