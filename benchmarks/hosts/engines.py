"""A speech and a language server in one, whose answers can go wrong in every way that was seen."""

import email.utils
import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEARD = "Good morning, this is Ana, how can I help you? My invoice is wrong. I will correct it. Thank you."
DRIP_S = 3.0
HANG_S = 3600.0
PAUSE_S = 4  # that a busy engine asks for


class Engines:
    """`trouble` and `only_for` say what goes wrong and for which role: "asr" or "llm"."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()  # answered with what is no result
        self.delay_s = 0.3  # so that work lasts long enough for something to happen in it
        self.trouble = ""
        self.only_for = ""
        self.is_for_one = (
            False  # the first recording or call that meets the trouble meets it alone, each time
        )
        self._one: bytes | None = None
        self.one_request_a_s = 0.0  # 8: a request every eight seconds is answered, the others are refused
        self._answered_at = 0.0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return self._server.server_port

    def reset(self) -> None:
        """Answer properly again, and count from nothing."""
        self.trouble, self.only_for, self.one_request_a_s = "", "", 0.0
        self.is_for_one, self._one = False, None
        self.calls.clear()
        self.refused.clear()

    def choose_reply(self, role: str, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of the answer; status 0 closes the connection."""
        counted = "naming" if b"contact_reason_names" in request else role  # of reasons: no call needs it
        with self._lock:
            self.calls[counted] += 1
            is_early = time.monotonic() - self._answered_at < self.one_request_a_s
            if role == "llm" and self.one_request_a_s:
                if is_early:
                    self.refused[role] += 1
                    wait_s = self._answered_at + self.one_request_a_s - time.monotonic()
                    return 429, {"Retry-After": f"{max(1, round(wait_s))}"}, b'{"error": {"message": "slow"}}'
                self._answered_at = time.monotonic()
            trouble = self.trouble  # it may pass before the answer is sent
            is_wrong = bool(trouble) and self.only_for in ("", role)
            if is_wrong and self.is_for_one:
                subject = find_sound(request) if role == "asr" else find_call(request)
                self._one = self._one or subject
                is_wrong = self._one == subject
            self.refused[counted] += is_wrong
        time.sleep(self.delay_s)
        good = json.dumps(hear() if role == "asr" else judge(json.loads(request))).encode()
        if not is_wrong:
            return 200, {}, good
        if trouble == "half a body":
            return 200, {"Content-Length": str(len(good))}, good[: len(good) // 2]
        if trouble == "text/plain":
            return 200, {"Content-Type": "text/plain"}, good
        if role == "llm" and trouble in TALK:
            return 200, {}, json.dumps(as_completion(TALK[trouble])).encode()
        status, headers, body = {**TROUBLES, **REFUSALS}[trouble]
        return status, {name: value.format(date=tell_date(PAUSE_S)) for name, value in headers.items()}, body

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        engines = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                role = "asr" if self.path.endswith("/transcriptions") else "llm"
                status, headers, data = engines.choose_reply(role, body)
                self.close_connection = True
                if not status:
                    return
                if status == 200 and data == b"hang":
                    time.sleep(HANG_S)
                is_drip, is_endless = data == b"drip", data == b"endless"
                length = {} if is_endless else {"Content-Length": str(len(data) + 100_000 * is_drip)}
                self.send_response(status)
                for name, value in ({"Content-Type": "application/json"} | length | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
                while is_drip or is_endless:
                    time.sleep(DRIP_S * is_drip)
                    self.wfile.write(b" " if is_drip else bytes(65536))
                    self.wfile.flush()

            def handle(self) -> None:
                try:
                    super().handle()
                except (ConnectionError, TimeoutError):  # who asked is gone
                    return

            def log_message(self, *_) -> None:
                """Say nothing."""

        return Handler


TROUBLES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "500": (500, {}, b"Internal error"),
    "502 in HTML": (502, {"Content-Type": "text/html"}, b"<html><h1>502 Bad Gateway</h1></html>"),
    "closed": (0, {}, b""),
    "garbage": (200, {}, bytes(range(256))),
    "200 in HTML": (200, {"Content-Type": "text/html"}, b"<html>Welcome</html>"),
    "empty": (200, {}, b""),
    "JSON of something else": (200, {}, b'{"status": "ok"}'),
    "401": (401, {}, b'{"error": {"message": "wrong key"}}'),
    "402": (402, {}, b'{"error": {"message": "pay first"}}'),
    "403 in HTML": (403, {"Content-Type": "text/html"}, b"<html><h1>403 Forbidden</h1></html>"),
    "404 in HTML": (404, {"Content-Type": "text/html"}, b"<html><h1>404 Not Found</h1></html>"),
    "unknown model": (
        404,
        {},
        b'{"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}',
    ),
    "429 + Retry-After": (429, {"Retry-After": f"{PAUSE_S}"}, b'{"error": {"message": "slow down"}}'),
    "429 + a date": (429, {"Retry-After": "{date}"}, b'{"error": {"message": "slow down"}}'),
    "429 alone": (429, {}, b'{"error": {"message": "slow down"}}'),
    "503 + Retry-After": (503, {"Retry-After": f"{PAUSE_S}"}, b'{"error": {"message": "overloaded"}}'),
    "503 + a date": (503, {"Retry-After": "{date}"}, b'{"error": {"message": "overloaded"}}'),
    "503 alone": (503, {}, b"Service Unavailable"),
    "loading": (
        503,
        {},
        b'{"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}',
    ),
    "quota": (429, {}, b'{"error": {"message": "no quota", "code": "insufficient_quota"}}'),
    "redirect": (302, {"Location": "http://127.0.0.1:9/v1"}, b""),
    "hang": (200, {}, b"hang"),
    "drip": (200, {}, b"drip"),
    "endless": (200, {}, b"endless"),
}
#: What an engine says of one recording or one call, each time that it is asked about it.
REFUSALS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "refused content": (
        400, {}, b'{"error": {"message": "Stopped by our policy.", "code": "content_policy_violation"}}'
    ),
    "cannot be decoded": (400, {}, b'{"error": {"message": "The audio file could not be decoded."}}'),
    "no transcript": (200, {}, b'{"status": "ok"}'),
    "500 each time": (500, {}, b"Internal error"),
}  # fmt: skip
TALK = {
    "talks": "I am sorry, I would rather speak about the weather.",
    "leaves criteria out": json.dumps({"criteria": [], "insights": {}}),
}


