"""`callscope demo`: sample calls through the whole pipeline, in a folder of their own, then served.

The folder is made new at each run. Only a folder that an earlier demonstration
marked as its own is replaced, and in it only what a demonstration makes.
"""

import fcntl
import io
import os
import secrets
import shutil
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from callscope.environment import Environment
from callscope.interfaces.cli import initialise, report_tables, serve, startup, stdout
from callscope.interfaces.cli.answers import AdminCommand, JsonFlag
from callscope.interfaces.cli.progress_lines import Progress
from callscope.interfaces.cli.startup import Failure

if TYPE_CHECKING:
    from callscope.accounts.models import User
    from callscope.projects.models import Project

DEFAULT_FOLDER = "callscope-demo"
MARK = ".callscope-demo"
# Everything that a demonstration, and the server it starts, write into the folder.
OURS = (
    "callscope.sqlite3", "callscope.sqlite3-wal", "callscope.sqlite3-shm", "secret_key", ".init.lock",
    "incoming", "recordings", "static", MARK,
)  # fmt: skip
# What would lead away from the folder; the engines stay as they are set.
ELSEWHERE = ("CALLSCOPE_DATABASE_URL", "CALLSCOPE_STORAGE_URL", "CALLSCOPE_QUEUE_URL", "CALLSCOPE_SECRET_KEY")
OWNER, VIEWER = "demo@callscope.example", "viewer@callscope.example"
WORKERS = 2
POLL_S = 0.25
PATIENCE_S = 600.0  # without any job ending


def register(app: typer.Typer) -> None:
    app.command("demo", cls=AdminCommand)(demo)


@dataclass(frozen=True, slots=True)
class Login:
    email: str
    password: str
    api_key: str


