"""Check every page as everybody who sees it, by one command: `make check-pages`.

Asked of each page: what axe finds, with folds open; whether it is wider than its window, or has words
outside its margins or in the way of others; whether the browser took a font of the system for a sign, which
the bundled typeface should have. In both themes, on a phone and on a wide screen, and signs in each
language. It ends with the number of pages and of violations, and names the pages of the application that
nobody was shown.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import browser as browsers
import screenshots
from journeys_server import Installation

NOBODY = "nobody"  # is signed in
ROLES = ("administrator", "manager", "reviewer", "viewer", "agent")
#: Names of addresses that show no page of their own.
NOT_PAGES = {
    "home", "sso", "sso-done", "sso-left", "sign-out", "invitation", "regroup", "report-progress",
    "report-origin",
    "report-mail-now", "report-mail-end", "report-csv", "report-xlsx", "revoke-share", "logo",
    "shared-recording", "calls-csv", "calls-xlsx", "chosen-calls", "call-choices", "saved-views",
    "file-appeal", "acknowledge", "create-note", "change-note", "appeal-decide", "appeal-withdraw",
    "questions-csv", "questions-xlsx", "upload-sentences", "upload-states", "load-samples",
    "project-check", "project-save",
    "project-yaml", "project-retention", "project-try", "project-try-criterion", "project-lint",
    "project-replays", "project-replay-publish", "project-replay-stop", "project-version-restore",
    "project-file", "manifest-template", "project-retry-failed", "project-reasons-merge",
    "project-reasons-regroup", "project-chosen-files",
    "project-reasons-undo", "project-reason-mark", "project-plan-end",
    "project-unshare", "project-leave", "project-agent-users", "project-agent-user",
    "project-rename", "project-move", "project-rubric-start", "project-replay-again", "project-replay-day",
    "project-probe-stop", "project-probe-copy", "show-results", "team-rename", "team-delete",
    "project-transfer", "project-delete", "team-member", "change-user", "change-email", "erase-user",
    "revoke-key", "audit-csv", "end-sessions", "theme", "rows", "shortcuts", "language",
}  # fmt: skip
#: Pages that only a sign-in with a second factor leads to; tests/journeys/test_web_setup.py checks it.
BETWEEN_PAGES = {"sign-in-code"}
SESSIONS = """
import django, json
django.setup()
import every_page
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from callscope.accounts.sessions import SessionStore
found = {}
for role, user in every_page.list_people().items():
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "callscope.accounts.sign_in.EmailBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    found[role] = session.session_key
print(json.dumps(found))
"""
# Which pages of the application none of these addresses shows.
LEFT_OUT = """
import django, json, sys
django.setup()
from django.urls import resolve
from callscope.interfaces.web.urls import urlpatterns
shown = {resolve(each.split("?")[0]).url_name for each in json.loads(sys.argv[1])}
print(json.dumps(sorted({each.name for each in urlpatterns} - shown)))
"""


class Look(NamedTuple):
    """How pages are shown, and what is asked of them."""

    theme: str
    width: int
    language: str
    options: Mapping[str, Any]  # of axe
    asks_signs: bool = False


LOOKS = (
    Look("light", browsers.WIDTHS["wide"], "en", {}, asks_signs=True),
    Look("light", browsers.WIDTHS["phone"], "en", {}),
    # All that a theme can break.
    Look("dark", browsers.WIDTHS["wide"], "en", {"rules": browsers.COLOR_RULES}),
    Look("dark", browsers.WIDTHS["phone"], "en", {"rules": browsers.COLOR_RULES}),
    Look("light", browsers.WIDTHS["phone"], "es", {"rules": browsers.COLOR_RULES}, asks_signs=True),
)
# Of roles that see a part of what an administrator sees.
SHORT = (LOOKS[0], LOOKS[3])


def list_open_pages(known: dict[str, Any]) -> dict[str, str]:
    """Return name → address of what is shown without a sign-in."""
    made = ("shared-", "invitation-", "password-")
    opened = {name: address for name, address in known["made"].items() if name.startswith(made)}
    return {**screenshots.OUTSIDE, **opened, "not-found": "/nowhere/"}


def list_pages(role: str, known: dict[str, Any]) -> dict[str, str]:
    """Return name → address of what a role is asked to see; some is refused, which is a page, too."""
    if role == NOBODY:
        return list_open_pages(known)
    return {**screenshots.pages(known), "api-docs": "/api/docs/"}


def check(page: Any, base: str, pages: Mapping[str, str], look: Look, shown: set[str]) -> Iterator[str]:
    """Yield what is wrong on one page after the other; add the addresses that are shown.

    A refusal is checked once, not for each address that is refused.
    """
    refused: set[int] = set()
    page.goto(f"{base}/login/", wait_until="networkidle")  # brings the typeface, which pages do not wait for
    for name, address in pages.items():
        response = page.goto(base + address, wait_until="load")
        status = response.status if response else 0
        if status in refused:
            continue
        if status >= 400:
            refused.add(status)
        else:
            shown.add(address)
        if over := browsers.overflow(page):
            yield f"{name}: {over} px wider than the window"
        browsers.open_folds(page)
        yield from (f"{name}: {words}" for words in browsers.misplaced(page))
        if found := browsers.violations(page, **look.options):
            yield f"{name}: {found}"
        if look.asks_signs:
            yield from (f"{name}: {sign}" for sign in browsers.find_foreign_signs(page))


def ask(installation: Installation, code: str, *arguments: str) -> Any:
    """Return what code in the installation prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=Path(__file__).parent,
        env={**installation.environment, "DJANGO_SETTINGS_MODULE": "callscope.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check_all(installation: Installation, options: argparse.Namespace) -> int:
    """Show every page to everybody; return 1 where something is wrong."""
    made = screenshots.fill(installation)
    known = {**screenshots.sign_in(installation), "made": made}
    sessions = ask(installation, SESSIONS)
    wrong, count, seen = 0, 0, set[str]()
    with installation.served(workers=1) as server, browsers.chromium() as chromium:
        for role in options.role or (NOBODY, *ROLES):
            for look in LOOKS if options.whole or role in (NOBODY, ROLES[0]) else SHORT:
                context = chromium.new_context(
                    viewport={"width": look.width, "height": 900}, color_scheme=look.theme
                )
                context.set_default_timeout(browsers.PATIENCE_S * 1000)
                cookies = {"django_language": look.language}
                if role != NOBODY:
                    cookies[known["cookie"]] = sessions[role]
                context.add_cookies(
                    [{"name": name, "value": value, "url": server.url} for name, value in cookies.items()]
                )
                pages = {n: a for n, a in list_pages(role, known).items() if n.startswith(options.only)}
                shown: set[str] = set()
                for problem in check(context.new_page(), server.url, pages, look, shown):
                    wrong += 1
                    print(f"{role}, {look.theme}, {look.width}, {look.language}: {problem}", flush=True)
                context.close()
                seen |= shown
                count += len(shown)
                look_name = f"{role}, {look.theme}, {look.width} px, {look.language}"
                print(f"{look_name}: {len(shown)} pages", flush=True)
    if not (options.role or options.only):
        left_out = set(ask(installation, LEFT_OUT, json.dumps(sorted(seen)))) - NOT_PAGES - BETWEEN_PAGES
        wrong += len(left_out)
        print(f"Shown to nobody: {', '.join(sorted(left_out)) or 'nothing'}.")
    print(f"{len(seen)} addresses, shown {count} times: {wrong} things wrong.")
    return 1 if wrong else 0


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="data folder, which is added to; default: a demonstration")
    parser.add_argument("--role", action="append", choices=(NOBODY, *ROLES), help="default: all")
    parser.add_argument("--whole", action="store_true", help="all looks for every role, not two")
    parser.add_argument("--only", default="", help="only pages whose name begins so")
    options = parser.parse_args()
    if not browsers.executable():
        print(f"No browser was found: {', '.join(browsers.BROWSERS)}.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        data = options.data.absolute() if options.data else Path(folder) / "demo"
        installation = Installation(data, CALLSCOPE_EMBEDDER="built-in", **screenshots.MAIL)
        if not options.data:
            command = [sys.executable, "-m", "callscope", "demo", "--no-serve"]
            subprocess.run(command, env=installation.environment, check=True)
        return check_all(installation, options)


if __name__ == "__main__":
    sys.exit(main())
