"""Imports and exports of calls: what the commands print, with which exit status, and what they refuse."""

import gzip
import json


class TestCalls:
    def test_import_reports_created_replaced_and_errors(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text('{"file_name": "a"}\n{"file_name": "b", "sentiment": "angry"}\n')

        document = callscope.json("calls", "import", project.pk, file)

        assert (document["created"], document["replaced"]) == (1, 0)
        assert document["errors"] == ['line 2, b: sentiment is "angry"; allowed: positive, neutral, negative']

    def test_import_fails_when_no_line_went_in(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text("nonsense\n")

        result = callscope("calls", "import", project.pk, file, "--json")

        assert result.exit_code == 1
        assert json.loads(result.stdout)["created"] == 0

    def test_import_fails_when_the_file_cannot_be_read_to_its_end(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl.gz"
        lines = "".join(f'{{"file_name": "{n}-{n * n}.wav"}}\n' for n in range(20_000))
        file.write_bytes(gzip.compress(lines.encode())[:-5_000])

        result = callscope("calls", "import", project.pk, file, "--json")

        document = json.loads(result.stdout)
        assert (result.exit_code, document["created"] > 0) == (1, True)
        assert "damaged" in document["errors"][-1]

    def test_import_of_an_empty_file_is_fine(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.touch()

        assert callscope.json("calls", "import", project.pk, file)["errors"] == []

    def test_export_counts_the_calls(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text('{"file_name": "a"}\n{"file_name": "b"}\n')
        callscope.json("calls", "import", project.pk, file)

        assert callscope.json("calls", "export", project.pk, tmp_path / "out.jsonl.gz") == {"calls": 2}

    def test_are_refused_in_a_general_project(self, callscope, project, tmp_path):
        project.type = "general"
        project.save()
        file = tmp_path / "calls.jsonl"
        file.touch()

        for verb in ("import", "export"):
            (line,) = callscope.failure("calls", verb, project.pk, file)
            assert line.startswith(f"Project {project.pk} is of type general.")

    def test_export_names_a_folder_that_is_not_there(self, callscope, project, tmp_path):
        (line,) = callscope.failure("calls", "export", project.pk, tmp_path / "none" / "x.jsonl")

        assert line == f"{tmp_path}/none/x.jsonl: cannot write a file there."
