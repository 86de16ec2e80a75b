"""Do the ten weekly jobs of a quality manager in a browser, by mouse and by keyboard: `--data DEMO_FOLDER`.

Prints how many clicks and how many keys each job takes from the page on which a visitor lands, and how many
characters are typed. It writes into a copy of the folder, made by `callscope demo --no-serve`; what a job
leaves there, the same job by keyboard finds. Jobs of several people count what all of them do.

The demo has no new contact reason, so calls about one are uploaded first: transcripts, and recordings of the
samples for which a scripted speech server answers with words about that reason.
"""

import argparse
import contextlib
import datetime as dt
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import browser as browsers
from journeys_server import Installation, Server, wait_until_analysed
from screenshots import SESSION
from visitors import CALL, VISITORS, Visitor

PATIENCE_MS = 120_000
EMAILS = ["demo@callscope.example", "rater@callscope.example"]
BEFORE = (
    ".wide-trend .slots a:has-text('in the period before')"  # drawn only where its weeks have calls enough
)
NEW_REASON = ".highlights a[href*='topic=']"
OPEN_CALL = "tbody a[href$='/review/']"
NEXT, SUBMIT = "[name=do][value=next]", "[name=do][value=submit]"
YES = "dialog[open] [value=yes]"
OPENED = re.compile(r"/calibrations/\d+/$")
TRANSCRIPTS, RECORDINGS, CALIBRATED = 21, 3, 2
RECORDING = Path(__file__).parents[2] / "src/callscope/samples/copper_lane/calls/0133-moving-next-month.wav"
SAID = [
    "Thank you for calling Copper Lane Broadband, how can I help?",
    "I want to move my number to an eSIM because the phone has no card slot.",
    "I can do that for you, give me a moment please.",
    "Thank you, that is all I needed today.",
]
# Another person who may write the project, signed in.
COLLEAGUE = """
from callscope.projects.models import Project, ProjectShare
colleague, _ = User.objects.get_or_create(email="rater@callscope.example")
ProjectShare.objects.get_or_create(project=project, user=colleague, role="editor")
session = SessionStore()
session[SESSION_KEY] = str(colleague.pk)
session[BACKEND_SESSION_KEY] = "callscope.accounts.sign_in.EmailBackend"
session[HASH_SESSION_KEY] = colleague.get_session_auth_hash()
session.save()
print(json.dumps({"session": session.session_key, "email": colleague.email, "owner": user.email}))
"""


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
    """The last 30 days and the 30 before, week by week: of the report that is open."""
    visitor.press("a[href^='/report/trend/']")
    visitor.see(BEFORE)


def compare_other_periods(visitor: Visitor, project: int) -> None:
    """The last 90 days and the 90 before."""
    visitor.press("main a[href*='date_range=last_90_days']")
    visitor.press("a[href^='/report/trend/']")
    visitor.see(BEFORE)


def spot_new_reason(visitor: Visitor, project: int) -> None:
    """From the sentence on the overview to its calls, a quote heard, and a better name in the report."""
    name = f"Move a number to an eSIM ({type(visitor).__name__.lower()})"
    visitor.press(NEW_REASON)
    visitor.press(CALL)
    visitor.press("button.quote")
    browsers.until(visitor.page, "document.querySelector('audio').currentTime > 0.2")
    visitor.press(f".call-head a[href^='/projects/{project}/reasons/']")
    visitor.write("#r-name", name)
    visitor.press("[name=do][value=edit]")
    visitor.press(".places a:first-child")
    visitor.press("a[href^='/report/reasons/']")
    visitor.see(f"table.reasons a:text-is('{name}')")


def prove_to_board(visitor: Visitor, project: int) -> None:
    visitor.download("main a[href*='/report/pdf/']")


