"""The upload page in a real browser, with files of its own."""

import json

import browser as browsers
import pytest
from test_web import calls, site, visit  # noqa: F401 - fixtures

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
STATES = {  # as /upload/states/ answers them
    "parked": {
        "label": "Waiting for an engine",
        "kind": "warn",
        "final": False,
        "reason": "It is away.",
        "task": "",
    },
    "failed": {"label": "Failed", "kind": "bad", "final": True, "reason": "It is damaged.", "task": "7e"},
    "done": {"label": "Analyzed", "kind": "good", "final": True, "reason": "", "task": ""},
}
TALK = "1\n00:00:01,000 --> 00:00:04,000\nAgent: Good morning, how can I help you?\n"
SIZE = len(TALK)


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


def test_names_columns_of_a_manifest_that_were_not_used(visit, site, calls, tmp_path):  # noqa: F811
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("filename,call_datetime,agnet_id,bogus\nlater.srt,2026-03-01T10:00:00Z,7,x\n")
    page = visit()
    page.goto(f"{site}/upload/?project_id={calls[0].project_id}")

    page.set_input_files("#u-manifest", manifest)
    page.locator("[data-manifest-tally]").wait_for()

    said = page.inner_text("[data-manifest-notice]")
    assert (
        "Columns that were not used: agnet_id (did you mean agent_id?), bogus. Known columns: filename,"
        in said
    )
    assert "warn" in page.get_attribute("[data-manifest-notice]", "class")


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


def test_names_the_folders_of_two_files_that_have_the_same_name(visit, site, calls, tmp_path):  # noqa: F811
    for day in ("monday", "tuesday"):
        (tmp_path / "week" / day).mkdir(parents=True)
        (tmp_path / "week" / day / "echo.srt").write_text(TALK)
    (tmp_path / "week" / "single.srt").write_text(TALK)
    page = visit()
    page.goto(f"{site}/upload/?project_id={calls[0].project_id}")
    page.evaluate("document.getElementById('u-files').webkitdirectory = true")

    page.set_input_files("#u-files", tmp_path / "week")

    browsers.until(page, "document.querySelector('[data-count=arrived]').textContent === '2'")
    names = ["single.srt", "week/monday/echo.srt", "week/tuesday/echo.srt"]
    assert sorted(list_shown(page)) == names
    refused = page.locator("[data-rows] tr:has-text('has the same name') [data-name]").all_inner_texts()
    assert len(refused) == 1 and refused[0] in names[1:]


class Server:
    """What the server says of the files of an upload, as a test decides."""

    def __init__(self, page, *names):
        self.states = dict.fromkeys(names, "")  # "": not in the project
        self.retried = []
        self.size = SIZE
        page.route("**/upload/states/", self.answer_states)
        page.route("**/api/files/", lambda route: self.take(route))
        page.route("**/api/tasks/**", lambda route: self.retry(route))

    def answer_states(self, route):
        files = {
            name: {"id": number, "state": state, "url": "", "size": self.size, **STATES[state]}
            for number, (name, state) in enumerate(self.states.items(), 1)
            if state
        }
        route.fulfill(json={"files": files})

    def take(self, route):
        [name] = [name for name in self.states if f'filename="{name}"' in route.request.post_data]
        self.states[name] = "parked"
        route.fulfill(status=201, json={"id": 1 + list(self.states).index(name)})

    def retry(self, route):
        self.retried.append(route.request.url)
        route.fulfill(status=202, json={})


@pytest.fixture
def send(visit, site, calls, tmp_path):  # noqa: F811
    """Choose files of these names on the upload page; return it, and what the server is to say."""

    def choose(*names):
        page = visit()
        server = Server(page, *names)
        page.goto(f"{site}/upload/?project_id={calls[0].project_id}")
        for name in names:
            (tmp_path / name).write_text(TALK)
        page.set_input_files("#u-files", [tmp_path / name for name in names])
        browsers.until(page, f"document.querySelector('[data-count=arrived]').textContent === '{len(names)}'")
        return page, server

    return choose


def list_shown(page):
    return page.locator("[data-rows] tr:visible [data-name]").all_inner_texts()


