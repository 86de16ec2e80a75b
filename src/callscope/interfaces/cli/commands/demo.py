"""`callscope demo`: process sample calls in a folder of their own, and serve the result.

The folder is created again on each run. Only a folder that an earlier demo marked as
its own is replaced, and in it only the files that a demo creates.
"""

import contextlib
import os
import secrets
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.commands import init, serve
from callscope.interfaces.cli.runtime import output, startup, tables
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.progress import Progress
from callscope.interfaces.cli.runtime.result import AdminCommand, JsonFlag
from callscope.processes.file_lock import FileLock

if TYPE_CHECKING:
    from callscope.environment import Environment
    from callscope.projects.models import Project

DEFAULT_FOLDER = "callscope-demo"
MARKER = ".callscope-demo"
# Everything that a demo, and the server it starts, write into the folder, besides the marker.
DEMO_FILES = (
    "callscope.sqlite3", "callscope.sqlite3-wal", "callscope.sqlite3-shm", "secret_key", ".init.lock",
    "incoming", "recordings", "static",
)  # fmt: skip
# Settings that would lead out of the folder; those of the engines stay as they are.
IGNORED_SETTINGS = (
    "CALLSCOPE_DATABASE_URL",
    "CALLSCOPE_STORAGE_URL",
    "CALLSCOPE_QUEUE_URL",
    "CALLSCOPE_SECRET_KEY",
    "CALLSCOPE_EMAIL_URL",  # nobody writes to invented people
)
OWNER, VIEWER = "demo@callscope.example", "viewer@callscope.example"
WORKERS = 2
POLL_S = 0.25
STALL_TIMEOUT_S = 600.0  # without the end of any job


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("demo", cls=AdminCommand)(demo)


@dataclass(frozen=True, slots=True)
class Login:
    """How to sign in to the demo."""

    email: str
    password: str
    api_key: str


