"""`callscope upload`: send recordings and transcripts to a server, resumable by name."""

import contextlib
import io
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from callscope.interfaces.cli import progress_lines
from callscope.interfaces.cli.answers import Answer, Failure, command

if TYPE_CHECKING:
    from callscope.interfaces.cli.client import Server

# What a folder is searched for; a file that is named itself is sent whatever its name.
ENDINGS = {
    ".aac", ".aif", ".aiff", ".amr", ".flac", ".gsm", ".m4a", ".mka", ".mp3", ".mp4", ".oga", ".ogg", ".opus",
    ".srt", ".vtt", ".wav", ".webm", ".wma",
}  # fmt: skip
MANIFEST_NAME = "manifest.csv"  # for the server; its own may be no Unicode text
POLL_S = 2.0
# Called with (bytes read, file): the file that is being sent, where it changes.
Advance = Callable[[int, Path], None]
UPLOAD_ATTEMPTS = 6


def register(app: typer.Typer) -> None:
    command(app, "upload", django=False)(upload)


@dataclass(slots=True)
class Outcome:
    """What became of the files."""

    uploaded: dict[str, int] = field(default_factory=dict)  # name → file id
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # a line each


def upload(
    project: Annotated[
        int, typer.Option("--project", metavar="ID", min=1, help="The project to send them to.")
    ],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH…", help="Files, or folders of them.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", metavar="CSV", help="Call metadata, sent first.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Send names that the project has already, too.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until everything is analysed.")] = False,
) -> Answer:
    """Send recordings and transcripts to the server in CALLSCOPE_URL, entered with CALLSCOPE_API_KEY.

    Names that the project has already are skipped: repeat an upload that was cut off, and it goes on.
    """
    if not paths and not manifest:
        raise typer.BadParameter("Name at least one PATH, or a --manifest.")
    if paths and "" in paths:  # as from a variable that is not set; Path("") would be this whole folder
        raise typer.BadParameter("A PATH is empty.")
    files = _collect([Path(path) for path in paths or []])
    if manifest and not manifest.is_file():
        raise Failure(f"{manifest}: not a file. --manifest takes a CSV file.")

    from callscope.interfaces.cli.client import Server

    outcome = Outcome()
    with Server.from_environment() as server:
        is_call_project = _require_project(server, project)
        manifest_result = _send_manifest(server, project, manifest, outcome) if manifest else None
        _send_all(server, project, files, outcome, again=again)
        if wait:
            _wait(server, project, outcome, is_call_project=is_call_project)
    for line in outcome.failed:
        print(line, file=sys.stderr)
    return _answer(outcome, manifest_result)


def _collect(paths: list[Path]) -> dict[str, Path]:
    """Return name → file. Raises Failure for a path that is not there and for a name that comes twice."""
    found: dict[str, Path] = {}
    problems = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
            if not inside:
                problems.append(f"{path}: no recording and no transcript in this folder.")
        elif path.is_file():
            inside = [path]
        else:
            inside = []
            is_there = (
                path.exists()
            )  # a pipe, say, which has neither a name to keep nor an end to go back from
            problems.append(
                f"{path}: {'neither a file nor a folder' if is_there else 'no such file or folder'}."
            )
        for file in inside:
            other = found.setdefault(file.name, file)
            if other.resolve() != file.resolve():
                problems.append(f"{other} and {file} have the same name, so they would be one call.")
    if problems:
        raise Failure(*problems)
    return found


def _require_project(server: "Server", project: int) -> bool:
    """Return whether it is a call project. Raises Failure for one that the key cannot see or write to."""
    from callscope.interfaces.cli.client import Refused

    try:
        resource = server.get(f"/api/projects/{project}/")
    except Refused as error:
        if error.status != 404:
            raise
        raise Failure(f"Project {project} does not exist, or this key cannot see it.") from None
    if resource.get("role") == "viewer":
        raise Failure(f"This key may only view project {project}; uploading needs the role editor.")
    return bool(resource.get("type") == "call")


def _send_manifest(server: "Server", project: int, manifest: Path, outcome: Outcome) -> dict[str, Any]:
    from callscope.interfaces.cli.client import Refused

    form = {"file": (MANIFEST_NAME, manifest.read_bytes(), "text/csv")}
    try:
        result: dict[str, Any] = server.post(
            f"/api/projects/{project}/call-manifest/", data={}, files=form, repeat=True
        )
    except Refused as error:
        raise Failure(*(f"{manifest}: {message}" for message in error.messages)) from None
    outcome.failed += [f"{manifest}: {error}" for error in result["errors"]]
    return result


