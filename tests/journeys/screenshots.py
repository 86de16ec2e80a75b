"""Take a picture of every page in both themes, on a phone and on a wide screen: `make screenshots`.

Without arguments the demonstration's data are shown; `--data FOLDER` shows those of
another installation, whose first user is given a session of this script. `--tour` takes
the pictures of the README and of docs/tour.md in place of them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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
user = User.objects.filter(is_active=True, projects__isnull=False).order_by("pk").first()
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "callscope.accounts.sign_in.EmailBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
heard = UploadedFile.objects.filter(file_type="audio", status="transcribed").exclude(storage_key="")
calls = [heard.order_by("-duration_us").first(), UploadedFile.objects.exclude(file_type="audio").first()]
project = user.projects.order_by("pk").first()
print(json.dumps({
    "cookie": settings.SESSION_COOKIE_NAME,
    "session": session.session_key,
    "project": project.pk,
    "calls": [f.call_id for f in calls if f],
    "call": Call.objects.order_by("pk").first().pk,
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
        "upload": "/upload/",
        "projects": "/projects/",
        "project-new": "/projects/new/",
        "settings": f"/projects/{known['project']}/",
        "files": f"/projects/{known['project']}/files/",
        "reasons": f"/projects/{known['project']}/reasons/",
        "reviews": f"/projects/{known['project']}/reviews/",
        "agreement": f"/projects/{known['project']}/agreement/",
        "sample-new": f"/projects/{known['project']}/samples/",
        "weekly-draws": f"/projects/{known['project']}/sampling-plans/",
        "agent": f"/agents/{known['agent']}/?project_id={known['project']}",
        "people": f"/projects/{known['project']}/people/",
        "teams": "/teams/",
        "keys": "/keys/",
        "usage": "/usage/",
        "account": "/account/",
        "start": "/start/",
        "not-found": "/nowhere/",
    }


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
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", default="", help="take only pages whose name begins so")
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
        installation = Installation(data, CALLSCOPE_EMBEDDER="built-in")
        if not options.data:
            subprocess.run(
                [sys.executable, "-m", "callscope", "demo", "--no-serve"],
                env=installation.environment,
                check=True,
            )
        if options.tour:
            return photograph_tour(installation, Path(__file__).parents[2] / "docs" / "images")
        return photograph(installation, options.out, options.only)


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


def photograph(installation: Installation, out: Path, only: str) -> int:
    known, wrong = sign_in(installation), 0
    with installation.served(workers=0) as server, browsers.chromium() as chromium:
        for theme in browsers.THEMES:
            for name, width in browsers.WIDTHS.items():
                context = chromium.new_context(
                    viewport={"width": width, "height": 900},
                    color_scheme=theme,
                    locale=os.environ.get("LOCALE", "en-GB"),
                )
                page = context.new_page()
                page.goto(f"{server.url}/login/")
                page.screenshot(path=out / f"sign-in-{name}-{theme}.png", full_page=True)
                context.add_cookies([{"name": known["cookie"], "value": known["session"], "url": server.url}])
                for title, address in pages(known).items():
                    if not title.startswith(only):
                        continue
                    page.goto(server.url + address, wait_until="networkidle")
                    page.screenshot(path=out / f"{title}-{name}-{theme}.png", full_page=True)
                    if browsers.overflow(page):
                        wrong += 1
                        print(
                            f"{title} is {browsers.overflow(page)} px wider than {width} px", file=sys.stderr
                        )
                context.close()
    print(f"{len(list(out.glob('*.png')))} pictures in {out}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
