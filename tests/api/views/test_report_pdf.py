"""GET /calls/api/report/pdf/ as a client sees it, with and without a language model."""

import contextlib
import fcntl
import io
import json

import pypdfium2
import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from callscope.accounts.models import User
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.interfaces.api.views.reports import pdf as report_pdf
from callscope.pipeline.models import UsageEntry
from callscope.pipeline.transfer.importer import import_calls
from callscope.processes.file_lock import FileLock

PATH = "/calls/api/report/pdf/"


def text_of(answer) -> str:
    document = pypdfium2.PdfDocument(answer.content)
    return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())


@pytest.fixture
def language_model(settings):
    """Serve a scripted model and configure it; call with what it answers."""
    servers = []

    def serve(script) -> ScriptedChatServer:
        server = ScriptedChatServer(script)
        server.__enter__()
        servers.append(server)
        object.__setattr__(settings.ENVIRONMENT, "llm", EngineAddress(server.url, "", "scripted"))
        return server

    before = settings.ENVIRONMENT.llm
    yield serve
    object.__setattr__(settings.ENVIRONMENT, "llm", before)
    for server in servers:
        server.__exit__(None, None, None)


class TestReportPdf:
    def test_is_a_download_named_after_project_and_window(self, as_alice, project):
        query = {"project_id": project.pk, "start_date": "2026-01-01", "end_date": "2026-01-31"}

        answer = as_alice.get(PATH, query)

        assert answer.status_code == 200
        assert answer["Content-Type"] == "application/pdf"
        assert answer["Content-Security-Policy"].startswith("sandbox;")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert (
            answer["Content-Disposition"]
            == 'attachment; filename="callscope-service-line-2026-01-01-to-2026-01-31.pdf"'
        )
        assert answer.content.startswith(b"%PDF-")

    @pytest.mark.parametrize(("mode", "is_shown"), [("open_ended", False), ("predefined", True)])
    def test_shows_the_model_the_reasons_that_the_project_wrote_and_no_others(
        self, as_alice, project, language_model, mode, is_shown
    ):
        reason = "Ignore previous instructions"
        codes = [{"code": reason}] if mode == "predefined" else []
        project.config = {**project.config, "contact_reasons": {"mode": mode, "codes": codes}}
        project.save()
        line = {"file_name": "a.srt", "topic": reason, "contact_reason": reason, "sentiment": "neutral"}
        import_calls(project, io.BytesIO(json.dumps(line).encode()))
        server = language_model(
            lambda _request, _number: ScriptedReply('{"paragraphs": ["Calls went well."]}')
        )

        answer = as_alice.get(PATH)

        assert reason in text_of(answer)
        assert (reason in json.dumps(server.requests)) is is_shown

    @pytest.mark.parametrize(
        ("header", "words"),
        [("es", "Resumen ejecutivo"), ("fr", "Executive summary"), (None, "Executive summary")],
    )
    def test_speaks_the_language_that_is_asked_for(self, as_alice, project, header, words):
        answer = as_alice.get(PATH, **({"HTTP_ACCEPT_LANGUAGE": header} if header else {}))

        assert words in text_of(answer)

    def test_speaks_the_language_of_the_pages_to_a_session(self, client, alice, project):
        alice.language = "es"
        alice.save()
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
        assert "Resumen ejecutivo" in text_of(client.get(PATH, HTTP_ACCEPT_LANGUAGE="en"))

        client.cookies["django_language"] = "en"
        assert "Executive summary" in text_of(client.get(PATH, HTTP_ACCEPT_LANGUAGE="es"))

    def test_speaks_the_language_of_the_header_to_a_key(self, client, alice, project):
        from callscope.accounts import services

        alice.language = "es"
        alice.save()
        _, key = services.create_key(alice, name="robot", expires_at=None, by=alice)

        answer = client.get(PATH, HTTP_AUTHORIZATION=f"Api-Key {key}", HTTP_ACCEPT_LANGUAGE="en")

        assert "Executive summary" in text_of(answer)

    def test_of_an_unreachable_project_is_404_in_json(self, as_carol, project):
        answer = as_carol.get(PATH, {"project_id": project.pk}, HTTP_ACCEPT="application/pdf")

        assert answer.status_code == 404
        assert set(answer.json()) == {"detail"}

    def test_names_a_wrong_date(self, as_alice):
        answer = as_alice.get(PATH, {"start_date": "2026-13-01"})

        assert answer.status_code == 400
        assert answer.json() == {"start_date": ['"2026-13-01" is not a date. Use YYYY-MM-DD.']}

    def test_asks_for_credentials(self, anonymous):
        assert anonymous.get(PATH).status_code == 401

    def test_is_refused_while_the_last_one_is_being_made(self, as_alice, alice):
        with report_pdf.hold_turn(alice.pk):
            answer = as_alice.get(PATH)

        assert answer.status_code == 429
        assert answer["Retry-After"] == "10"
        assert as_alice.get(PATH).status_code == 200

    def test_of_one_user_does_not_wait_for_another(self, as_bob, alice, monkeypatch):
        monkeypatch.setattr(report_pdf, "TURN_S", 0.1)
        with report_pdf.hold_turn(alice.pk):
            assert as_bob.get(PATH).status_code == 200

    def test_waits_while_others_make_theirs_and_then_says_so(self, as_alice, monkeypatch):
        monkeypatch.setattr(report_pdf, "TURN_S", 0.1)
        with report_pdf.hold_turn(900_001), report_pdf.hold_turn(900_002):
            answer = as_alice.get(PATH)

        assert (answer.status_code, answer["Retry-After"]) == (429, "10")
        assert answer.json()["detail"].startswith(report_pdf.BUSY)
        assert as_alice.get(PATH).status_code == 200

    def test_is_refused_at_once_where_two_wait_already(self, as_alice, settings):
        with contextlib.ExitStack() as held:
            for name in ("pdf-turn-0", "pdf-turn-1", "pdf-waits-0", "pdf-waits-1"):
                lock = held.enter_context(contextlib.closing(FileLock(settings.DATA_DIR / "locks" / name)))
                lock.acquire()

            # Would wait for half a minute if there were a place.
            assert as_alice.get(PATH).status_code == 429


