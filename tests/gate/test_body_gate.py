"""Which bodies are let in, how much of one is read, and what its sender is answered."""

import functools
import io
import json
import threading
import time
from http import HTTPStatus

import pytest

from callscope.interfaces.gate import body_gate, body_shares, timed_body
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
        self.is_asked, self.is_closed = threading.Event(), threading.Event()

    def read(self, _size: int) -> bytes:
        self.is_asked.set()
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


def make_gate(application, *, threads=8):
    """Return a gate that takes every key for the live one of the user whose number it is, but x."""

    def find_user(environ):
        key = environ.get("HTTP_AUTHORIZATION", "").removeprefix("Api-Key ")
        return int(key) if key.isdigit() else None

    return BodyGate(application, threads=threads, find_user=find_user)


def ask(application, body, length, *, path="/calls/", method="POST", threads=8, **headers):
    """Return (status, headers, body of the answer)."""
    gate = application if isinstance(application, BodyGate) else make_gate(application, threads=threads)
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

    @pytest.mark.parametrize("length", [ANONYMOUS_BYTES + 1, DRAINED_BYTES + 1])
    def test_is_refused_to_a_browser_by_a_page_that_never_sees_the_body(self, length):
        asked = []

        def show_page(environ, start_response):
            asked.append(environ)
            start_response("413 Content Too Large", [("Content-Type", "text/html")])
            return [environ["wsgi.input"].read() or b"a page"]

        status, headers, content = ask(show_page, Body(length), length, HTTP_ACCEPT="text/html,*/*;q=0.8")

        assert (status, headers["Connection"], content) == (413, "close", b"a page")
        assert (asked[0]["CONTENT_LENGTH"], asked[0][body_gate.REFUSED]) == ("0", (413, "64 kB"))

    @pytest.mark.parametrize(
        "sent_type", ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded"]
    )
    @pytest.mark.parametrize("accepted", [{}, {"HTTP_ACCEPT": "*/*"}], ids=["nothing", "everything"])
    def test_of_a_form_is_refused_by_a_page_whatever_is_accepted(self, sent_type, accepted):
        def show_page(environ, start_response):
            start_response("413 Content Too Large", [("Content-Type", "text/html")])
            return [b"a page"]

        sent = {"CONTENT_TYPE": sent_type, **accepted}
        assert ask(show_page, Body(70_000), 70_000, path="/login/", **sent)[2] == b"a page"

        _, headers, _ = ask(None, Body(70_000), 70_000, path="/api/projects/", **sent)
        assert headers["Content-Type"] == "application/json"

    @pytest.mark.parametrize(
        "sender",
        [
            {
                "HTTP_ACCEPT": "*/*",
                "HTTP_HX_REQUEST": "true",
                "CONTENT_TYPE": "application/x-www-form-urlencoded",
            },
            {"HTTP_ACCEPT": "text/html", **KEY},
            {"HTTP_ACCEPT": "application/json", "CONTENT_TYPE": "multipart/form-data; boundary=x"},
            {"HTTP_ACCEPT": "*/*", "CONTENT_TYPE": "application/json"},
            {},
        ],
        ids=["htmx", "key", "json", "document", "none"],
    )
    def test_is_refused_to_others_without_the_application(self, sender):
        _, headers, _ = ask(None, Body(DOCUMENT_BYTES + 1), DOCUMENT_BYTES + 1, **sender)

        assert headers["Content-Type"].startswith("text/plain")

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


def show_refusal(environ, start_response):
    """Answer as the product does: a page for what the gate refused, else 401."""
    refusal = environ.get(body_gate.REFUSED)
    if refusal is None:
        return read_nothing(environ, start_response)
    start_response(f"{refusal.status.value} {refusal.status.phrase}", [("Content-Type", "text/html")])
    return [environ["wsgi.input"].read() or b"a page"]


