"""A chat server that answers by a script: for tests and trials, over a real socket on this machine.

It speaks the part of OpenAI's protocol that Callscope uses, so everything
between the analyzers and the wire runs as it does against a real server.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Request = dict[str, Any]  # the body of a request


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """What the server answers: a model's text, or with another status an error's sentence."""

    text: str = ""
    status: int = 200
    finish_reason: str = "stop"
    headers: dict[str, str] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=lambda: {"prompt_tokens": 1000, "completion_tokens": 100})
    raw: str | None = None  # the whole body, instead of a proper one

    def body(self, model: str) -> str:
        if self.raw is not None:
            return self.raw
        if self.status >= 400:
            return json.dumps({"error": {"message": self.text, "type": "error", "code": self.status}})
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        return json.dumps(
            {
                "id": "chatcmpl-scripted",
                "object": "chat.completion",
                "created": 0,
                "model": model,
                "choices": [choice],
                "usage": self.usage,
            }
        )


Script = Callable[[Request, int], ScriptedReply]  # the request, and how many came before it


class ScriptedChatServer:
    """Use as a context manager; `url` is what CALLSCOPE_LLM_URL takes, `requests` what came in."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> "ScriptedChatServer":
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def answer(self, request: Request) -> ScriptedReply:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests) - 1
        return self.script(request, number)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))))
                reply = server.answer(request)
                body = reply.body(request.get("model", "")).encode()
                self.send_response(reply.status)
                headers = {
                    "content-type": "application/json",
                    "content-length": str(len(body)),
                    **reply.headers,
                }
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing: the requests are kept."""

        return Handler
