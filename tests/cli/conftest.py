"""Commands run inside this process on the database of the test, and as programs of their own."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner


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
        """Run what must fail with exit status 2 and return its error on stderr, also as told with --json."""
        result = self(*arguments)
        told = self(*arguments, "--json")
        assert (result.exit_code, told.exit_code) == (2, 2), (result.output, told.output)
        assert "Traceback" not in result.stderr
        last = result.stderr.splitlines()[-1].removeprefix("Error: ")
        assert json.loads(told.stdout) == {"detail": last, "errors": [last]}
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
def _template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("initialised") / "data"
    assert run_program(folder, "init").returncode == 0
    return folder


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
