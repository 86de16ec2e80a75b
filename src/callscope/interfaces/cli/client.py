"""Talk to a Callscope server over HTTP, as the client commands do: politely, and in one-line errors."""

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2

from callscope import __version__
from callscope.interfaces.cli.startup import Failure

ATTEMPTS = 6
FIRST_PAUSE_S = 1.0  # doubled at each further attempt
LONGEST_PAUSE_S = 60.0
TIMEOUT_S = httpx2.Timeout(60.0, connect=10.0, read=300.0)  # a PDF takes a while
MAX_PAGES = 100_000


class Refused(Failure):
    """The server answered with an error that another attempt would not change."""

    def __init__(self, status: int, *messages: str) -> None:
        super().__init__(*messages)
        self.status = status


class Interrupted(Failure):
    """No answer came, or only that the server has trouble: whether the request took effect is not known."""


class Server:
    """One Callscope server and the key to enter it with."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self.shown_url = _without_password(self.url)
        self._sleep = sleep
        self._was_reached = False
        self._http = httpx2.Client(
            headers={"Authorization": f"Api-Key {key}", "User-Agent": f"callscope/{__version__}"},
            timeout=TIMEOUT_S,
            transport=transport,
        )

    @classmethod
    def from_environment(cls) -> "Server":
        """Return the server of CALLSCOPE_URL and CALLSCOPE_API_KEY. Raises Failure."""
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
                f'CALLSCOPE_URL is "{_without_password(url)}". '
                "Allowed: an http(s) address such as http://127.0.0.1:8000."
            )
        if not key:
            raise Failure(
                "CALLSCOPE_API_KEY is not set. `callscope key create EMAIL` on the server makes a key."
            )
        if not key.isascii() or not key.isprintable():
            raise Failure(
                "CALLSCOPE_API_KEY holds characters that no key has. Copy it again, without line breaks."
            )
        return cls(url, key)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, params: dict[str, Any] | None = None) -> Any:
        """Return the JSON answer; repeats while the server is busy or in trouble. Raises Failure."""
        return self._document(self.get_response(path, params))

    def get_response(
        self, path: str, params: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        """Return the successful answer; repeats while the server is busy or in trouble. Raises Failure."""
        given = {name: value for name, value in (params or {}).items() if value is not None}
        return self.insist(lambda: self._http.get(self._address(path), params=given, headers=headers))

    def pages(self, path: str, params: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the results of all pages."""
        for page in range(1, MAX_PAGES):
            answer = self.get(path, {**params, "page": page})
            yield from answer["results"]
            if not answer.get("next"):
                return

    def post(self, path: str, *, data: dict[str, Any], files: dict[str, Any], repeat: bool = False) -> Any:
        """Send a form and return the JSON answer. Raises Failure.

        Sent once: an Interrupted leaves open whether it took effect. `repeat` is
        for forms of bytes whose repetition changes nothing.
        """

        def send() -> httpx2.Response:
            return self._http.post(self._address(path), data=data, files=files)

        return self._document(self.insist(send) if repeat else self._checked(send))

    def _document(self, response: httpx2.Response) -> dict[str, Any]:
        """Return the object in an answer. Raises Failure where another program than Callscope answered."""
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise self.stranger("no JSON object")
        return _Document(body, self)

    def stranger(self, lack: str) -> Failure:
        """Return the error for an answer that no Callscope gives."""
        return Failure(f"{self.shown_url} gave {lack}. Is CALLSCOPE_URL a Callscope server?")

    def insist(self, send: Callable[[], httpx2.Response]) -> httpx2.Response:
        """Send until there is an answer that stands, ATTEMPTS times at most. Raises Failure."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._checked(send)
            except Interrupted:
                if attempt == ATTEMPTS or not self._was_reached:
                    raise
                self.pause(attempt)
        raise AssertionError("unreachable")

    def pause(self, attempt: int) -> None:
        self._sleep(min(FIRST_PAUSE_S * 2 ** (attempt - 1), LONGEST_PAUSE_S))

    def _checked(self, send: Callable[[], httpx2.Response]) -> httpx2.Response:
        """Return a successful answer; waits as long as a rate limit says. Raises Refused or Interrupted."""
        while True:
            try:
                response = send()
            except (httpx2.TransportError, OSError) as error:
                said = re.sub(r"^\[Errno -?\d+\] ", "", str(error).strip()).rstrip(".")
                raise Interrupted(
                    f"{self.shown_url} cannot be reached: {said or type(error).__name__}."
                ) from None
            except httpx2.HTTPError as error:
                raise Failure(f"{self.shown_url} gave no usable answer: {error}.") from None
            self._was_reached = True
            if response.status_code != httpx2.codes.TOO_MANY_REQUESTS:
                break
            self._sleep(_retry_after_s(response))
        if response.status_code >= 500:
            raise Interrupted(f"{self.shown_url} has trouble: it answered {response.status_code}.")
        if not response.is_success:
            raise Refused(response.status_code, *self._told(response))
        return response

    def _told(self, response: httpx2.Response) -> list[str]:
        """Return what an error answer says, a line each."""
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
        if response.status_code in (401, 403):
            return [f"{self.shown_url} refuses CALLSCOPE_API_KEY: {body.get('detail', 'no reason given.')}"]
        if isinstance(body.get("detail"), str):
            return [body["detail"]]
        return [
            f"{field}: {message}"
            for field, messages in body.items()
            for message in (messages if isinstance(messages, list) else [messages])
        ]

    def _address(self, path: str) -> str:
        return f"{self.url}{path}"


class _Document(dict[str, Any]):
    """An answer; what it lacks is an error of the server, told in a line."""

    def __init__(self, body: dict[str, Any], server: Server) -> None:
        super().__init__(body)
        self._server = server

    def __missing__(self, key: str) -> Any:
        raise self._server.stranger(f"an answer without {key}")


def _without_password(url: str) -> str:
    return re.sub(r"//[^@/]*@", "//…@", url)


def _retry_after_s(response: httpx2.Response) -> float:
    text = response.headers.get("retry-after", "")
    seconds = float(text) if text.isascii() and text.isdigit() else FIRST_PAUSE_S
    return min(max(seconds, FIRST_PAUSE_S), LONGEST_PAUSE_S)
