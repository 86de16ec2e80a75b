"""A replay that runs is stopped in a browser, whose page is loaded again while the question waits."""

import browser as browsers
import pytest
from journeys_server import OWNER, PASSWORD, Installation, create_project

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
BUTTON = "#replay-stop-button"


@pytest.fixture(scope="module")
def running(tmp_path_factory, chromium):
    """The page of a replay that no worker takes up."""
    installation = Installation(tmp_path_factory.mktemp("stop") / "data")
    key = installation.owner_with_key()
    with installation.served(workers=0) as server, server.client(key) as client:
        page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900})
        browsers.sign_in(page, server.url, OWNER, PASSWORD)
        project = create_project(client, "Stop")
        config = client.get(f"/api/projects/{project}/").json()["config"]
        draft = {**config, "goal": {"description": "Sold"}}
        answer = client.post(f"/api/projects/{project}/replays/", json={"config": draft, "sample": 1})
        assert answer.status_code in (201, 202), answer.text
        page.goto(f"{server.url}/projects/{project}/replays/{answer.json()['id']}/")
        yield page
        page.context.close()


def load_again(page):
    with page.expect_response(lambda response: "hx-request" in response.request.headers):
        pass
    page.locator(BUTTON).wait_for()


def test_keeps_the_button_and_its_question_and_stops_it_also_once_the_button_is_gone(running):
    button = running.locator(BUTTON)
    bar, found = running.locator("#replay progress").bounding_box(), button.bounding_box()
    assert found["x"] > bar["x"] + bar["width"]
    assert found["y"] <= bar["y"] <= found["y"] + found["height"]  # on the line of the bar
    button.focus()
    button.evaluate("each => { each.isTheSame = true; }")
    load_again(running)
    assert button.evaluate("each => each.isTheSame && each === document.activeElement")

    button.click()
    load_again(running)
    assert "Stop this replay?" in running.inner_text("dialog[open]")
    button.evaluate("each => each.remove()")  # as where the replay ends meanwhile
    running.click("dialog[open] [value=yes]")

    running.locator("text=The replay is stopped. What was judged so far is kept.").wait_for()
    assert not running.locator("#replay progress").count()
