"""deploy/restore_drill.py tells what a backup lost from what came after it."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

DONE = {"transcribed", "completed"}


@pytest.fixture(scope="module")
def drill():
    path = Path(__file__).parents[2] / "deploy" / "restore_drill.py"
    return SimpleNamespace(**runpy.run_path(str(path)))  # leaves no compiled file in the folder


class Instance:
    def __init__(self, states, hashes=None, report=0):
        self.states, self.hashes, self.report = states, hashes or {}, report

    def list_states(self, _project):
        return self.states

    def hash_content(self, file_id):
        return self.hashes.get(file_id, "same")

    def read_json(self, _path):
        return {"calls": self.report}


class TestDrill:
    def test_has_what_the_benchmark_under_load_asks_of_it(self, drill):
        run = (Path(__file__).parents[2] / "benchmarks" / "hosts" / "run.py").read_text("utf-8")
        functions = set(re.findall(r"\brestore_drill\.(\w+)", run))
        methods = set(re.findall(r"\b(?:running|copy)\.(\w+)\(", run))

        assert functions <= vars(drill).keys()
        assert methods
        assert methods <= vars(drill.Instance).keys()


class TestCompare:
    def test_finds_nothing_in_a_project_at_rest(self, drill, capsys):
        assert drill.compare(Instance({1: DONE, 2: DONE}), Instance({1: DONE, 2: DONE}), 1) == 0
        assert capsys.readouterr().out == (
            "report of project 1: identical\nfiles: 2 compared, 0 missing, 0 hash mismatches\n"
        )

    def test_counts_lost_files_changed_recordings_and_reports(self, drill, capsys):
        running = Instance({1: DONE, 2: DONE, 3: DONE}, {3: "other"}, report=3)

        assert drill.compare(running, Instance({1: DONE, 3: DONE}, report=2), 1) == 3
        assert "DIFFERENT" in (said := capsys.readouterr().out)
        assert "2 compared, 1 missing, 1 hash mismatches [3]" in said

    def test_takes_what_came_later_or_was_being_processed_for_no_loss(self, drill, capsys):
        running = Instance({1: DONE, 2: DONE, 3: DONE}, {2: "redacted since"}, report=3)
        copy = Instance({1: DONE, 2: {"transcribing", "queued"}}, report=1)

        assert drill.compare(running, copy, 1) == 0
        said = capsys.readouterr().out
        assert "not comparable" in said
        assert "1 compared, 0 missing, 0 hash mismatches" in said
        assert "1 uploaded, 1 were being processed" in said

    @pytest.mark.parametrize(("status", "differing"), [(404, 0), (410, 0), (500, 1)])
    def test_takes_an_error_for_no_recording(self, drill, status, differing):
        both = Instance({1: DONE}, {1: f"status {status}"})

        assert drill.compare(both, both, 1) == differing

    def test_still_finds_a_file_that_the_backup_lost_among_those_that_came_later(self, drill):
        running = Instance({1: DONE, 2: DONE, 3: DONE})

        assert drill.compare(running, Instance({1: DONE, 3: {"uploaded"}}), 1) == 1
