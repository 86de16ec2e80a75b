"""The HTTP client against a server that answers, refuses, has a problem, or is another program."""

import httpx2
import pytest

from callscope.interfaces.cli.runtime import client
from callscope.interfaces.cli.runtime.client import NoAnswer, RequestRefused, Server
from callscope.interfaces.cli.runtime.errors import Failure
from tests.cli.conftest import Answers


class TestServer:
    def test_is_asked_with_the_key(self):
        answers = Answers((200, {"ok": True}))

        assert answers.server().get("/x/", {"a": 1, "b": None}) == {"ok": True}
        (request,) = answers.requests
        assert str(request.url) == "http://callscope.test/x/?a=1"
        assert request.headers["authorization"] == "Api-Key a.b"

    def test_is_waited_for_as_long_as_its_rate_limit_says(self):
        answers = Answers((429, {}, {"Retry-After": "7"}), (429, {}), (200, {}))

        answers.server().get("/x/")

        assert answers.pauses == [7.0, client.MIN_PAUSE_S]

    def test_is_asked_again_after_trouble_ever_more_slowly(self):
        answers = Answers((503, {}), httpx2.ReadError("gone"), (200, {}))

        answers.server().get("/x/")

        assert answers.pauses == [1.0, 2.0]

    def test_is_given_up_after_some_attempts(self):
        answers = Answers(*[(500, {})] * client.MAX_ATTEMPTS)

        with pytest.raises(NoAnswer, match="has a problem: it answered 500"):
            answers.server().get("/x/")

    def test_is_not_asked_again_when_it_was_never_reached(self):
        answers = Answers(httpx2.ConnectError("[Errno 111] Connection refused"))

        with pytest.raises(Failure, match=r"cannot be reached: Connection refused\."):
            answers.server().get("/x/")

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ((403, {"detail": "Revoked."}), "refuses CALLSCOPE_API_KEY: Revoked."),
            ((404, {"detail": "Not found."}), "Not found."),
            ((400, {"start_date": ["Not a date."]}), "start_date: Not a date."),
            ((301, None, {"location": "https://x.test/"}), "Is CALLSCOPE_URL a Callscope server"),
        ],
    )
    def test_tells_its_errors_in_one_line(self, answer, message):
        with pytest.raises(RequestRefused) as refusal:
            Answers(answer).server().get("/x/")

        assert message in refusal.value.messages[0]

    def test_gives_all_pages(self):
        answers = Answers((200, {"results": [1, 2], "next": "…"}), (200, {"results": [3], "next": None}))

        assert list(answers.server().pages("/x/", {})) == [1, 2, 3]


class TestAnotherProgram:
    """A server that is there and is no Callscope: a wrong port, a proxy's page."""

    @pytest.mark.parametrize(
        ("body", "lack"),
        [
            (b"<html>", "no JSON object"),
            (b"[]", "no JSON object"),
            (b'{"x": 1}', "an answer without results"),
        ],
    )
    def test_is_reported_in_a_line_that_keeps_the_password(self, body, lack):
        transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=body))
        server = Server("http://ana:secret@callscope.test", "a.b", transport=transport)

        with pytest.raises(Failure) as failure:
            list(server.pages("/api/files/", {}))

        assert failure.value.messages == [
            f"http://…@callscope.test gave {lack}. Is CALLSCOPE_URL a Callscope server?"
        ]

    def test_gives_no_pdf(self, monkeypatch, callscope, tmp_path):
        monkeypatch.setenv("CALLSCOPE_URL", "http://callscope.test")
        monkeypatch.setenv("CALLSCOPE_API_KEY", "a.b")
        monkeypatch.setattr(Server, "get_response", lambda *_, **__: httpx2.Response(200, content=b"<html>"))

        (line,) = callscope.failure("report", "--pdf", tmp_path / "report.pdf")

        assert line.startswith("http://callscope.test gave no PDF.")
        assert not (tmp_path / "report.pdf").exists()


class TestEnvironment:
    @pytest.mark.parametrize(
        ("url", "key", "message"),
        [
            ("", "a.b", "CALLSCOPE_URL is not set."),
            ("localhost:8000", "a.b", 'CALLSCOPE_URL is "localhost:8000".'),
            ("http://[", "a.b", 'CALLSCOPE_URL is "http://[".'),
            ("http://localhost", "", "CALLSCOPE_API_KEY is not set."),
            ("http://localhost", "a.b\nc", "CALLSCOPE_API_KEY contains characters"),
            ("http://localhost", "añb", "CALLSCOPE_API_KEY contains characters"),
        ],
    )
    def test_is_reported_when_it_names_no_server(self, monkeypatch, callscope, url, key, message):
        monkeypatch.setenv("CALLSCOPE_URL", url)
        monkeypatch.setenv("CALLSCOPE_API_KEY", key)

        (line,) = callscope.failure("report")

        assert line.startswith(message)
