"""Do the ten weekly jobs of a quality manager in a browser, by mouse and by keyboard: `--data DEMO_FOLDER`.

Prints how many clicks and how many keys each job takes from the page on which a visitor lands, and how many
characters are typed. It writes into a copy of the folder, made by `callscope demo --no-serve`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import browser as browsers
from journeys_server import Installation
from playwright.sync_api import Error
from screenshots import SESSION

MOST_TABS, ATTEMPTS = 400, 5
PATIENCE_MS = 30_000
CALL = "tbody th a[href^='/calls/']"
# The keys that lead from the focus to what is wanted in its table, as app.js moves: by rows, then in one.
ARROWS = """(wanted) => {
  const table = document.activeElement?.closest("[data-arrows]");
  const target = table?.querySelector(wanted);
  if (!target) return [];
  const row = (one) => one.closest("tr, .slots") ?? table;
  const rows = [...new Set([...table.querySelectorAll("a[href], button")].map(row))];
  const down = rows.indexOf(row(target)) - rows.indexOf(row(document.activeElement));
  return [...Array(Math.max(0, down)).fill("ArrowDown"), "Home", ...Array(20).fill("ArrowRight")];
}"""


class Visitor:
    """Somebody on a page, with what it took them so far."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks, self.keys, self.typed, self.problem = page, 0, 0, 0, ""

    def press(self, selector: str) -> None:
        """Activate a link or a button."""
        raise NotImplementedError

    def choose(self, selector: str) -> None:
        """Choose an answer among several."""
        raise NotImplementedError

    def write(self, selector: str, text: str) -> None:
        """Replace the text of a field."""
        raise NotImplementedError

    def download(self, selector: str) -> None:
        """Follow a link to a file, and wait for it."""
        raise NotImplementedError

    def see(self, selector: str) -> None:
        """Wait until the page shows this."""
        self.page.wait_for_selector(selector)


class Mouse(Visitor):
    """Clicks; nothing but texts is typed."""

    def press(self, selector: str) -> None:
        self.page.locator(f"{selector} >> visible=true").first.click()
        self.clicks += 1
        self.page.wait_for_load_state("load")

    def choose(self, selector: str) -> None:
        self.page.locator(f"label:has({selector}) >> visible=true").first.click()
        self.clicks += 1

    def write(self, selector: str, text: str) -> None:
        self.press(selector)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.typed += len(text)

    def download(self, selector: str) -> None:
        with self.page.expect_download():
            self.page.locator(f"{selector} >> visible=true").first.click()
        self.clicks += 1


