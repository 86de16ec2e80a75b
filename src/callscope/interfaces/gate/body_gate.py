"""Let a body in by its length and its route, before a byte of it is read.

Rules: docs/operations.md, "Limits". Only two addresses take files. Everything else gets at
most 5 MB, and a sender without a key or a session no more than a sign-in takes.
"""

import contextlib
import io
import json
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, NamedTuple

from django.conf import settings

from callscope.interfaces.gate.body_shares import BodyShares, Environ, FindUser, NoShare, Share
from callscope.interfaces.gate.senders import find_user
from callscope.interfaces.gate.threads import threads_of_each
from callscope.interfaces.gate.timed_body import PIECE_BYTES, TimedBody

KILOBYTE, MEGABYTE = 1024, 1024 * 1024
ANONYMOUS_BYTES = 64 * KILOBYTE  # a form of the sign-in is under one
DOCUMENT_BYTES = 5 * MEGABYTE
# Many clients look at the answer only after they have sent everything, so a rest this small is read.
DRAINED_BYTES = 8 * MEGABYTE
DRAINED_UPLOAD_BYTES = 512 * MEGABYTE
KEPT_THREADS = 4  # of a web process: for requests without a body, such as /healthz
RETRY_AFTER_S = "5"
#: The key of the environment under which the application finds why the body was refused.
REFUSED = "callscope.refused"

TAKES_FILES = re.compile(r"/api/files/|/api/projects/\d+/call-manifest/")
API_PATHS = ("/api/", "/calls/api/")
FORM_TYPES = ("multipart/form-data", "application/x-www-form-urlencoded")

StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class Refusal(NamedTuple):
    """What the application shows a browser in place of the page that it asked for."""

    status: HTTPStatus
    most: str  # how large the body might have been, such as "5 MB"; "" where that is not why


