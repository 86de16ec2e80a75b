"""`-` and /dev/stdout where a command takes a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LINE = '{"file_name": "c1.wav", "call_datetime": "2026-01-05T10:00:00+00:00"}\n'


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_report_writes_its_pdf_to_standard_output(at_home, project, tmp_path, name):
    device = Path("/dev/stdout")
    before = os.readlink(device)

    done = subprocess.run(
        [sys.executable, "-m", "callscope", "report", "--project", str(project.pk), "--pdf", name],
        capture_output=True,
        cwd=tmp_path,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"%PDF-")
    assert b"Report written to /dev/stdout." in done.stderr
    assert os.readlink(device) == before
    assert list(tmp_path.iterdir()) == []


def test_calls_are_imported_and_exported_through_pipes(program, initialised):
    program("user", "create", "ana@example.com", "--password-stdin", stdin="a-long-password\n")
    program("project", "create", "Line", "--owner", "ana@example.com")

    read = program("calls", "import", 1, "-", "--json", stdin=LINE)
    written = program("calls", "export", 1, "-", "--json")

    assert json.loads(read.stdout)["created"] == 1, read.stderr
    assert json.loads(written.stdout)["file_name"] == "c1.wav"
    assert json.loads(written.stderr) == {"calls": 1}
    assert not (initialised.parent / "-").exists()