def calibrate_raters(visitor: Visitor, project: int) -> None:
    """Two people rate two calls that one of them selects; the calibration is closed, and alpha read."""
    colleague = visitor.colleague
    assert colleague is not None
    visitor.press("header a[href^='/calls/']")
    visitor.see("td.c-pick input")
    ids = visitor.page.eval_on_selector_all("td.c-pick input", "(all) => all.map((one) => one.value)")
    for call_id in ids[:CALIBRATED]:
        visitor.choose(f"input[name=call][value='{call_id}']")
    visitor.press("[name=do][value=calibrate]")
    for email in EMAILS:
        visitor.choose(f"[name=rater][value='{email}']")
    visitor.press("form:has([name=rater]) button.primary")
    visitor.page.wait_for_url(OPENED)
    calibration = visitor.page.url
    visitor.press(OPEN_CALL)
    review_all(visitor)
    open_reviews(colleague, project)
    colleague.press(f"a[href='{calibration[calibration.index('/projects/') :]}']")
    colleague.press(OPEN_CALL)
    review_all(colleague)
    visitor.press("[name=do][value=close]")
    visitor.press(YES)
    visitor.see("h2:text('Criteria to discuss first')")
    visitor.press("details.more:has(dl.tally) > summary")
    visitor.see("dl.tally dd:has-text('.')")  # a figure, with its interval in an element of its own


def score_sample(visitor: Visitor, project: int) -> None:
    """One call of each agent is drawn for two people, who review all of them; the result is read."""
    colleague = visitor.colleague
    assert colleague is not None
    open_reviews(visitor, project)
    visitor.press("a[href$='/samples/']")
    visitor.write("[name=per_agent]", "1")
    for email in EMAILS:
        if not visitor.page.is_checked(f"[name=reviewer][value='{email}']"):  # the visitor is
            visitor.choose(f"[name=reviewer][value='{email}']")
    visitor.press("form:has([name=reviewer]) button.primary")
    visitor.press(OPEN_CALL)
    review_all(visitor)
    open_reviews(colleague, project)
    colleague.press(OPEN_CALL)
    review_all(colleague)
    visitor.see("h3:text-is('Result')")
    colleague.see("h3:text-is('Result')")


def review_all(visitor: Visitor) -> None:
    """Answer every criterion of this call and of those that the form leads to, until there is none left."""
    while "/review/" in visitor.page.url:
        here = visitor.page.url.partition("#")[0]  # the link that skips to the content adds its own
        for name in visitor.page.eval_on_selector_all(
            "[type=radio][name^='answer:']", "(all) => [...new Set(all.map((one) => one.name))]"
        ):
            visitor.choose(f"[name='{name}']")
        visitor.press(NEXT if visitor.page.locator(NEXT).count() else SUBMIT)
        visitor.page.wait_for_url(lambda url, here=here: url.partition("#")[0] != here)


def export_calls(visitor: Visitor, project: int) -> None:
    visitor.press("header a[href^='/calls/']")
    visitor.download("main a[download]")


def rescore_rubric(visitor: Visitor, project: int) -> None:
    visitor.press("header a[href^='/projects/']")
    visitor.press(f"main a[href='/projects/{project}/']")
    visitor.press("[data-list=criteria] > details > summary, [data-list=criteria] details summary")
    points = "[data-list=criteria] details[open] [data-field=max_points] input"
    # A draft that changes nothing is not published: the second time the criterion has these points already.
    is_done = visitor.page.input_value(f"{points} >> nth=0") == "4"
    visitor.write(points, "5" if is_done else "4")
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
    "compare the period with the one before": compare_periods,
    "compare other periods": compare_other_periods,
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
    with tempfile.TemporaryDirectory() as folder, scripted_speech_server() as speech:
        data = Path(folder) / "data"
        shutil.copytree(options.data, data)
        installation = Installation(data, CALLSCOPE_EMBEDDER="words", CALLSCOPE_TRANSCRIBER=speech)
        known = read_session(installation)
        with installation.served() as server, browsers.chromium() as chromium:
            if "spot" in options.only or not options.only:
                upload_new_reason(installation, server, known["project"])
            failed = 0
            print("| job | clicks | keys without a mouse | characters typed |\n|---|---|---|---|")
            for name, job in JOBS.items():
                if options.only in name:
                    mouse, keyboard = (do_job(job, kind, chromium, server.url, known) for kind in VISITORS)
                    failed += bool(mouse.problem or keyboard.problem)
                    print(
                        f"| {name} | {mouse.problem or mouse.in_all('clicks')} "
                        f"| {keyboard.problem or keyboard.in_all('keys')} | {mouse.in_all('typed')} |",
                        flush=True,
                    )
    return 1 if failed else 0


