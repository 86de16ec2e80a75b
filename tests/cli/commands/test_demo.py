"""`callscope demo`: whose folder it takes, and how its people sign in."""

import pytest

from callscope.interfaces.cli.commands.demo import Login, find_program, print_login

pytestmark = pytest.mark.one_database


class TestDemo:
    def test_leaves_a_folder_alone_that_it_did_not_make(self, program):
        program.data_dir.mkdir()
        (program.data_dir / "secret_key").write_text("precious")

        result = program("demo", "--no-serve")

        assert result.returncode == 1
        assert "so it is left alone" in result.stderr
        assert (program.data_dir / "secret_key").read_text() == "precious"

    @pytest.mark.parametrize(
        ("path", "started_as", "program"),
        [
            ("there", "/opt/callscope/bin/callscope", "callscope"),
            ("", ".venv/bin/callscope", ".venv/bin/callscope"),
            ("", "/a folder/callscope", "'/a folder/callscope'"),
            ("", "/site-packages/callscope/__main__.py", "/opt/python -m callscope"),
        ],
    )
    def test_says_how_to_call_it(self, monkeypatch, tmp_path, path, started_as, program):
        (tmp_path / "callscope").touch(mode=0o755)
        monkeypatch.setenv("PATH", str(tmp_path) if path else "")
        monkeypatch.setattr("sys.argv", [started_as, "demo"])
        monkeypatch.setattr("sys.executable", "/opt/python")

        assert find_program() == program

    def test_says_how_to_sign_in_and_how_to_serve_what_it_made(self, capsys):
        print_login(Login("demo@callscope.example", "pass-word", "key.1"), "Serve it with: callscope serve")

        printed = capsys.readouterr().out
        assert "Serve it with: callscope serve" in printed
        assert "Sign in as demo@callscope.example with the password pass-word" in printed
        assert "API key: key.1" in printed
