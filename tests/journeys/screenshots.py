"""Take a picture of every page in both themes, from a phone to a very wide screen: `make screenshots`.

Without arguments a demonstration is made, with what it lacks (every_page.py), and shown; `--data FOLDER`
shows another installation, whose first user and first administrator are given a session of this script, and
`--fill` adds to that one, too, what a demonstration lacks. `--tour` takes the pictures of the README and
of docs/tour.md in place of them.
"""

import argparse
import contextlib
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import browser as browsers
from journeys_server import Installation

SESSION = """
import django, json
django.setup()
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from callscope.accounts.models import User
from callscope.accounts.sessions import SessionStore
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.models import ContactReason
from callscope.interfaces.web.settings_parts.catalog import PARTS
def sign_in(user):
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "callscope.accounts.sign_in.EmailBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session.session_key
people = User.objects.filter(is_active=True).order_by("pk")
user = people.filter(projects__isnull=False).first()
administrator = people.filter(is_superuser=True).first()
heard = UploadedFile.objects.filter(file_type="audio", status="transcribed").exclude(storage_key="")
calls = [heard.order_by("-duration_us").first(), UploadedFile.objects.exclude(file_type="audio").first()]
project = user.projects.order_by("pk").first()
print(json.dumps({
    "cookie": settings.SESSION_COOKIE_NAME,
    "session": sign_in(user),
    "administrator": sign_in(administrator) if administrator else "",
    "user": user.pk,
    "project": project.pk,
    "calls": [f.call_id for f in calls if f],
    "call": Call.objects.order_by("pk").first().pk,
    "parts": list(PARTS),
    "reason": getattr(ContactReason.objects.filter(project=project).order_by("pk").first(), "pk", 0),
    "made": {},
    "agent": Call.objects.filter(project=project, agent__isnull=False).order_by("pk").first().agent_id,
}))
"""


def pages(known: dict) -> dict[str, str]:
    """Return name → address of everything worth a picture."""
    heard, read = (known["calls"] + [known["call"], known["call"]])[:2]
    return {
        "report": "/report/",
        **{f"report-{part}": f"/report/{part}/" for part in ("criteria", "agents", "reasons", "trend")},
        "report-mails": "/report/mails/",
        "share-links": f"/shares/?project_id={known['project']}",
        "report-90-days": f"/report/?date_range=last_90_days&project_id={known['project']}",
        "report-empty": "/report/?start_date=2001-01-01&end_date=2001-01-31",
        "calls": "/calls/",
        "calls-lowest": "/calls/?ordering=score_percentage&critical=true",
        "calls-empty": "/calls/?search=nothing+like+this",
        "questions": f"/questions/?project_id={known['project']}",
        "call-heard": f"/calls/{heard}/",
        "call-read": f"/calls/{read}/",
        "review": f"/calls/{heard}/review/",
        "call-details": f"/calls/{heard}/details/",
        "upload": f"/upload/?project_id={known['project']}",
        "projects": "/projects/",
        "project-new": "/projects/new/",
        "settings": f"/projects/{known['project']}/",
        **{f"settings-{part}": f"/projects/{known['project']}/settings/{part}/" for part in known["parts"]},
        "versions": f"/projects/{known['project']}/versions/",
        "probes": f"/projects/{known['project']}/probes/",
        "files": f"/projects/{known['project']}/files/",
        "reasons": f"/projects/{known['project']}/reasons/",
        "reason": f"/projects/{known['project']}/reasons/{known['reason']}/",
        "reason-codes": f"/projects/{known['project']}/reasons/codes/",
        "review-queue": "/reviews/",
        "reviews": f"/projects/{known['project']}/reviews/",
        "agreement": f"/projects/{known['project']}/agreement/",
        "sample-new": f"/projects/{known['project']}/samples/",
        "calibration-new": f"/projects/{known['project']}/calibrations/?count=5",
        "weekly-draws": f"/projects/{known['project']}/sampling-plans/",
        "agent": f"/agents/{known['agent']}/?project_id={known['project']}",
        "people": f"/projects/{known['project']}/people/",
        "teams": "/teams/",
        "keys": "/keys/",
        "usage": "/usage/",
        "audit": "/audit/",
        "users": "/users/",
        "user": f"/users/{known['user']}/",
        "appeals": "/appeals/",
        "invitations": "/invitations/",
        "account": "/account/",
        "second-factor": "/account/second-factor/",
        "start": "/start/",
        "not-found": "/nowhere/",
        **known["made"],
    }


