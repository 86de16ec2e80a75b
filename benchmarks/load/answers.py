"""Ask a server, and count what it answers: one connection a request, as new clients make them."""

import http.client
import json
import math
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

PATIENCE_S = 300.0  # machines are shared; only a hang may count as no answer
BROKEN = 0  # in place of a status: no answer came


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    duration_s: float
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def is_honest(self) -> bool:
        """Whether the server answered, and with no mistake of its own: 503 says when to come back."""
        return 0 < self.status < 500 or (self.status == 503 and "retry-after" in self.headers)

    def json(self) -> dict:
        return json.loads(self.body)


class Client:
    """Requests with a key, or with the cookies that were given instead."""

    def __init__(self, port: int, key: str = "", cookies: dict[str, str] | None = None) -> None:
        self.port, self.key = port, key
        self.cookies = dict(cookies or {})

    def ask(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Answer:
        """Return the answer; status BROKEN where the connection ended without one."""
        sent = {"Authorization": f"Api-Key {self.key}"} if self.key else {}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent |= headers or {}
        started = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body or None, sent)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            self._keep_cookies(response.headers.get_all("Set-Cookie") or [])
            content = response.read()
        except (OSError, http.client.HTTPException):
            return Answer(BROKEN, time.perf_counter() - started)
        finally:
            connection.close()
        return Answer(response.status, time.perf_counter() - started, found, content)

    def upload(self, project: int, name: str, content: bytes) -> Answer:
        form, headers = build_form({"project": str(project)}, name, content)
        return self.ask("POST", "/api/files/", form, headers)

    def sign_in(self, email: str, password: str, **headers: str) -> Answer:
        """Send the form of the sign-in; a token is fetched first where there is none."""
        if not self._token:
            self.ask("GET", "/login/")
        fields = {"username": email, "password": password, "csrfmiddlewaretoken": self._token}
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", "/login/", urllib.parse.urlencode(fields).encode(), {**kind, **headers})

    @property
    def _token(self) -> str:
        return next((value for name, value in self.cookies.items() if "csrf" in name), "")

    def _keep_cookies(self, given: Iterable[str]) -> None:
        for cookie in given:
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value


class Tally:
    """The answers to many clients, each under the name of what was done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.answers: list[tuple[str, Answer]] = []

    def add(self, what: str, answer: Answer) -> Answer:
        with self._lock:
            self.answers.append((what, answer))
        return answer

    def statuses(self, what: str = "") -> Counter[int]:
        return Counter(answer.status for name, answer in self.answers if name.startswith(what))

    def durations_s(self, what: str = "") -> list[float]:
        return [answer.duration_s for name, answer in self.answers if name.startswith(what)]

    def mistakes(self) -> list[tuple[str, int]]:
        """Return (what, status) of answers of 5xx that were not the honest 503, and of broken connections."""
        return [(name, answer.status) for name, answer in self.answers if not answer.is_honest]


def percentile(durations_s: list[float], share: float) -> float:
    """Return the smallest duration that so large a share of all does not exceed; 0.0 of none."""
    ordered = sorted(durations_s)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


def build_form(fields: dict[str, str], file_name: str, content: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the body of a multipart form with one file, and its headers."""
    boundary = "load-boundary-7d2f"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n\r\n'
    body = b"".join([*parts, head.encode(), content, f"\r\n--{boundary}--\r\n".encode()])
    return body, {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def run_together(*works: Callable[[], object]) -> None:
    """Run each piece of work in a thread of its own, and wait for all."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