class BodyGate:
    """A WSGI application around another one; `threads` handle requests at the same time."""

    def __init__(self, application: Application, *, threads: int, find_user: FindUser) -> None:
        self._application = application
        bodies = max(1, threads - KEPT_THREADS)
        self._shares = BodyShares(bodies, find_user)
        # A late read keeps its thread until its connection is closed.
        self._readers = ThreadPoolExecutor(2 * bodies, thread_name_prefix="body")

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        length = content_length(environ)
        if length == 0:
            return self._application(environ, start_response)
        limit = body_limit(environ)
        is_too_large = length is not None and limit is not None and length > limit
        if is_too_large and (length or 0) > DRAINED_BYTES:
            return self._refuse(environ, start_response, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit)
        try:
            share = self._shares.take(environ)
        except NoShare as refusal:
            return self._refuse(environ, start_response, refusal.status)
        try:
            body = self._time_body(environ, length, share)
            if length is None or is_too_large:
                drain(body)
                if length is None:
                    return self._refuse(environ, start_response, HTTPStatus.LENGTH_REQUIRED)
                return self._refuse(environ, start_response, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit)
            return self._answer(environ, start_response, body)
        finally:
            share.end()

    def _time_body(self, environ: Environ, length: int | None, share: Share) -> TimedBody:
        """Replace the body of the request by one that has to arrive in time."""
        body = TimedBody(
            environ["wsgi.input"],
            DRAINED_BYTES if length is None else length,
            self._readers,
            patient_bytes=None if share.is_of_user else ANONYMOUS_BYTES,
            on_arrival=share.end_arrival,
        )
        environ["wsgi.input"] = body
        return body

    def _refuse(
        self, environ: Environ, start_response: StartResponse, status: HTTPStatus, limit: int | None = None
    ) -> Iterable[bytes]:
        """Answer that the body is refused; a browser gets the application's page, asked for without it."""
        if not wants_page(environ):
            return refuse(environ, start_response, status, limit=limit)
        bare = {
            **environ,
            "CONTENT_LENGTH": "0",
            "wsgi.input": io.BytesIO(),
            REFUSED: Refusal(status, "" if limit is None else format_bytes(limit)),
        }

        def close_after(line: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            return start_response(line, [*headers, ("Connection", "close")], *error)

        return self._application(bare, close_after)

    def _answer(self, environ: Environ, start_response: StartResponse, body: TimedBody) -> Iterable[bytes]:
        """Return the application's answer; 408 in its place where the body came too late."""
        started: list[tuple[Any, ...]] = []
        answer = self._application(environ, lambda *given: started.append(given))
        status, headers, *error = started[-1]
        # Only an upload is refused as too large after its sender is known.
        drain(body, DRAINED_UPLOAD_BYTES if status.startswith("413") else DRAINED_BYTES)
        if body.is_late:
            close = getattr(answer, "close", None)
            if close is not None:
                close()
            return self._refuse(environ, start_response, HTTPStatus.REQUEST_TIMEOUT)
        if body.left:  # what is left of it is not read, so nothing else can come over this connection
            headers = [*headers, ("Connection", "close")]
        start_response(status, headers, *error)
        return answer


def gate_for_threads(application: Application) -> BodyGate:
    """Return the gate for as many threads as `callscope serve` gives each web process."""
    threads = threads_of_each(settings.ENVIRONMENT.web_processes)
    return BodyGate(application, threads=threads, find_user=find_user)


def content_length(environ: Environ) -> int | None:
    """Return how long the body is; None where it comes in chunks, without a length."""
    text = environ.get("CONTENT_LENGTH") or ""
    if not text and "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower():
        return None
    return int(text) if text.isascii() and text.isdigit() else 0


def body_limit(environ: Environ) -> int | None:
    """Return how many bytes the route takes from this sender; None where the upload itself counts them."""
    has_credentials = "HTTP_AUTHORIZATION" in environ or "callscope_session" in environ.get("HTTP_COOKIE", "")
    if not has_credentials:
        return ANONYMOUS_BYTES
    is_upload = environ.get("REQUEST_METHOD") == "POST" and TAKES_FILES.fullmatch(
        environ.get("PATH_INFO", "")
    )
    return None if is_upload else DOCUMENT_BYTES


def wants_page(environ: Environ) -> bool:
    """Return True where a person looks at the answer: a form of a page was sent, or a page is asked for.

    Browsers ask for text/html; some programs and extensions send forms and take everything. What a script of
    a page sends says so itself and shows its own words.
    """
    if (
        "HTTP_AUTHORIZATION" in environ
        or "HTTP_HX_REQUEST" in environ
        or environ.get("PATH_INFO", "").startswith(API_PATHS)
    ):
        return False
    accepted = environ.get("HTTP_ACCEPT", "*/*")
    sent_type = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    return "text/html" in accepted or ("*/*" in accepted and sent_type in FORM_TYPES)


def refuse(
    environ: Environ, start_response: StartResponse, status: HTTPStatus, *, limit: int | None = None
) -> Iterable[bytes]:
    """Answer in the words of the API or in plain text, and end the connection."""
    most = format_bytes(limit or 0)
    details = {
        HTTPStatus.REQUEST_TIMEOUT: "The request took too long to arrive.",
        HTTPStatus.LENGTH_REQUIRED: "Send the body with a Content-Length, not in chunks.",
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"The body is too large. At most {most} are allowed.",
        HTTPStatus.TOO_MANY_REQUESTS: "You send too many requests at once. Try again in a few seconds.",
        HTTPStatus.SERVICE_UNAVAILABLE: "Too many requests arrive at once. Try again in a few seconds.",
    }
    text = details[status]
    content_type = "text/plain; charset=utf-8"
    if environ.get("PATH_INFO", "").startswith(API_PATHS):
        text, content_type = json.dumps({"detail": text}), "application/json"
    body = text.encode()
    headers = [
        ("Content-Type", content_type),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Connection", "close"),
    ]
    if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers.append(("Retry-After", RETRY_AFTER_S))
    start_response(f"{status.value} {status.phrase}", headers)
    return [body]


def format_bytes(size: int) -> str:
    return f"{size // MEGABYTE} MB" if size >= MEGABYTE else f"{size // KILOBYTE} kB"


def drain(body: TimedBody, most: int = DRAINED_BYTES) -> None:
    """Read the rest of a body, up to so many bytes, at its pace; nothing happens where the sender is gone."""
    with contextlib.suppress(OSError):
        while most > 0 and (piece := body.read(PIECE_BYTES)):
            most -= len(piece)
