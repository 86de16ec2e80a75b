"""What a command needs before it runs: settings, a database, a secret key."""

import json
import os
import sqlite3
import subprocess
import sys

import pytest

pytestmark = pytest.mark.one_database
# To load the built-in encoder takes `callscope doctor` half of its time; test_doctor.py has it loaded.
QUICK = {"CALLSCOPE_EMBEDDER": "words"}


class TestStart:
    def test_asks_for_init_first(self, program):
        result = program("key", "list")

        assert result.returncode == 1
        assert result.stderr.endswith("Run `callscope init` first.\n")
        assert len(result.stderr.splitlines()) == 1
        assert not program.data_dir.exists()

    def test_works_after_it(self, program, initialised):
        result = program(
            "user", "create", "ana@example.com", "--password-stdin", "--json", stdin="some words\n"
        )

        assert json.loads(result.stdout) == {"id": 1, "email": "ana@example.com"}
        assert program("user", "create", "ana@example.com").returncode == 1

    def test_ends_with_one_line_for_a_setting_that_is_not_allowed(self, program):
        result = program("key", "list", "--json", CALLSCOPE_TIME_ZONE="Mars/Base")

        assert result.returncode == 1
        assert result.stderr.startswith('CALLSCOPE_TIME_ZONE is "Mars/Base". Allowed:')
        assert len(result.stderr.splitlines()) == 1
        assert "CALLSCOPE_TIME_ZONE" in json.loads(result.stdout)["detail"]

    def test_warns_of_settings_that_do_not_exist(self, program, initialised):
        result = program("key", "list", "--json", CALLSCOPE_DATABSE_URL="x")

        assert result.returncode == 0
        assert result.stderr == "Warning: CALLSCOPE_DATABSE_URL is set, but Callscope has no such setting.\n"
        assert json.loads(result.stdout) == {"keys": []}

    def test_ends_with_one_line_when_the_database_does_not_answer(self, program):
        url = "postgres://u:secret-word@127.0.0.1:1/nowhere"

        result = program("key", "list", CALLSCOPE_DATABASE_URL=url)

        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == 1
        assert "postgres://127.0.0.1:1/nowhere cannot be used" in result.stderr
        assert "secret-word" not in result.stderr


class TestDatabaseOfAnotherVersion:
    @pytest.fixture
    def newer(self, program, initialised):
        with sqlite3.connect(program.data_dir / "callscope.sqlite3") as database:
            database.execute(
                "INSERT INTO django_migrations (app, name, applied) "
                "VALUES ('pipeline', '0999_future', '2030-01-01')"
            )

    @pytest.mark.parametrize(
        "command",
        [("key", "list"), ("serve", "--port", "1"), ("worker", "--drain"), ("init",), ("backup", "x")],
    )
    def test_that_is_newer_is_refused_by_every_command(self, program, newer, command):
        result = program(*command)

        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == 1
        assert "was made by a newer version of Callscope" in result.stderr
        assert "pipeline.0999_future" in result.stderr
        assert "Install the newer version again" in result.stderr

    def test_that_is_newer_is_a_failed_check_of_doctor(self, program, newer):
        result = program("doctor", "--json", **QUICK)

        check = next(c for c in json.loads(result.stdout)["checks"] if c["name"] == "migrations")
        assert result.returncode == 1
        assert not check["ok"]
        assert "newer version" in check["detail"]
        assert check["advice"].startswith("Install the newer version")

    def test_that_is_older_names_init(self, program, initialised):
        with sqlite3.connect(program.data_dir / "callscope.sqlite3") as database:
            newest = "SELECT max(name) FROM django_migrations WHERE app = 'reports'"
            database.execute(f"DELETE FROM django_migrations WHERE app = 'reports' AND name = ({newest})")

        result = program("key", "list")

        assert result.returncode == 1
        assert result.stderr.endswith("lacks 1 migration. Run `callscope init`.\n")


class TestMissingExtra:
    @pytest.fixture
    def without(self, tmp_path):
        """Return variables under which a package is not found, as where its extra is not installed."""

        def hide(package):
            (tmp_path / "hide").mkdir()
            (tmp_path / "hide" / "sitecustomize.py").write_text(
                "import importlib.util\n"
                "find = importlib.util.find_spec\n"
                "importlib.util.find_spec = "
                f"lambda name, package=None: None if name.split('.')[0] == {package!r} "
                "else find(name, package)\n"
            )
            return {"PYTHONPATH": str(tmp_path / "hide")}

        return hide

    def test_is_one_line_that_says_how_to_install_it(self, program, without):
        url = "postgres://u:secret-word@127.0.0.1:1/nowhere"

        result = program("key", "list", CALLSCOPE_DATABASE_URL=url, **without("psycopg"))

        assert result.returncode == 1
        assert result.stderr == (
            "CALLSCOPE_DATABASE_URL needs the extra postgres, which is not installed. "
            "To add it, run in the folder of Callscope's source: pip install '.[postgres]'.\n"
        )

    @pytest.mark.parametrize(
        ("package", "name", "url", "check"),
        [
            ("celery", "CALLSCOPE_QUEUE_URL", "redis://127.0.0.1:1/0", "queue"),
            ("storages", "CALLSCOPE_STORAGE_URL", "s3://bucket/calls", "storage"),
        ],
    )
    def test_is_found_by_doctor_too(self, program, initialised, without, package, name, url, check):
        hidden = {**without(package), name: url}

        refused = program("worker", "--drain", **hidden)
        result = program("doctor", "--json", **hidden, **QUICK)

        assert refused.returncode == 1
        assert refused.stderr.startswith(f"{name} needs the extra")
        found = next(c for c in json.loads(result.stdout)["checks"] if c["name"] == check)
        assert "pip install '.[" in found["advice"]


class TestWorkerHost:
    def test_needs_no_secret_key_of_its_own(self, program, initialised):
        (program.data_dir / "secret_key").unlink()

        assert program("worker", "--drain").returncode == 0
        assert "no secret key" in program("key", "list").stderr

    def test_says_when_it_is_ready_and_ends_when_asked(self, program, initialised):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("CALLSCOPE_", "DJANGO_"))}
        worker = subprocess.Popen(
            [sys.executable, "-m", "callscope", "worker", "--queues", "llm,default"],
            env={**kept, "CALLSCOPE_DATA_DIR": str(program.data_dir)},
            stdout=subprocess.PIPE,
            text=True,
        )
        with worker:
            first_line = worker.stdout.readline()
            worker.terminate()

        assert first_line == "Worker ready for the queues llm, default. Press Ctrl-C to stop.\n"
        assert worker.returncode == 0

    def test_says_so_in_the_log_where_that_is_json(self, program, initialised):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("CALLSCOPE_", "DJANGO_"))}
        worker = subprocess.Popen(
            [sys.executable, "-m", "callscope", "worker", "--queues", "llm"],
            env={**kept, "CALLSCOPE_DATA_DIR": str(program.data_dir), "CALLSCOPE_LOG_FORMAT": "json"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with worker:
            first_line = worker.stderr.readline()
            worker.terminate()
            printed = worker.stdout.read()

        assert json.loads(first_line)["message"] == "Worker ready for the queues llm."
        assert printed == ""