class TestAPageForABrowser:
    BROWSER = {"HTTP_ACCEPT": "text/html,*/*;q=0.8"}

    def check(self, gate, body, length, status, **headers):
        found, given, content = ask(gate, body, length, **self.BROWSER, **headers)
        assert (found, given["Connection"], content) == (status, "close", b"a page")
        for path in ("/api/projects/", "/calls/api/calls/"):
            found, given, content = ask(gate, body, length, path=path, **self.BROWSER, **headers)
            assert (found, given["Content-Type"]) == (status, "application/json")
            assert json.loads(content)["detail"]

    def test_says_that_a_body_needs_a_length(self):
        self.check(show_refusal, Body(10), None, 411, HTTP_TRANSFER_ENCODING="chunked")

    @pytest.mark.parametrize("status", [HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE])
    def test_says_that_too_much_is_sent_at_once(self, monkeypatch, status):
        def refuse_all(_shares, _environ):
            raise body_shares.NoShare(status)

        monkeypatch.setattr(body_shares.BodyShares, "take", refuse_all)

        self.check(show_refusal, Body(10), 10, status)

    def test_says_that_a_body_came_too_late(self, monkeypatch):
        monkeypatch.setattr(timed_body, "GRACE_S", 0.05)
        body = Silent()
        try:
            self.check(show_refusal, body, 10, 408)
        finally:
            body.is_closed.set()


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
        gate = make_gate(read_nothing, threads=body_gate.KEPT_THREADS + 1)
        assert ask(gate, silent, 10)[0] == 408

        monkeypatch.setattr(timed_body, "GRACE_S", 60.0)  # a busy machine reads slowly, too
        assert ask(gate, Body(10), 10)[0] == 401


class _Reader:
    """Reads at once, and notes how long it was given."""

    def __init__(self) -> None:
        self.given_s: list[float] = []

    def submit(self, read, size):
        self.read = functools.partial(read, size)
        return self

    def result(self, *, timeout):
        self.given_s.append(timeout)
        return self.read()


class TestTheTimeOfABody:
    @pytest.mark.parametrize(("patient_bytes", "last_s"), [(None, 20 + 250), (ANONYMOUS_BYTES, 20 + 16)])
    def test_of_a_stranger_grows_with_no_more_bytes_than_a_form_has(self, monkeypatch, patient_bytes, last_s):
        monkeypatch.setattr(timed_body.time, "monotonic", lambda: 0.0)
        reader, arrivals = _Reader(), []
        body = timed_body.TimedBody(
            Body(1_000_001),
            1_000_001,
            reader,
            patient_bytes=patient_bytes,
            on_arrival=lambda: arrivals.append(1),
        )

        body.read(1_000_000)
        assert not arrivals
        body.read()

        assert reader.given_s[0] == timed_body.GRACE_S
        assert int(reader.given_s[-1]) == last_s
        assert arrivals == [1]


class Senders:
    """Bodies that never end, each in a thread of its own, until the test is over."""

    def __init__(self, gate: BodyGate) -> None:
        self.gate = gate
        self.statuses: list[int] = []
        self._bodies: list[Silent] = []
        self._threads: list[threading.Thread] = []

    def send(self, count: int, **environ) -> None:
        """Send so many, and wait until each is either being read or refused."""
        for _ in range(count):
            body = Silent()
            sender = threading.Thread(target=self._ask, args=(body, environ))
            self._bodies.append(body)
            self._threads.append(sender)
            sender.start()
        while self.reading + len(self.statuses) < len(self._bodies):
            time.sleep(0.001)

    @property
    def reading(self) -> int:
        """How many bodies are being read."""
        return sum(body.is_asked.is_set() for body in self._bodies)

    def _ask(self, body: Silent, environ) -> None:
        status, headers, _ = ask(self.gate, body, 10, path="/api/files/", **environ)
        assert status == 200 or headers["Retry-After"] == "5"
        if status != 200:
            self.statuses.append(status)

    def stop(self) -> None:
        for body in self._bodies:
            body.is_closed.set()
        for sender in self._threads:
            sender.join()


