"""Several processes serve the web: what holds in one holds over all, and none is left behind."""

import contextlib
import fcntl
import os
import signal
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from journeys_server import (
    PATIENCE_S,
    Installation,
    Server,
    create_project,
    free_port,
    is_running,
    processes_of,
)

from callscope.interfaces.gate.threads import threads_of_each

pytestmark = [
    pytest.mark.journey,
    pytest.mark.one_database,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc to find the processes"),
]

PROCESSES = 2
# Each comes over a connection of its own, and the kernel chooses who takes it: with so many, both do.
CONNECTIONS = 30


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    made = Installation(tmp_path_factory.mktemp("processes") / "data", CALLSCOPE_WEB_PROCESSES=str(PROCESSES))
    made.key = made.owner_with_key()
    return made


@pytest.fixture(scope="module")
def server(installation):
    with installation.served(workers=0) as server, server.client(installation.key) as client:
        installation.project = create_project(client, "Line")
        yield server


@pytest.fixture
def ask(server, installation):
    """Send a request over a connection of its own."""
    headers = {"Authorization": f"Api-Key {installation.key}"}

    def send(method, path, **named):
        # Plain HTTP: to read the certificates that a client trusts takes 25 ms of computing.
        sent = {"headers": headers, "timeout": PATIENCE_S, "verify": False, **named}
        return httpx2.request(method, server.url + path, **sent)

    return send


def serving(server: Server) -> list[int]:
    """Return the processes that answer requests: the children of the supervisor's child."""
    (web,) = children(server.process.pid)
    return children(web)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


class TestSlowSenders:
    SENDERS = 80  # more than all processes have threads
    PREFIX = "Aa345678"  # a key that looks like one, and is none

    @pytest.mark.parametrize(
        ("path", "credentials"),
        [("/login/", ""), ("/api/files/", f"Authorization: Api-Key {PREFIX}.{'x' * 32}\r\n")],
        ids=["no key", "a wrong key"],
    )
    def test_stop_nobody_else(self, server, ask, installation, path, credentials):
        """Nobody has to be signed in to send a body that never ends."""
        with slow_senders(server, self.SENDERS, path, credentials):
            assert {ask("GET", "/healthz").status_code for _ in range(10)} == {200}
            assert ask("GET", "/calls/api/calls/").status_code == 200
            assert [upload(ask, installation, f"{len(credentials)}-{n}.srt") for n in range(10)] == [201] * 10

    def test_of_one_user_do_not_stop_another(self, server, installation):
        installation.json(
            "user", "create", "other@example.com", "--password-stdin", stdin="a-long-password\n"
        )
        other = installation.json("key", "create", "other@example.com")["key"]
        headers = {"Authorization": f"Api-Key {other}"}
        with slow_senders(
            server, self.SENDERS, "/api/files/", f"Authorization: Api-Key {installation.key}\r\n"
        ) as senders:
            made = httpx2.post(
                f"{server.url}/api/projects/",
                json={"name": "Other"},
                headers=headers,
                timeout=PATIENCE_S,
                verify=False,
            )
            refusal = next(filter(None, map(read_refusal, senders)))

        assert made.status_code == 201
        assert b" 429 " in refusal or b" 503 " in refusal
        assert b"retry-after: 5" in refusal.lower()


@contextlib.contextmanager
def slow_senders(server: Server, count: int, path: str, header: str):
    """So many connections that each announce a body and send two bytes of it."""
    host, port = urlsplit(server.url).hostname, urlsplit(server.url).port
    head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{header}Content-Length: 40000\r\n\r\na="
    with contextlib.ExitStack() as connections:
        senders = []
        for _ in range(count):
            sender = connections.enter_context(socket.create_connection((host, port)))
            sender.sendall(head.encode())
            senders.append(sender)
        # In each process five bodies of a user, or two of an address, are read, and one waits for its turn.
        wait_for(lambda: sum(bool(read_refusal(sender)) for sender in senders) >= count - 6 * PROCESSES)
        yield senders


def read_refusal(sender: socket.socket) -> bytes:
    """Return what the server has answered so far, without waiting for it."""
    try:
        return sender.recv(4096, socket.MSG_DONTWAIT | socket.MSG_PEEK)
    except BlockingIOError:
        return b""


def upload(ask, installation, name: str) -> int:
    """Return the status of the answer to an upload."""
    files = {"file": (name, b"1\n00:00:00,000 --> 00:00:12,000\nAgent: Good morning.\n")}
    return ask("POST", "/api/files/", data={"project": installation.project}, files=files).status_code


