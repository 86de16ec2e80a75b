"""Servers that never end: a total time limit and a bounded answer for every client, over real sockets."""

import socket
import threading
import time

import numpy as np
import pytest

from callscope.engines import request_limits
from callscope.engines.asr.remote import RemoteTranscriber
from callscope.engines.embeddings.remote import RemoteEmbedder
from callscope.engines.errors import EngineUnavailable
from callscope.engines.llm.client import ChatClient

pytestmark = pytest.mark.one_database
LIMIT_S = 1.0
PATIENCE_S = 60.0  # only a drip without end may fail a test; a busy machine must not
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
# What comes first, and what comes again and again after it, each part within a read timeout.
DRIPS = {
    "body": (HEAD + b"content-length: 100000\r\n\r\n", b" "),
    "chunks": (HEAD + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "head": (HEAD + b"x-slow: ", b"a"),
}


class EndlessServer:
    """Sends `first`, then `part` without end, with a pause in between."""

    def __init__(self, first: bytes, part: bytes, *, pause_s: float) -> None:
        self.first, self.part, self.pause_s = first, part, pause_s
        self.sent = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._has_ended = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def __enter__(self) -> "EndlessServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._has_ended.set()
        self._socket.close()

    def _serve(self) -> None:
        while not self._has_ended.is_set():
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._drip, args=(peer,), daemon=True).start()

    def _drip(self, peer: socket.socket) -> None:
        threading.Thread(target=self._swallow, args=(peer,), daemon=True).start()
        try:
            peer.sendall(self.first)
            while not self._has_ended.wait(self.pause_s):
                peer.sendall(self.part)
                self.sent += len(self.part)
        except OSError:
            pass
        finally:
            peer.close()

    @staticmethod
    def _swallow(peer: socket.socket) -> None:
        try:
            while peer.recv(65_536):
                pass
        except OSError:
            pass


def ask_llm(url):
    client = ChatClient(url, model="m", timeout_s=LIMIT_S)
    client.complete(
        [{"role": "user", "content": "x"}], schema={"type": "object"}, schema_name="s", max_tokens=9
    )


def ask_asr(url):
    transcriber = RemoteTranscriber(url, model="m", timeout_s=LIMIT_S)
    samples = np.zeros(16_000, np.int16)
    transcriber.transcribe(samples, language="en", hints=[], deadline=time.monotonic() + 10 * PATIENCE_S)


def ask_embedder(url):
    RemoteEmbedder(url, model="m", timeout_s=LIMIT_S).encode(["x"])


CLIENTS = {"language": ask_llm, "speech": ask_asr, "embeddings": ask_embedder}


@pytest.mark.parametrize("ask", CLIENTS.values(), ids=CLIENTS.keys())
class TestRequest:
    @pytest.mark.parametrize("drip", DRIPS.values(), ids=DRIPS.keys())
    def test_ends_in_time_however_slowly_the_answer_drips(self, ask, drip):
        with EndlessServer(*drip, pause_s=0.1) as server:
            failure = _fail_within(PATIENCE_S, ask, server.url)

        assert isinstance(failure, EngineUnavailable)
        assert failure.trouble is None

    def test_stops_reading_an_answer_without_end(self, ask, monkeypatch):
        monkeypatch.setattr(request_limits, "MAX_ANSWER_BYTES", 1024 * 1024)
        first = HEAD + b"content-length: 100000000000\r\n\r\n"
        with EndlessServer(first, b" " * 65_536, pause_s=0.0) as server:
            failure = _fail_within(PATIENCE_S, ask, server.url)
            sent = server.sent

        assert isinstance(failure, EngineUnavailable)
        assert sent < 64 * 1024 * 1024  # what buffers held at that moment included

    def test_takes_no_packed_answer(self, ask):
        first = HEAD + b"content-encoding: gzip\r\ncontent-length: 100\r\n\r\n"
        with EndlessServer(first, b"x", pause_s=0.1) as server:
            assert isinstance(_fail_within(PATIENCE_S, ask, server.url), EngineUnavailable)


def _fail_within(seconds, ask, url):
    """Return the error of a request that ends in this time; fail where it goes on."""
    errors = []

    def run():
        try:
            ask(url)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "the request goes on without end"
    return errors[0]
