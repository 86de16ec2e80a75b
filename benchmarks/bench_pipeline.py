"""What does the pipeline cost over the functions that it calls?

Transcripts (BENCH_PIPELINE of them for each number of workers, 120), the sample calls of Copper Lane with its
scorecard, each several times, wait in the queue; 1, 2 and 4 workers take them. The same transcripts then go
through the bare functions, transcribe() and analyze(), in as many processes, which share no queue and write
nothing. Compared is the time for each file once all processes
are warm: the first fifth of the files is left out on both sides. Goal: at most 2 times. With
CALLSCOPE_DATABASE_URL on PostgreSQL, which gets a database of its own for the time, else on SQLite.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from measuring import callscope, heading, line, serve

import callscope.samples as callscope_samples

FILES = int(os.environ.get("BENCH_PIPELINE", "120"))
WORKERS = (1, 2, 4)
WARM_UP = 0.2
SAMPLE = Path(callscope_samples.__file__).parent / "copper_lane"


def main() -> None:
    if len(sys.argv) == 3:
        run_bare(json.loads(sys.argv[1]), int(sys.argv[2]))
        return
    heading(FILES)
    with tempfile.TemporaryDirectory() as home, own_database(Path(home) / "data-pipeline") as environment:
        callscope(environment, "init")
        account = ("user", "create", "bench@example.com", "--password-stdin")
        callscope(environment, *account, stdin="bench-word-7\n")
        for workers in WORKERS:
            project = fill_queue(Path(home), environment, workers)
            ours = run_workers(environment, workers, project)
            theirs = run_in_processes(environment, workers, project)
            line(f"pipeline against bare functions, {workers} at once, a file", ours, theirs, "≤ 2")


@contextmanager
def own_database(data: Path) -> Iterator[dict[str, str]]:
    """Give the variables of an installation whose database ends with the block."""
    server = os.environ.get("CALLSCOPE_DATABASE_URL", "")
    environment = {**os.environ, "CALLSCOPE_DATA_DIR": str(data), "CALLSCOPE_RATE_LIMIT": "off"}
    if not server.startswith("postgres"):
        yield environment
        return
    import psycopg

    name = f"{urlsplit(server).path.strip('/')}_pipeline"  # as measuring.environment_of() names it
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            url = urlsplit(server)._replace(path=f"/{name}").geturl()
            yield environment | {"CALLSCOPE_DATABASE_URL": url}
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def fill_queue(home: Path, environment: dict[str, str], workers: int) -> int:
    """Upload the transcripts to a new project while no worker runs; return its id."""
    config, folder = SAMPLE / "project.yaml", home / f"transcripts-{workers}"
    folder.mkdir()
    calls = sorted(SAMPLE.glob("calls/*.srt"))
    for number in range(FILES):
        shutil.copy(calls[number % len(calls)], folder / f"call-{number:05}.srt")
    command = ("project", "create", f"For {workers}", "--owner", "bench@example.com", "--config", str(config))
    project = int(json.loads(callscope(environment, *command, "--json"))["id"])
    with serve(Path(environment["CALLSCOPE_DATA_DIR"])) as server:
        client = {"CALLSCOPE_URL": f"http://127.0.0.1:{server.port}", "CALLSCOPE_API_KEY": server.key}
        callscope(environment | client, "upload", str(folder), "--project", str(project))
    return project


def run_workers(environment: dict[str, str], workers: int, project: int) -> float:
    """Let so many workers empty the queue; return the milliseconds for each file."""
    command = [sys.executable, "-m", "callscope", "worker", "--drain"]
    running = [subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) for _ in range(workers)]
    if any(each.wait() for each in running):
        raise SystemExit("a worker failed")
    finished = json.loads(_ask(environment, [["finished", project]], 0))
    if len(finished) != FILES:
        raise SystemExit(f"{len(finished)} of {FILES} files are done")
    return _ms_each(sorted(finished))


def run_in_processes(environment: dict[str, str], processes: int, project: int) -> float:
    """Let so many processes call the functions on their share; return the milliseconds for each file."""
    command = [sys.executable, __file__, json.dumps([["bare", project, processes]])]
    running = [
        subprocess.Popen([*command, str(share)], env=environment, stdout=subprocess.PIPE, text=True)
        for share in range(processes)
    ]
    outputs = [each.communicate()[0] for each in running]
    return _ms_each(sorted(moment for output in outputs for moment in json.loads(output)))


def _ms_each(moments: list[float]) -> float:
    """Return the milliseconds between two moments in the mean, the first fifth left out."""
    warm = moments[round(len(moments) * WARM_UP) :]
    return 1000 * (warm[-1] - warm[0]) / (len(warm) - 1)


def _ask(environment: dict[str, str], task: list[list[object]], share: int) -> str:
    command = [sys.executable, __file__, json.dumps(task), str(share)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def run_bare(task: list[list[object]], share: int) -> None:
    """Print when each file was done, as a list: by the pipeline, or by the functions in this process."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
    import django

    django.setup()
    what, project, *rest = task[0]
    print(json.dumps(list_finished(project) if what == "finished" else call_functions(project, share, *rest)))


def list_finished(project: object) -> list[float]:
    from callscope.pipeline.models import Job

    done = Job.objects.filter(project=project, kind=Job.Kind.ANALYZE, state=Job.State.DONE)
    return [moment.timestamp() for moment in done.values_list("finished_at", flat=True)]


def call_functions(project: object, share: int, processes: int) -> list[float]:
    import time

    from callscope.analysis.analyze import analyze
    from callscope.calls.models import UploadedFile
    from callscope.calls.private_words import engines_for_file
    from callscope.transcription.models import Transcript
    from callscope.transcription.transcribe import transcribe

    moments = []
    files = UploadedFile.objects.filter(project=project).select_related("project").order_by("pk")
    transcripts = {each.file_id: each for each in Transcript.objects.filter(project=project)}
    for file in list(files)[share::processes]:
        config = file.project.configuration
        engines = engines_for_file(file, config)
        transcribe(file, config, engines, on_measured=lambda _seconds: None)
        analyze(transcripts[file.pk], config, engines, config_version=file.project.config_version)
        moments.append(time.time())
    return moments


if __name__ == "__main__":
    main()