FILL = "import django, json; django.setup(); import every_page; print(json.dumps(every_page.fill()))"
LONGEST_WORK = 300_000  # ms in which a worker finishes a replay or a probe
WIDTHS = (390, 820, 1440, 2560)
FOR_ADMINISTRATORS = ("users", "user")  # pages that anybody else is refused
# With a mail server, which is never asked here, pages offer what goes by mail.
MAIL = {
    "CALLSCOPE_EMAIL_URL": "smtp://127.0.0.1:9",
    "CALLSCOPE_PUBLIC_URL": "http://127.0.0.1",
    "CALLSCOPE_INVITED_SIGN_UP": "on",
}
OUTSIDE = {"sign-in": "/login/", "password-forgotten": "/password/forgotten/"}
TOUR_SIZE = {"width": 1360, "height": 860}  # so that each picture is smaller than 200 kB


def tour(known: dict) -> dict[str, str]:
    """Return name → address of the pictures in the documentation."""
    scope = f"project_id={known['project']}&date_range=last_90_days"
    return {
        "report": f"/report/?{scope}",
        "criteria": f"/report/criteria/?{scope}",
        "trend": "/report/trend/?project_id=",
        "calls": f"/calls/?project_id={known['project']}&ordering=score_percentage",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, help="data folder to show; default: a demonstration made for this"
    )
    parser.add_argument("--fill", action="store_true", help="add what a demonstration lacks to --data")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument(
        "--only",
        default="",
        help="take only pages whose name begins so, or with one of several, between commas",
    )
    parser.add_argument("--width", action="append", type=int, help=f"pixels; default: each of {WIDTHS}")
    parser.add_argument("--theme", action="append", choices=browsers.THEMES, help="default: both")
    parser.add_argument("--axe", action="store_true", help="print what axe finds wrong, too, with folds open")
    parser.add_argument("--language", default="en-GB", help="of the browser")
    parser.add_argument(
        "--tour", action="store_true", help="the pictures of the documentation, into docs/images"
    )
    options = parser.parse_args()
    if not browsers.executable():
        print(f"No browser was found: {', '.join(browsers.BROWSERS)}.", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = options.data.absolute() if options.data else Path(folder) / "demo"
        installation = Installation(data, CALLSCOPE_EMBEDDER="built-in", **MAIL)
        if not options.data:
            subprocess.run(
                [sys.executable, "-m", "callscope", "demo", "--no-serve"],
                env=installation.environment,
                check=True,
            )
        if options.tour:
            return photograph_tour(installation, Path(__file__).parents[2] / "docs" / "images")
        looks = [
            (theme, width) for theme in options.theme or browsers.THEMES for width in options.width or WIDTHS
        ]
        return photograph(installation, options, looks, fills=options.fill or not options.data)


def photograph_tour(installation: Installation, out: Path) -> int:
    known = sign_in(installation)
    with installation.served(workers=0) as server, browsers.chromium() as chromium:
        context = chromium.new_context(viewport=TOUR_SIZE, color_scheme="light", locale="en-GB")
        context.add_cookies([{"name": known["cookie"], "value": known["session"], "url": server.url}])
        page = context.new_page()
        for title, address in tour(known).items():
            page.goto(server.url + address, wait_until="networkidle")
            page.screenshot(path=out / f"{title}.png")
        page.click("table.calls a.name >> nth=1")  # of the list: one of the lowest scores, with evidence
        page.wait_for_load_state("networkidle")
        page.screenshot(path=out / "call.png")
        context.close()
    return 0


def sign_in(installation: Installation) -> dict:
    """Return a session of the first user, and what there is to show."""
    result = subprocess.run(
        [sys.executable, "-c", SESSION],
        env={**installation.environment, "DJANGO_SETTINGS_MODULE": "callscope.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout.splitlines()[-1])


def fill(installation: Installation) -> dict[str, str]:
    """Add once what a demonstration lacks; return name → address of the pages that show it."""
    kept = installation.folder / "pages.json"
    if kept.exists():
        return dict(json.loads(kept.read_text()))
    result = subprocess.run(
        [sys.executable, "-c", FILL],
        cwd=Path(__file__).parent,
        env={**installation.environment, "DJANGO_SETTINGS_MODULE": "callscope.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    kept.write_text(result.stdout.splitlines()[-1])
    return dict(json.loads(kept.read_text()))


def photograph(
    installation: Installation, options: argparse.Namespace, looks: list[tuple[str, int]], *, fills: bool
) -> int:
    made = fill(installation) if fills else {}
    known, wrong = {**sign_in(installation), "made": made}, 0
    # Workers finish what was begun for the pictures: a replay, a probe.
    with installation.served(workers=int(fills)) as server, browsers.chromium() as chromium:
        for theme, width in looks:
            context = chromium.new_context(
                viewport={"width": width, "height": 900}, color_scheme=theme, locale=options.language
            )
            page = context.new_page()
            for title, address in {**OUTSIDE, **pages(known)}.items():
                if not title.startswith(tuple(options.only.split(","))):
                    continue
                if title not in OUTSIDE:
                    context.add_cookies([visitor(known, title, server.url)])
                page.goto(server.url + address, wait_until="networkidle")
                if fills and title in made and page.query_selector("main progress"):
                    page.wait_for_selector("main progress", state="detached", timeout=LONGEST_WORK)
                    page.goto(server.url + address, wait_until="networkidle")
                wrong += photograph_page(page, options, f"{title}-{width}-{theme}")
            context.add_cookies([visitor(known, "", server.url)])
            for title in photograph_refusals(page, installation, server.url):
                if title.startswith(tuple(options.only.split(","))):
                    wrong += photograph_page(page, options, f"{title}-{width}-{theme}")
            context.close()
    print(f"{len(list(options.out.glob('*.png')))} pictures in {options.out}")
    return 1 if wrong else 0


def visitor(known: dict, title: str, base: str) -> dict[str, str]:
    """Return the cookie of who a page is shown to: the first user, or an administrator where there is one."""
    administrator = known["administrator"] if title in FOR_ADMINISTRATORS else ""
    return {"name": known["cookie"], "value": administrator or known["session"], "url": base}


def photograph_page(page: Any, options: argparse.Namespace, name: str) -> int:
    """Take the picture; return 1 for a page that is wider than the window, or that axe finds fault with."""
    page.screenshot(path=options.out / f"{name}.png", full_page=True)
    over, found = browsers.overflow(page), ""
    if over:
        print(f"{name} is {over} px wider than the window", file=sys.stderr)
    if options.axe:
        browsers.open_folds(page)
        found = browsers.violations(page)
        if found:
            print(f"{name}: {found}", file=sys.stderr)
    return 1 if over or found else 0


def photograph_refusals(page: Any, installation: Installation, base: str) -> Iterator[str]:
    """Bring the page to refusals that no address leads to; yield the name of each while it is shown."""
    page.goto(f"{base}/account/")
    send_form(page, "/logout/")
    yield "refused-form-expired"
    page.goto(f"{base}/keys/")
    with hold_database(installation.folder / "callscope.sqlite3"):
        page.fill("[name=name]", "robot")
        page.click("form.inline-form button, main form button.primary")
        page.wait_for_load_state("load")
        yield "refused-unavailable"


def send_form(page: Any, address: str) -> None:
    """Send a form without its token."""
    with page.expect_navigation():
        page.evaluate(
            """(action) => {
                const form = Object.assign(document.createElement("form"), {method: "post", action});
                document.body.append(form);
                form.submit();
            }""",
            address,
        )


@contextlib.contextmanager
def hold_database(path: Path) -> Iterator[None]:
    """Let nobody else write."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
