"""Debian's Chromium, driven by playwright, and what every page is asked about."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
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
# Keeps when the page's content began to arrive, and when what comes after its end did.
WATCH_ARRIVAL = """
new MutationObserver(() => {
  if (document.getElementById("main")) window.mainBeganMs ??= performance.now();
  if (document.getElementById("announcement")) window.mainEndedMs ??= performance.now();
}).observe(document, {childList: true, subtree: true});
"""
# Keeps which scripts ask what is shown before the page is drawn, for which it is laid out there and then.
WATCH_EARLY_LAYOUT = """
window.askedEarly = [];
window.askedLate = 0;
requestAnimationFrame(() => setTimeout(() => { window.isDrawn = true; }));
const asks = (kind, name) => {
  const before = kind.prototype[name];
  kind.prototype[name] = function (...given) {
    if (window.isDrawn) window.askedLate += 1;
    else window.askedEarly.push(`${name}: ${new Error().stack.split("\\n").slice(2, 4).join(" ")}`);
    return before.apply(this, given);
  };
};
asks(Element, "checkVisibility");
asks(Element, "getBoundingClientRect");
asks(Element, "scrollIntoView");
"""
COARSE_MS = 20  # the browser rounds the time of its first paint
# Slow enough that a page arrives in pieces, between which the browser could draw.
SLOW_NETWORK = {"offline": False, "latency": 5, "downloadThroughput": 8_000, "uploadThroughput": 60_000}
# The first has no window to draw: it takes half of the processor time of the whole browser.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# What Chromium leaves out: the list below the address bar, two pages of its own next to each of ours that
# take a third of the processor time of the whole browser. The last list that it gets is the one that
# counts, so playwright's own comes before.
LEFT_OUT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,"
    "PreconnectToSearch,WebUIOmniboxPopup,WebUIOmniboxAimPopup"
)
PATIENCE_S = 120.0  # machines are shared; only a hang may fail a test
#: How many times slower than the machine the pages compute: shows what a test takes for granted.
SLOWNESS = float(os.environ.get("CALLSCOPE_TEST_SLOW_BROWSER", "1"))


def executable() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser; Django lets its thread read the database although playwright runs a loop in it."""
    from playwright.sync_api import sync_playwright

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=executable(), args=["--no-sandbox", f"--disable-features={LEFT_OUT}"]
            )
            yield browser
            browser.close()
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def open_page(browser: Any, **options: Any) -> Any:
    """Return a page in a context of its own, which waits for as long as a busy machine takes."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_S * 1000)
    page = context.new_page()
    if SLOWNESS > 1:
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWNESS})
    return page


def slow_down(page: Any) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_NETWORK)


def watch(page: Any) -> list[str]:
    """Return a list that fills with what goes wrong on the page: script errors and loads that fail."""
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if is_mistake(said) else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "requestfailed",
        lambda r: wrong.append(f"{r.url} {r.failure}") if "ABORTED" not in r.failure else None,
    )
    return wrong


def is_mistake(said: Any) -> bool:
    """True for an error in the console; htmx logs requests as such that it gave up for a newer one."""
    return said.type == "error" and not said.text.startswith(("htmx:afterRequest", "htmx:sendAbort"))


def sign_in(page: Any, base: str, email: str, password: str) -> None:
    page.goto(f"{base}/login/")
    page.fill("[name=username]", email)
    page.fill("[name=password]", password)
    page.click("main button")
    page.wait_for_url(lambda url: "/login/" not in url)


def use_session(page: Any, base: str, cookies: list[Any]) -> bool:
    """Go on with the cookies of an earlier sign-in; False where the server knows them no more."""
    page.context.add_cookies(cookies)
    if page.context.request.get(f"{base}/account/", max_redirects=0).status == 200:
        return True
    page.context.clear_cookies()
    return False


def give_session(page: Any, base: str, user: Any) -> None:
    """Sign in without the two pages of a sign-in; for a server that shares this process's database."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user, "callscope.accounts.sign_in.EmailBackend")
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": base}])


def until(page: Any, expression: str) -> None:
    """Wait until the expression is true; playwright's own waiting needs `eval`, which the pages forbid."""
    wait_for(page, lambda: page.evaluate(expression), expression)