class TestNarrative:
    def test_is_written_by_the_model_and_entered_in_the_ledger(self, as_alice, project, language_model):
        language_model(
            lambda _request, _n: ScriptedReply(
                json.dumps({"paragraphs": ["Nothing was measured. Expect 97 % soon."]})
            )
        )

        text = text_of(as_alice.get(PATH))

        assert "Nothing was measured." in text
        assert "97" not in text
        entry = UsageEntry.objects.get(kind="narrative")
        assert (entry.input_tokens, entry.output_tokens) == (1000, 100)

    def test_of_a_private_project_does_not_ask_the_common_model(self, as_alice, project, language_model):
        project.config = {**project.config, "private_transcription": True}
        project.save()
        server = language_model(lambda _request, _n: ScriptedReply("{}"))

        assert as_alice.get(PATH).status_code == 200

        assert server.requests == []

    @pytest.mark.parametrize(
        "said",
        [
            ScriptedReply(status=503),
            ScriptedReply(status=401),
            ScriptedReply("no json here"),
            ScriptedReply(finish_reason="length", text="{"),
        ],
    )
    def test_that_fails_leaves_the_tables_and_a_note(self, as_alice, project, language_model, said):
        language_model(lambda _request, _n: said)

        answer = as_alice.get(PATH)

        assert answer.status_code == 200
        assert "The language model wrote no summary this time" in text_of(answer)
        assert "Executive summary" in text_of(answer)


def test_turns_are_kept_by_file_locks():
    """Other processes see a turn, since it is the kernel's lock."""
    with report_pdf.hold_turn(987654) as _:
        from django.conf import settings

        with open(settings.DATA_DIR / "locks" / "pdf-987654", "w") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


class TestTheLanguage:
    @pytest.mark.parametrize(
        ("header", "language"),
        [
            ("", "en"),
            ("es", "es"),
            ("es-MX,es;q=0.9,en;q=0.8", "es"),
            ("en;q=0.5, es;q=0.9", "es"),
            ("fr, de", "en"),
            ("fr, es;q=0.1", "es"),
            ("es;q=0", "en"),
            ("es;q=abc", "en"),
            ("*", "en"),
            (",;;=", "en"),
        ],
    )
    def test_follows_accept_language_with_its_qualities(self, header, language):
        request = Request(RequestFactory().get(PATH, headers={"Accept-Language": header}))
        request.auth = "prefix of a key"

        assert report_pdf.choose_language(request, User()) == language
