"""Commands run inside this process on the database of the test, and as programs of their own."""

import json
import os
import shutil
import subprocess
import sys

import httpx2
import pytest
from typer.testing import CliRunner

from callscope.interfaces.cli.runtime.client import Server
from tests import prepared


class Commands:
    """Runs `callscope …` and returns the result."""

    def __call__(self, *arguments, stdin=None):
        from callscope.interfaces.cli.app import app

        return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)

    def json(self, *arguments, stdin=None):
        """Run with --json and return the one object on stdout; the command must succeed."""
        result = self(*arguments, "--json", stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    def failure(self, *arguments):
        """Run what must fail with exit status 1 and return the lines on stderr."""
        result = self(*arguments)
        assert result.exit_code == 1, result.output
        assert "Traceback" not in result.stderr
        return result.stderr.splitlines()

    def wrong_usage(self, *arguments):
        """Run what must fail with exit status 2 and return its error on stderr, and with --json."""
        result = self(*arguments)
        as_json = self(*arguments, "--json")
        assert (result.exit_code, as_json.exit_code) == (2, 2), (result.output, as_json.output)
        assert "Traceback" not in result.stderr
        last = result.stderr.splitlines()[-1].removeprefix("Error: ")
        assert json.loads(as_json.stdout) == {"detail": last, "errors": [last]}
        return last


@pytest.fixture
def callscope(db, _surroundings):
    return Commands()


@pytest.fixture
def _surroundings(monkeypatch):
    """A wide terminal, and no setting of the tests, of which a command would warn."""
    monkeypatch.setenv("COLUMNS", "200")
    for name in [name for name in os.environ if name.startswith("CALLSCOPE_TEST_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def program(tmp_path):
    """Run `callscope …` as a process with a data folder of its own."""

    def run(*arguments, stdin="", **settings):
        return run_program(tmp_path / "data", *arguments, stdin=stdin, **settings)

    run.data_dir = tmp_path / "data"
    return run


@pytest.fixture(scope="session")
def _template():
    return prepared.data_folder()


@pytest.fixture
def initialised(program, _template):
    """The data folder of `program`, as `callscope init` leaves it."""
    return shutil.copytree(_template, program.data_dir)


def run_program(folder, *arguments, stdin="", **settings):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CALLSCOPE_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, "-m", "callscope", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        env={**kept, "CALLSCOPE_DATA_DIR": str(folder), **settings},
        cwd=folder.parent,
        timeout=300,
    )


class Answers:
    """A server that gives the prepared answers in turn and remembers the pauses of its client."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.pauses = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body, headers = (*answer, {})[:3]
        return httpx2.Response(status, json=body, headers=headers)

    def server(self):
        return Server(
            "http://callscope.test/", "a.b", transport=httpx2.MockTransport(self), sleep=self.pauses.append
        )


@pytest.fixture
def at_home(monkeypatch, transactional_db, live_server, alice, callscope):
    """The commands, with the address of a live server and a key of Alice's."""
    from callscope.accounts import services

    _, key = services.create_key(alice)
    monkeypatch.setenv("CALLSCOPE_URL", live_server.url)
    monkeypatch.setenv("CALLSCOPE_API_KEY", key)
    return callscope