def wait_for(page: Any, condition: Callable[[], Any], what: str) -> None:
    """Wait until the condition holds; what the page reports arrives meanwhile."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"never true: {what}"
        page.wait_for_timeout(50)


def let_requests_arrive(page: Any) -> None:
    """Return when every request that the page has made so far is known here.

    The browser reports requests in the order in which the page makes them, and later than the
    click that leads to them.
    """
    with page.expect_request("**/healthz?after=these"):
        page.evaluate("fetch('/healthz?after=these').then((response) => response.ok)")


# All that a theme can break, and what axe takes longest for: asked once a theme, not at every width.
COLOR_RULES = ("color-contrast", "link-in-text-block")


HOLD_STICKY = """() => {
    for (const each of document.querySelectorAll("body *"))
        if (getComputedStyle(each).position === "sticky") each.dataset.held = each.style.cssText;
    for (const each of document.querySelectorAll("[data-held]"))
        Object.assign(each.style, {position: "relative", inset: "auto"});
}"""
RELEASE_STICKY = """() => {
    for (const each of document.querySelectorAll("[data-held]")) {
        each.style.cssText = each.dataset.held;
        delete each.dataset.held;
    }
}"""


def violations(page: Any, *, rules: Sequence[str] = (), without: Sequence[str] = ()) -> str:
    """Return what axe finds wrong on the page, by these rules or by all but some; "" when nothing is.

    What a sticky bar happens to lie over is scrolled out from under it by a person: bars stay in their place.
    """
    from axe_playwright_python.sync_playwright import Axe

    options: dict[str, Any] = {
        "rules": {"target-size": {"enabled": True}, **{name: {"enabled": False} for name in without}}
    }
    if rules:
        options = {"runOnly": {"type": "rule", "values": list(rules)}}
    page.evaluate(HOLD_STICKY)
    # To describe every element that is in order takes a third of the time.
    found = Axe().run(page, options={**options, "resultTypes": ["violations"]})
    page.evaluate(RELEASE_STICKY)
    return found.generate_report() if found.violations_count else ""


# The faces of words; of code, the one that is meant for it.
FACES = frozenset({"Inter", "Liberation Mono"})


# Marks each element that shows a sign in a style in which no element above it shows that sign: which font a
# sign takes depends on both alone. Signs beyond ASCII may take it together with those next to them, so each
# word with one counts as a sign. What has a place and is hidden is asked as it is.
MARK_NEW_SIGNS = """() => {
    const seen = new Set(), range = document.createRange()
    const isNew = (style, words) => {
        const face = [style.fontFamily, style.fontWeight, style.fontStyle, style.fontVariant,
                      style.textTransform].join()
        const signs = words.split(/\\s+/).flatMap((word) => /^[ -~]*$/.test(word) ? [...word] : [word])
        const before = seen.size
        signs.forEach((sign) => seen.add(face + sign))
        return seen.size > before
    }
    for (const each of document.querySelectorAll("*")) {
        const said = [...each.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE)
            .map((child) => child.data).join(" ")
        const around = ["::before", "::after", "::marker"].map((name) => getComputedStyle(each, name))
        const isShown = each.checkVisibility()
        range.selectNodeContents(each)
        if (!isShown && !range.getClientRects().length && !each.getClientRects().length) continue
        const found = [isShown && isNew(getComputedStyle(each), said), !isShown && said.trim() !== "",
                       ...around.map((style) => !isShown || isNew(style, style.content + style.listStyle))]
        if (found.some(Boolean)) each.dataset.isAsked = ""
    }
}"""
REMOVE_MARKS = """() => {
    for (const each of document.querySelectorAll("[data-is-asked]")) delete each.dataset.isAsked
}"""


def find_foreign_signs(page: Any) -> list[str]:
    """Return each text of the page that takes a font of the system, which the face of the pages lacks.

    For such a sign a browser asks the system for one font after the other before it paints, and it looks
    different on each machine. Of the texts that show the same signs in the same style the first one is asked.
    """
    page.evaluate(MARK_NEW_SIGNS)
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    waiting, found = [session.send("DOM.getDocument", {"depth": -1})["root"]], []
    while waiting:
        node = waiting.pop()
        children = node.get("children", [])
        waiting += [each for each in children if each["nodeType"] == 1]
        if "data-is-asked" not in node.get("attributes", []):
            continue
        said = "".join(each["nodeValue"] for each in children if each["nodeType"] == 3).strip()
        asked = [(each, f"::{each['pseudoType']}") for each in node.get("pseudoElements", [])]
        for each, text in [*asked, *([(node, said)] if said else [])]:
            fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": each["nodeId"]})["fonts"]
            if foreign := {font["familyName"] for font in fonts} - FACES:
                found.append(f"{text[:60]!r} of <{node['localName']}> in {', '.join(sorted(foreign))}")
    session.detach()
    page.evaluate(REMOVE_MARKS)
    return found


def open_folds(page: Any) -> None:
    """Open every part of the page that can be unfolded, with nothing over it.

    Menus are put into the flow, and so are bars at the foot of the window, from behind which one scrolls.
    """
    page.evaluate(
        """{
        document.querySelectorAll('main details').forEach((fold) => {
            fold.open = true
            fold.querySelector('.menu-body')?.style.setProperty('position', 'static')
        })
        document.querySelectorAll('.save-bar, .review-form > .actions').forEach((bar) => {
            bar.style.setProperty('position', 'static')
        })
        }"""
    )


def overflow(page: Any) -> int:
    """Return by how many pixels the page is wider than the window."""
    root = "document.documentElement"
    width = page.evaluate(f"Math.max({root}.scrollWidth, document.body.scrollWidth) - {root}.clientWidth")
    return max(0, int(width))


# Words outside the page's margins, heads wider than their column, and cells that run into each other.
MISPLACED = """() => {
  const main = document.querySelector("main");
  const edge = main.getBoundingClientRect();
  const style = getComputedStyle(main);
  const [from, to] = [edge.left + parseFloat(style.paddingLeft), edge.right - parseFloat(style.paddingRight)];
  function* cutters(inner, outer) {
    for (let at = inner; at; at = at === outer ? null : at.parentElement)
      if (getComputedStyle(at).overflowX !== "visible") yield at.getBoundingClientRect();
  }
  const words = (node) => {
    const found = [];
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (!walker.currentNode.data.trim()) continue;
      const parent = walker.currentNode.parentElement;
      if (!parent.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
      if (parent.closest(".vh, select, textarea, datalist")) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const cut = [...cutters(parent, node)];
      const seen = [...range.getClientRects()].map((r) => ({
        left: Math.max(r.left, ...cut.map((c) => c.left)),
        right: Math.min(r.right, ...cut.map((c) => c.right)),
        top: r.top,
        bottom: r.bottom,
      }));
      found.push(...seen.filter((r) => r.right - r.left > 1 && r.bottom - r.top > 1));
    }
    return found;
  };
  const hides = (node) => {
    for (let at = node; at && at !== main; at = at.parentElement) {
      const seen = getComputedStyle(at);
      if (seen.overflowX !== "visible" || seen.clipPath !== "none" || seen.position === "fixed") return true;
    }
    return false;
  };
  const name = (node) => node.textContent.trim().replace(/\\s+/g, " ").slice(0, 50);
  const wrong = [];
  for (const node of main.querySelectorAll("p, h1, h2, h3, li, td, th, dt, dd, label, summary, legend")) {
    if (hides(node)) continue;
    if (words(node).some((r) => r.left < from - 2 || r.right > to + 2)) wrong.push(`outside: ${name(node)}`);
  }
  for (const head of main.querySelectorAll("thead th")) {
    if (hides(head) || head.querySelector(".dots-axis")) continue;
    const box = head.getBoundingClientRect();
    const isWider = words(head).some((r) => r.left < box.left - 1 || r.right > box.right + 1);
    if (isWider) wrong.push(`head: ${name(head)}`);
  }
  for (const row of main.querySelectorAll("tbody tr")) {
    if (hides(row)) continue;
    const cells = [...row.cells].map(words);
    const overlap = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
    const meet = (a, b) => overlap(a, b, "left", "right") > 1 && overlap(a, b, "top", "bottom") > 4;
    cells.forEach((one, at) => cells.slice(at + 1).forEach((other) => {
      if (one.some((a) => other.some((b) => meet(a, b)))) wrong.push(`runs into the next: ${name(row)}`);
    }));
  }
  return [...new Set(wrong)];
}"""


def misplaced(page: Any) -> list[str]:
    """Return what of the page's words stands outside its margins, or in the way of other words."""
    return list(page.evaluate(MISPLACED))