class Keyboard(Visitor):
    """Goes by Tab from wherever the focus is to what is wanted, then presses Enter or Space."""

    def _tap(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += 1

    def _ask(self, expression: str, selector: str | None = None) -> Any:
        """Ask the page, again if it is left at this moment."""
        for _ in range(ATTEMPTS):
            try:
                return self.page.evaluate(expression, selector)
            except Error:
                self.page.wait_for_load_state("load")
        raise AssertionError(f"{self.page.url} does not come to rest")

    def _tab_to(self, selector: str) -> None:
        matches = "(wanted) => document.activeElement?.matches(wanted) ?? false"
        if self._ask(matches, selector):
            return
        is_in_main = "(wanted) => !!document.querySelector('main')?.querySelector(wanted)"
        at_top = self._ask("() => document.activeElement === document.body")
        if at_top and self._ask(is_in_main, selector):
            self._tap("Tab")
            self._tap("Enter")  # skips to the content
        for _ in range(MOST_TABS):
            self._tap("Tab")
            if self._ask(matches, selector):
                return
            # A table is one stop of Tab; arrows move in it.
            for key in self._ask(ARROWS, selector):
                self._tap(key)
                if self._ask(matches, selector):
                    return
        raise AssertionError(f"no key leads to {selector} on {self.page.url}")

    def press(self, selector: str) -> None:
        if selector == CALL:
            self._tap("j")  # goes to the first row of the list
        self._tab_to(selector)
        self._tap("Enter")
        self.page.wait_for_timeout(300)
        self.page.wait_for_load_state("load")

    def choose(self, selector: str) -> None:
        name, value = self.page.locator(selector).first.evaluate("(one) => [one.name, one.value]")
        self._tab_to(f"[name='{name}']")
        self._tap("Space")
        while self.page.evaluate("() => document.activeElement.value") != value:
            self._tap("ArrowDown")

    def write(self, selector: str, text: str) -> None:
        self._tab_to(selector)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.typed += len(text)

    def download(self, selector: str) -> None:
        self._tab_to(selector)
        with self.page.expect_download():
            self._tap("Enter")


VISITORS = (Mouse, Keyboard)


def find_worst_calls(visitor: Visitor, project: int) -> None:
    visitor.press("main a[href*='criterion=']")
    visitor.press(CALL)
    visitor.see("main h1")


def coach_agent(visitor: Visitor, project: int) -> None:
    visitor.press("a[href^='/report/agents/']")
    visitor.press("a[href^='/agents/']")
    visitor.press("a[href*='#t=']")
    visitor.press("summary:has(+ form textarea[name=text])")
    visitor.write("textarea[name=text]", "Ask about the reason first.")
    visitor.press("form:has(textarea[name=text]) button:not([type=button])")
    visitor.see("main :text('Ask about the reason first.')")


def override_answer(visitor: Visitor, project: int) -> None:
    visitor.press("main a[href*='criterion=']")
    visitor.press(CALL)
    visitor.press("a.correct")
    visitor.choose("input[name^='answer:'][value=met]")
    visitor.press("[name=do][value=submit]")
    visitor.page.wait_for_url(lambda url: "/review/" not in url)


def compare_periods(visitor: Visitor, project: int) -> None:
    visitor.press("main a[href*='date_range=last_90_days']")
    visitor.press("a[href^='/report/trend/']")
    visitor.see("main figure")


def spot_new_reason(visitor: Visitor, project: int) -> None:
    visitor.press("a[href^='/report/reasons/']")
    visitor.press(
        f"a[href^='/projects/{project}/reasons/'], main table a[href*='topic='], main a[href*='reason=']"
    )


def prove_to_board(visitor: Visitor, project: int) -> None:
    visitor.download("main a[href*='/report/pdf/']")


def calibrate_raters(visitor: Visitor, project: int) -> None:
    open_reviews(visitor, project)
    visitor.press("a[href*='/calibrations/']")
    visitor.see("main table")


def score_sample(visitor: Visitor, project: int) -> None:
    open_reviews(visitor, project)
    visitor.press("main a[href$='/review/']")
    visitor.choose("input[name^='answer:'][value=met]")
    visitor.press("[name=do][value=draft]")


def export_calls(visitor: Visitor, project: int) -> None:
    visitor.press("header a[href^='/calls/']")
    visitor.download("main a[download]")


def rescore_rubric(visitor: Visitor, project: int) -> None:
    visitor.press("header a[href^='/projects/']")
    visitor.press(f"main a[href='/projects/{project}/']")
    visitor.press("[data-list=criteria] > details > summary, [data-list=criteria] details summary")
    visitor.write("[data-list=criteria] details[open] [data-field=max_points] input", "4")
    visitor.press("[data-replay-form] button")
    visitor.see("[data-replay-start]")
    visitor.press("[data-replay-start]")
    visitor.see("#publish-title")
    visitor.press("form[action$='/publish/'] button")
    visitor.page.wait_for_url(lambda url: "/replays/" not in url)


def open_reviews(visitor: Visitor, project: int) -> None:
    visitor.press("header a[href^='/projects/']")
    visitor.press(f"a[href^='/projects/{project}/']")
    visitor.press(f"a[href='/projects/{project}/reviews/']")


JOBS: dict[str, Callable[[Visitor, int], None]] = {
    "find the worst calls": find_worst_calls,
    "coach an agent": coach_agent,
    "override an answer": override_answer,
    "compare periods": compare_periods,
    "spot a new reason": spot_new_reason,
    "prove it to the board (PDF)": prove_to_board,
    "calibrate raters": calibrate_raters,
    "score a sample by hand": score_sample,
    "export calls": export_calls,
    "score again after a change of the rubric": rescore_rubric,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder made by `callscope demo`")
    parser.add_argument("--only", default="", help="do only the jobs whose name holds this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(options.data, data)
        installation = Installation(data, CALLSCOPE_EMBEDDER="words")
        known = read_session(installation)
        with installation.served() as server, browsers.chromium() as chromium:
            failed = 0
            print("| job | clicks | keys without a mouse | characters typed |\n|---|---|---|---|")
            for name, job in JOBS.items():
                if options.only in name:
                    mouse, keyboard = (do_job(job, kind, chromium, server.url, known) for kind in VISITORS)
                    failed += bool(mouse.problem or keyboard.problem)
                    print(
                        f"| {name} | {mouse.problem or mouse.clicks} | {keyboard.problem or keyboard.keys} "
                        f"| {mouse.typed} |",
                        flush=True,
                    )
    return 1 if failed else 0


def read_session(installation: Installation) -> dict[str, Any]:
    """Return a session of the first user, and ids of what there is to see."""
    result = subprocess.run(
        [sys.executable, "-c", SESSION],
        env={**installation.environment, "DJANGO_SETTINGS_MODULE": "callscope.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def do_job(
    job: Callable[[Visitor, int], None],
    kind: type[Visitor],
    chromium: Any,
    base: str,
    known: dict[str, Any],
) -> Visitor:
    """Return the visitor after the job; `problem` says why it could not be done."""
    page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900}, locale="en-GB")
    page.context.set_default_timeout(PATIENCE_MS)
    page.context.add_cookies([{"name": known["cookie"], "value": known["session"], "url": base}])
    page.goto(f"{base}/report/?project_id={known['project']}")
    visitor = kind(page)
    try:
        job(visitor, known["project"])
    except Exception as error:
        visitor.problem = f"not done: {f'{error} '.splitlines()[0]} ({page.url.removeprefix(base)})"
    page.context.close()
    return visitor


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    raise SystemExit(main())
