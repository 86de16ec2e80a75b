"""What does the report page cost, against the same report as JSON, and what does it weigh?

The page of calls behind a figure stands against the page of all calls. One session asks for all over
one kept connection, in turn, so that all meet the same machine.
"""

import http.client
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import world
from measuring import SIZES, environment_of, heading, line, serve

REPEATS = 41
QUESTIONS = {
    "whole history": "",
    "one project": "?project_id=1",
    "one project, 90 days": "?project_id=1&start_date=2025-09-11&end_date=2025-12-09",
}
BEHIND = [
    "goal=false",
    "goal=true&page=last",
    "shift=night",
    "shift=day&critical=true",
    "agent=17&goal=false",
    "topic=Contact+reason+07",
    "scored=true&ordering=score_percentage",
    "criterion=criterion-07&found=critical",
]
MOST_BYTES = 250_000  # of the page with its styles and scripts; here its markup alone

SESSION = """
import django
django.setup()
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from callscope.accounts.models import User
from callscope.accounts.sessions import SessionStore
user = User.objects.get(email="bench@example.com")
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "callscope.accounts.sign_in.EmailBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
print(f"{settings.SESSION_COOKIE_NAME}={session.session_key}")
"""


def main() -> None:
    for calls in SIZES:
        data = world.build(calls)
        with serve(data) as site:
            visitor = Visitor(data, site.connection.port)
            heading(calls)
            for name, query in QUESTIONS.items():
                page, json = in_turn(
                    visitor, f"/report/{query or '?project_id='}", f"/calls/api/report/{query}"
                )
                line(f"report page against JSON, {name}", page, json, "≤ 2")
            for figure in BEHIND:
                behind, everything = in_turn(visitor, f"/calls/?{figure}", "/calls/?project_id=")
                line(f"page of calls behind `{figure}` against all calls", behind, everything, "≤ 5")
            sent = len(visitor.get("/report/?project_id="))
            print(f"| its markup, of 250 kB | {sent / MOST_BYTES:.2g} | ≤ 1 | {sent:,} B sent |", flush=True)


def in_turn(visitor: "Visitor", *paths: str) -> list[float]:
    """Return the median duration in ms of each path, all asked once in every round."""
    durations: dict[str, list[float]] = {path: [] for path in paths}
    for round_number in range(REPEATS + 2):
        for path in paths:
            started = time.perf_counter()
            visitor.get(path)
            if round_number >= 2:  # warm
                durations[path].append((time.perf_counter() - started) * 1000)
    return [median(durations[path]) for path in paths]


class Visitor:
    """A browser's session of the world's owner, its connection kept."""

    def __init__(self, data: Path, port: int) -> None:
        environment = environment_of(data) | {"DJANGO_SETTINGS_MODULE": "callscope.settings"}
        self.cookie = subprocess.check_output([sys.executable, "-c", SESSION], env=environment, text=True)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def get(self, path: str) -> bytes:
        headers = {"Accept-Encoding": "gzip", "Cookie": self.cookie.split()[-1]}
        self.connection.request("GET", path, headers=headers)
        response = self.connection.getresponse()
        sent = response.read()
        if response.status != 200:
            raise SystemExit(f"{path}: {response.status} {sent[:300]!r}")
        return sent


if __name__ == "__main__":
    main()
