"""Debian's Chromium, driven by playwright, and what every page is asked about."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from typing import Any

WIDTHS = {"phone": 390, "wide": 1440}
THEMES = ("light", "dark")
# Keeps in `window.shifts` what moved although nobody asked for it, and by how much.
WATCH_SHIFTS = """
window.shifts = [];
const place = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
const name = (node) => node?.outerHTML?.slice(0, 80) ?? node?.textContent;
const moved = (each) => `${name(each.node)} from ${place(each.previousRect)} to ${place(each.currentRect)}`;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput && entry.value >= 0.0005)
      window.shifts.push(`${entry.value.toFixed(4)}: ${entry.sources.map(moved).join("; ")}`);
}).observe({type: "layout-shift", buffered: true});
"""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser; Django lets its thread read the database although playwright runs a loop in it."""
    from playwright.sync_api import sync_playwright

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
            yield browser
            browser.close()
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def watch(page: Any) -> list[str]:
    """Return a list that fills with what goes wrong on the page: script errors and loads that fail."""
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "requestfailed",
        lambda r: wrong.append(f"{r.url} {r.failure}") if "ABORTED" not in r.failure else None,
    )
    return wrong


def sign_in(page: Any, base: str, email: str, password: str) -> None:
    page.goto(f"{base}/login/")
    page.fill("[name=username]", email)
    page.fill("[name=password]", password)
    page.click("main button")
    page.wait_for_url(lambda url: "/login/" not in url)


def until(page: Any, expression: str, *, patience_s: float = 30.0) -> None:
    """Wait until the expression is true; playwright's own waiting needs `eval`, which the pages forbid."""
    deadline = time.monotonic() + patience_s
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"never true: {expression}"
        page.wait_for_timeout(50)


def violations(page: Any, *, sizes: bool = True) -> str:
    """Return what axe finds wrong on the page, sizes of targets too where asked; "" when nothing is."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"rules": {"target-size": {"enabled": sizes}}})
    return found.generate_report() if found.violations_count else ""


def overflow(page: Any) -> int:
    """Return by how many pixels the page is wider than the window."""
    root = "document.documentElement"
    width = page.evaluate(f"Math.max({root}.scrollWidth, document.body.scrollWidth) - {root}.clientWidth")
    return max(0, int(width))
