"""What does `callscope upload` cost over bare connections?

1,000 small transcripts (BENCH_UPLOADS), sent by the command and by eight threads with one kept connection
each that only wait where they are asked to, in turn, each time into a project of its own. Goal: at most
1.5 times. The command's time holds its start, the look at what the project has, and its result.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue

from measuring import Served, callscope, heading, line, serve

FILES = int(os.environ.get("BENCH_UPLOADS", "1000"))
CONNECTIONS = 8
ROUNDS = 3
BOUNDARY = "callscope-bench"
TEXT = "1\n00:00:00,000 --> 00:00:04,000\nAgent: Good morning, this is Ana, number {n}.\n"


def main() -> None:
    heading(FILES)
    with tempfile.TemporaryDirectory() as home:
        data, folder = Path(home) / "data", Path(home) / "transcripts"
        folder.mkdir()
        for number in range(FILES):
            (folder / f"call-{number:05}.srt").write_text(TEXT.format(n=number))
        environment = {**os.environ, "CALLSCOPE_DATA_DIR": str(data)}
        callscope(environment, "init")
        callscope(
            environment, "user", "create", "bench@example.com", "--password-stdin", stdin="bench-word-7\n"
        )
        ours, bare = [], []
        with serve(data) as server:
            for _ in range(ROUNDS):
                bare.append(send_bare(server, new_project(environment), folder))
                ours.append(send_by_command(server, new_project(environment), folder))
    what = f"callscope upload of {FILES:,} transcripts, against {CONNECTIONS} bare connections"
    line(what, statistics.median(ours), statistics.median(bare), "≤ 1.5")


def new_project(environment: dict[str, str]) -> int:
    made = callscope(environment, "project", "create", "Bench", "--owner", "bench@example.com", "--json")
    return int(json.loads(made)["id"])


def send_by_command(server: Served, project: int, folder: Path) -> float:
    """Return how long the command takes, in milliseconds."""
    environment = {
        **os.environ,
        "CALLSCOPE_URL": f"http://127.0.0.1:{server.port}",
        "CALLSCOPE_API_KEY": server.key,
    }
    started = time.perf_counter()
    command = [sys.executable, "-m", "callscope", "upload", str(folder), "--project", str(project), "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    took = (time.perf_counter() - started) * 1000
    if done.returncode or json.loads(done.stdout)["uploaded"] != FILES:
        raise SystemExit(done.stderr)
    return took


def send_bare(server: Served, project: int, folder: Path) -> float:
    """Return how long eight threads with a connection each take, in milliseconds."""
    waiting: SimpleQueue[Path] = SimpleQueue()
    for path in sorted(folder.iterdir()):
        waiting.put(path)
    errors: list[str] = []
    threads = [
        threading.Thread(target=_post_all, args=(server, project, waiting, errors))
        for _ in range(CONNECTIONS)
    ]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise SystemExit(errors[0])
    return (time.perf_counter() - started) * 1000


def _post_all(server: Served, project: int, waiting: "SimpleQueue[Path]", errors: list[str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {
        "Authorization": f"Api-Key {server.key}",
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
    }
    while True:
        try:
            path = waiting.get_nowait()
        except Empty:
            return
        form = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="project"\r\n\r\n{project}\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{path.name}"\r\n\r\n'
            f"{path.read_text()}\r\n--{BOUNDARY}--\r\n"
        )
        while True:
            connection.request("POST", "/api/files/", form.encode(), headers)
            response = connection.getresponse()
            body = response.read()
            if response.status != 429:  # too many at once: on a busy machine, or all in one process
                break
            time.sleep(int(response.getheader("Retry-After", "1")))
        if response.status != 201:
            errors.append(f"{path.name}: {response.status} {body[:200]!r}")
            return


if __name__ == "__main__":
    main()
