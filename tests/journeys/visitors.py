"""People in a browser who do something by mouse or by keyboard, and count what it takes."""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Error

MOST_KEYS, ATTEMPTS = 1000, 5
CALL = "tbody th a[href^='/calls/']"
# The keys that lead from the focus to what is wanted in its list or table, as app.js moves.
ARROWS = """(wanted) => {
  const list = document.activeElement?.closest("[data-list-arrows]");
  const stops = [...(list?.querySelectorAll(`:scope ${list.dataset.listArrows}`) ?? [])];
  const way = stops.findIndex((one) => one.matches(wanted)) - stops.indexOf(document.activeElement);
  if (stops.some((one) => one.matches(wanted)))
    return Array(Math.abs(way)).fill(way > 0 ? "ArrowDown" : "ArrowUp");
  const table = document.activeElement?.closest("[data-arrows]");
  const target = table?.querySelector(wanted);
  if (!target) return [];
  const row = (one) => one.closest("tr, .slots") ?? table;
  const rows = [...new Set([...table.querySelectorAll("a[href], button, input")].map(row))];
  const down = rows.indexOf(row(target)) - rows.indexOf(row(document.activeElement));
  return [...Array(Math.max(0, down)).fill("ArrowDown"), "Home", ...Array(20).fill("ArrowRight")];
}"""

# The keys that follow a link or press a button at once, as shortcuts.js knows them; [] where none does.
AT_ONCE = """(wanted) => {
  const typed = "input:not([type=checkbox], [type=radio]), select, textarea, dialog";
  const target = [...document.querySelectorAll(wanted)].find((each) => each.checkVisibility());
  if (target?.matches(".review-form button.primary")) return ["Control+Enter"];
  if (!target || document.activeElement.closest(typed)) return [];
  if (target.dataset.go) return ["g", target.dataset.go];
  const part = [...document.querySelectorAll("main .tabs a")].indexOf(target);
  if (part >= 0 && part < 9) return [String(part + 1)];
  return target.dataset.key ? [target.dataset.key] : [];
}"""
# The keys that go to the section of what is wanted, where that saves any.
BY_SECTION = """(wanted) => {
  const typed = "input:not([type=checkbox], [type=radio]), select, textarea, dialog";
  const focused = document.activeElement;
  const target = [...document.querySelectorAll(wanted)].find((each) => each.checkVisibility());
  if (!target || focused.closest(typed)) return [];
  const AFTER = Node.DOCUMENT_POSITION_FOLLOWING;
  const isAfter = (one, other) => Boolean(other.compareDocumentPosition(one) & AFTER);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (selector) => all(selector).filter((each) => each.checkVisibility());
  const starts = focused === document.body;
  const headings = shown("main :is(h1, h2, h3):not(.vh)")
    .filter((each) => (starts || isAfter(each, focused)) && isAfter(target, each));
  const stops = shown("a[href], button, input, select, textarea, summary, [tabindex]")
    .filter((each) => each.tabIndex >= 0 && !each.disabled && isAfter(target, each));
  const count = (from) => stops.filter((each) => isAfter(each, from)).length;
  const whole = starts ? stops.length : count(focused);
  const saved = headings.length && whole - count(headings.at(-1)) - headings.length;
  return saved > 0 ? Array(headings.length).fill("s") : [];
}"""

# Whether a digit answers this question of a review: it has the focus, or it is the first open one.
IN_QUESTION = """(name) => {
  const focused = document.activeElement;
  const questions = [...document.querySelectorAll(".review-criterion")];
  const open = questions.find((each) => !each.querySelector("input[type=radio]:checked"));
  const question = focused.closest(".review-criterion") ?? (focused === document.body ? open : null);
  return question?.querySelector("input[type=radio]")?.name === name;
}"""
PLACE = """(wanted) => {
  const radio = document.querySelector(wanted);
  return [...radio.closest(".review-criterion").querySelectorAll("input[type=radio]")].indexOf(radio);
}"""


class Visitor:
    """Somebody on a page, with what it took them so far, and a colleague where a job needs two."""

    def __init__(self, page: Any, colleague: "Visitor | None" = None) -> None:
        self.page, self.clicks, self.keys, self.typed, self.problem = page, 0, 0, 0, ""
        self.colleague = colleague

    def in_all(self, name: str) -> int:
        """Return clicks, keys or characters of everybody."""
        return getattr(self, name) + (getattr(self.colleague, name) if self.colleague else 0)

    def press(self, selector: str) -> None:
        """Activate a link or a button."""
        raise NotImplementedError

    def choose(self, selector: str) -> None:
        """Choose an answer among several."""
        raise NotImplementedError

    def write(self, selector: str, text: str) -> None:
        """Replace the text of a field."""
        raise NotImplementedError

    def _replace_text(self, text: str) -> None:
        """Type over what the field with the focus holds."""
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.typed += len(text)

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
        self._replace_text(text)

    def download(self, selector: str) -> None:
        with self.page.expect_download():
            self.page.locator(f"{selector} >> visible=true").first.click()
        self.clicks += 1


class Keyboard(Visitor):
    """Goes by the keys of the page, else by Tab from wherever the focus is, then presses Enter or Space."""

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
        for key in self._ask(BY_SECTION, selector):
            self._tap(key)
        matches = "(wanted) => document.activeElement?.matches(wanted) ?? false"
        keys = self._find_way(selector)
        for _ in range(MOST_KEYS):
            if self._ask(matches, selector):
                return
            self._tap(next(keys))
        raise AssertionError(f"no key leads to {selector} on {self.page.url}")

    def _find_way(self, selector: str) -> Iterator[str]:
        """Yield key after key; what has the focus is asked again before each Tab."""
        is_in_main = "(wanted) => !!document.querySelector('main')?.querySelector(wanted)"
        if self._ask("() => document.activeElement === document.body") and self._ask(is_in_main, selector):
            yield from ("Tab", "Enter")  # skips to the content
        while True:
            yield "Tab"
            # A table or a list is one stop of Tab; arrows move in it.
            yield from self._ask(ARROWS, selector)

    def press(self, selector: str) -> None:
        before, at_once = self.page.url, self._ask(AT_ONCE, selector)
        if at_once:
            leads_to = self._ask("(wanted) => document.querySelector(wanted).href ?? ''", selector)
        else:
            if selector == CALL:
                self._tap("j")  # goes to the first row of the list
            self._tab_to(selector)
            leads_to = self._ask("() => document.activeElement.closest('a[href]')?.href ?? ''")
        for key in at_once or ["Enter"]:
            self._tap(key)
        leads_to, here = leads_to.split("#")[0], before.split("#")[0]
        if leads_to not in ("", here):  # a key that comes too early would be lost
            self.page.wait_for_url(lambda url: url != before)
        self.page.wait_for_timeout(300)
        self.page.wait_for_load_state("load")

    def choose(self, selector: str) -> None:
        kind, name, value = self.page.locator(selector).first.evaluate(
            "(one) => [one.type, one.name, one.value]"
        )
        if self._ask(IN_QUESTION, name):
            self._tap(str(1 + self._ask(PLACE, f"[name='{name}'][value='{value}']")))
            return
        self._tab_to(selector if kind == "checkbox" else f"[name='{name}']")
        self._tap("Space")
        while self.page.evaluate("() => document.activeElement.value") != value:
            self._tap("ArrowDown")

    def write(self, selector: str, text: str) -> None:
        self._tab_to(selector)
        self._replace_text(text)

    def download(self, selector: str) -> None:
        self._tab_to(selector)
        with self.page.expect_download():
            self._tap("Enter")


VISITORS = (Mouse, Keyboard)