def _send_all(
    server: "Server", project: int, files: dict[str, Path], outcome: Outcome, *, again: bool
) -> None:
    known = _known_files(server, project) if files else {}
    waiting = {name: path for name, path in files.items() if again or name not in known}
    outcome.skipped += [name for name in files if name not in waiting]
    with _progress(list(waiting.values())) as advance:
        for name, path in waiting.items():
            if not _is_text(name):
                outcome.failed.append(f"{path}: the name is no UTF-8 text. Give the file another name.")
                continue
            try:
                outcome.uploaded[name] = _send(server, project, path, advance, former=known.get(name, 0))
            except Failure as error:
                outcome.failed += [f"{path}: {message}" for message in error.messages]
            except OSError as error:
                outcome.failed.append(f"{path}: {error.strerror}.")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _known_files(server: "Server", project: int) -> dict[str, int]:
    """Return name → id of the newest file, for all files of the project."""
    known: dict[str, int] = {}
    for file in server.pages("/api/files/", {"project": project}):
        name = file["original_filename"]
        known[name] = max(file["id"], known.get(name, 0))
    return known


def _send(server: "Server", project: int, path: Path, advance: Advance, *, former: int) -> int:
    """Upload one file and return its id; sent again only when it is certain that it did not arrive.

    `former` is the newest file of this name before, 0 for none.
    """
    from callscope.interfaces.cli.client import Interrupted

    for attempt in range(1, UPLOAD_ATTEMPTS + 1):
        advance(0, path)
        try:
            with _Watched(path, advance) as file:
                form = {"file": (path.name, file)}
                return int(server.post("/api/files/", data={"project": str(project)}, files=form)["id"])
        except Interrupted:
            if attempt == UPLOAD_ATTEMPTS:
                raise
            server.pause(attempt)
            arrived = _known_files(server, project).get(path.name, 0)
            if arrived > former:
                return arrived
    raise AssertionError("unreachable")


class _Watched(io.FileIO):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, advance: Advance) -> None:
        super().__init__(path, "rb")
        self._path = path
        self._advance = advance

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._advance(len(data), self._path)
        return data


@contextlib.contextmanager
def _progress(paths: list[Path]) -> Iterator[Advance]:
    """Draw a bar over all bytes on a terminal; elsewhere say nothing."""
    if not (paths and sys.stderr.isatty()):
        yield lambda _size, _path: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        total = bars.add_task("all files", total=sum(path.stat().st_size for path in paths))
        current = bars.add_task("", visible=False)
        sent: dict[Path, int] = {}

        def advance(size: int, path: Path) -> None:
            if not size:  # a file begins, or begins again
                bars.reset(current, description=path.name, total=path.stat().st_size, visible=True)
                bars.advance(total, -sent.get(path, 0))
                sent[path] = 0
                return
            sent[path] = sent.get(path, 0) + size
            bars.advance(total, size)
            bars.advance(current, size)

        yield advance


def _wait(server: "Server", project: int, outcome: Outcome, *, is_call_project: bool) -> None:
    """Wait until nothing is open in the project, then tell of the files that failed."""
    while is_call_project:
        status = server.get("/calls/api/analysis-status/", {"project_id": project})
        progress_lines.show(_open_analyses(status))
        if not status["in_progress"]:
            break
        time.sleep(POLL_S)
    ids = {file_id: name for name, file_id in outcome.uploaded.items()}
    while ids:
        files = {f["id"]: f for f in server.pages("/api/files/", {"project": project}) if f["id"] in ids}
        waiting = [f for f in files.values() if f["status"] not in ("transcribed", "failed")]
        if not waiting:
            break
        progress_lines.show(f"{len(waiting)} files are being transcribed")
        time.sleep(POLL_S)
    progress_lines.clear()
    for file in (files[n] for n in sorted(files)) if ids else ():
        if file["status"] == "failed":
            reason = file["error_reason"] or file.get("error_detail") or "failed"
            outcome.failed.append(f"{file['original_filename']}: {reason}")


def _open_analyses(status: dict[str, Any]) -> str:
    counts = status["analysis_status"].values()
    left = max((c["queued"] + c["processing"] for c in counts), default=0)
    return f"{left} calls are being analysed"


def _answer(outcome: Outcome, manifest: dict[str, Any] | None) -> Answer:
    document: dict[str, Any] = {
        "uploaded": len(outcome.uploaded),
        "skipped": len(outcome.skipped),
        "failed": outcome.failed,
    }
    text = f"{len(outcome.uploaded)} uploaded, {len(outcome.skipped)} skipped, {len(outcome.failed)} failed."
    if manifest is not None:
        document["manifest"] = manifest
        waiting = len(manifest["unmatched"])
        text = f"Manifest: {manifest['matched']} matched, {waiting} wait for their file.\n{text}"
    return Answer(document, text, exit_status=1 if outcome.failed else 0)
