"""The command line before a command runs."""

import shutil
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from callscope.interfaces.cli.app import app

pytestmark = pytest.mark.one_database


class TestHelp:
    def test_needs_neither_django_nor_a_data_folder(self, program):
        slow = {"django", "pydantic", "rich", "babel"}
        check = f"import sys, callscope.interfaces.cli.app; print({slow} & sys.modules.keys())"

        result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)

        assert result.stdout == "set()\n"
        assert program("--help").returncode == 0
        assert not program.data_dir.exists()

    @pytest.mark.parametrize("group", ["user", "project", "probe"])
    def test_lists_the_commands_of_a_group_without_cutting_them(self, group, program):
        listed = program(group, "--help").stdout.partition("Commands:")[2]

        assert listed
        assert "..." not in listed

    def test_of_every_command_is_cut_nowhere(self):
        root = get_command(app)
        for path in list_paths(root):
            lines = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "80"}).output.splitlines()
            assert lines[0].startswith(f"Usage: root {' '.join(path)}".rstrip()), path
            assert [line for line in lines[1:] if line.rstrip().endswith(("…", "..."))] == [], path
            assert max(map(len, lines)) <= 80, path


def list_paths(command, path=()):
    """Return the words that lead to each command and each group."""
    below = getattr(command, "commands", {})
    return [path, *(found for name, one in below.items() for found in list_paths(one, (*path, name)))]


class TestCompletion:
    @pytest.mark.parametrize(
        ("typed", "found"),
        [("callscope ret", ["retry", "retention"]), ("callscope project sh", ["show", "share"])],
    )
    def test_offers_commands(self, program, typed, found):
        words = {
            "_CALLSCOPE_COMPLETE": "complete_bash",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(typed.count(" ")),
        }

        assert program(**words).stdout.split() == found

    @pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
    def test_can_be_installed(self):
        # The shell is the one that the command was typed in; with a second command it stays its parent.
        typed = f'"{sys.executable}" -m callscope --show-completion; exit $?'

        result = subprocess.run(["bash", "-c", typed], capture_output=True, text=True)

        assert "complete -o default -F" in result.stdout, result.stderr
