"""The scripts of the sample recordings are read whole or refused."""

import pytest

from callscope.samples.catalog import FOLDER
from callscope.samples.synthesize import Voice, read_script

pytestmark = pytest.mark.one_database


class TestReadScript:
    def test_reads_voices_turns_and_waits(self, tmp_path):
        path = tmp_path / "call.txt"
        path.write_text("format: wav\nagent: rms 1.1\ncustomer: slt 1\nA: Hello: hi.\n-- 3\nC: Bye.\n")

        script = read_script(path)

        assert script.format == "wav"
        assert script.voices == {"A": Voice("rms", 1.1), "C": Voice("slt", 1.0)}
        assert script.turns == [("A", "Hello: hi."), ("-", "3"), ("C", "Bye.")]

    def test_refuses_a_line_that_is_none_of_these(self, tmp_path):
        path = tmp_path / "call.txt"
        path.write_text("B: Hello.\n")

        with pytest.raises(ValueError, match=r'call.txt: "B: Hello." is neither'):
            read_script(path)

    def test_gives_the_two_sides_of_every_script_different_voices(self):
        for path in (FOLDER / "copper_lane" / "scripts").glob("*.txt"):
            voices = read_script(path).voices

            assert voices["A"].name != voices["C"].name
