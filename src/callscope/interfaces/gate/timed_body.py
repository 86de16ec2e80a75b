"""A request body that has to arrive at a pace.

The server's read() blocks until all that is asked for has arrived, and takes no time limit:
one byte every few seconds would hold a thread of the web process for as long as the sender likes.
"""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from concurrent.futures import TimeoutError as TookTooLong
from typing import Any, Protocol

GRACE_S = 20.0  # for the start, and for pauses along the way
LEAST_BYTES_A_SECOND = 4000  # a poor mobile connection; less than any recording takes to hear
PIECE_BYTES = 64 * 1024  # read at once: at the least pace within the grace


class Readable(Protocol):
    """The body as the WSGI server gives it."""

    def read(self, size: int, /) -> bytes: ...


class BodyTooSlow(OSError):
    """The body arrives more slowly than the least pace; Django reads this as a sender who went away."""


class TimedBody:
    """The `wsgi.input` of one request: counts what arrives, and raises BodyTooSlow once it is late."""

    def __init__(
        self,
        body: Readable,
        length: int,
        readers: Executor,
        *,
        on_arrival: Callable[[], None],
        patient_bytes: int | None = None,
    ) -> None:
        """`on_arrival` is called when nothing is left to read; bytes beyond the patient ones win no time."""
        self._body = body
        self._readers = readers
        self._patient_bytes = patient_bytes
        self._on_arrival = on_arrival
        self._started_s = time.monotonic()
        self.left = length  # bytes that were announced and have not been read
        self.received = 0
        self.is_late = False

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, or all that is left; less where the sender ended early."""
        wanted = self.left if size < 0 else min(size, self.left)
        pieces = []
        while wanted > 0:
            piece = self._read_piece(min(wanted, PIECE_BYTES))
            if not piece:
                self.left = 0
                self._on_arrival()
                break
            pieces.append(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def readline(self, size: int = -1) -> bytes:
        """WSGI asks for it; Django reads bodies by read() alone."""
        line = bytearray()
        while (size < 0 or len(line) < size) and not line.endswith(b"\n"):
            byte = self.read(1)
            if not byte:
                break
            line += byte
        return bytes(line)

    def __iter__(self) -> Any:
        return iter(self.readline, b"")

    def _read_piece(self, size: int) -> bytes:
        if self.is_late:
            raise BodyTooSlow
        counted = self.received if self._patient_bytes is None else min(self.received, self._patient_bytes)
        allowed_s = GRACE_S + counted / LEAST_BYTES_A_SECOND
        # Another thread waits for the bytes. It is free again when this request has been answered,
        # because the server then closes the connection.
        reading = self._readers.submit(self._body.read, size)
        try:
            piece = reading.result(timeout=max(0.0, self._started_s + allowed_s - time.monotonic()))
        except TookTooLong:
            self.is_late = True
            raise BodyTooSlow from None
        self.received += len(piece)
        self.left -= len(piece)
        if not self.left:
            self._on_arrival()
        return bytes(piece)