def tell_date(seconds: float) -> str:
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


def find_sound(request: bytes) -> bytes:
    """Return what tells the recording in a request from others."""
    begin = request.index(b"RIFF")
    return request[begin : begin + 8 + int.from_bytes(request[begin + 4 : begin + 8], "little")]


def find_call(request: bytes) -> bytes:
    return request.partition(b"Call reference: ")[2].partition(b"\\n")[0]


def hear() -> dict:
    words = HEARD.split()
    times = [{"word": word, "start": 0.5 * n, "end": 0.5 * n + 0.4} for n, word in enumerate(words)]
    segment = {"start": 0.0, "end": 0.5 * len(words), "text": HEARD}
    return {"text": HEARD, "language": "english", "duration": 15.0, "segments": [segment], "words": times}


def judge(request: dict) -> dict:
    """Return what a model says about any call; nothing of it needs a second question."""
    said = request["messages"][1]["content"]
    if "Call reference: " not in said:  # names of contact reasons
        return as_completion('{"names": []}')
    answer = {
        "call": said.split("Call reference: ")[1].split("\n")[0],
        "criteria": [
            {"criterion_id": "greeting", "applies": True, "answer": "not_met", "justification": "Not said.",
             "quote": ""}
        ],
        "insights": {"sentiment": "neutral", "topic": "wrong invoice", "goal": "unknown", "goal_quote": "",
                     "agent_name": ""},
    }  # fmt: skip
    return as_completion(json.dumps(answer))


def as_completion(text: str) -> dict:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chat", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }  # fmt: skip