def demo(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to serve on.")] = 8000,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="End after the report.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Run sample calls through the whole pipeline in a fresh folder, show the report and serve the result.

    The folder is ./callscope-demo, or CALLSCOPE_DATA_DIR.
    """
    if not no_serve:
        serve._require_free_port("127.0.0.1", port)
    with _fresh_folder() as folder:
        _run(folder, port, serves=not no_serve, as_json=as_json)


def _run(folder: Path, port: int, *, serves: bool, as_json: bool) -> None:
    for name in ELSEWHERE:
        if os.environ.pop(name, ""):
            print(f"{name} does not count for the demonstration; it keeps to {folder}.", file=sys.stderr)
    os.environ["CALLSCOPE_DATA_DIR"] = str(folder)
    environment = Environment.read()
    initialise.prepare_folder(environment)
    recogniser = _choose_recogniser(environment)
    startup.start(database=False)
    initialise.migrate(environment)

    login = _make_people()
    projects = _process_samples(recogniser)
    _show(projects, login, recogniser, port, serves=serves, as_json=as_json)
    if serves:
        from django.db import connections

        connections.close_all()
        serve.run_server("127.0.0.1", port, WORKERS, told="nothing" if as_json else "text")


class _fresh_folder(AbstractContextManager[Path]):
    """The empty folder of the demonstration, locked against a second one. Raises Failure."""

    def __enter__(self) -> Path:
        wanted = os.environ.get("CALLSCOPE_DATA_DIR", "").strip() or DEFAULT_FOLDER
        folder = Path(wanted).expanduser().absolute()
        mark = folder / MARK
        if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not mark.exists())):
            raise Failure(
                f"{folder} exists and no demonstration made it, so it stays as it is. "
                "Set CALLSCOPE_DATA_DIR to another folder."
            )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock: IO[str] = mark.open("a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise Failure(f"A demonstration is running in {folder}. Stop it first.") from None
        for name in OURS:
            if name != MARK:
                _remove(folder / name)
        return folder

    def __exit__(self, *_: object) -> None:
        self._lock.close()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _choose_recogniser(environment: Environment) -> str:
    """Return which engine hears the recordings; set the demo recogniser where no model can be had."""
    from callscope.engines.asr import selection

    chosen = environment.transcriber
    if chosen.address not in ("", "local"):
        return f"{chosen.address} (CALLSCOPE_TRANSCRIBER)"
    local = selection.transcriber("local", model=chosen.model)
    health = local.check()
    if health.ok:
        return f"{local.name}, {chosen.model or 'its default model'}"
    stand_in = selection.transcriber("demo")
    if chosen.address != "local" and stand_in.check().ok:
        os.environ["CALLSCOPE_TRANSCRIBER"] = "demo"
        return f"{stand_in.name}: it hears about half the words. {health.detail}"
    return f"none. {health.detail}"


def _make_people() -> Login:
    from callscope.accounts import administration

    password = secrets.token_urlsafe(9)
    owner = administration.create_user(OWNER, password)
    administration.create_user(VIEWER, password)
    _, api_key = administration.create_key(owner, name="demonstration")
    return Login(owner.email, password, api_key)


def _process_samples(recogniser: str) -> "list[Project]":
    """Upload the samples while workers take them on; return the projects when nothing is left to do."""
    from callscope.accounts.models import User
    from callscope.pipeline import jobs
    from callscope.samples.catalogue import load_catalogue

    print(f"Speech recognition: {recogniser}", file=sys.stderr)
    owner = User.objects.get(email=OWNER)
    samples = load_catalogue()
    workers = [_start_worker() for _ in range(WORKERS)]
    try:
        with Progress("sample calls", sum(len(sample.files) for sample in samples)) as progress:
            projects = [_upload(sample, owner) for sample in samples]
            still_until = time.monotonic() + PATIENCE_S
            left = -1
            while (now_left := jobs.left()) or not _all_analysed():
                if now_left != left:
                    left, still_until = now_left, time.monotonic() + PATIENCE_S
                if all(worker.poll() is not None for worker in workers) or time.monotonic() > still_until:
                    raise Failure("The workers stopped before everything was done; the lines above say why.")
                progress.reached(_files_done())
                time.sleep(POLL_S)
            progress.reached(_files_done())
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
    return projects


def _start_worker() -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "callscope", "worker", "--parent", str(os.getpid())]
    return subprocess.Popen(command, stdout=sys.stderr)


def _upload(sample: Any, owner: "User") -> "Project":
    from django.utils import timezone

    from callscope.accounts.models import User
    from callscope.pipeline import intake
    from callscope.projects import administration, configuration
    from callscope.samples.catalogue import manifest_csv

    document = configuration.parse_yaml(sample.config_path.read_bytes()).as_document()
    project = administration.create_project(owner, sample.name, document=document, by=owner)
    administration.share(project, User.objects.get(email=VIEWER), by=owner)
    manifest = manifest_csv(sample, timezone.localdate()).encode()
    intake.apply_manifest(project, io.BytesIO(manifest), owner)
    for path in sample.files:
        intake.receive(intake.copy_in(path), project=project, user=owner)
    return project


def _files_done() -> int:
    from callscope.analysis.models import CallAnalysis
    from callscope.pipeline.analysis_results import any_open

    return CallAnalysis.objects.exclude(any_open()).count()


def _all_analysed() -> bool:
    from callscope.analysis.models import CallAnalysis
    from callscope.pipeline.analysis_results import any_open

    return not CallAnalysis.objects.filter(any_open()).exists()


def _show(
    projects: "list[Project]", login: Login, recogniser: str, port: int, *, serves: bool, as_json: bool
) -> None:
    from django.conf import settings

    from callscope.calls.models import Call, UploadedFile
    from callscope.reports.report import build_report, report_json
    from callscope.reports.window import ALL_TIME

    report = report_json(build_report(projects, ALL_TIME))
    failed = [
        f"{file.original_filename}: {file.error_reason or file.error_detail}"
        for file in UploadedFile.objects.filter(status=UploadedFile.Status.FAILED).order_by("pk")
    ]
    address = f"http://127.0.0.1:{port}{settings.ENVIRONMENT.url_prefix}/"
    if as_json:
        document = {
            "data_dir": str(settings.DATA_DIR),
            "projects": [project.pk for project in projects],
            "calls": Call.objects.count(),
            "failed": failed,
            "speech_recognition": recogniser,
            "email": login.email,
            "password": login.password,
            "api_key": login.api_key,
            "headline": report["headline"],
        }
        stdout.tell(document)
        return
    names = " and ".join(project.name for project in projects)
    report_tables.show(report, title=f"Headline: {names}")
    for line in failed:
        print(line)
    judge = settings.ENVIRONMENT.llm.address or "the built-in rules analyser"
    print(f"Speech recognition: {recogniser}")
    print(f"Analysis: {judge}")
    print(f"Data: {settings.DATA_DIR}")
    if serves:
        print(f"\n  {address}\n  Sign in as {login.email} with the password {login.password}")
        print(f"  API key: {login.api_key}\n", flush=True)
