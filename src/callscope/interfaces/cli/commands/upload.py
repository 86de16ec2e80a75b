"""`callscope upload`: send recordings and transcripts to a server; skip names that it already has."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.standard_streams import is_stdin, open_input

if TYPE_CHECKING:
    from callscope.interfaces.cli.runtime.client import Server
    from callscope.interfaces.cli.uploads.known_files import KnownFile
    from callscope.interfaces.cli.uploads.outcome import Outcome

MANIFEST_NAME = "manifest.csv"  # its own name may not be Unicode, which a form cannot hold
SURROGATES = ("\ud800", "\udfff")  # bytes of a name that are not UTF-8


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "upload", django=False)(upload)


def upload(
    project: Annotated[
        int, typer.Option("--project", metavar="ID", min=1, help="The id of the project to send them to.")
    ],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH…", help="Files, folders, patterns in quotes, or - for standard input."),
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", metavar="CSV", help="Call metadata; - for standard input.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The file name of standard input.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also send names that the project already has.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until these files are analyzed.")] = False,
) -> CommandResult:
    """Send recordings and transcripts to the server at CALLSCOPE_URL, using CALLSCOPE_API_KEY.

    Names that the project already has are skipped, so an interrupted upload can be repeated; those that
    failed there are tried again. Exit 1 if a file was not accepted or, with --wait, failed.
    """
    if not paths and not manifest:
        raise typer.BadParameter("Give at least one PATH, or a --manifest.")
    # A variable that is not set gives "", and Path("") would be the whole current folder.
    if paths and "" in paths:
        raise typer.BadParameter("A PATH is empty.")
    if sum(is_stdin(given) for given in (*(paths or []), manifest or "")) > 1:
        raise typer.BadParameter("Standard input can only be read once.")
    if name and not any(is_stdin(given) for given in paths or []):
        raise typer.BadParameter("--name is the name of standard input, and no PATH is -.")
    if manifest and not is_stdin(manifest) and not manifest.is_file():
        raise Failure(f"{manifest}: not a file. --manifest takes a CSV file.")

    from callscope.interfaces.cli.runtime.client import Server
    from callscope.interfaces.cli.uploads.outcome import Outcome
    from callscope.interfaces.cli.uploads.sources import collect_files, warn_of_ignored

    outcome = Outcome()
    with collect_files(paths or [], name) as sources, Server.from_environment() as server:
        _require_project(server, project)
        warn_of_ignored(sources.ignored)
        outcome.total, outcome.ignored = len(sources.files), [str(path) for path in sources.ignored]
        try:
            if manifest:
                _send_manifest(server, project, manifest, outcome)
            files = _leave_out_unusable(sources.files, outcome)
            _send_all(server, project, files, outcome, again=again, wait=wait)
        except Failure:
            outcome.print_problems()  # of the files before: the command ends without a result
            raise
        outcome.count_manifest()
    return outcome.build_result()


def _require_project(server: "Server", project: int) -> None:
    """Raise Failure if the key cannot see the project or may not upload."""
    from callscope.interfaces.cli.runtime.client import RequestRefused

    try:
        resource = server.get(f"/api/projects/{project}/")
    except RequestRefused as error:
        if error.status != 404:
            raise
        raise Failure(f"Project {project} does not exist, or this key cannot see it.") from None
    if resource.get("role") == "viewer":
        raise Failure(f"This key may only view project {project}; uploading requires the role editor.")


def _send_manifest(server: "Server", project: int, manifest: Path, outcome: "Outcome") -> None:
    """Send the manifest before the files, so that their first analysis knows their agents."""
    from callscope.interfaces.cli.runtime.client import RequestRefused

    shown = "Standard input" if is_stdin(manifest) else manifest
    with open_input(manifest) as file:
        content = file.read()
    form = {"file": (MANIFEST_NAME, content, "text/csv")}
    try:
        result = server.post(f"/api/projects/{project}/call-manifest/", data={}, files=form, repeat=True)
    except RequestRefused as error:
        raise Failure(*(f"{shown}: {message}" for message in error.messages)) from None
    outcome.manifest = result
    outcome.manifest_errors = [f"{shown}: {error}" for error in result["errors"]]


def _leave_out_unusable(files: dict[str, Path], outcome: "Outcome") -> dict[str, Path]:
    """Return the files without those whose names a form cannot hold."""
    first, last = SURROGATES
    unusable = [name for name in files if any(first <= letter <= last for letter in name)]
    outcome.refused += [
        (str(files[name]), "The name is not UTF-8 text. Rename the file.") for name in unusable
    ]
    return {name: path for name, path in files.items() if name not in unusable}


def _send_all(
    server: "Server", project: int, files: dict[str, Path], outcome: "Outcome", *, again: bool, wait: bool
) -> None:
    """Send what the project has not, try again what failed there, and wait for both if asked to."""
    from callscope.interfaces.cli.runtime.client import say_on_stderr
    from callscope.interfaces.cli.uploads.display import Display
    from callscope.interfaces.cli.uploads.known_files import load_known_files
    from callscope.interfaces.cli.uploads.sender import Sender
    from callscope.interfaces.cli.uploads.waiting import wait_for_files

    known = load_known_files(server, project, list(files)) if files else {}
    new = {n: path for n, path in files.items() if again or n not in known or known[n].is_failed}
    there = {n: known[n] for n in files if n not in new}
    for name, file in there.items():
        if file.problem and file.is_final and _retry(server, file):
            outcome.retried[name] = file.id
        else:
            outcome.skipped.append(name)
    sizes = {path: _size_of(path) for path in new.values()}
    with Display(sizes) as display:
        server.on_wait = display.say
        Sender(server, project, known=known, display=display).send_all(new, outcome)
    server.on_wait = say_on_stderr
    if not wait:
        return
    outcome.has_waited = True
    ids = {**outcome.uploaded, **outcome.retried, **{n: there[n].id for n in outcome.skipped}}
    names = {file_id: name for name, file_id in ids.items()}
    for file in wait_for_files(server, list(names)):
        if file.problem:
            outcome.failed_there.append((names[file.id], file.problem))


def _retry(server: "Server", file: "KnownFile") -> bool:
    """Queue the analysis of a file again that failed; return False if there is nothing to retry."""
    from callscope.interfaces.cli.runtime.client import RequestRefused

    if not file.task_id:
        return False
    try:
        server.post(f"/api/tasks/{file.task_id}/retry/", data={}, files=None, repeat=True)
    except RequestRefused as error:
        if error.status not in (404, 409):  # deleted, or tried again by another
            raise
        return False
    return True


def _size_of(path: Path) -> int:
    """Return the bytes of a file; 0 if it is gone, which sending it reports."""
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0