class TestWebProcesses:
    def test_are_as_many_as_the_setting_says(self, server):
        wait_for(lambda: len(serving(server)) >= PROCESSES)
        assert len(serving(server)) == PROCESSES

    def test_show_at_once_what_another_has_written(self, ask, installation):
        project = f"/api/projects/{installation.project}/"
        file = ask(
            "POST",
            "/api/files/",
            data={"project": installation.project},
            files={"file": ("a.srt", b"1\n00:00:00,000 --> 00:00:12,000\nAgent: Good morning.\n")},
        ).json()

        for number in range(CONNECTIONS):
            config = {"custom_questions": [f"Question {number}?"]}
            assert ask("PATCH", project, json={"config": config}).status_code == 200
            ask("PATCH", f"/api/files/{file['id']}/", json={"campaign": f"campaign {number}"})

            assert ask("GET", project).json()["config"]["custom_questions"] == [f"Question {number}?"]
            shown = ask("GET", f"/api/files/{file['id']}/").json()["call_metadata"]
            assert shown["campaign"] == f"campaign {number}"

    def test_know_a_session_and_its_csrf_token_alike(self, server, installation):
        cookies = httpx2.Cookies()
        address = f"{server.url}/login/"
        cookies.update(httpx2.get(address, verify=False).cookies)
        form = {"username": "owner@example.com", "password": "a-long-password"}
        token = {"X-CSRFToken": cookies["csrftoken"]}
        signed_in = httpx2.post(address, data=form, cookies=cookies, headers=token, verify=False)
        assert signed_in.status_code == 302
        cookies.update(signed_in.cookies)
        token = {"X-CSRFToken": cookies["csrftoken"]}

        answers = [
            httpx2.patch(
                f"{server.url}/api/projects/{installation.project}/",
                json={"name": f"Line {number}"},
                cookies=cookies,
                headers=token,
                verify=False,  # plain HTTP, and to read certificates takes 25 ms of computing
            ).status_code
            for number in range(CONNECTIONS)
        ]

        assert set(answers) == {200}

    def test_count_refused_sign_ins_together(self, server):
        form = {"username": "nobody@example.com", "password": "guessed"}

        def guess():
            page = httpx2.get(f"{server.url}/login/", verify=False)
            token = {"X-CSRFToken": page.cookies["csrftoken"]}
            sent = {"data": form, "cookies": page.cookies, "headers": token}
            return httpx2.post(f"{server.url}/login/", **sent, verify=False)

        codes = [guess().status_code for _ in range(12)]

        assert codes[:9] == [200] * 9
        assert codes[9:] == [429] * 3

    def test_make_one_pdf_at_a_time_for_a_user(self, ask, installation):
        path = f"/calls/api/report/pdf/?project_id={installation.project}"
        (installation.folder / "locks").mkdir(exist_ok=True)
        with (
            (installation.folder / "locks" / "pdf-1").open("w") as turn,  # as a process that makes one
            ThreadPoolExecutor(6) as pool,
        ):
            fcntl.flock(turn, fcntl.LOCK_EX)
            meanwhile = [request.status_code for request in pool.map(lambda _: ask("GET", path), range(6))]
            fcntl.flock(turn, fcntl.LOCK_UN)
            afterwards = ask("GET", path).status_code

        assert meanwhile == [429] * 6
        assert afterwards == 200

    def test_that_is_killed_comes_back_while_the_others_answer(self, server, ask):
        before = serving(server)

        os.kill(before[0], signal.SIGKILL)

        wait_for(lambda: len(set(serving(server)) - {before[0]}) == PROCESSES)
        assert before[1] in serving(server)
        codes = [ask("GET", "/healthz").status_code for _ in range(CONNECTIONS)]
        assert set(codes) == {200}
        assert server.process.poll() is None


class TestThreads:
    def test_leave_postgresql_half_of_its_usual_connections(self):
        assert [processes * threads_of_each(processes) for processes in (1, 2, 4)] == [24, 32, 48]


class TestRateLimit:
    def test_counts_over_all_processes(self, installation):
        limited = Installation(
            installation.folder,
            CALLSCOPE_WEB_PROCESSES=str(PROCESSES),
            CALLSCOPE_RATE_LIMIT="20/day",
        )
        key = {"Authorization": f"Api-Key {installation.key}"}
        (installation.folder / "request-counts.sqlite3").unlink(missing_ok=True)
        with limited.served(workers=0) as server, ThreadPoolExecutor(8) as pool:

            def ask(_number):
                return httpx2.get(f"{server.url}/api/projects/", headers=key, verify=False).status_code

            codes = list(pool.map(ask, range(2 * CONNECTIONS)))

        assert Counter(codes) == {200: 20, 429: 40}


class TestEnd:
    def test_of_the_supervisor_leaves_nobody_behind(self, installation):
        server = Server(installation, free_port(), 0)
        wait_for(lambda: "listens" in server.log.read_text())
        everybody = processes_of(server)

        os.kill(everybody[0], signal.SIGKILL)

        wait_for(lambda: not any(is_running(pid) for pid in everybody))
        server.process.wait()

    def test_of_its_child_leaves_nobody_behind_and_a_stop_comes_to_all_within_seconds(self, installation):
        server = Server(installation, free_port(), 0)
        wait_for(lambda: "listens" in server.log.read_text())
        supervisor, *web = processes_of(server)

        os.kill(web[0], signal.SIGKILL)

        wait_for(lambda: not any(is_running(pid) for pid in web))
        server.wait_until_ready()  # the supervisor starts the web again
        wait_for(lambda: len(serving(server)) == PROCESSES)
        everybody = processes_of(server)
        assert everybody[0] == supervisor

        server.stop()

        assert server.process.returncode == 0
        wait_for(lambda: not any(is_running(pid) for pid in everybody))
