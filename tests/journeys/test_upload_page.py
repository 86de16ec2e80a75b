"""The upload page in a real browser, with files of its own."""

import browser as browsers
import pytest
from test_web import calls, site, visit  # noqa: F401 - fixtures

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
TALK = "1\n00:00:01,000 --> 00:00:04,000\nAgent: Good morning, how can I help you?\n"


def test_says_of_each_file_and_of_a_manifest_what_became_of_them(visit, site, calls, tmp_path):  # noqa: F811
    files = {"talk.srt": TALK, "notes.srt": ""}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("filename,call_datetime\ntalk.srt,2026-03-01T10:00:00Z\n")
    page = visit()
    page.goto(f"{site}/upload/?project_id={calls[0].project_id}")

    page.set_input_files("#u-manifest", manifest)
    page.locator("[data-manifest-tally]").wait_for()
    page.set_input_files("#u-files", [tmp_path / name for name in files])

    browsers.until(page, "document.querySelector('[data-count=arrived]').textContent === '1'")
    browsers.until(page, "document.querySelector('[data-count=failed]').textContent === '1'")
    assert page.inner_text("[data-unmatched]") == "1"
    assert "The file is empty." in page.inner_text("tr:has-text('notes.srt')")
    for name in files:
        assert page.locator(f"tr:has-text('{name}') .mark svg path").count() >= 1
