"""The HTTP client of the client commands: it waits for rate limits, retries, and fails in one line.

What is safe to send twice is retried. A form is sent once: if no answer comes, NoAnswer
leaves it to the caller to find out whether the request took effect.
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

from callscope import __version__
from callscope.interfaces.cli.runtime.errors import Failure

MAX_ATTEMPTS = 6
MIN_PAUSE_S = 1.0  # doubled at each further attempt
MAX_PAUSE_S = 60.0
TIMEOUT_S = httpx2.Timeout(60.0, connect=10.0, read=300.0)  # a PDF takes a while
PROBE_TIMEOUT_S = 5.0
SHOWN_WAIT_S = 3.0
MAX_PAGES = 100_000

Query = Mapping[str, Any]  # parameters or fields of a form; null ones are left out
Json = dict[str, Any]  # a JSON object of the API; docs/api.md says what is in it


class RequestRefused(Failure):
    """The server answered with an error that a retry would not change."""

    def __init__(self, status: int, *messages: str) -> None:
        super().__init__(*messages)
        self.status = status


class NoAnswer(Failure):
    """No answer came, or only that the server has a problem; the request may have taken effect."""

    def __init__(self, *messages: str, retry_after_s: float | None = None) -> None:
        super().__init__(*messages)
        self.retry_after_s = retry_after_s  # when the server says that its problem will be over


class Server:
    """One Callscope server, and the API key to use there."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self.shown_url = _hide_password(self.url)
        self.sleep = sleep
        self._was_reached = False
        self.on_wait: Callable[[str], None] = say_on_stderr  # called before a wait of some seconds
        self._http = httpx2.Client(
            headers={"Authorization": f"Api-Key {key}", "User-Agent": f"callscope/{__version__}"},
            timeout=TIMEOUT_S,
            transport=transport,
        )

    @classmethod
    def from_environment(cls) -> "Server":
        """Return the server of CALLSCOPE_URL and CALLSCOPE_API_KEY. Raise Failure."""
        url = os.environ.get("CALLSCOPE_URL", "").strip()
        key = os.environ.get("CALLSCOPE_API_KEY", "").strip()
        if not url:
            raise Failure(
                "CALLSCOPE_URL is not set. Set it to the server's address, such as http://127.0.0.1:8000."
            )
        try:
            parts = urlsplit(url)
            is_web_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_web_address = False
        if not is_web_address:
            raise Failure(
                f'CALLSCOPE_URL is "{_hide_password(url)}". '
                "Allowed: an http(s) address such as http://127.0.0.1:8000."
            )
        if not key:
            raise Failure(
                "CALLSCOPE_API_KEY is not set. Create a key with `callscope key create EMAIL` on the server."
            )
        if not key.isascii() or not key.isprintable():
            raise Failure(
                "CALLSCOPE_API_KEY contains characters that no key has. Copy it again, without line breaks."
            )
        return cls(url, key)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, params: Query | None = None) -> Json:
        """Return the JSON answer; retry while the server is busy or has a problem. Raise Failure."""
        return self._read_json(self.get_response(path, params))

    def get_response(
        self, path: str, params: Query | None = None, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        """Return the successful answer; retry while the server is busy or has a problem. Raise Failure."""
        given = {name: value for name, value in (params or {}).items() if value is not None}
        return self._retry(lambda: self._http.get(self.url + path, params=given, headers=headers))

    def pages(self, path: str, params: Query) -> Iterator[Json]:
        """Yield the results of all pages. Raise Failure."""
        for page in range(1, MAX_PAGES):
            answer = self.get(path, {**params, "page": page})
            yield from answer["results"]
            if not answer.get("next"):
                return

    def is_answering(self, path: str) -> bool:
        """Return True if the server answers and has no problem, if only to refuse; asked once."""
        try:
            self._send(lambda: self._http.get(self.url + path, timeout=PROBE_TIMEOUT_S))
        except NoAnswer:
            return False
        except Failure:
            return True
        return True

    def post(self, path: str, *, data: Query, files: Query | None, repeat: bool = False) -> Json:
        """Send a form and return the JSON answer. Raise Failure.

        It is sent once, and after NoAnswer it may have taken effect. `repeat` allows
        retries, for forms whose repetition changes nothing.
        """

        def send() -> httpx2.Response:
            return self._http.post(self.url + path, data=data, files=files)

        return self._read_json(self._retry(send) if repeat else self._send(send))

    def _read_json(self, response: httpx2.Response) -> Json:
        """Return the object in an answer. Raise Failure if a program other than Callscope answered."""
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise self.not_callscope("no JSON object")
        return _Document(body, self)

    def not_callscope(self, lack: str) -> Failure:
        """Return the error for an answer that Callscope never gives."""
        return Failure(f"{self.shown_url} gave {lack}. Is CALLSCOPE_URL a Callscope server?")

    def _retry(self, send: Callable[[], httpx2.Response]) -> httpx2.Response:
        """Send until there is a final answer, MAX_ATTEMPTS times at most. Raise Failure."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return self._send(send)
            except NoAnswer:
                # A server that never answered is more likely a wrong address than a busy one.
                if attempt == MAX_ATTEMPTS or not self._was_reached:
                    raise
                self.pause(attempt)
        raise AssertionError("unreachable")

    def pause(self, attempt: int) -> None:
        """Wait after a failed attempt, twice as long after each further one."""
        self.sleep(min(MIN_PAUSE_S * 2 ** (attempt - 1), MAX_PAUSE_S))

    def _send(self, send: Callable[[], httpx2.Response]) -> httpx2.Response:
        """Return a successful answer; wait as long as a rate limit says. Raise RequestRefused or NoAnswer."""
        while True:
            try:
                response = send()
            except (httpx2.TransportError, OSError) as error:
                cause = re.sub(r"^\[Errno -?\d+\] ", "", str(error).strip()).rstrip(".")
                raise NoAnswer(
                    f"{self.shown_url} cannot be reached: {cause or type(error).__name__}."
                ) from None
            except httpx2.HTTPError as error:
                raise Failure(f"{self.shown_url} gave no usable answer: {error}.") from None
            self._was_reached = True
            if response.status_code != httpx2.codes.TOO_MANY_REQUESTS:
                break
            wait_s = _read_retry_after(response) or MIN_PAUSE_S
            if wait_s >= SHOWN_WAIT_S:
                self.on_wait(f"The server accepts no more requests for {wait_s:.0f} s.")
            self.sleep(wait_s)
        if response.status_code >= 500:
            problem = f"{self.shown_url} has a problem: it answered {response.status_code}."
            is_passing = response.status_code == httpx2.codes.SERVICE_UNAVAILABLE
            raise NoAnswer(problem, retry_after_s=_read_retry_after(response) if is_passing else None)
        if not response.is_success:
            raise RequestRefused(response.status_code, *self._error_messages(response))
        return response

    def _error_messages(self, response: httpx2.Response) -> list[str]:
        """Return the messages of an error answer, one line each."""
        try:
            body = response.json()
        except (json.JSONDecodeError, UnicodeDecodeError):
            body = None
        if not isinstance(body, dict):
            where = response.headers.get("location")
            towards = f", towards {where}" if where else ""
            return [
                f"{self.shown_url} answered {response.status_code}{towards}. "
                "Is CALLSCOPE_URL a Callscope server?"
            ]
        if response.status_code in (401, 403) and "reason" not in body:
            return [f"{self.shown_url} refuses CALLSCOPE_API_KEY: {body.get('detail', 'no reason given.')}"]
        if isinstance(body.get("detail"), str):
            return [body["detail"]]
        return [
            f"{field}: {message}"
            for field, messages in body.items()
            for message in (messages if isinstance(messages, list) else [messages])
        ]


class _Document(Json):
    """An answer, in which a missing key is an error of the server, not a KeyError."""

    def __init__(self, body: Json, server: Server) -> None:
        super().__init__(body)
        self._server = server

    def __missing__(self, key: str) -> Any:
        raise self._server.not_callscope(f"an answer without {key}")


def say_on_stderr(text: str) -> None:
    """Print a line on stderr, where a command tells why it waits."""
    print(text, file=sys.stderr, flush=True)


def _read_retry_after(response: httpx2.Response) -> float | None:
    """Return for how long the server asks to wait, within bounds; None where it does not say."""
    seconds = response.headers.get("retry-after", "")
    if not (seconds.isascii() and seconds.isdigit()):
        return None
    return min(max(float(seconds), MIN_PAUSE_S), MAX_PAUSE_S)


def _hide_password(url: str) -> str:
    return re.sub(r"//.*@", "//…@", url)
