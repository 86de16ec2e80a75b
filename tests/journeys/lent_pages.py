"""Pages of a browser that one test uses after the other: a new one in a new context computes for 0.3 s more.

Each test begins without cookies, stored values, a pressed key or a pointer over the page. A page on which a
test left what cannot be taken back (a listener, a script, a route, a session of the protocol) is used by
no other.
"""

from collections.abc import Callable
from typing import Any

import browser as browsers

#: Methods of a page and of its context whose effect lasts longer than a test.
LASTING = (
    "add_init_script", "add_locator_handler", "expose_binding", "expose_function", "grant_permissions",
    "new_cdp_session", "on", "once", "route", "route_from_har", "route_web_socket", "set_default_timeout",
    "set_default_navigation_timeout", "set_extra_http_headers", "set_geolocation", "set_offline",
)  # fmt: skip
EMPTY_STORES = "() => { try { localStorage.clear(); sessionStorage.clear() } catch { /* no origin */ } }"


class Lending:
    """The pages that the tests of a module share."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.free: list[LentPage] = []
        self.lent: list[LentPage] = []

    def lend(self, *, theme: str, width: int) -> Any:
        lent = self.free.pop() if self.free else LentPage(self.browser)
        self.lent.append(lent)
        lent.page.set_viewport_size({"width": width, "height": 900})
        lent.page.emulate_media(media="null", color_scheme=theme)
        return lent.page

    def take_back(self) -> list[str]:
        """Take the pages of a test back; return what went wrong on them."""
        wrong = []
        while self.lent:
            lent = self.lent.pop()
            wrong += lent.leave()
            if lent.is_as_new:
                self.free.append(lent)
            else:
                lent.page.context.close()
        return wrong

    def close(self) -> None:
        for each in self.free:
            each.page.context.close()


class LentPage:
    """A page, what goes wrong on it, and whether another test may have it."""

    def __init__(self, browser: Any) -> None:
        self.page = browsers.open_page(browser)
        self.wrong = browsers.watch(self.page)
        self.is_as_new = True
        for owner in (self.page, self.page.context):
            for name in LASTING:
                if hasattr(owner, name):
                    setattr(owner, name, self.noticed(getattr(owner, name)))

    def noticed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.is_as_new = False
            return method(*arguments, **options)

        return call

    def leave(self) -> list[str]:
        """Go back to the beginning; return what went wrong until then."""
        self.is_as_new &= not self.page.is_closed() and len(self.page.context.pages) == 1
        if not self.page.is_closed():
            self.page.evaluate(EMPTY_STORES)
        wrong = [*self.wrong]
        if self.is_as_new:
            self.page.context.clear_cookies()
            # A page without scripts, of the same site: it leaves the process of the pages running.
            self.page.goto(f"{self.page.evaluate('location.origin')}/healthz")
            self.page.mouse.move(0, 0)
            self.wrong.clear()
        return wrong
