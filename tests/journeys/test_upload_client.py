"""`callscope upload` against a real server: cut connections, a server killed in the middle."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from tests.journeys.journeys_server import (
    PATIENCE_S,
    Installation,
    Server,
    create_project,
    free_port,
    processes_of,
)

pytestmark = pytest.mark.one_database
FILES = 40
CUTS = 5
TEXT = "1\n00:00:00,000 --> 00:00:04,000\nAgent: Good morning, this is Ana, number {n}.\n"


@pytest.fixture
def folder(tmp_path):
    recordings = tmp_path / "to send"
    recordings.mkdir()
    for number in range(FILES):
        (recordings / f"call-{number:03}.srt").write_text(TEXT.format(n=number))
    return recordings


@pytest.fixture
def site(tmp_path):
    """An installation and a key."""
    installation = Installation(tmp_path / "data")
    return installation, installation.owner_with_key()


class Cutter:
    """A proxy that cuts every third connection after some bytes, until it has cut enough."""

    def __init__(self, port, cuts):
        self.target, self.cuts = port, cuts
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        number = 0
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            number += 1
            is_cut = number % 3 == 0 and self.cuts > 0
            self.cuts -= is_cut
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self._carry, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._carry, args=(server, client, is_cut), daemon=True).start()

    def _carry(self, source, target, is_cut):
        with contextlib.suppress(OSError):
            # The answer that is cut off: the server has the file, and the client does not know.
            while data := source.recv(65536):
                if is_cut:
                    break
                target.sendall(data)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def upload(installation, url, key, project, *arguments):
    environment = {**installation.environment, "CALLSCOPE_URL": url, "CALLSCOPE_API_KEY": key}
    command = [sys.executable, "-m", "callscope", "upload", *map(str, arguments), "--project", str(project)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def count_files(server, key, project):
    with server.client(key) as client:
        first = client.get("/api/files/", params={"project": project}).json()
        return first["count"], {each["original_filename"] for each in first["results"]}


def test_sends_each_file_once_through_cut_connections(site, folder):
    installation, key = site
    with installation.served(workers=0) as server, server.client(key) as owner:
        project = create_project(owner, "Line")
        proxy = Cutter(int(server.url.rpartition(":")[2]), cuts=CUTS)
        client = upload(installation, proxy.url, key, project, folder, "--json")
        out, err = client.communicate(timeout=PATIENCE_S)

        assert client.returncode == 0, err
        assert json.loads(out)["uploaded"] == FILES
        assert proxy.cuts < CUTS  # at least one was made; kept connections leave the rest
        count, names = count_files(server, key, project)
        assert (count, len(names)) == (FILES, FILES)


def test_stops_when_the_server_is_killed_and_goes_on_when_it_is_back(site, folder):
    installation, key = site
    port = free_port()
    server = Server(installation, port, workers=0)
    server.wait_until_ready()
    with server.client(key) as owner:
        project = create_project(owner, "Line")
    client = upload(installation, server.url, key, project, folder)
    deadline = time.monotonic() + PATIENCE_S
    while not (sent := count_files(server, key, project)[0]) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in processes_of(server):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _, err = client.communicate(timeout=PATIENCE_S)

    if sent < FILES:  # else the client was done before the server was killed
        assert client.returncode == 1, err
        *_, cause, advice = err.splitlines()
        assert "cannot be reached" in cause
        assert f"of {FILES} files were sent. Repeat the same command to send the rest." in advice
    server = Server(installation, port, workers=0)
    try:
        server.wait_until_ready()
        again = upload(installation, server.url, key, project, folder, "--json")
        out, err = again.communicate(timeout=PATIENCE_S)
        assert again.returncode == 0, err
        found = json.loads(out)
        assert found["uploaded"] + found["skipped"] == FILES
        count, names = count_files(server, key, project)
        assert (count, len(names)) == (FILES, FILES)
    finally:
        server.stop()
