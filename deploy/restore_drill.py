"""Restore a backup into an empty place, and compare what it says with the running instance.

    export CALLSCOPE_URL=https://calls.example.com CALLSCOPE_API_KEY=...
    python deploy/restore_drill.py BACKUP.zip --project 1

Run it with the Python that has Callscope installed, on any machine, regularly. The copy lives in a
temporary folder with SQLite and ends with the drill: it needs the disk of one more instance and none of
the running one's services. It prints what it compared, and exits with 1 if a report or a recording
differs. Reports can be compared for a project that nobody changed since the backup; of another one,
the recordings that were processed by then are.
"""

import argparse
import contextlib
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

TIMEOUT_S = 300.0
BYTES_AT_ONCE = 1024 * 1024
OPEN_STATES = {"uploaded", "transcribing", "queued", "processing"}


class Instance:
    """A Callscope that answers over HTTP."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url.rstrip("/"), key

    def open(self, path: str):
        """Return the open answer of a GET."""
        address = path if path.startswith("http") else self.url + path
        request = urllib.request.Request(address, headers={"Authorization": f"Api-Key {self.key}"})
        return urllib.request.urlopen(request, timeout=TIMEOUT_S)

    def read_json(self, path: str) -> dict:
        """Return the JSON of a GET."""
        with self.open(path) as answer:
            return json.load(answer)

    def list_states(self, project: int) -> dict[int, set[str]]:
        """Return id → the states of transcription and analyses, of all files of the project."""
        found, page = {}, f"/api/files/?project={project}"
        while page:
            answer = self.read_json(page)
            found |= {
                file["id"]: {file["status"], *file["analysis_states"].values()} for file in answer["results"]
            }
            page = answer["next"]
        return found

    def hash_content(self, file_id: int) -> str:
        """Return the SHA-256 of a recording as people get it; the status where there is none."""
        digest = hashlib.sha256()
        try:
            with self.open(f"/api/files/{file_id}/content/") as answer:
                while part := answer.read(BYTES_AT_ONCE):
                    digest.update(part)
        except urllib.error.HTTPError as error:
            return f"status {error.code}"
        return digest.hexdigest()


@contextlib.contextmanager
def restored(backup: Path, key: str) -> Iterator[Instance]:
    """Restore the backup into a temporary folder and serve it; verify its reports and its audit trail."""
    with tempfile.TemporaryDirectory(prefix="callscope-drill-") as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CALLSCOPE_")}
        zone = os.environ.get("CALLSCOPE_TIME_ZONE")
        environment = {
            **kept,
            "CALLSCOPE_DATA_DIR": f"{folder}/data",
            **({"CALLSCOPE_TIME_ZONE": zone} if zone else {}),
        }
        command = [sys.executable, "-m", "callscope"]
        for arguments in (["restore", str(backup)], ["reports", "verify"], ["audit", "verify"]):
            subprocess.run([*command, *arguments], env=environment, check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        serve = [*command, "serve", "--port", str(port), "--workers", "0"]
        server = subprocess.Popen(serve, env=environment, stdout=subprocess.DEVNULL)
        try:
            instance = Instance(f"http://127.0.0.1:{port}", key)
            wait_until_ready(instance, server)
            yield instance
        finally:
            server.terminate()
            server.wait()


def wait_until_ready(instance: Instance, server: subprocess.Popen) -> None:
    """Wait until the copy answers. Exit if it ends instead."""
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(OSError):
            instance.open("/readyz").close()
            return
        time.sleep(0.2)
    sys.exit("The restored copy could not be served.")


def is_same_content(ours: str, theirs: str) -> bool:
    """Return whether both have the recording, or neither has it any more; an error is no answer."""
    return ours == theirs and (not ours.startswith("status ") or ours in ("status 404", "status 410"))


def compare(running: Instance, copy: Instance, project: int) -> int:
    """Print the comparison and return how many things differ.

    What moved on since the backup is counted apart: files that were uploaded later, and those that
    were being transcribed or analyzed then. With such files the reports have to differ.
    """
    ours, theirs = running.list_states(project), copy.list_states(project)
    later = {each for each in ours.keys() - theirs.keys() if each > max(theirs, default=0)}
    open_then = {each for each in theirs if theirs[each] & OPEN_STATES}
    missing = (ours.keys() ^ theirs.keys()) - later
    common = sorted((ours.keys() & theirs.keys()) - open_then)
    pairs = ((each, running.hash_content(each), copy.hash_content(each)) for each in common)
    wrong = [each for each, ours_is, theirs_is in pairs if not is_same_content(ours_is, theirs_is)]
    path = f"/calls/api/report/?project_id={project}"
    is_same = running.read_json(path) == copy.read_json(path)
    has_moved = bool(later or open_then)
    verdict = "identical" if is_same else "not comparable, see the files" if has_moved else "DIFFERENT"
    print(f"report of project {project}: {verdict}")
    shown = f" {wrong}" if wrong else ""
    print(f"files: {len(common)} compared, {len(missing)} missing, {len(wrong)} hash mismatches{shown}")
    if has_moved:
        print(f"since the backup: {len(later)} uploaded, {len(open_then)} were being processed; not compared")
    return (not is_same and not has_moved) + len(missing) + len(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description="Restore a backup into an empty place and compare it.")
    parser.add_argument("backup", type=Path)
    parser.add_argument("--project", type=int, required=True)
    options = parser.parse_args()
    try:
        running = Instance(os.environ["CALLSCOPE_URL"], os.environ["CALLSCOPE_API_KEY"])
    except KeyError as error:
        parser.error(f"{error.args[0]} is not set.")
    try:
        running.read_json(f"/calls/api/report/?project_id={options.project}")
    except urllib.error.HTTPError as error:
        parser.error(f"{running.url} answers {error.code} for project {options.project}: is the key right?")
    except OSError as error:
        parser.error(f"{running.url} cannot be reached: {error}")
    if not options.backup.is_file():
        parser.error(f"{options.backup} is not a file.")
    with restored(options.backup, running.key) as copy:
        return 1 if compare(running, copy, options.project) else 0


if __name__ == "__main__":
    sys.exit(main())
