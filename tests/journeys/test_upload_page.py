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
    browsers.until(page, "document.querySelector('[data-unmatched]').textContent === '0'")
    assert page.inner_text("[data-matched]") == "1"  # its file has come since
    assert "The file is empty." in page.inner_text("tr:has-text('notes.srt')")
    for name in files:
        assert page.locator(f"tr:has-text('{name}') .mark svg path").count() >= 1


def test_sends_one_of_two_files_that_have_the_same_name(visit, site, calls, tmp_path):  # noqa: F811
    for folder in ("monday", "tuesday"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "twin.srt").write_text(TALK)
    page = visit()
    page.goto(f"{site}/upload/?project_id={calls[0].project_id}")

    page.set_input_files("#u-files", [tmp_path / folder / "twin.srt" for folder in ("monday", "tuesday")])

    browsers.until(page, "document.querySelector('[data-count=arrived]').textContent === '1'")
    assert page.inner_text("[data-count=failed]") == "1"
    assert "Another file of this upload has the same name." in page.inner_text("[data-rows]")
