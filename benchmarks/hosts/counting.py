"""Send files to a site as people do, wait, and count what was lost and what was made twice."""

import os
import struct
import subprocess
import sys
import threading
import time
import wave
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from hosts import Site

RECORDING_S = 15
MOST_UPLOADS = 200  # runs of the command
MOST_S = 1800.0  # until everything is done; only a hang may fail a run
NO_REASON = "NO REASON"  # of a file that failed, which its user has to see
OPEN = (
    "SELECT count(*) FROM pipeline_job"
    " WHERE state IN ('queued', 'running') AND kind IN ('transcribe', 'analyze') AND project_id = %s"
)
ATTEMPTS = "SELECT coalesce(max(attempts), 0) FROM pipeline_job WHERE kind != 'regroup' AND project_id = %s"
DONE = "SELECT count(*) FROM analysis_callanalysis WHERE is_live AND copc_state = 3"
DOUBLES = {
    "file": "SELECT original_filename FROM calls_uploadedfile GROUP BY project_id, original_filename"
    " HAVING count(*) > 1",
    "usage": "SELECT file_id FROM pipeline_usageentry WHERE kind IN ('transcription', 'analysis')"
    " GROUP BY kind, file_id HAVING count(*) > 1",
    "job": "SELECT subject_id FROM pipeline_job WHERE kind IN ('transcribe', 'analyze')"
    " GROUP BY kind, subject_id HAVING count(*) > 1",
}


@dataclass
class Outcome:
    """One row of the table."""

    name: str
    files: int
    done: int
    failed: dict[str, str]  # by file: why, as its user reads it
    lost: list[str]
    doubles: list[str]
    calls: int  # of engines
    steps: int  # that take one
    attempts: int  # the most of a job
    uploads: int  # runs of the command that it took
    took_s: float
    notes: list[str] = field(default_factory=list)
    report: dict = field(default_factory=dict)

    def __str__(self) -> str:
        cells = [
            self.name, f"{self.done} of {self.files}", len(self.failed), len(self.lost), len(self.doubles),
            f"{self.calls - self.steps:+d}", self.attempts, self.uploads, f"{self.took_s:.0f} s",
            "; ".join([*self.notes, *sorted(set(self.failed.values())), *self.lost[:3], *self.doubles[:3]]),
        ]  # fmt: skip
        return f"| {' | '.join(map(str, cells))} |"


def make_files(folder: Path, transcripts: list[Path], recordings: int) -> list[str]:
    """Fill a folder with copies of the transcripts and with so many recordings; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in transcripts:
        (folder / path.name).write_bytes(path.read_bytes())
    for number in range(recordings):
        make_recording(folder / f"recording-{number:03}.wav", number)
    return sorted(path.name for path in folder.iterdir())


def make_recording(path: Path, seed: int) -> None:
    """Write a quiet recording that no other one equals."""
    count = RECORDING_S * 8000
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(struct.pack(f"<{count}h", *((n * (37 + seed)) % 2000 - 1000 for n in range(count))))


def run_files(site: Site, name: str, folder: Path, disturb: Callable[[], None] | None = None) -> Outcome:
    """Send the folder to the site while `disturb` runs; return what became of it."""
    names = sorted(path.name for path in folder.iterdir())
    runs: list[int] = []
    sender = threading.Thread(target=lambda: runs.append(send(site, folder)))
    started = time.monotonic()
    sender.start()
    if disturb is not None:
        disturb()
    sender.join()
    wait_until_over(site)
    return count(site, name, names, runs[0], time.monotonic() - started)


def send(site: Site, folder: Path) -> int:
    """Run `callscope upload` until it succeeds, as a person repeats it; return how often."""
    environment = {
        **os.environ,
        "CALLSCOPE_URL": f"http://127.0.0.1:{site.port}",
        "CALLSCOPE_API_KEY": site.key,
    }
    command = [
        sys.executable,
        "-m",
        "callscope",
        "upload",
        str(folder),
        "--project",
        str(site.project),
        "--json",
    ]
    for number in range(1, MOST_UPLOADS + 1):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return number
        print(
            f"callscope upload ended with {done.returncode}: {done.stdout[:600]}{done.stderr[:300]}",
            flush=True,
        )
        time.sleep(1)
    raise SystemExit(f"the upload does not succeed: {done.stderr}{done.stdout}")


def wait_until_over(site: Site) -> None:
    """Wait until no job of the project is left, without a hand."""
    deadline = time.monotonic() + MOST_S
    while site.query(OPEN, site.project)[0][0]:
        if time.monotonic() > deadline:
            print(
                f"NOT OVER: {site.query('SELECT kind, state, attempts, error FROM pipeline_job')}", flush=True
            )
            return
        time.sleep(0.5)


def wait_for_done(site: Site, number: int, most_s: float = 300.0) -> None:
    """Wait until so many calls are done."""
    deadline = time.monotonic() + most_s
    while site.query(DONE)[0][0] < number and time.monotonic() < deadline:
        time.sleep(0.2)


def count(site: Site, name: str, names: list[str], uploads: int, took_s: float) -> Outcome:
    rows = site.query(
        "SELECT f.original_filename FROM calls_uploadedfile f"
        " JOIN analysis_callanalysis a ON a.file_id = f.id"
        " WHERE a.is_live AND a.copc_state = 3 AND f.project_id = %s",
        site.project,
    )
    done = {row[0] for row in rows}
    with site.client() as client:
        failed = read_reasons(client, site.project)
        report = client.get("/calls/api/report/", params={"project_id": site.project}).json()
    doubles = [f"{what} {row[0]} twice" for what, sql in DOUBLES.items() for row in site.query(sql)]
    attempts = site.query(ATTEMPTS, site.project)[0][0]
    return Outcome(
        name,
        len(names),
        len(done & set(names)),
        failed,
        find_lost(site, set(names) - done - failed.keys()),
        doubles,
        site.engines.calls["asr"] + site.engines.calls["llm"],
        sum(2 if each.endswith(".wav") else 1 for each in done & set(names)),
        attempts,
        uploads,
        took_s,
        report={key: report[key] for key in ("headline", "scorecard")},
    )


def read_reasons(client: httpx2.Client, project: int) -> dict[str, str]:
    """Return the files that failed, each with the reason that its user reads."""
    failed: dict[str, str] = {}
    page = {"next": f"/api/files/?project={project}"}
    while page["next"]:
        page = client.get(page["next"]).json()
        for file in page["results"]:
            if file["status"] == "failed" or file["analysis_errors"]:
                said = [file["error_reason"], file["error_detail"], *file["analysis_errors"].values()]
                failed[file["original_filename"]] = "; ".join(dict.fromkeys(filter(None, said))) or NO_REASON
    return failed


def find_lost(site: Site, unfinished: set[str]) -> list[str]:
    """Return what is neither done nor has failed with a reason, and other jobs that failed."""
    others = site.query(
        "SELECT kind || ' failed: ' || error FROM pipeline_job"
        " WHERE state = 'failed' AND kind NOT IN ('transcribe', 'analyze')"
    )
    return [*sorted(unfinished), *(row[0] for row in others)]
