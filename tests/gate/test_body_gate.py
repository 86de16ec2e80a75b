"""Which bodies are let in, how much of one is read, and what its sender is answered."""

import io
import json
import threading
import time

import pytest

from callscope.interfaces.gate import body_gate, timed_body
from callscope.interfaces.gate.body_gate import ANONYMOUS_BYTES, DOCUMENT_BYTES, DRAINED_BYTES, BodyGate

KEY = {"HTTP_AUTHORIZATION": "Api-Key x"}
SESSION = {"HTTP_COOKIE": "theme=dark; callscope_session=x"}
UPLOADS = ["/api/files/", "/api/projects/7/call-manifest/"]


class Body:
    """A body that counts what is read of it."""

    def __init__(self, length: int) -> None:
        self.content = io.BytesIO(bytes(length))

    def read(self, size: int = -1) -> bytes:
        return self.content.read(size)

    @property
    def was_read(self) -> int:
        return self.content.tell()


class Silent:
    """A body whose sender sends nothing, until the connection ends."""

    def __init__(self) -> None:
        self.is_closed = threading.Event()

    def read(self, _size: int) -> bytes:
        self.is_closed.wait()
        return b""


def read_all(environ, start_response):
    environ["wsgi.input"].read()
    start_response("200 OK", [])
    return [b"read"]


def read_nothing(_environ, start_response):
    start_response("401 Unauthorized", [])
    return [b"who?"]


def too_large(_environ, start_response):
    start_response("413 Content Too Large", [])
    return [b"too large"]


def ask(application, body, length, *, path="/calls/", method="POST", threads=8, **headers):
    """Return (status, headers, body of the answer)."""
    gate = application if isinstance(application, BodyGate) else BodyGate(application, threads=threads)
    answered = []
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "wsgi.input": body, **headers}
    if length is not None:
        environ["CONTENT_LENGTH"] = str(length)
    content = b"".join(gate(environ, lambda status, headers, *_: answered.append((status, dict(headers)))))
    [(status, given)] = answered
    return int(status.split()[0]), given, content


class TestLength:
    @pytest.mark.parametrize(
        ("path", "credentials", "length", "status"),
        [
            ("/login/", {}, ANONYMOUS_BYTES, 200),
            ("/login/", {}, ANONYMOUS_BYTES + 1, 413),
            ("/api/files/", {}, ANONYMOUS_BYTES + 1, 413),
            ("/api/projects/", KEY, DOCUMENT_BYTES, 200),
            ("/api/projects/", KEY, DOCUMENT_BYTES + 1, 413),
            ("/projects/1/save/", SESSION, DOCUMENT_BYTES, 200),
            ("/projects/1/save/", SESSION, DOCUMENT_BYTES + 1, 413),
            *[(path, KEY, DOCUMENT_BYTES + 1, 200) for path in UPLOADS],
            ("/api/files/1/", KEY, DOCUMENT_BYTES + 1, 413),
        ],
    )
    def test_is_limited_by_route_and_sender(self, path, credentials, length, status):
        assert ask(read_all, Body(length), length, path=path, **credentials)[0] == status

    def test_counts_only_for_a_method_that_uploads(self):
        body = Body(DOCUMENT_BYTES + 1)
        assert ask(read_all, body, DOCUMENT_BYTES + 1, path=UPLOADS[0], method="PUT", **KEY)[0] == 413

    def test_is_refused_unread_where_it_is_far_too_large(self):
        body = Body(DRAINED_BYTES + 1)

        status, headers, _ = ask(read_all, body, DRAINED_BYTES + 1, path="/login/")

        assert (status, headers["Connection"], body.was_read) == (413, "close", 0)

    def test_is_refused_in_the_words_of_the_door(self):
        _, headers, content = ask(read_all, Body(70_000), 70_000, path="/api/files/")
        assert headers["Content-Type"] == "application/json"
        assert json.loads(content) == {"detail": "The body is too large. At most 64 kB are allowed."}

        _, headers, content = ask(read_all, Body(70_000), 70_000, path="/login/")
        assert headers["Content-Type"].startswith("text/plain")
        assert content == b"The body is too large. At most 64 kB are allowed."

    @pytest.mark.parametrize("path", ["/api/files/", "/calls/"])
    def test_has_to_be_announced(self, path):
        body = Body(600_000)

        status, _, content = ask(read_all, body, None, path=path, HTTP_TRANSFER_ENCODING="chunked", **KEY)

        assert status == 411
        assert b"Content-Length" in content
        assert body.was_read == 600_000

    @pytest.mark.parametrize("text", ["", "0", "-5", "x", "٣"])
    def test_that_is_none_leaves_the_body_to_the_application(self, text):
        assert ask(read_nothing, Body(0), None, CONTENT_LENGTH=text)[0] == 401