@contextlib.contextmanager
def scripted_speech_server() -> Iterator[str]:
    """Serve OpenAI's `/audio/transcriptions` and hear SAID in every recording; yield the address."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            lines = [{"start": 1.0 + 3 * n, "end": 3.5 + 3 * n, "text": text} for n, text in enumerate(SAID)]
            body = json.dumps({"language": "english", "text": " ".join(SAID), "segments": lines}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Say nothing of each request."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


def upload_new_reason(installation: Installation, server: Server, project: int) -> None:
    """Upload calls of the last days about what nobody called about before, and group the contact reasons."""
    key = installation.json("key", "create", EMAILS[0])["key"]
    cues = [
        f"{n + 1}\n00:00:{1 + 4 * n:02},000 --> 00:00:{4 + 4 * n:02},000\n"
        f"{'Customer' if n % 2 else 'Agent'}: {text}\n"
        for n, text in enumerate(SAID)
    ]
    now = dt.datetime.now(dt.UTC)
    with server.client(key) as client:
        for n in range(TRANSCRIPTS + RECORDINGS):
            is_recording = n < RECORDINGS  # the newest, which the list shows first
            name, content = f"esim-{n:02}.srt", "\n".join(cues).encode()
            if is_recording:
                # The bytes after the sound make each another recording.
                name, content = f"esim-{n:02}.wav", RECORDING.read_bytes() + bytes([n])
            answer = client.post(
                "/api/files/",
                data={"project": project, "call_datetime": (now - dt.timedelta(minutes=5 * n)).isoformat()},
                files={"file": (name, content)},
            )
            assert answer.status_code == 201, answer.text
        wait_until_analysed(client, project)
        client.post("/calls/api/recluster/", params={"project_id": project})
        wait_until_analysed(client, project)


def read_session(installation: Installation) -> dict[str, Any]:
    """Return sessions of the first user and of a colleague, and ids of what there is to see."""
    result = subprocess.run(
        [sys.executable, "-c", SESSION + COLLEAGUE],
        env={**installation.environment, "DJANGO_SETTINGS_MODULE": "callscope.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    known, colleague = map(json.loads, result.stdout.splitlines()[-2:])
    found: dict[str, Any] = {**known, "colleague": colleague["session"]}
    return found


def do_job(
    job: Callable[[Visitor, int], None],
    kind: type[Visitor],
    chromium: Any,
    base: str,
    known: dict[str, Any],
) -> Visitor:
    """Return the visitor after the job; `problem` says why it could not be done."""

    def arrive(session: str) -> Any:
        page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900}, locale="en-GB")
        page.context.set_default_timeout(PATIENCE_MS)
        page.context.add_cookies([{"name": known["cookie"], "value": session, "url": base}])
        page.goto(f"{base}/report/?project_id={known['project']}")  # the project looked at last
        page.goto(f"{base}/report/")
        return page

    visitor = kind(arrive(known["session"]), kind(arrive(known["colleague"])))
    try:
        job(visitor, known["project"])
    except Exception as error:
        page = visitor.page
        visitor.problem = f"not done: {f'{error} '.splitlines()[0]} ({page.url.removeprefix(base)})"
    for each in (visitor, visitor.colleague):
        if each is not None:
            each.page.context.close()
    return visitor


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    raise SystemExit(main())
