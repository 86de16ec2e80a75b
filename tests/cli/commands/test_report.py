"""`callscope report` against a live server."""

import re

import pytest

from callscope.interfaces.cli.runtime import tables


class TestReport:
    def test_prints_the_object_of_the_server(self, at_home, project, live_server):
        document = at_home.json("report", "--project", project.pk, "--range", "ytd")

        assert document["date_range"]["preset"] == "ytd"
        assert document["headline"]["total_calls"] == 0

    def test_writes_the_pdf_of_the_server(self, at_home, project, tmp_path):
        file = tmp_path / "report.pdf"

        at_home.json("report", "--project", project.pk, "--range", "ytd", "--pdf", file)

        assert file.read_bytes().startswith(b"%PDF-")

    def test_prints_tables(self, at_home, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text('{"file_name": "a", "topic": "wrong invoice", "sentiment": "negative"}\n')
        at_home.json("calls", "import", project.pk, file)

        shown = at_home("report", "--project", project.pk).stdout

        assert re.search(r"Negative sentiment, % +100\.00 +1\n", shown)
        assert "wrong invoice" in shown

    def test_heads_its_tables_with_the_days(self, at_home, project):
        shown = at_home("report", "--project", project.pk, "--start", "2026-01-05")

        assert shown.stdout.startswith(f"Headline: {project.name}, 2026-01-05 – today\n")

    def test_names_a_project_that_the_key_cannot_see(self, at_home):
        (line,) = at_home.failure("report", "--project", "77")

        assert line.startswith("Project 77 does not exist")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--start", "2026-13-01"], '"2026-13-01" is not a date.'),
            (["--end", "yesterday"], '"yesterday" is not a date.'),
            (["--start", "2026-02-01", "--end", "2026-01-01"], "--start 2026-02-01 is after"),
            (["--range", "last_week"], "'last_week' is not one of 'mtd', "),
            (["--range", "mtd", "--end", "2026-01-01"], "Use either --range or --start/--end."),
            (["--language", "fr"], "'fr' is not one of"),
            (["--project", "one"], "Invalid value for '--project': \"one\". Allowed: a whole number."),
        ],
    )
    def test_names_the_option_that_is_wrong_and_asks_no_server(self, callscope, options, message):
        assert message in callscope.wrong_usage("report", *options)


class TestCells:
    def test_do_not_steer_the_terminal(self):
        hostile = "A\x1b[31mRED\x1b]0;title\x07 \u202egpj"

        shown = tables.format_table("Agents", ["agent", "calls"], [[hostile, 3]])

        assert "A [31mRED ]0;title gpj      3" in shown
        assert not any(sign in shown for sign in "\x1b\x07\u202e")

    def test_are_cut_where_they_are_long(self):
        shown = tables.format_table("Agents", ["agent", "calls"], [["A" * 255, 3]])

        assert f"{'A' * (tables.MAX_CELL - 1)}…      3" in shown