def wait_for(page, words):
    browsers.until(
        page, f"document.querySelector('[data-outcome-words]').textContent === {json.dumps(words)}"
    )


def test_shows_the_failed_ones_while_another_waits_for_an_engine(send):
    page, server = send("a.srt", "b.srt", "c.srt", "d.srt")
    assert not page.is_visible("[data-failed-only]")
    assert not page.is_visible("[data-rows] [data-reason]")  # the server gave none yet

    server.states.update({"a.srt": "done", "b.srt": "failed"})
    wait_for(page, "1 analyzed, 1 failed so far, 2 not finished.")
    assert not page.is_visible("[data-report]")  # files go on
    page.click("[data-failed-only]")

    assert list_shown(page) == ["b.srt"]
    server.states["c.srt"] = "failed"
    wait_for(page, "1 analyzed, 2 failed so far, 1 not finished.")
    assert list_shown(page) == ["b.srt", "c.srt"]
    server.states.update({"b.srt": "parked", "c.srt": "parked"})
    page.click("[data-retry-all]")
    wait_for(page, "1 analyzed, 0 failed so far, 3 not finished.")
    assert len(server.retried) == 2
    assert list_shown(page) == ["b.srt", "c.srt"]  # what becomes of them is seen
    server.states.update({"b.srt": "failed", "c.srt": "done", "d.srt": "done"})
    wait_for(page, "3 analyzed, 1 failed.")
    assert list_shown(page) == ["b.srt"]
    assert page.inner_text("[data-report]") == "See the report"
    page.click("[data-failed-only]")
    assert len(list_shown(page)) == 4


@pytest.fixture
def choose(visit, site, calls, tmp_path):  # noqa: F811
    """Choose files of these names, which the project has, in these states and of this size."""

    def chosen(states, size=SIZE):
        page = visit()
        server = Server(page, *states)
        server.states, server.size = dict(states), size
        page.goto(f"{site}/upload/?project_id={calls[0].project_id}")
        for name in states:
            (tmp_path / name).write_text(TALK)
        page.set_input_files("#u-files", [tmp_path / name for name in states])
        browsers.until(page, "document.querySelector('[data-count=there]').textContent !== '0'")
        return page

    return chosen


def test_counts_skipped_files_that_failed_in_the_project(choose):
    page = choose({"a.srt": "failed", "b.srt": "failed", "c.srt": "done"})

    wait_for(page, "0 analyzed, 2 failed.")
    counts = [page.inner_text(f"[data-count={name}]") for name in ("arrived", "there", "failed")]
    assert counts == ["0", "1", "2"]
    assert page.inner_text("[data-report]") == "See the report"
    assert not page.is_visible("[data-sent]")  # nothing was to be sent
    page.click("[data-failed-only]")
    assert list_shown(page) == ["a.srt", "b.srt"]


def test_sends_a_failed_file_of_another_size_again_and_names_the_size_of_others(choose):
    page = choose({"a.srt": "failed", "c.srt": "done"}, size=5)

    browsers.until(page, "document.querySelector('[data-count=arrived]').textContent === '1'")
    assert "Waiting" in page.inner_text("tr:has-text('a.srt')")
    said = "The file in the project has another size: 5 bytes."
    assert said in page.inner_text("tr:has-text('c.srt')")
    assert page.inner_text("[data-sent]") == "Sent: 1 of 1 (100\xa0%)"


def test_says_that_a_retried_file_failed_again_and_why(send):
    page, server = send("a.srt")
    server.states["a.srt"] = "failed"
    row = page.locator("tr:has-text('a.srt')")
    row.locator("button:has-text('Retry')").wait_for()
    assert row.locator("[data-reason]").inner_text() == "It is damaged."

    for retry in (1, 2):
        server.states["a.srt"] = "parked"
        row.locator("button:has-text('Retry')").click()
        browsers.until(
            page, "document.querySelector('[data-rows] [data-reason]').textContent === 'It is away.'"
        )
        server.states["a.srt"] = "failed"
        said = f"Failed again (retry {retry}). It is damaged."
        browsers.until(page, f"document.querySelector('[data-rows] [data-reason]').textContent === '{said}'")
        assert page.locator(".toast:has-text('Failed again: a.srt')").count() == 1
