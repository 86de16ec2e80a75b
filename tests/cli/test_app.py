"""The command line before a command runs."""

import subprocess
import sys

import pytest

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
