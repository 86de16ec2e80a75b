"""Every administration command answers `--json` with exactly one object, of these keys."""

import json
import shutil

import pytest

from tests import prepared

CONFIGURATION = "language: es\n"


def keys_of(result):
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return list(json.loads(result.stdout))


class TestJsonOutput:
    def test_has_the_keys_of_its_command(self, callscope, tmp_path):
        config, calls, exported = (tmp_path / name for name in ("c.yaml", "in.jsonl", "out.jsonl.gz"))
        config.write_text(CONFIGURATION)
        calls.write_text('{"file_name": "a.wav"}\nwrong\n')

        def keys(*arguments, stdin=None):
            return keys_of(callscope(*arguments, "--json", stdin=stdin))

        assert keys("user", "create", "ana@example.com") == ["id", "email"]
        assert keys("user", "create", "ben@example.com", "--password-stdin", stdin="x9!kLm20\n") == [
            "id",
            "email",
        ]
        assert keys("user", "quota", "ben@example.com", "2.5") == ["id"]
        assert keys("user", "deactivate", "ben@example.com") == ["id"]
        team = json.loads(callscope("team", "create", "T", "--admin", "ana@example.com", "--json").stdout)
        assert list(team) == ["id"]
        assert keys("team", "add", team["id"], "ben@example.com", "--admin") == ["id"]
        key = json.loads(callscope("key", "create", "ana@example.com", "--name", "n", "--json").stdout)
        assert list(key) == ["prefix", "key"]
        assert "prefix" in keys("key", "revoke", key["prefix"])
        assert keys("key", "list") == keys("key", "list", "ana@example.com") == ["keys"]
        project = json.loads(
            callscope(
                "project", "create", "P", "--owner", "ana@example.com", "--config", config, "--json"
            ).stdout
        )
        assert list(project) == ["id"]
        assert "id" in keys("project", "configure", project["id"], config)
        assert {"id", "name", "type", "owner", "team", "config"} < {*keys("project", "show", project["id"])}
        assert "id" in keys("project", "share", project["id"], "ben@example.com", "--role", "editor")
        assert {"created", "replaced", "errors"} < {*keys("calls", "import", project["id"], calls)}
        assert keys("agent", "list", project["id"]) == ["results", "count"]
        assert keys("calls", "export", project["id"], exported) == ["calls"]
        assert "ok" in keys("doctor")

    @pytest.mark.one_database
    def test_comes_from_init_backup_and_restore_too(self, program, initialised, tmp_path):
        archive = tmp_path / "all.zip"

        def answer(*arguments, **settings):
            result = program(*arguments, "--json", **settings)
            assert (result.returncode, result.stdout.count("\n")) == (0, 1), result.stderr
            return json.loads(result.stdout)

        answer("user", "create", "ana@example.com")
        assert answer("worker", "--drain")["drained"] is True
        assert answer("backup", archive)["file"] == str(archive)
        shutil.copyfile(prepared.sqlite_database(), tmp_path / "new.sqlite3")
        elsewhere = {"CALLSCOPE_DATABASE_URL": f"sqlite:///{tmp_path}/new.sqlite3"}
        assert answer("restore", archive, **elsewhere)["rows"] > 0
        assert list(answer("init", **elsewhere)) == ["data_dir", "database"]
        taken = program("user", "create", "ana@example.com", "--json", **elsewhere)
        assert (taken.returncode, "already exists" in json.loads(taken.stdout)["detail"]) == (1, True)
