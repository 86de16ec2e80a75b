"""A manager changes a rubric in a real browser: checks, replays, reads, publishes, and takes it back."""

import contextlib

import browser as browsers
import pytest
import yaml
from conftest import missing
from journeys_server import Installation

from tests.pipeline.conftest import TALK, srt

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
OWNER, PASSWORD = "owner@example.com", "a-long-password"
CRITERION = {
    "id": "greeting",
    "name": "Greets and offers help",
    "max_points": 10,
    "rule": {"any_of": ["good morning"]},
}
DOCUMENT = {"rubric": {"sections": [{"name": "Opening", "criteria": [CRITERION]}]}}
NO_HELP = [("Agent", "Good morning, this is Ana speaking."), *TALK[1:]]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A signed-in page, the settings of a project, and two calls: one offers help, one only greets."""
    if not browsers.executable():
        missing(f"no browser: {', '.join(browsers.BROWSERS)}")
    folder = tmp_path_factory.mktemp("rubric")
    installation = Installation(folder / "data", CALLSCOPE_EMBEDDER="words")
    installation.initialise()
    installation.json("user", "create", OWNER, "--password-stdin", stdin=f"{PASSWORD}\n")
    key = installation.json("key", "create", OWNER)["key"]
    (folder / "rules.yaml").write_text(yaml.safe_dump(DOCUMENT), encoding="utf-8")
    made = installation.json(
        "project", "create", "Rules", "--owner", OWNER, "--config", str(folder / "rules.yaml")
    )
    with contextlib.ExitStack() as stack, installation.served() as server, browsers.chromium() as chromium:
        client = stack.enter_context(server.client(key))
        for name, lines in (("help.srt", TALK), ("no-help.srt", NO_HELP)):
            data = {"project": str(made["id"])}
            answer = client.post("/api/files/", data=data, files={"file": (name, srt(lines))})
            assert answer.status_code == 201, answer.text
        page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900})
        browsers.sign_in(page, server.url, OWNER, PASSWORD)
        browsers.wait_for(page, lambda: count_calls(client, made["id"]) == 2, "both calls are analyzed")
        yield page, f"{server.url}/projects/{made['id']}/"
        page.context.close()


def count_calls(client, project) -> int:
    return client.get("/calls/api/report/", params={"project_id": project}).json()["total_calls_all_time"]


class TestAChangedRubric:
    def test_is_checked_replayed_read_published_and_taken_back(self, opened):
        page, url = opened
        page.goto(url)
        page.locator("[data-list=criteria] details").first.locator("summary").first.click()

        page.click("[data-lint-button]")  # met by half of its name
        page.locator("[data-lint-result]:has-text('promises 2 things')").wait_for()

        page.locator(".more-rule > summary:visible").first.click()
        page.locator("[data-field=any_of]:visible textarea").first.fill("")
        groups = page.locator("[data-list=all_of]:visible").first
        groups.locator(":scope > [data-add]").click()
        page.keyboard.type("good morning")
        groups.locator(":scope > [data-add]").click()
        page.keyboard.type("how can I help you")
        page.click("[data-lint-button]")
        page.locator("[data-lint-result]:not(:has-text('promises 2 things')):has-text(' ')").wait_for()

        page.fill("#r-sample", "10")
        page.click("[data-replay-form] button")
        page.locator("[data-replay-cost]:has-text('no model is asked')").wait_for()
        page.evaluate("onbeforeunload = null")
        page.click("[data-replay-start]")
        page.wait_for_url("**/replays/*/")
        page.locator("caption:has-text('Calls that change most')").wait_for()
        body = page.inner_text("#replay")
        assert "met → not met: 1" in body
        assert "no-help.srt" in body
        assert "help.srt" not in body.replace("no-help.srt", "")

        page.click("button:has-text('Publish')")
        page.wait_for_url("**/versions/")
        assert "The draft is version 2 of the settings." in page.inner_text("body")

        page.click("button:has-text('Restore')")
        page.click("dialog[open] button[value=yes]")
        page.locator("text=Version 1 is restored as version 3.").wait_for()
        page.goto(url)
        assert "how can I help you" not in page.get_attribute("#settings", "data-document")
