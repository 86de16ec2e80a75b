"""How commands end: exit statuses, lines on stderr and, with --json, one object on stdout."""

import json

import pytest

NOWHERE = "http://127.0.0.1:9"  # no server listens there
SHOW = ["project", "show", "7"]  # there is none


class TestWrongUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["nonsense"],
            ["user", "nonsense"],
            ["user", "create"],
            ["user", "create", "a@b.c", "--nonsense"],
            ["user", "quota", "a@b.c", "--nonsense"],
            ["team", "add", "one", "a@b.c"],
            ["project", "create", "P"],
            ["project", "create", "P", "--nonsense"],
            ["calls", "import", "x", "y"],
            ["upload", "a.wav"],
            ["upload", "a.wav", "--project", "0"],
            ["upload", "a.wav", "--project", "1", "--type", "weird"],
            ["upload", "--project", "1"],
            ["upload", "", "--project", "1"],
            ["report", "--range", "ytd", "--start", "2026-01-01"],
            ["report", "--from", "2026-13-01"],
            ["serve", "--port", "0"],
            ["serve", "--workers", "many"],
            ["worker", "--drain", "yes"],
            ["worker", "--queues", "asr,nonsense"],
            ["demo", "--port", "99999"],
            ["backup"],
            ["restore", "one.zip", "two.zip"],
        ],
    )
    def test_ends_with_2_and_is_reported_to_people_and_programs(self, callscope, arguments):
        assert callscope.wrong_usage(*arguments)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["serve", "--port", "http"], """Invalid value for '--port': "http". Allowed: a whole number."""),
            (["serve", "--port", "0"], """Invalid value for '--port': "0". Allowed: numbers from 1."""),
            (
                ["serve", "--port", "70000"],
                """Invalid value for '--port': "70000". Allowed: numbers up to 65535.""",
            ),
            (["project", "show", "1.5"], """Invalid value for 'ID': "1.5". Allowed: a whole number."""),
            (
                ["project", "show", "9" * 5000],
                f"""Invalid value for 'ID': "{"9" * 80}". Allowed: a whole number.""",
            ),
        ],
    )
    def test_shows_the_value_and_what_is_allowed(self, callscope, arguments, message):
        assert callscope.wrong_usage(*arguments) == message

    def test_shows_how_the_command_is_used(self, callscope):
        assert "Usage: " in callscope("user", "create").stderr

    def test_is_reported_to_programs_where_json_stands_before_the_command(self, callscope):
        result = callscope("--json", "user", "list")

        assert result.exit_code == 2
        assert json.loads(result.stdout)["detail"] in result.stderr


class TestDebug:
    @pytest.mark.parametrize(
        "arguments", [["--debug", "project", "show", "7"], ["project", "show", "7", "--debug"]]
    )
    def test_shows_where_an_error_came_from(self, callscope, arguments):
        result = callscope(*arguments)

        assert result.exit_code == 1
        assert "Traceback (most recent call last)" in result.stderr
        assert result.stderr.splitlines()[-1] == callscope.failure(*SHOW)[-1]

    def test_leaves_the_object_on_stdout_alone(self, callscope):
        result = callscope(*SHOW, "--json", "--debug")

        assert json.loads(result.stdout)["detail"] == result.stderr.splitlines()[-1]


class TestError:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["user", "deactivate", "nobody@example.com"],
            ["user", "quota", "nobody@example.com", "5"],
            ["team", "create", "T", "--admin", "nobody@example.com"],
            ["team", "add", "7", "nobody@example.com"],
            ["key", "create", "nobody@example.com"],
            ["key", "revoke", "nothing"],
            ["key", "list", "nobody@example.com"],
            ["project", "create", "P", "--owner", "nobody@example.com"],
            ["project", "configure", "7", "/nowhere/config.yaml"],
            ["project", "show", "7"],
            ["project", "share", "7", "nobody@example.com"],
            ["calls", "import", "7", "/nowhere/calls.jsonl"],
            ["calls", "export", "7", "/nowhere/calls.jsonl"],
            ["backup", "/nowhere/backup.zip"],
            ["restore", "/nowhere/backup.zip"],
            ["upload", "/nowhere/call.wav", "--project", "7"],
            ["upload", __file__, "--project", "7"],
            ["report"],
            ["report", "--pdf", "/nowhere/report.pdf"],
        ],
    )
    def test_ends_with_1_and_is_reported_to_people_and_programs(self, callscope, monkeypatch, arguments):
        monkeypatch.setenv("CALLSCOPE_URL", NOWHERE)
        monkeypatch.setenv("CALLSCOPE_API_KEY", "prefix.secret")

        lines = callscope.failure(*arguments)
        result = callscope(*arguments, "--json")

        assert (result.exit_code, result.stderr.splitlines()) == (1, lines)
        assert json.loads(result.stdout) == {"detail": " ".join(lines), "errors": lines}

    def test_of_ours_keeps_its_traceback_and_is_reported_to_programs(self, callscope, monkeypatch):
        from callscope.accounts import services

        monkeypatch.setattr(services, "list_keys", lambda _: 1 / 0)

        result = callscope("key", "list", "--json")

        assert isinstance(result.exception, ZeroDivisionError)
        assert json.loads(result.stdout)["detail"].startswith("Unexpected error: ZeroDivisionError.")

    def test_after_the_object_adds_no_second_one(self, callscope, monkeypatch):
        from callscope.interfaces.cli.runtime import output
        from callscope.interfaces.cli.runtime.errors import Failure

        def list_and_fail(_user):
            output.print_json({"url": "http://127.0.0.1:8000/"})
            raise Failure("The port was taken away.")

        from callscope.accounts import services

        monkeypatch.setattr(services, "list_keys", list_and_fail)

        result = callscope("key", "list", "--json")

        assert (result.exit_code, result.stderr) == (1, "The port was taken away.\n")
        assert json.loads(result.stdout) == {"url": "http://127.0.0.1:8000/"}