class TestManyBodies:
    THREADS = body_gate.KEPT_THREADS + 12

    @pytest.fixture(autouse=True)
    def _short_wait(self, monkeypatch):
        monkeypatch.setattr(body_shares, "WAIT_S", 0.01)

    @pytest.fixture
    def gate(self):
        return make_gate(read_all, threads=self.THREADS)

    @pytest.fixture
    def senders(self, gate):
        made = Senders(gate)
        yield made
        made.stop()

    def test_leave_threads_to_requests_without_one(self, gate, senders):
        """With all slots taken, a further body is answered 503; a request without a body is served."""
        for user in range(12):
            senders.send(1, HTTP_AUTHORIZATION=f"Api-Key {user}")

        status, headers, content = ask(
            gate, Body(10), 10, path="/api/files/", HTTP_AUTHORIZATION="Api-Key 99"
        )
        without_body = ask(gate, Body(0), 0, method="GET")[0]
        senders.stop()

        assert (status, headers["Retry-After"]) == (503, "5")
        assert "Try again" in json.loads(content)["detail"]
        assert without_body == 200
        assert ask(gate, Body(10), 10)[0] == 200

    @pytest.mark.parametrize("credentials", [{}, KEY, SESSION], ids=["none", "wrong key", "wrong session"])
    def test_of_strangers_leave_room_for_users(self, gate, senders, credentials):
        for place in range(40):
            senders.send(1, REMOTE_ADDR=f"192.0.2.{place}", **credentials)

        upload = ask(gate, Body(10), 10, path="/api/files/", HTTP_AUTHORIZATION="Api-Key 7")[0]

        assert (senders.reading, senders.statuses) == (3, [503] * 37)
        assert upload == 200

    @pytest.mark.parametrize("addresses", [["192.0.2.7"], ["2001:db8::1", "2001:db8::2"]])
    def test_of_one_address_leave_room_for_strangers_elsewhere(self, gate, senders, addresses):
        """What one customer of a provider has counts as one address."""
        for place in range(20):
            senders.send(1, REMOTE_ADDR=addresses[place % len(addresses)])

        assert (senders.reading, senders.statuses) == (2, [429] * 18)
        assert ask(gate, Body(10), 10, path="/login/", REMOTE_ADDR="192.0.2.8")[0] == 200

    def test_of_one_user_leave_room_for_others(self, gate, senders):
        senders.send(20, HTTP_AUTHORIZATION="Api-Key 7")

        assert (senders.reading, senders.statuses) == (5, [429] * 15)
        assert ask(gate, Body(10), 10, HTTP_AUTHORIZATION="Api-Key 8")[0] == 200
        assert ask(gate, Body(10), 10)[0] == 200

    def test_count_no_longer_once_they_have_arrived(self, senders):
        """Work on a body takes a thread, but no share of its sender."""
        is_over = threading.Event()
        working = 0

        def work(environ, start_response):
            nonlocal working
            environ["wsgi.input"].read()
            working += 1
            is_over.wait()
            return read_nothing(environ, start_response)

        gate = make_gate(work, threads=self.THREADS)
        workers = [threading.Thread(target=ask, args=(gate, Body(10), 10)) for _ in range(12)]
        deadline = time.monotonic() + 60
        for number, worker in enumerate(workers, start=1):
            worker.start()
            while working < number and time.monotonic() < deadline:
                time.sleep(0.001)
        is_over.set()
        for worker in workers:
            worker.join()

        assert working == 12

    def test_wait_for_their_share_for_a_while(self, gate, senders, monkeypatch):
        monkeypatch.setattr(body_shares, "WAIT_S", 60.0)
        senders.send(5, HTTP_AUTHORIZATION="Api-Key 7")
        answers = []
        late = threading.Thread(
            target=lambda: answers.append(ask(gate, Body(10), 10, HTTP_AUTHORIZATION="Api-Key 7")[0])
        )
        late.start()
        while not gate._shares._waiting:
            time.sleep(0.001)

        senders.stop()
        late.join()

        assert answers == [200]
