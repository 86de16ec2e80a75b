"""A speech and language server on a real socket, which counts what it is asked."""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEARD = "Good morning, this is Ana, how can I help you? My invoice is wrong."


class EngineServer:
    """Both engines in one server; use as a context manager. `calls` counts by path."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.namings = 0  # requests for names of contact reasons, which `calls` does not count
        self.delay_s = 0.0  # before an answer
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def environment(self) -> dict[str, str]:
        return {"CALLSCOPE_TRANSCRIBER": self.url, "CALLSCOPE_LLM_URL": self.url, "CALLSCOPE_LLM_MODEL": "m"}

    def __enter__(self) -> "EngineServer":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _count(self, path: str) -> None:
        with self._lock:
            self.calls[path] += 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                if b"contact_reason_names" in body:
                    server.namings += 1
                    answer = complete(json.dumps({"names": [{"group": 1, "name": "Errors on invoices"}]}))
                else:
                    server._count(self.path)
                    time.sleep(server.delay_s)
                    answer = hear() if self.path.endswith("/transcriptions") else judge(json.loads(body))
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:  # who asked was killed
                    return

            def log_message(self, *_) -> None:
                """Say nothing."""

        return Handler


def hear() -> dict:
    words = HEARD.split()
    times = [{"word": word, "start": 0.5 * n, "end": 0.5 * n + 0.4} for n, word in enumerate(words)]
    segment = {"start": 0.0, "end": 0.5 * len(words), "text": HEARD}
    return {"text": HEARD, "language": "english", "duration": 12.0, "segments": [segment], "words": times}


def judge(request: dict) -> dict:
    """Return what a model says about a call of crash_run.py: nothing of it needs a second question."""
    said = request["messages"][1]["content"]
    answer = {
        "call": said.split("Call reference: ")[1].split("\n")[0],
        "criteria": [
            {"criterion_id": "greeting", "applies": True, "answer": "met", "justification": "Greets.",
             "quote": "Good morning"}
        ],
        "insights": {"sentiment": "negative", "topic": "wrong invoice", "goal": "unknown", "goal_quote": "",
                     "agent_name": ""},
    }  # fmt: skip
    return complete(json.dumps(answer))


def complete(text: str) -> dict:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chat", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }  # fmt: skip
