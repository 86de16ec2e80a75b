"""`callscope demo` in a folder that is not its own."""

import pytest

pytestmark = pytest.mark.one_database


class TestDemo:
    def test_leaves_a_folder_alone_that_it_did_not_make(self, program):
        program.data_dir.mkdir()
        (program.data_dir / "secret_key").write_text("precious")

        result = program("demo", "--no-serve")

        assert result.returncode == 1
        assert "so it is left alone" in result.stderr
        assert (program.data_dir / "secret_key").read_text() == "precious"
