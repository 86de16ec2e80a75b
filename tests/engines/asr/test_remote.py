"""OpenAI-compatible speech servers, scripted: formats, faults, and where the sound goes."""

import json
import time

import httpx2
import numpy as np
import pytest

from callscope.engines.answers import listen_to_answers
from callscope.engines.asr import remote
from callscope.engines.asr.protocol import EngineUnreachable
from callscope.engines.asr.remote import RemoteTranscriber
from callscope.engines.errors import EngineRejected, EngineUnavailable, Trouble

pytestmark = pytest.mark.one_database

SECOND = np.zeros(16_000, np.int16)
VERBOSE = {
    "text": "Hello there.",
    "language": "english",
    "segments": [
        {"start": 0.5, "end": 2.0, "text": " Hello there.", "avg_logprob": -0.1, "no_speech_prob": 0.01}
    ],
    "words": [{"start": 0.7, "end": 1.0, "word": "Hello"}, {"start": 1.1, "end": 1.6, "word": "there"}],
}


class Server:
    """Answer each request with the next (status, body, headers), the last repeatedly; keep the requests."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, request):
        self.requests.append(
            {"url": str(request.url), "form": _form(request.read()), "headers": request.headers}
        )
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        status, body, headers = (*answer, {})[:3]
        if isinstance(body, bytes):
            return httpx2.Response(status, content=body, headers=headers)
        return httpx2.Response(status, json=body, headers=headers)

    def formats(self):
        return [request["form"]["response_format"] for request in self.requests]


def _form(body):
    """Return the text fields of a multipart body, and the length of the file."""
    form = {}
    if not body:
        return form
    boundary = body.split(b"\r\n", 1)[0]
    for part in body.split(boundary)[1:-1]:
        head, _, value = part.strip(b"\r\n").partition(b"\r\n\r\n")
        name = head.split(b'name="')[1].split(b'"')[0].decode()
        if b"filename=" in head:
            form[name] = len(value)
        elif name in form:
            form[name] = [form[name], value.decode()]
        else:
            form[name] = value.decode()
    return form


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch):
    monkeypatch.setattr(remote, "_rungs", {})


@pytest.fixture
def speech(monkeypatch):
    """Two stretches of speech for servers that return text alone."""
    monkeypatch.setattr(remote, "detect_speech", lambda samples: [(0.5, 1.5), (2.0, 3.0)])


def engine(server, **options):
    options = {"model": "m", **options}
    return RemoteTranscriber("http://asr.example/v1", transport=httpx2.MockTransport(server), **options)


def ask(server, *, samples=None, language="en", hints=(), seconds=60, **options):
    return engine(server, **options).transcribe(
        np.tile(SECOND, 4) if samples is None else samples,
        language=language,
        hints=list(hints),
        deadline=time.monotonic() + seconds,
    )


def refusal(message="response_format is not supported"):
    return 400, {"error": {"message": message, "code": None}}


class TestFormats:
    def test_begin_with_segments_and_words(self):
        server = Server((200, VERBOSE))

        heard = ask(server, hints=["Zubiri", "Callscope"])

        (utterance,) = heard.utterances
        assert utterance.text == "Hello there."
        assert (utterance.start_s, utterance.end_s) == (0.7, 1.6)
        assert utterance.confidence == pytest.approx(0.905, abs=0.001)
        assert [word.text for word in utterance.words] == ["Hello", "there"]
        assert heard.language == "en"
        (request,) = server.requests
        assert request["url"] == "http://asr.example/v1/audio/transcriptions"
        assert request["form"] == {
            "file": 4 * 32_000 + 44,
            "model": "m",
            "language": "en",
            "prompt": "Zubiri, Callscope",
            "response_format": "verbose_json",
            "timestamp_granularities[]": ["segment", "word"],
        }

    def test_step_down_to_what_the_server_can(self):
        diarized = {"text": "Hi", "segments": [{"start": 0, "end": 1, "text": "Hi", "speaker": "A"}]}
        server = Server(refusal(), (200, diarized))

        assert [u.text for u in ask(server).utterances] == ["Hi"]
        assert server.formats() == ["verbose_json", "diarized_json"]

    def test_step_down_when_the_server_ignores_them(self, speech):
        server = Server((200, {"text": "Hi"}))

        heard = ask(server)

        assert [(u.start_s, u.end_s, u.text) for u in heard.utterances] == [
            (0.5, 1.5, "Hi"),
            (2.0, 3.0, "Hi"),
        ]
        assert server.formats() == ["verbose_json", "diarized_json", "verbose_json", "json", "json"]

    def test_are_remembered_for_the_server_and_model(self, speech):
        server = Server(refusal(), refusal(), refusal(), (200, {"text": "Hi"}))
        transcriber = engine(server)
        for _ in range(2):
            transcriber.transcribe(SECOND, language=None, hints=[], deadline=time.monotonic() + 60)

        assert server.formats() == [
            "verbose_json",
            "diarized_json",
            "verbose_json",
            "json",
            "json",
            "json",
            "json",
        ]

    def test_step_down_on_a_server_error_that_names_them(self):
        server = Server((500, {"error": {"message": "response_format: unknown"}}), (200, VERBOSE))

        assert ask(server).utterances

    def test_that_all_fail_are_a_refusal_with_the_servers_words(self):
        with pytest.raises(EngineRejected, match="rejected the recording: the file is broken"):
            ask(Server(refusal("the file is broken")))

    def test_of_silence_are_nothing(self):
        assert ask(Server((200, {"text": "", "segments": []}))).utterances == []

    def test_leave_out_text_invented_over_silence(self):
        invented = {
            "start": 0,
            "end": 2,
            "text": "Thanks for watching",
            "avg_logprob": -1.4,
            "no_speech_prob": 0.9,
        }

        assert ask(Server((200, {**VERBOSE, "segments": [invented], "words": []}))).utterances == []


class TestFaults:
    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
    def test_that_pass_are_unavailable(self, status):
        server = Server((status, {"error": {"message": "busy"}}, {"retry-after": "17"}))

        with pytest.raises(EngineUnavailable, match="busy") as unavailable:
            ask(server)

        assert unavailable.value.retry_after_s == 17
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        ("value", "seconds"),
        [
            ("soon", None),
            ("-1", None),
            ("nan", None),
            ("Wed, 21 Oct 2026 07:28:30 GMT", 30),
            ("Wed, 21 Oct 2026 07:00:00 GMT", 0),
            ("999999", 3600),
            ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None),
        ],
    )
    def test_name_a_pause_in_seconds_or_by_a_date(self, value, seconds):
        headers = {"retry-after": value, "date": "Wed, 21 Oct 2026 07:28:00 GMT"}
        with pytest.raises(EngineUnavailable) as unavailable:
            ask(Server((503, {}, headers)))

        assert unavailable.value.retry_after_s == seconds
        assert unavailable.value.trouble == Trouble.BUSY

    @pytest.mark.parametrize("error", [httpx2.ConnectError("refused"), httpx2.ConnectTimeout("slow")])
    def test_of_the_connection_are_distinguished_from_the_rest(self, error):
        with pytest.raises(EngineUnreachable, match="cannot be reached"):
            ask(Server(error))

    @pytest.mark.parametrize("error", [httpx2.ReadTimeout("slow"), httpx2.RemoteProtocolError("gone")])
    def test_in_the_middle_may_be_this_calls(self, error):
        with pytest.raises(EngineUnavailable, match=r"closed the connection|in time") as unavailable:
            ask(Server(error))

        assert not isinstance(unavailable.value, EngineUnreachable)
        assert unavailable.value.trouble is None
        assert unavailable.value.engine == ("speech", "http://asr.example/v1")

    @pytest.mark.parametrize(
        ("status", "said", "trouble"),
        [
            (401, "no", Trouble.KEY),
            (403, "no", Trouble.KEY),
            (402, "pay", Trouble.QUOTA),
            (429, "insufficient_quota", Trouble.QUOTA),
            (429, "slow down", Trouble.BUSY),
            (503, "Loading model", Trouble.BUSY),
            (302, "moved", Trouble.UNREACHABLE),
            (503, "busy", None),
            (500, "oops", None),
        ],
    )
    def test_count_as_trouble_of_the_engine_or_not(self, status, said, trouble):
        server = Server((status, {"error": {"message": said}}))

        with pytest.raises(EngineUnavailable) as unavailable:
            ask(server)

        assert (unavailable.value.trouble, len(server.requests)) == (trouble, 1)

    @pytest.mark.parametrize("body", [b"<html>Not Found</html>", b'{"detail": "Not Found"}'])
    def test_of_the_address_are_the_engines(self, body, speech):
        with pytest.raises(EngineUnavailable, match=r"http://asr\.example/v1") as unavailable:
            ask(Server((404, body)))

        assert unavailable.value.trouble == Trouble.ADDRESS
        assert unavailable.value.engine == ("speech", "http://asr.example/v1")

    @pytest.mark.parametrize(
        ("code", "trouble"), [("429", Trouble.BUSY), (402, Trouble.QUOTA), ("invalid_api_key", Trouble.KEY)]
    )
    def test_in_an_answer_are_the_engines_too(self, code, trouble):
        with pytest.raises(EngineUnavailable) as unavailable:
            ask(Server((200, {"error": {"code": code, "message": "no"}})))

        assert unavailable.value.trouble == trouble

    @pytest.mark.parametrize(
        ("said", "is_of_call"), [("cannot decode the audio", True), ("no tenant", False)]
    )
    def test_say_whose_they_are(self, said, is_of_call, speech):
        with pytest.raises(EngineRejected, match=said) as rejected:
            ask(Server(refusal(said)))

        assert rejected.value.is_of_call == is_of_call

    @pytest.mark.parametrize("status", [400, 403, 422])
    def test_of_this_recordings_content_are_final_at_once(self, status, speech):
        server = Server((status, {"error": {"message": "flagged by moderation"}}))

        with pytest.raises(EngineRejected, match="flagged by moderation") as rejected:
            ask(server)

        assert (rejected.value.is_of_call, len(server.requests)) == (True, 1)

    def test_of_the_model_are_the_engines(self):
        server = Server((404, {"error": {"message": "no model m", "code": "model_not_found"}}))

        with pytest.raises(EngineUnavailable, match="no model m") as unavailable:
            ask(server)

        assert (unavailable.value.trouble, len(server.requests)) == (Trouble.MODEL, 1)

    @pytest.mark.parametrize("body", [b"<html>", b"", b"[" * 10**5 + b"]" * 10**5])
    def test_of_a_gateway_that_answers_in_its_place_may_pass(self, body, speech):
        server = Server((200, body))

        with pytest.raises(EngineUnavailable, match="not JSON"):
            ask(server)

        assert server.formats() == ["verbose_json"]

    @pytest.mark.parametrize("body", [b"{}", b'{"status": "ok"}', b'{"text": null}', b"[]", b'"text"'])
    def test_of_an_answer_without_a_transcript_may_be_everybodys(self, body, speech):
        server, heard = Server((200, body)), []

        with listen_to_answers(heard.append), pytest.raises(EngineRejected) as rejected:
            ask(server)

        assert (rejected.value.is_of_call, heard) == (False, [])
        assert len(server.requests) == 4

    @pytest.mark.parametrize(
        "segment",
        [
            {"end": 1, "text": "x"},
            {"start": "0", "end": 1, "text": "x"},
            {"start": True, "end": 1, "text": "x"},
            7,
        ],
    )
    def test_of_a_segment_lead_to_the_next_format(self, segment):
        server = Server((200, {"text": "x", "segments": [segment]}), (200, VERBOSE))

        assert [u.text for u in ask(server).utterances] == ["Hello there."]

    def test_of_time_are_unavailable(self):
        server = Server((200, VERBOSE))

        with pytest.raises(EngineUnavailable, match="in time"):
            ask(server, seconds=-1)

        assert server.requests == []


class TestPrivacy:
    def test_follows_no_redirect(self):
        server = Server((307, {}, {"location": "http://elsewhere.example/v1/audio/transcriptions"}))

        with pytest.raises(EngineUnavailable, match="307"):
            ask(server)

        assert [request["url"] for request in server.requests] == [
            "http://asr.example/v1/audio/transcriptions"
        ]

    def test_takes_no_proxy_for_an_operators_own_server(self, monkeypatch):
        monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
        monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")

        private = RemoteTranscriber("http://127.0.0.1:9/v1", operator_run=True)
        with pytest.raises(EngineUnavailable, match="refused"):
            private.transcribe(SECOND, language=None, hints=[], deadline=time.monotonic() + 9)

    def test_is_a_matter_of_whose_server_it_is(self):
        assert engine(Server((200, {}))).sends_data_out
        assert not engine(Server((200, {})), operator_run=True).sends_data_out
        assert engine(Server((200, {}))).hosts == ["asr.example"]

    def test_keeps_the_key_out_of_names_and_errors(self):
        transcriber = engine(Server((401, {})), api_key="top-secret")
        with pytest.raises(EngineUnavailable) as rejected:
            transcriber.transcribe(SECOND, language=None, hints=[], deadline=time.monotonic() + 9)

        assert "top-secret" not in json.dumps([transcriber.name, str(rejected.value), repr(transcriber)])


class TestCheck:
    def test_tells_a_server_that_answers(self):
        assert engine(Server((404, {}))).check().ok
        assert engine(Server((200, {"data": []}))).check().ok

    def test_tells_a_refused_key_and_a_dead_server(self):
        assert not engine(Server((401, {}))).check().ok
        assert not engine(Server(httpx2.ConnectError("refused"))).check().ok


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://h:1", "http://h:1/v1"),
        ("http://h:1/", "http://h:1/v1"),
        ("http://h:1/v1", "http://h:1/v1"),
        ("http://h:1/openai/v1/", "http://h:1/openai/v1"),
    ],
)
def test_base_url_gets_its_version_where_it_has_no_path(given, used):
    assert RemoteTranscriber(given).base_url == used