class TestABodyThatNobodyRead:
    """The server closes a connection on bytes that are left, and the next request over it goes unanswered."""

    def test_is_read_to_its_end(self):
        body = Body(600_000)
        status, headers, _ = ask(read_nothing, body, 600_000, **KEY)
        assert (status, body.was_read) == (401, 600_000)
        assert "Connection" not in headers

    def test_is_left_and_the_connection_closed_where_it_is_long(self):
        length = DRAINED_BYTES + body_gate.PIECE_BYTES + 1
        body = Body(length)
        _, headers, _ = ask(read_nothing, body, length, path=UPLOADS[0], **KEY)
        assert headers["Connection"] == "close"
        assert body.was_read < length

    def test_of_an_upload_that_is_too_large_is_read_for_the_sake_of_the_answer(self):
        length = 3 * DRAINED_BYTES
        body = Body(length)
        assert ask(too_large, body, length, path=UPLOADS[0], **KEY)[0] == 413
        assert body.was_read == length


class TestALateBody:
    @pytest.fixture(autouse=True)
    def _short_grace(self, monkeypatch):
        monkeypatch.setattr(timed_body, "GRACE_S", 0.05)

    @pytest.fixture
    def silent(self):
        body = Silent()
        yield body
        body.is_closed.set()

    @pytest.mark.parametrize("application", [read_nothing, too_large])
    def test_is_answered_408(self, silent, application):
        status, headers, content = ask(application, silent, 10, path="/api/files/", **KEY)

        assert (status, headers["Connection"]) == (408, "close")
        assert json.loads(content) == {"detail": "The request took too long to arrive."}

    def test_reads_to_django_as_a_sender_who_went_away(self, silent):
        def application(environ, start_response):
            with pytest.raises(OSError):
                environ["wsgi.input"].read(10)
            return read_nothing(environ, start_response)

        assert ask(application, silent, 10)[0] == 408

    def test_frees_its_slot(self, silent, monkeypatch):
        gate = BodyGate(read_nothing, threads=body_gate.KEPT_THREADS + 1)
        assert ask(gate, silent, 10)[0] == 408

        monkeypatch.setattr(timed_body, "GRACE_S", 60.0)  # a busy machine reads slowly, too
        assert ask(gate, Body(10), 10)[0] == 401


class TestManyBodies:
    def test_leave_threads_to_requests_without_one(self, monkeypatch):
        """With all slots taken, a further body is answered 503; a request without a body is served."""
        monkeypatch.setattr(body_gate, "WAIT_S", 0.01)
        gate = BodyGate(read_all, threads=body_gate.KEPT_THREADS + 2)
        silent = [Silent(), Silent()]
        senders = [threading.Thread(target=ask, args=(gate, body, 10)) for body in silent]
        for sender in senders:
            sender.start()
        try:
            while gate._slots._value:
                time.sleep(0.001)
            status, headers, content = ask(gate, Body(10), 10, path="/api/files/", **KEY)
            without_body = ask(gate, Body(0), 0, method="GET")[0]
        finally:
            for body in silent:
                body.is_closed.set()
            for sender in senders:
                sender.join()

        assert (status, headers["Retry-After"]) == (503, "5")
        assert "Try again" in json.loads(content)["detail"]
        assert without_body == 200
        assert ask(gate, Body(10), 10)[0] == 200
