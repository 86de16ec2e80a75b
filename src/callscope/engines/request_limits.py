"""Bounds on one request to an engine: its time in all, and the size of the answer.

The timeouts of an HTTP client hold for each read and write, so a server that sends a byte now and
then is never stopped. Here the read timeout of a request limits all of it, from the first
connection to the last byte: every wait on its socket gets what is left.
"""

import contextlib
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Any

import httpcore2
import httpx2

MAX_ANSWER_BYTES = 32 * 1024 * 1024  # 256 vectors of 4,096 numbers take 23 MB
_deadline: ContextVar[float | None] = ContextVar("engine_deadline", default=None)  # by time.monotonic()


class AnswerTooLarge(httpx2.RemoteProtocolError):
    """The server sends more than any answer needs, or in a packed form whose size nobody knows."""


class LimitedTransport(httpx2.BaseTransport):
    """Sends requests through another transport, within the limits."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        self.inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request. Raises ReadTimeout, and AnswerTooLarge while the answer is read."""
        limit_s = request.extensions.get("timeout", {}).get("read")
        deadline = None if limit_s is None else time.monotonic() + limit_s
        # A small packed answer can unfold to any size.
        request.headers["accept-encoding"] = "identity"
        with _until(deadline):
            response = self.inner.handle_request(request)
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            response.close()
            raise AnswerTooLarge("the answer is packed although that was not allowed", request=request)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _LimitedStream(response.stream, deadline, request)
        return response

    def close(self) -> None:
        """Close the connections."""
        self.inner.close()


def limit_sockets(transport: httpx2.HTTPTransport) -> httpx2.HTTPTransport:
    """Let the waits of this transport's sockets end with the request; return the transport."""
    pool: Any = transport._pool  # it takes no network backend from outside
    pool._network_backend = _Backend(pool._network_backend)
    return transport


class _LimitedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, deadline: float | None, request: httpx2.Request) -> None:
        self._inner = inner
        self._deadline = deadline
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        chunks = iter(self._inner)
        while True:
            with _until(self._deadline):
                chunk = next(chunks, None)
            if chunk is None:
                return
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                megabytes = MAX_ANSWER_BYTES // 1024 // 1024
                raise AnswerTooLarge(f"the answer is larger than {megabytes} MB", request=self._request)
            if self._deadline is not None and time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the answer did not end in time", request=self._request)
            yield chunk

    def close(self) -> None:
        self._inner.close()


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, inner: httpcore2.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        left_s = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.connect_tcp(host, port, left_s, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        view = memoryview(buffer)
        for begin in range(0, len(view), _PART_BYTES):  # a peer that takes little by little is stopped too
            part = bytes(view[begin : begin + _PART_BYTES])
            self._inner.write(part, _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left_s = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left_s))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


_PART_BYTES = 65_536


def _left(timeout: float | None, error: type[Exception]) -> float | None:
    """Return how long a socket may wait now; raises `error` where the request is over its time."""
    deadline = _deadline.get()
    if deadline is None:
        return timeout
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        raise error("the request took too long in all")
    return left_s if timeout is None else min(timeout, left_s)


@contextlib.contextmanager
def _until(deadline: float | None) -> Iterator[None]:
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)
