"""Does a replay of many calls leave everything that counts as it was, and does it survive `kill -9`?

Imports calls through the product's import, gives each a transcript, and replays a changed draft over all.
A worker process of its own works; it is killed with SIGKILL on the way, and another one goes on. Before and
after, the report is built, and every row of every table that a replay has no business in is hashed.

`python benchmarks/proof_replay.py [CALLS]`, 10,000 by default; exit status 1 when something differs.
"""

import copy
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = tempfile.mkdtemp(prefix="callscope-proof-")
os.environ |= {
    "CALLSCOPE_DATA_DIR": FOLDER,
    "DJANGO_SETTINGS_MODULE": "callscope.settings",
    "CALLSCOPE_EMBEDDER": "words",
}

import django  # noqa: E402
from django.apps import apps  # noqa: E402

django.setup()

from callscope.accounts.models import User  # noqa: E402
from callscope.analysis.models import CallAnalysis  # noqa: E402
from callscope.pipeline.models import Replay, ReplayedCall  # noqa: E402
from callscope.pipeline.rubric_changes.replays import drafts  # noqa: E402
from callscope.pipeline.rubric_changes.replays.progress import read_progress  # noqa: E402
from callscope.pipeline.transfer.importer import import_calls  # noqa: E402
from callscope.pipeline.workers import maintenance  # noqa: E402
from callscope.projects.models import Project  # noqa: E402
from callscope.projects.services import create_project  # noqa: E402
from callscope.reports.overview.report import build_report, report_json  # noqa: E402
from callscope.reports.search import spoken_words  # noqa: E402
from callscope.reports.window import ALL_TIME  # noqa: E402
from callscope.transcription.models import Transcript  # noqa: E402

CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
KILLS_AT = (0.2, 0.6)  # of the calls
#: What a replay writes, and what workers write about themselves.
WRITTEN = {
    "Replay", "ReplayedCall", "Job", "AuditEvent", "AuditEventProject", "AuditHead", "AuditQueue",
    "AuditFold", "UsageEntry", "SiteProcess", "EngineState",
}  # fmt: skip
CRITERIA = [
    {"id": "greeting", "name": "Greets", "max_points": 10, "rule": {"any_of": ["good morning"]}},
    {"id": "help", "name": "Offers help", "max_points": 5, "rule": {"any_of": ["how can I help"]}},
]
DOCUMENT = {"rubric": {"sections": [{"name": "Opening", "criteria": CRITERIA}]}}


def main() -> int:
    subprocess.run([sys.executable, "-m", "callscope", "init"], check=True, stdout=subprocess.DEVNULL)
    project, owner = fill()
    before, report = hash_tables(), build(project)
    draft = copy.deepcopy(DOCUMENT)
    draft["rubric"]["sections"][0]["criteria"][0]["rule"]["any_of"] = ["hello"]
    replay = drafts.request_replay(project, draft, by=owner, sample=CALLS)
    began = time.monotonic()
    kills = run_workers(replay)
    replay.refresh_from_db()
    found = read_progress(replay)
    after, later = hash_tables(), build(project)

    differing = sorted(name for name in before if before[name] != after[name])
    judged = ReplayedCall.objects.filter(replay=replay, answers__isnull=False).count()
    means = [side["average_score"] for side in (found.before, found.after) if side]
    print(f"{CALLS:,} calls replayed in {time.monotonic() - began:.0f} s; {found.state}, {judged:,} judged")
    print(f"workers killed with SIGKILL when so many were judged: {', '.join(f'{n:,}' for n in kills)}")
    print(
        f"mean score {' → '.join(map(str, means))}; changed answers {[c['changed'] for c in found.criteria]}"
    )
    rows = sum(count for count, _ in before.values())
    print(f"{len(before)} tables, {rows:,} rows before; tables that differ after: {differing or 'none'}")
    print(f"report: {len(report):,} bytes before, {'equal' if report == later else 'NOT equal'} after")
    is_done = found.state == "completed" and judged == CALLS == found.calls
    return int(bool(differing) or report != later or not is_done)


def fill() -> tuple[Project, User]:
    """Import the calls, and give each a transcript, half of which greet."""
    owner = User.objects.create_user("owner@example.com", "a-long-password")
    project = create_project(owner, "Proof", document=DOCUMENT)
    result = import_calls(project, io.BytesIO("\n".join(map(write_line, range(CALLS))).encode()), by=owner)
    assert result.created == CALLS, result
    files = list(CallAnalysis.objects.filter(project=project).order_by("pk").values_list("file", flat=True))
    Transcript.objects.bulk_create(
        (
            Transcript(
                file_id=file, project=project, language="en", engine="subtitles", segments=talk(number)
            )
            for number, file in enumerate(files)
        ),
        batch_size=1000,
    )
    maintenance.compact()
    while spoken_words.index_missing():  # workers do it between jobs, which would be no work of the replay
        pass
    return project, owner


def write_line(number: int) -> str:
    row = {"name": "Greets", "section": "Opening", "criterion_id": "greeting", "max_points": 10}
    help_row = {"name": "Offers help", "section": "Opening", "criterion_id": "help", "max_points": 5}
    scores = [
        {**row, "score": 10 * (number % 2), "applicability": "evaluated"},
        {**help_row, "score": 5, "applicability": "evaluated"},
    ]
    return json.dumps(
        {
            "file_name": f"call-{number}.wav",
            "call_datetime": f"2026-01-{1 + number % 28:02d}T10:00:00+00:00",
            "duration_seconds": 60,
            "agent_id": str(number % 40),
            "agent_name": f"Agent {number % 40}",
            "topic": "invoice",
            "copc": {"criterion_scores": scores},
        }
    )


def talk(number: int) -> list[dict[str, object]]:
    said = [
        ("agent", "Good morning, how can I help you?" if number % 2 else "Hello, how can I help you?"),
        ("customer", "My invoice is wrong and I was charged twice this month."),
        ("agent", "I am sorry, let me correct the invoice for you right away."),
        ("customer", "Thank you very much, that solves it."),
    ]
    return [
        {"start": 5.0 * i, "end": 5.0 * i + 4, "speaker": who, "text": text, "confidence": None}
        for i, (who, text) in enumerate(said)
    ]


def build(project: Project) -> bytes:
    return json.dumps(report_json(build_report([project], ALL_TIME))).encode()


def hash_tables() -> dict[str, tuple[int, str]]:
    """Return for each table that a replay has no business in its number of rows, and a digest of them."""
    found = {}
    for model in apps.get_models():
        is_ours = model.__module__.startswith("callscope.") and model._meta.managed
        if is_ours and model.__name__ not in WRITTEN:
            digest, rows = hashlib.sha256(), 0
            for row in model._base_manager.order_by("pk").values_list().iterator():
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
                rows += 1
            found[model.__name__] = rows, digest.hexdigest()
    return found


def run_workers(replay: Replay) -> list[int]:
    """Let workers judge the calls, and kill them at KILLS_AT; return how many were judged then."""
    kills: list[int] = []
    worker = start_worker()
    while read_progress(replay).state in ("queued", "running"):
        done = ReplayedCall.objects.filter(replay=replay, answers__isnull=False).count()
        if len(kills) < len(KILLS_AT) and done >= KILLS_AT[len(kills)] * CALLS:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
            kills.append(done)
            worker = start_worker()
        time.sleep(0.5)
        replay.refresh_from_db()
    worker.terminate()
    worker.wait()
    return kills


def start_worker() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "callscope", "worker"]
    return subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


if __name__ == "__main__":
    sys.exit(main())