def demo(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to serve on.")] = 8000,
    no_serve: Annotated[
        bool, typer.Option("--no-serve", help="Exit after showing the report and how to sign in.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Run sample calls through the whole pipeline in a new folder, show the report and serve the result.

    The folder is ./callscope-demo, or CALLSCOPE_DATA_DIR.
    """
    if not no_serve:
        serve.require_free_port("127.0.0.1", port)
    with _create_folder() as folder:
        for name in IGNORED_SETTINGS:
            if os.environ.pop(name, ""):
                print(f"{name} is ignored by the demo, which only uses {folder}.", file=sys.stderr)
        os.environ["CALLSCOPE_DATA_DIR"] = str(folder)
        from callscope.environment import Environment

        environment = Environment.read()
        init.prepare_folder(environment)
        transcriber = _choose_transcriber(environment)
        startup.start_django(database=False)
        init.migrate(environment)

        login = _create_users()
        print(f"Speech recognition: {transcriber}", file=sys.stderr)
        projects = _process_samples(login)
        _add_people(projects, login)
        _show_result(projects, login, transcriber, as_json=as_json)
        if not as_json:
            address = f"http://127.0.0.1:{port}{environment.url_prefix}/"
            command = f"CALLSCOPE_DATA_DIR={shlex.quote(str(folder))} {find_program()} serve --port {port}"
            print_login(login, f"Serve it with: {command}" if no_serve else address)
        if no_serve:
            return
        serve.run_server("127.0.0.1", port, WORKERS, announce="nothing" if as_json else "text")


def find_program() -> str:
    """Return how this program is called in a shell: a virtual environment need not be on the PATH."""
    if shutil.which("callscope"):
        return "callscope"
    if Path(sys.argv[0]).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m callscope"
    return shlex.quote(sys.argv[0])


@contextlib.contextmanager
def _create_folder() -> Iterator[Path]:
    """Give the empty folder of the demo, locked against a second demo. Raise Failure."""
    folder = Path(os.environ.get("CALLSCOPE_DATA_DIR", "").strip() or DEFAULT_FOLDER).expanduser().absolute()
    marker = folder / MARKER
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not marker.exists())):
        raise Failure(
            f"{folder} exists and was not created by a demo, so it is left alone. "
            "Set CALLSCOPE_DATA_DIR to another folder."
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(marker)
    with contextlib.closing(lock):
        if not lock.acquire(timeout_s=0):
            raise Failure(f"A demo is running in {folder}. Stop it first.")
        for path in (folder / name for name in DEMO_FILES):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        yield folder


def _choose_transcriber(environment: "Environment") -> str:
    """Describe the speech engine; set the demo engine if none is configured and no model is available."""
    from callscope.engines.registry import build_transcriber
    from callscope.environment import EngineAddress

    chosen = environment.transcriber
    if chosen.address not in ("", "local"):
        return f"{chosen.address} (CALLSCOPE_TRANSCRIBER)"
    local = build_transcriber(EngineAddress("local", model=chosen.model), environment)
    health = local.check()
    if health.ok:
        return f"{local.name}, {chosen.model or 'its default model'}"
    substitute = build_transcriber(EngineAddress("demo"), environment)
    if chosen.address != "local" and substitute.check().ok:
        os.environ["CALLSCOPE_TRANSCRIBER"] = "demo"
        return f"{substitute.name}, {substitute.check().detail} {health.detail}"
    return f"none. {health.detail}"


def _create_users() -> Login:
    from callscope.accounts import services

    password = secrets.token_urlsafe(9)
    owner = services.create_user(OWNER, password)
    services.create_user(VIEWER, password)
    _, api_key = services.create_key(owner, name="demonstration")
    return Login(owner.email, password, api_key)


def _process_samples(login: Login) -> "list[Project]":
    """Upload the samples while workers process them; return the projects when no job is left."""
    from callscope.accounts.models import User
    from callscope.analysis.models import ANY_OPEN, CallAnalysis
    from callscope.pipeline.queue import jobs
    from callscope.samples.catalog import load_catalog
    from callscope.samples.loading import load_sample

    owner, viewer = User.objects.get(email=login.email), User.objects.get(email=VIEWER)
    samples = load_catalog()
    command = [sys.executable, "-m", "callscope", "worker", "--parent", str(os.getpid())]
    # Their output goes to stderr, because stdout is for the result.
    workers = [subprocess.Popen(command, stdout=sys.stderr) for _ in range(WORKERS)]
    try:
        with Progress("sample calls", sum(len(sample.files) for sample in samples)) as progress:
            projects = [load_sample(sample, owner, viewer=viewer) for sample in samples]
            stalled_at = time.monotonic() + STALL_TIMEOUT_S
            previous = -1
            while (left := jobs.count_open()) or CallAnalysis.objects.filter(ANY_OPEN).exists():
                if left != previous:
                    previous, stalled_at = left, time.monotonic() + STALL_TIMEOUT_S
                if all(worker.poll() is not None for worker in workers) or time.monotonic() > stalled_at:
                    raise Failure("The workers stopped before all calls were done; the lines above say why.")
                progress.update(CallAnalysis.objects.exclude(ANY_OPEN).count())
                time.sleep(POLL_S)
            progress.update(CallAnalysis.objects.exclude(ANY_OPEN).count())
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
    return projects


def _add_people(projects: "list[Project]", login: Login) -> None:
    """Let invented people review some of the calls; nobody can sign in as one of them."""
    from callscope.accounts.models import User
    from callscope.samples.catalog import load_catalog
    from callscope.samples.people import add_people

    owner = User.objects.get(email=login.email)
    for sample, project in zip(load_catalog(), projects, strict=True):
        add_people(sample, project, owner)


def print_login(login: Login, where: str) -> None:
    """Print how to sign in, below where the demo is served or how to serve it."""
    print(f"\n  {where}")
    print(f"  Sign in as {login.email} with the password {login.password}")
    print(f"  API key: {login.api_key}\n", flush=True)


def _show_result(projects: "list[Project]", login: Login, transcriber: str, *, as_json: bool) -> None:
    """Print the report of the samples, or with `as_json` the one object of the command."""
    from django.conf import settings

    from callscope.calls.models import Call, UploadedFile
    from callscope.reports.overview.report import build_report, report_json
    from callscope.reports.window import ALL_TIME

    report = report_json(build_report(projects, ALL_TIME))
    failed = [
        f"{file.original_filename}: {file.error_reason or file.error_detail}"
        for file in UploadedFile.objects.filter(status=UploadedFile.Status.FAILED).order_by("pk")
    ]
    if as_json:
        document = {
            "data_dir": str(settings.DATA_DIR),
            "projects": [project.pk for project in projects],
            "calls": Call.objects.count(),
            "failed": failed,
            "speech_recognition": transcriber,
            "email": login.email,
            "password": login.password,
            "api_key": login.api_key,
            "headline": report["headline"],
        }
        output.print_json(document)
        return
    names = " and ".join(project.name for project in projects)
    tables.print_report(report, title=f"Headline: {names}")
    for line in failed:
        print(line)
    print(f"Speech recognition: {transcriber}")
    print(f"Analysis: {settings.ENVIRONMENT.llm.address or 'the built-in rules analyzer'}")
    print(f"Data: {settings.DATA_DIR}")
